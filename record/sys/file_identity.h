/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The identity of a file, for what is kept of the file for other processes. */
#ifndef DWELL_RECORD_SYS_FILE_IDENTITY_H
#define DWELL_RECORD_SYS_FILE_IDENTITY_H

#include <stdbool.h>
#include <sys/stat.h>

struct file_identity {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed; /* ctime, which the owner cannot set */
	uid_t owner;		 /* not compared */
};

static inline struct file_identity file_identity_of(const struct stat *status)
{
	return (struct file_identity){ status->st_dev, status->st_ino,
		status->st_size, status->st_ctim, status->st_uid };
}

/* Returns false if the file FD cannot be examined. */
static inline bool file_identity_read(int fd, struct file_identity *ret)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return false;
	*ret = file_identity_of(&status);
	return true;
}

static inline bool file_identity_equal(
	const struct file_identity *a, const struct file_identity *b)
{
	return a->device == b->device && a->inode == b->inode &&
		a->size == b->size && a->changed.tv_sec == b->changed.tv_sec &&
		a->changed.tv_nsec == b->changed.tv_nsec;
}

#endif
