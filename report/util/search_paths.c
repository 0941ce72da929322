/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/search_paths.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/util/alloc.h"

/* Returns PATH without "./" at its start. */
static const char *skip_dot_folders(const char *path)
{
	while (string_starts(path, "./")) {
		path += 2;
		path += strspn(path, "/");
	}
	return path;
}

struct error *search_sources_add(
	struct search_sources *paths, const char *what, const char *text)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text || !equals[1])
		return error_usage(
			"%s: '%s' is not OLD=NEW, the recorded folder of "
			"source files and their folder on this machine",
			what, text);
	if (access(equals + 1, F_OK) < 0)
		return error_usage("%s: '%s' does not exist", what, equals + 1);

	size_t size = (size_t)(equals - text);
	_cleanup_free_ char *copy = xstrndup(text, size);
	const char *start = skip_dot_folders(copy);

	while (size && copy[size - 1] == '/')
		copy[--size] = '\0';
	if (start > copy + size)
		start = copy + size;
	*array_push(&paths->at) = (struct search_source){
		xstrdup(*start || *text == '/' ? start : "."),
		xstrdup(equals + 1),
	};
	return NULL;
}

void search_sources_deinit(struct search_sources *paths)
{
	array_each(&paths->at, path) {
		free(path->recorded);
		free(path->local);
	}
	array_free(&paths->at);
}

/*
 * Returns the part of PATH below FOLDER, "" if both are equal, or NULL if
 * FOLDER is not a folder of PATH.
 */
static const char *path_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	if (string_is(folder, "."))
		return *path == '/' ? NULL : path;
	if (strncmp(path, folder, length) ||
		(path[length] && path[length] != '/'))
		return NULL;
	path += length;
	return path + strspn(path, "/");
}

char *search_sources_map(const struct search_sources *paths, const char *path)
{
	const char *recorded = skip_dot_folders(path);

	array_each(&paths->at, folder) {
		const char *below = path_below(recorded, folder->recorded);

		if (below)
			return xasprintf("%s%s%s", folder->local,
				*below ? "/" : "", below);
	}
	return NULL;
}

char *search_sources_folder(const char *path)
{
	const char *name = strrchr(path, '/');

	if (*path != '/' || !name)
		return xstrdup(".");
	return xstrndup(path, (size_t)MAX(name - path, (ptrdiff_t)1));
}
