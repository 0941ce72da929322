/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/safe_open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "record/sys/user_copy.h"

int safe_open_proc(pid_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d", (int)pid);
	return open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int safe_open_root(int proc)
{
	if (proc < 0)
		return -1;
	return openat(proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/*
 * Returns true if FOUND is on a file system whose content the kernel generates.
 * Reading such a file can take content away from other readers (/proc/kmsg,
 * trace_pipe), and a mount can place the file at any path.
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
	case TRACEFS_MAGIC: return true;
	default: return false;
	}
}

/*
 * Opening a device can have side effects, so the file type is checked before
 * the open.
 */
static int open_regular_file(int found)
{
	char name[64];
	struct stat file;

	if (found < 0 || fstat(found, &file) < 0 || !S_ISREG(file.st_mode) ||
		is_made_by_kernel(found))
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", found);
	return open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

int safe_open_walk(int root, const char *path)
{
	_cleanup_close_ int found = path_in_root_walk(root, path, O_PATH);

	return open_regular_file(found);
}

const char *safe_open_refusal(int root, const char *path)
{
	_cleanup_close_ int found = path_in_root_walk(root, path, O_PATH);
	struct stat file;

	if (found < 0 || fstat(found, &file) < 0 || S_ISREG(file.st_mode))
		return NULL;
	return S_ISLNK(file.st_mode) ? "is a symbolic link"
				     : "is not a regular file";
}

int safe_open_file(int root, const char *path, enum path_in_root_links links)
{
	_cleanup_close_ int found =
		path_in_root_open(root, path, O_PATH, links);

	return open_regular_file(found);
}

/*
 * Opens the regular file of FOUND, which PID has mapped, and sets *RET to its
 * status. The kernel refuses root access to files on FUSE mounts of other users,
 * and NFS servers can do so, too.
 */
static int open_file_of_process(int found, pid_t pid, struct stat *ret)
{
	_cleanup_close_ int fd = -1;

	if (found < 0)
		return -1;
	errno = 0;
	fd = open_regular_file(found);
	if (fd < 0)
		return errno == EACCES && !is_made_by_kernel(found)
			? user_copy_open(found, pid, ret)
			: -1;
	return fstat(fd, ret) == 0 ? take_fd(fd) : -1;
}

int safe_open_mapping(pid_t pid, uint64_t start, uint64_t end, struct stat *ret)
{
	_cleanup_close_ int found = -1;
	char name[128];

	snprintf(name, sizeof(name), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		(int)pid, start, end);
	found = open(name, O_PATH | O_CLOEXEC);
	return open_file_of_process(found, pid, ret);
}

int safe_open_exe(pid_t pid, struct stat *ret)
{
	_cleanup_close_ int found = -1;
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/exe", (int)pid);
	found = open(name, O_PATH | O_CLOEXEC);
	return open_file_of_process(found, pid, ret);
}
