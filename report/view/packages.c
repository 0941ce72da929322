/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/packages.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/hash.h"
#include "common/util/strbuf.h"

#define DPKG_LISTS "/var/lib/dpkg/info"
#define LIST_END ".list"
/* The largest of Debian 12 has some 2 MB. */
#define LIST_SIZE_MAX MIB(64)

/* Packages know files by their old names: /lib is /usr/lib since. */
static const char *plain(const char *path)
{
	return string_starts(path, "/usr/") ? path + strlen("/usr") : path;
}

static bool slurp(int folder, const char *name, struct strbuf *ret)
{
	_cleanup_close_ int fd = openat(
		folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	char part[KIB(16)];
	ssize_t n;

	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
		(uint64_t)status.st_size > LIST_SIZE_MAX)
		return false;
	while ((n = read(fd, part, sizeof(part))) > 0)
		strbuf_put(ret, part, (size_t)n);
	return n == 0;
}

/* "libc6:amd64.list" */
static char *name_of_list(const char *list)
{
	size_t length = strlen(list) - strlen(LIST_END);

	return xstrndup(list, MIN(length, strcspn(list, ":")));
}

static void take_path(struct packages *packages,
	const struct hash_index *by_path, const char *path, const char *list)
{
	uint64_t hash = hash_string(plain(path));
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(by_path, hash, &probe)) != HASH_NONE) {
		struct packages_wish *wish = &packages->wishes.at[i];

		if (!wish->package && string_is(plain(wish->path), plain(path)))
			wish->package = name_of_list(list);
	}
}

static void take_list(struct packages *packages,
	const struct hash_index *by_path, int folder, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char *rest, *line;

	if (!slurp(folder, name, &text))
		return;
	rest = text.at;
	while ((line = strsep(&rest, "\n")))
		take_path(packages, by_path, line, name);
}

void packages_find(struct packages *packages, const char *path)
{
	struct hash_index by_path = { 0 };
	DIR *folder = opendir(path ? path : DPKG_LISTS);
	const struct dirent *entry;
	uint32_t i;

	if (!folder)
		return;
	for (i = 0; i < packages->wishes.n; i++)
		hash_insert(&by_path,
			hash_string(plain(packages->wishes.at[i].path)), i);
	while ((entry = readdir(folder))) {
		const char *end = strrchr(entry->d_name, '.');

		if (end && string_is(end, LIST_END))
			take_list(packages, &by_path, dirfd(folder),
				entry->d_name);
	}
	closedir(folder);
	hash_free(&by_path);
}

void packages_deinit(struct packages *packages)
{
	array_each(&packages->wishes, wish)
		free(wish->package);
	array_free(&packages->wishes);
}
