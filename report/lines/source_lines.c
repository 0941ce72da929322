/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/source_lines.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/clock.h"
#include "common/util/hash.h"
#include "common/util/log.h"
#include "common/util/strbuf.h"
#include "report/lines/packed_source.h"
#include "report/util/local_files.h"

/*
 * Limits of a source file and of all source files in bytes: source code is
 * smaller.
 */
#define FILE_MAX MIB(16)
#define ALL_MAX MIB(256)

/* --- files that may be shown ------------------------------------------- */

/*
 * The author of a recorded program chooses the names of its source files, and
 * root can read every file, so that an HTML page or a packed recording made by
 * root could contain the private files of other users.
 */

/*
 * Whether a file belongs to SUDO_UID, the user who called sudo. If root called
 * sudo, the files of root are not shown for this reason.
 */
static bool belongs_to_caller(const struct stat *status)
{
	const char *text = getenv("SUDO_UID");
	unsigned long uid;
	char *end;

	if (!text || !*text)
		return false;
	uid = strtoul(text, &end, 10);
	return !*end && uid && status->st_uid == uid;
}

/*
 * Whether all users can reach the open file FD by the path that the kernel
 * reports for FD, which has no symbolic links.
 */
static bool has_searchable_path(int fd, const struct stat *status)
{
	char link[32], path[PATH_MAX], *names = path + 1, *name;
	_cleanup_close_ int folder = -1;
	struct stat there;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path));
	if (n <= 0 || (size_t)n == sizeof(path) || path[0] != '/')
		return false;
	path[n] = '\0';
	/*
	 * Open the path again from / on, without symbolic links. All users, or
	 * SUDO_UID as the owner, must be able to search each folder of it.
	 */
	folder = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	while ((name = strsep(&names, "/"))) {
		int next;

		if (folder < 0 || fstat(folder, &there) < 0 ||
			!(there.st_mode & S_IXOTH || belongs_to_caller(&there)))
			return false;
		next = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		close(folder);
		folder = next;
	}
	return folder >= 0 && fstat(folder, &there) == 0 &&
		there.st_dev == status->st_dev &&
		there.st_ino == status->st_ino;
}

/*
 * Returns whether the open file FD, whose status is STATUS, may be shown. Other
 * users than root may show every file that they can open. Root may show a file
 * that all users can open by its path without symbolic links, and one that
 * belongs to SUDO_UID, the user who called sudo. The first file that may not be
 * shown is reported with its name PATH.
 */
static bool public_file_is_shown(
	int fd, const struct stat *status, const char *path)
{
	if (geteuid() != 0 || belongs_to_caller(status) ||
		(status->st_mode & S_IROTH && has_searchable_path(fd, status)))
		return true;
	static atomic_flag is_reported = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&is_reported))
		log_note("no source lines of %s: as root, dwell shows only "
			 "source files that all users can read or that belong "
			 "to the user SUDO_UID. Run dwell as the owner of the "
			 "files, or make them and their folders readable",
			path);
	return false;
}

struct source_texts {
	const struct search_paths *paths; /* borrowed */
	enum source_relative relative;
	bool forgives; /* files that are found next are not expected */
	uint64_t size; /* size of all files that were read, in bytes */
	ARRAY(struct source_file {
		char *path, *text; /* owned; .text NULL: cannot be read */
		bool is_found;
		bool is_expected; /* report the file if it is missing */
		size_t size;
		uint64_t changed_ns;
		ARRAY(size_t) lines; /* offsets of the lines in .text */
	})
	files;
	struct hash_index by_path;
};

struct source_texts *source_texts_create(
	const struct search_paths *paths, enum source_relative relative)
{
	struct source_texts *texts = xcalloc(1, sizeof(*texts));

	texts->paths = paths;
	texts->relative = relative;
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

/*
 * Reads PATH, a path on this machine, to FILE. Returns false if there is no
 * such file.
 */
static bool load_source_file(
	struct source_texts *texts, const char *path, struct source_file *file)
{
	struct stat status;
	_cleanup_close_ int fd =
		local_symfs_open(texts->paths->symfs, path, &status);

	if (fd < 0)
		return false;
	if ((uint64_t)status.st_size > FILE_MAX ||
		texts->size + (uint64_t)status.st_size > ALL_MAX ||
		!public_file_is_shown(fd, &status, path))
		return true;
	texts->size += (uint64_t)status.st_size;
	file->changed_ns = clock_ns(&status.st_mtim);
	size_t size = (size_t)status.st_size;
	ssize_t n;

	file->text = xmalloc(size + 1);
	while (file->size < size) {
		n = read(fd, file->text + file->size, size - file->size);
		if (n <= 0)
			break;
		file->size += (size_t)n;
	}
	size_t i;

	for (i = 0; i < file->size; i++)
		if (!i || file->text[i - 1] == '\n')
			*array_push(&file->lines) = i;
	return true;
}

/*
 * Prefix of file names in code of Node.js, which uses URLs as names of modules.
 */
#define URL "file://"

static const char *skip_url(const char *path)
{
	return path + (string_starts(path, URL) ? strlen(URL) : 0);
}

/* Reads the file that debug information names PATH to FILE. */
static bool find_local_source(
	struct source_texts *texts, const char *path, struct source_file *file)
{
	const struct search_paths *paths = texts->paths;
	_cleanup_free_ char *mapped =
		search_sources_map(&paths->source_paths, path);
	_cleanup_free_ char *rooted =
		paths->symfs ? local_symfs_path(paths->symfs, path) : NULL;

	if (mapped)
		return load_source_file(texts, mapped, file);
	if (rooted && load_source_file(texts, rooted, file))
		return true;
	return (*path == '/' || texts->relative == SOURCE_RELATIVE_TO_CWD) &&
		load_source_file(texts, path, file);
}

static const struct source_file *find_source_file(
	struct source_texts *texts, const char *path)
{
	uint64_t hash = hash_string(path);
	struct source_file *file;

	hash_each_match(&texts->by_path, hash, i)
		if (string_is(texts->files.at[i].path, path)) {
			texts->files.at[i].is_expected |= !texts->forgives;
			return &texts->files.at[i];
		}
	hash_insert(&texts->by_path, hash, (uint32_t)texts->files.n);
	file = array_push(&texts->files);
	file->path = xstrdup(path);
	file->is_expected = !texts->forgives;
	file->is_found = find_local_source(texts, skip_url(path), file);
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

struct source_lines {
	struct packed_source *packed; /* lines in the recording; NULL: there are
					 none */
	struct source_texts *texts;
};

struct source_lines *source_lines_create(
	struct files *files, enum source_relative relative)
{
	static const struct search_paths no_paths;
	struct source_lines *lines = xcalloc(1, sizeof(*lines));
	const struct buildid_cache *store = files_cache(files);

	lines->packed = packed_source_create(files_reader(files));
	lines->texts = source_texts_create(
		store ? buildid_cache_paths(store) : &no_paths, relative);
	return lines;
}

void source_lines_destroy(struct source_lines *lines)
{
	if (!lines)
		return;
	packed_source_destroy(lines->packed);
	source_texts_destroy(lines->texts);
	free(lines);
}

void source_lines_forgive(struct source_lines *lines, bool forgives)
{
	lines->texts->forgives = forgives;
}

struct source_line source_lines_find(
	struct source_lines *lines, const char *file, uint32_t line)
{
	struct source_line found = { .is_recorded = true };
	struct source_text local;

	if (lines->packed)
		found.text = packed_source_find(
			lines->packed, file, line, &found.size);
	if (found.text)
		return found;
	local = source_texts_find(lines->texts, file, line);
	return (struct source_line){ local.at, local.size, false,
		local.changed_ns };
}

/* --- missing files ------------------------------------------------------- */

void source_lines_report_missing(const struct source_lines *lines)
{
	const char *first = NULL;
	size_t n = 0;

	array_each(&lines->texts->files, file) {
		const char *path = skip_url(file->path);

		/*
		 * Names such as "<built-in>" and "node:events" are not paths.
		 */
		if (!file->is_found && file->is_expected && *path &&
			*path != '<' && path[strcspn(path, ":/")] != ':' &&
			!n++)
			first = path;
	}
	if (first) {
		const struct search_sources *paths =
			&lines->texts->paths->source_paths;
		_cleanup_free_ char *mapped = search_sources_map(paths, first);
		_cleanup_free_ char *folder = search_sources_folder(first);
		_cleanup_strbuf_ struct strbuf problem = { 0 };

		strbuf_puts(&problem, "source file not found");
		if (mapped)
			strbuf_printf(&problem, " as %s", mapped);
		if (n - 1)
			strbuf_printf(&problem, " (and %zu more)", n - 1);
		if (mapped)
			strbuf_puts(&problem, "; check --source-path");
		else
			strbuf_printf(&problem,
				"; --source-path %s=DIR gives its folder",
				folder);
		local_file_report(first, problem.at);
	}
}
