/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/symfs.h"

#include <fcntl.h>

#include "common/elf/path_in_root.h"
#include "common/util/alloc.h"

/* Opening a FIFO or a device must not wait. */
#define FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

char *symfs_path(const char *symfs, const char *path)
{
	return xasprintf("%s%s", symfs ? symfs : "", path);
}

static int open_below_symfs(const char *symfs, const char *path)
{
	size_t length = symfs ? strlen(symfs) : 0;
	_cleanup_close_ int root = -1;

	if (!symfs || strncmp(path, symfs, length) || path[length] != '/')
		return open(path, FLAGS);
	root = open(symfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	return path_in_root_open(
		root, path + length, FLAGS, PATH_LINKS_FOLLOWED);
}

int symfs_open(const char *symfs, const char *path, struct stat *ret)
{
	_cleanup_close_ int fd = open_below_symfs(symfs, path);

	if (fd < 0 || fstat(fd, ret) < 0 || !S_ISREG(ret->st_mode))
		return -1;
	return take_fd(fd);
}
