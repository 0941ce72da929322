/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "report/util/output.h"

#define DEFAULT_INPUT "dwell.data"
#define PERF_INPUT "perf.data"
#define MAGIC_SIZE 8u

/* A file of the other byte order has the magic reversed. */
static const char *const magics[] = {
	"PERFILE2",
	"2ELIFREP",
	"PERFFILE",
	"ELIFFREP",
};

static bool is_input_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* In a directory of `perf record --threads`, the file "data" has the header. */
static bool is_recording_path(const char *path)
{
	_cleanup_free_ char *head = xasprintf(
		"%s%s", path, is_input_directory(path) ? "/data" : "");
	_cleanup_close_ int fd =
		open(head, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char magic[MAGIC_SIZE];
	struct stat status;
	size_t i;

	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
		read(fd, magic, sizeof(magic)) != sizeof(magic))
		return false;
	for (i = 0; i < ARRAY_SIZE(magics); i++)
		if (!memcmp(magic, magics[i], sizeof(magic)))
			return true;
	return false;
}

static int compare_entry_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static struct error *expand_directory(
	const char *folder, struct filter_names *ret)
{
	size_t before = ret->names.n, length = strlen(folder);
	bool has_slash = length && folder[length - 1] == '/';
	struct dirent **entries;
	int n = scandir(folder, &entries, NULL, compare_entry_names), i;

	if (n < 0)
		return error_errno(
			errno, "%s: cannot read the directory", folder);
	for (i = 0; i < n; i++) {
		char *path = xasprintf("%s%s%s", folder, has_slash ? "" : "/",
			entries[i]->d_name);

		if (entries[i]->d_name[0] != '.' && is_recording_path(path))
			*array_push(&ret->names) = path;
		else
			free(path);
		free(entries[i]);
	}
	free(entries);
	if (ret->names.n == before)
		return error_new(
			"%s: the directory contains no recording", folder);
	return NULL;
}

struct error *paths_expand(
	const struct filter_names *words, struct filter_names *ret)
{
	struct error *err = NULL;

	array_each(&words->names, word) {
		if (!is_input_directory(*word) || is_recording_path(*word))
			*array_push(&ret->names) = xstrdup(*word);
		else
			err = expand_directory(*word, ret);
		if (err)
			break;
	}
	return err;
}

static bool is_offered_path(const char *path)
{
	const char *suffix = strrchr(path, '.');

	return string_is(suffix ?: "", ".data") || is_recording_path(path);
}

COMPLETER(paths_complete)
{
	completion_offer_paths(completion, "", is_offered_path);
}

/* Returns PERF if only PERF exists, else OWN. */
static const char *choose_default_path(const char *own, const char *perf)
{
	return access(own, F_OK) && !access(perf, F_OK) ? perf : own;
}

void paths_compare(const struct filter_names *words, struct filter_names *ret)
{
	const char *latest = choose_default_path(DEFAULT_INPUT, PERF_INPUT);

	if (!words->names.n) {
		*array_push(&ret->names) = xasprintf("%s.old", latest);
		*array_push(&ret->names) = xstrdup(latest);
	} else if (words->names.n == 1) {
		*array_push(&ret->names) = xstrdup(choose_default_path(
			DEFAULT_INPUT ".old", PERF_INPUT ".old"));
	}
	array_each(&words->names, word)
		*array_push(&ret->names) = xstrdup(*word);
}

struct error *paths_open(const char *path, struct reader **ret)
{
	const char *found =
		path ?: choose_default_path(DEFAULT_INPUT, PERF_INPUT);
	struct error *err = reader_open(found, ret);

	if (err && !path)
		err = error_hint(err,
			"record one with 'dwell record' or name one with -i");
	if (!err)
		output_limit_add_input(reader_size(*ret));
	return err;
}
