/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The identity of a file, for what is kept of the file for other processes. */
#ifndef DWELL_RECORD_RUNTIMES_INTERFACE_FILE_IDENTITY_H
#define DWELL_RECORD_RUNTIMES_INTERFACE_FILE_IDENTITY_H

#include <sys/stat.h>

#include "common/elf/elf.h"

struct file_identity {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed; /* ctime, which the owner cannot set */
	uid_t owner;		 /* not compared */
};

/* Returns false if the file cannot be examined. */
static inline bool file_identity_read(
	const struct elf_file *file, struct file_identity *ret)
{
	struct stat status;

	if (fstat(elf_file_fd(file), &status) < 0)
		return false;
	*ret = (struct file_identity){ status.st_dev, status.st_ino,
		status.st_size, status.st_ctim, status.st_uid };
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
