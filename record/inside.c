/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

/* A rename beside the look-up makes the kernel give up with EAGAIN. */
#define TRIES_MAX 16
#define NAME_SIZE 256u /* NAME_MAX and its NUL */

int inside_proc(pid_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d", (int)pid);
	return open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int inside_root(int proc)
{
	if (proc < 0)
		return -1;
	return openat(proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/*
 * What a file of these holds is made when it is read, and reading may take it
 * away from others (/proc/kmsg, trace_pipe): a mount can put one anywhere.
 */
static bool is_made_by_kernel(int found)
{
	struct statfs system;

	if (fstatfs(found, &system) < 0)
		return true;
	switch ((uint32_t)system.f_type) {
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
	case DEBUGFS_MAGIC:
	case TRACEFS_MAGIC:
		return true;
	default:
		return false;
	}
}

/* To open a device may do something, so nothing is opened before it's known. */
static int open_found(int found)
{
	char name[64];
	struct stat file;

	if (found < 0 || fstat(found, &file) < 0 || !S_ISREG(file.st_mode) ||
		is_made_by_kernel(found))
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", found);
	return open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

/* The next name of PATH into NAME; false at the end or if it is too long. */
static bool next_name(const char **path, char name[NAME_SIZE])
{
	size_t length;

	*path += strspn(*path, "/");
	length = strcspn(*path, "/");
	if (!length || length >= NAME_SIZE)
		return false;
	memcpy(name, *path, length);
	name[length] = '\0';
	*path += length;
	return !string_is(name, "..");
}

static int walk(int root, const char *path)
{
	int at = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char name[NAME_SIZE];

	while (at >= 0 && next_name(&path, name)) {
		int next = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

		close(at);
		at = next;
	}
	if (at >= 0 && path[strspn(path, "/")]) {
		close(at);
		return -1;
	}
	return at;
}

int inside_walk(int root, const char *path)
{
	_cleanup_close_ int found = walk(root, path);

	return open_found(found);
}

int inside_open(int root, const char *path, enum inside_links links)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	_cleanup_close_ int found = -1;
	unsigned tries = 0;

	if (links == INSIDE_LINKS_REFUSED)
		how.resolve |= RESOLVE_NO_SYMLINKS;
	do
		found = (int)syscall(
			SYS_openat2, root, path, &how, sizeof(how));
	while (found < 0 && errno == EAGAIN && ++tries < TRIES_MAX);
	/* Where a filter doesn't know the call it answers EPERM. */
	if (found < 0 && (errno == ENOSYS || errno == EPERM))
		return inside_walk(root, path);
	return open_found(found);
}

int inside_open_mapping(pid_t pid, uint64_t start, uint64_t end)
{
	_cleanup_close_ int found = -1;
	char name[128];

	snprintf(name, sizeof(name), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		(int)pid, start, end);
	found = open(name, O_PATH | O_CLOEXEC);
	return open_found(found);
}
