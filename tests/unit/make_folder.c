/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "make_folder.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

void folder_make(struct folder *folder)
{
	*folder = (struct folder){ "/tmp/dwell-test-XXXXXX" };
	if (!mkdtemp(folder->path))
		abort();
}

void folder_put_bytes(const struct folder *folder, const char *name,
	const void *data, size_t size)
{
	_cleanup_close_ int fd = -1;
	char path[256];
	char *slash;

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	slash = path + strlen(folder->path);
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
}

void folder_put(const struct folder *folder, const char *name, const char *text)
{
	folder_put_bytes(folder, name, text, strlen(text));
}

static int remove_one(const char *path, const struct stat *status _unused_,
	int type _unused_, struct FTW *walk _unused_)
{
	return remove(path);
}

void folder_remove(const struct folder *folder)
{
	if (nftw(folder->path, remove_one, 8, FTW_DEPTH | FTW_PHYS))
		abort();
}
