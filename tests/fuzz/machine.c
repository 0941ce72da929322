/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/fuzz/machine.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

static char root[] = "/tmp/dwell-fuzz-XXXXXX";
static bool is_made;

static int remove_one(const char *path, const struct stat *status _unused_,
	int type _unused_, struct FTW *walk _unused_)
{
	return remove(path);
}

static void remove_all(void)
{
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *machine_path(const char *name)
{
	static char path[256];

	if (!is_made && (!mkdtemp(root) || atexit(remove_all)))
		abort();
	is_made = true;
	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

void machine_put(const char *name, const void *data, size_t size)
{
	_cleanup_close_ int fd = -1;
	char path[256];
	char *slash;

	snprintf(path, sizeof(path), "%s", machine_path(name));
	slash = path + strlen(root);
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
}
