/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/public_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>

#include "common/util/log.h"

/* As SUDO_UID, root has no files that others may not see. */
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

static bool is_searchable(int folder)
{
	struct stat status;

	return fstat(folder, &status) == 0 &&
		(status.st_mode & S_IXOTH || belongs_to_caller(&status));
}

/*
 * Walks from FOLDER, which it closes, along NAMES. Returns the last file, or
 * -1.
 */
static int open_searchable(int folder, char *names)
{
	char *name;

	while ((name = strsep(&names, "/")) && folder >= 0) {
		int next = is_searchable(folder)
			? openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC)
			: -1;

		close(folder);
		folder = next;
	}
	return folder;
}

/* The kernel's path of an open file has no symbolic links. */
static bool has_searchable_path(int fd, const struct stat *status)
{
	char link[32], path[PATH_MAX];
	_cleanup_close_ int found = -1;
	struct stat there;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path));
	if (n <= 0 || (size_t)n == sizeof(path) || path[0] != '/')
		return false;
	path[n] = '\0';
	found = open_searchable(
		open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), path + 1);
	return found >= 0 && fstat(found, &there) == 0 &&
		there.st_dev == status->st_dev &&
		there.st_ino == status->st_ino;
}

static void report_hidden(const char *path)
{
	static atomic_flag is_reported = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&is_reported))
		log_note("no source lines of %s: as root, dwell shows only "
			 "source files that all users can read or that belong "
			 "to the user SUDO_UID. Run dwell as the owner of the "
			 "files, or make them and their folders readable",
			path);
}

bool public_file_is_shown(int fd, const struct stat *status, const char *path)
{
	if (geteuid() != 0 || belongs_to_caller(status) ||
		(status->st_mode & S_IROTH && has_searchable_path(fd, status)))
		return true;
	report_hidden(path);
	return false;
}
