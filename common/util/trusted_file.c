/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/trusted_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/util/alloc.h"

/* Limit of the symbolic links that a name leads through, as in the kernel. */
#define LINKS_MAX 40u

bool trusted_file_sudo_id(const char *name, unsigned *ret)
{
	const char *text = getenv(name);
	char *end;

	if (geteuid() != 0 || !text || !*text)
		return false;
	*ret = (unsigned)strtoul(text, &end, 10);
	return *end == '\0';
}

bool trusted_file_owner(uid_t uid)
{
	unsigned caller;

	return uid == 0 || uid == geteuid() ||
		(trusted_file_sudo_id("SUDO_UID", &caller) && uid == caller);
}

/* A name in a folder that is open, while symbolic links are followed. */
struct output_place {
	const char *path; /* the path that the user gave; borrowed */
	int folder;
	struct stat folder_status;
	bool has_descriptors; /* the folder is in /proc */
	char *name;	      /* owned */
};

/* Goes to PATH, which begins in PLACE's folder unless it is absolute. */
static int go_to_path(struct output_place *place, const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder =
		slash ? xstrndup(path, (size_t)(slash - path + 1)) : NULL;
	int fd = openat(
		place->folder, folder ?: ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statfs system;

	if (fd < 0)
		return -1;
	if (place->folder >= 0)
		close(place->folder);
	place->folder = fd;
	free(place->name);
	place->name = xstrdup(slash ? slash + 1 : path);
	if (fstat(fd, &place->folder_status) < 0 || fstatfs(fd, &system) < 0)
		return -1;
	place->has_descriptors = system.f_type == PROC_SUPER_MAGIC;
	return 0;
}

/*
 * Returns an error if a user who is not trusted may have created the KIND with
 * STATUS at PLACE.
 */
static struct error *check_owner(const struct output_place *place,
	const struct stat *status, const char *kind)
{
	const struct stat *folder = &place->folder_status;
	bool is_shared = folder->st_mode & S_ISVTX &&
		folder->st_mode & (S_IWGRP | S_IWOTH) &&
		folder->st_uid != status->st_uid;

	if (place->has_descriptors || trusted_file_owner(status->st_uid) ||
		!(is_shared || S_ISFIFO(status->st_mode)))
		return NULL;
	return error_hint(error_new("cannot write %s: it is a %s of user %u",
				  place->path, kind, (unsigned)status->st_uid),
		"use another name: -o FILE");
}

/* Follows the symbolic link at PLACE. */
static struct error *follow_link(struct output_place *place)
{
	char target[PATH_MAX];
	struct stat status;
	struct error *err;
	ssize_t n;
	/* The owner is that of the link that is read. */
	_cleanup_close_ int link = openat(
		place->folder, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (link < 0 || fstat(link, &status) < 0)
		return error_errno(errno, "cannot write %s", place->path);
	err = check_owner(place, &status, "symbolic link");
	if (err)
		return err;
	n = readlinkat(link, "", target, sizeof(target) - 1);
	if (n < 0)
		return error_errno(errno, "cannot write %s", place->path);
	target[n] = '\0';
	return go_to_path(place, target) < 0
		? error_errno(errno, "cannot write %s", place->path)
		: NULL;
}

/*
 * Opens the file at PLACE, or creates it. Returns -1 and sets errno, to ELOOP
 * if the file is a symbolic link, which a descriptor in /proc is not here.
 */
static int open_place(const struct output_place *place, bool appends)
{
	/* O_NONBLOCK: does not wait for the reader of a FIFO. */
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
		(appends ? O_APPEND : 0) |
		(place->has_descriptors ? 0 : O_NOFOLLOW);
	int fd = openat(place->folder, place->name, flags);

	if (fd >= 0 || errno != ENOENT || place->has_descriptors)
		return fd;
	fd = openat(place->folder, place->name, flags | O_CREAT | O_EXCL, 0666);
	/* Another program may have created the file meanwhile. */
	return fd < 0 && errno == EEXIST
		? openat(place->folder, place->name, flags)
		: fd;
}

/* Returns an error for ERRNUM of open_place(). */
static struct error *open_place_error(
	const struct output_place *place, int errnum)
{
	struct stat status;
	struct error *err;

	if (errnum != ENXIO ||
		fstatat(place->folder, place->name, &status, 0) < 0 ||
		!S_ISFIFO(status.st_mode))
		return error_errno(errnum, "cannot write %s", place->path);
	err = check_owner(place, &status, "FIFO");
	if (err)
		return err;
	return error_hint(error_new("cannot write %s: it is a FIFO that no "
				    "program reads",
				  place->path),
		"start the program that reads it first");
}

/* Checks the open file FD at PLACE, and truncates it unless APPENDS. */
static struct error *begin_output(
	const struct output_place *place, bool appends, int fd)
{
	struct stat status;
	struct error *err;
	int flags;

	if (fstat(fd, &status) < 0)
		return error_errno(errno, "cannot write %s", place->path);
	err = check_owner(
		place, &status, S_ISFIFO(status.st_mode) ? "FIFO" : "file");
	if (err)
		return err;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0 ||
		(!appends && S_ISREG(status.st_mode) && ftruncate(fd, 0) < 0))
		return error_errno(errno, "cannot write %s", place->path);
	return NULL;
}

struct error *trusted_file_open_output(
	const char *path, bool appends, int *fd_ret)
{
	struct output_place place = { .path = path, .folder = AT_FDCWD };
	struct error *err = NULL;
	_cleanup_close_ int fd = -1;
	unsigned links = 0;

	if (go_to_path(&place, path) < 0)
		err = error_errno(errno, "cannot write %s", path);
	while (!err && (fd = open_place(&place, appends)) < 0) {
		if (errno != ELOOP || ++links > LINKS_MAX)
			err = open_place_error(&place, errno);
		else
			err = follow_link(&place);
	}
	if (!err)
		err = begin_output(&place, appends, fd);
	if (place.folder >= 0)
		close(place.folder);
	free(place.name);
	if (!err)
		*fd_ret = take_fd(fd);
	return err;
}
