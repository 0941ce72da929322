/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/source_texts.h"

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/clock.h"
#include "common/util/hash.h"
#include "report/lines/public_file.h"
#include "report/util/symfs.h"

/* Limits of a file and of all files: source code is smaller. */
#define FILE_MAX MIB(16)
#define ALL_MAX MIB(256)

struct source_texts {
	const char *symfs; /* borrowed; or NULL */
	uint64_t size;	   /* size of all files */
	ARRAY(struct source_file {
		char *path, *text; /* owned; .text NULL: cannot be read */
		size_t size;
		uint64_t changed_ns;
		ARRAY(size_t) lines; /* offsets of the lines in .text */
	})
	files;
	struct hash_index by_path;
};

struct source_texts *source_texts_create(const char *symfs)
{
	struct source_texts *texts = xcalloc(1, sizeof(*texts));

	texts->symfs = symfs;
	return texts;
}

void source_texts_destroy(struct source_texts *texts)
{
	if (!texts)
		return;
	array_each(&texts->files, file) {
		free(file->path);
		free(file->text);
		array_free(&file->lines);
	}
	array_free(&texts->files);
	hash_free(&texts->by_path);
	free(texts);
}

static void read_source_text(int fd, size_t size, struct source_file *file)
{
	ssize_t n;

	file->text = xmalloc(size + 1);
	while (file->size < size) {
		n = read(fd, file->text + file->size, size - file->size);
		if (n <= 0)
			break;
		file->size += (size_t)n;
	}
}

static void find_line_starts(struct source_file *file)
{
	size_t i;

	for (i = 0; i < file->size; i++)
		if (!i || file->text[i - 1] == '\n')
			*array_push(&file->lines) = i;
}

static bool load_source_file(
	struct source_texts *texts, const char *path, struct source_file *file)
{
	struct stat status;
	_cleanup_close_ int fd = symfs_open(texts->symfs, path, &status);

	if (fd < 0 || (uint64_t)status.st_size > FILE_MAX ||
		texts->size + (uint64_t)status.st_size > ALL_MAX ||
		!public_file_is_shown(fd, &status, path))
		return false;
	texts->size += (uint64_t)status.st_size;
	file->changed_ns = clock_ns(&status.st_mtim);
	read_source_text(fd, (size_t)status.st_size, file);
	find_line_starts(file);
	return true;
}

static const struct source_file *find_source_file(
	struct source_texts *texts, const char *path)
{
	_cleanup_free_ char *rooted =
		texts->symfs ? symfs_path(texts->symfs, path) : NULL;
	uint64_t hash = hash_string(path);
	struct source_file *file;

	hash_each_match(&texts->by_path, hash, i)
		if (string_is(texts->files.at[i].path, path))
			return &texts->files.at[i];
	hash_insert(&texts->by_path, hash, (uint32_t)texts->files.n);
	file = array_push(&texts->files);
	file->path = xstrdup(path);
	if (!rooted || !load_source_file(texts, rooted, file))
		load_source_file(texts, path, file);
	return file;
}

struct source_text source_texts_find(
	struct source_texts *texts, const char *file, uint32_t line)
{
	const struct source_file *found = find_source_file(texts, file);
	size_t start, end;

	if (!line || line > found->lines.n)
		return (struct source_text){ 0 };
	start = found->lines.at[line - 1];
	end = line < found->lines.n ? found->lines.at[line] : found->size;
	if (found->text[end - 1] == '\n')
		end--;
	if (end > start && found->text[end - 1] == '\r')
		end--;
	return (struct source_text){ found->text + start, end - start,
		found->changed_ns };
}
