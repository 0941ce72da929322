/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/source_texts.h"

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/clock.h"
#include "common/util/hash.h"
#include "report/lines/public_file.h"
#include "report/util/symfs.h"

/* Larger files are none that somebody wrote; nor is all that together. */
#define FILE_MAX MIB(16)
#define ALL_MAX MIB(256)

struct source_texts {
	const char *symfs; /* borrowed; or NULL */
	uint64_t size;     /* of all */
	ARRAY(struct source_file {
		char *path, *text;   /* owned; text NULL: it isn't there */
		size_t size;
		uint64_t changed_ns;
		ARRAY(size_t) lines; /* where they begin; of a text */
	}) files;
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

static void read_all(int fd, size_t size, struct source_file *file)
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

static void find_lines(struct source_file *file)
{
	size_t i;

	for (i = 0; i < file->size; i++)
		if (!i || file->text[i - 1] == '\n')
			*array_push(&file->lines) = i;
}

static bool load(struct source_texts *texts, const char *path,
	struct source_file *file)
{
	struct stat status;
	_cleanup_close_ int fd = symfs_open(texts->symfs, path, &status);

	if (fd < 0 || (uint64_t)status.st_size > FILE_MAX ||
		texts->size + (uint64_t)status.st_size > ALL_MAX ||
		!public_file_is_shown(fd, &status, path))
		return false;
	texts->size += (uint64_t)status.st_size;
	file->changed_ns = clock_ns(&status.st_mtim);
	read_all(fd, (size_t)status.st_size, file);
	find_lines(file);
	return true;
}

static const struct source_file *find(
	struct source_texts *texts, const char *path)
{
	_cleanup_free_ char *rooted =
		texts->symfs ? symfs_path(texts->symfs, path) : NULL;
	uint64_t hash = hash_string(path);
	uint32_t i, probe = hash_start(hash);
	struct source_file *file;

	while ((i = hash_next(&texts->by_path, hash, &probe)) != HASH_NONE)
		if (string_is(texts->files.at[i].path, path))
			return &texts->files.at[i];
	hash_insert(&texts->by_path, hash, (uint32_t)texts->files.n);
	file = array_push(&texts->files);
	file->path = xstrdup(path);
	if (!rooted || !load(texts, rooted, file))
		load(texts, path, file);
	return file;
}

struct source_text source_texts_find(
	struct source_texts *texts, const char *file, uint32_t line)
{
	const struct source_file *found = find(texts, file);
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
