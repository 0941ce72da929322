/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/packages.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/hash.h"
#include "common/util/strbuf.h"

#define DPKG_LISTS "/var/lib/dpkg/info"
#define LIST_END ".list"
/*
 * Limit of a package's list of files in bytes. The largest list of Debian 12
 * has some 2 MB.
 */
#define LIST_SIZE_MAX MIB(64)

/*
 * Returns PATH without a leading /usr. dpkg's lists may contain old paths of
 * files: /lib is a link to /usr/lib now.
 */
static const char *unmerged_path(const char *path)
{
	return string_starts(path, "/usr/") ? path + strlen("/usr") : path;
}

static void match_package_list(struct packages *packages,
	const struct hash_index *by_path, int folder, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char *rest, *line;
	_cleanup_close_ int fd =
		openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	char part[KIB(16)];
	ssize_t n;

	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
		(uint64_t)status.st_size > LIST_SIZE_MAX)
		return;
	while ((n = read(fd, part, sizeof(part))) > 0)
		strbuf_put(&text, part, (size_t)n);
	if (n < 0)
		return;
	rest = text.at;
	while ((line = strsep(&rest, "\n"))) {
		uint64_t hash = hash_string(unmerged_path(line));

		hash_each_match(by_path, hash, i) {
			struct packages_file *file = &packages->files.at[i];

			if (!file->package &&
				string_is(unmerged_path(file->path),
					unmerged_path(line))) {
				/* "libc6" for "libc6:amd64.list" */
				size_t length = strlen(name) - strlen(LIST_END);

				file->package = xstrndup(
					name, MIN(length, strcspn(name, ":")));
			}
		}
	}
}

void packages_find(struct packages *packages, const char *path)
{
	struct hash_index by_path = { 0 };
	DIR *folder = opendir(path ? path : DPKG_LISTS);
	const struct dirent *entry;
	uint32_t i;

	if (!folder)
		return;
	for (i = 0; i < packages->files.n; i++)
		hash_insert(&by_path,
			hash_string(unmerged_path(packages->files.at[i].path)),
			i);
	while ((entry = readdir(folder))) {
		const char *end = strrchr(entry->d_name, '.');

		if (end && string_is(end, LIST_END))
			match_package_list(packages, &by_path, dirfd(folder),
				entry->d_name);
	}
	closedir(folder);
	hash_free(&by_path);
}

void packages_deinit(struct packages *packages)
{
	array_each(&packages->files, file)
		free(file->package);
	array_free(&packages->files);
}
