/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the bytes of a recording go: a set of callbacks, so that tests need no
 * disk.
 */
#ifndef DWELL_COMMON_UTIL_SINK_H
#define DWELL_COMMON_UTIL_SINK_H

#include "common/util/base.h"

/*
 * Each returns 0 or an errno, having done all or failed. Without overwrite and
 * cut, what was written can't be changed: it stays a stream.
 */
struct sink {
	int (*append)(void *data, const void *bytes, size_t size);
	int (*overwrite)(void *data, uint64_t offset, const void *bytes,
		size_t size);
	int (*cut)(void *data, uint64_t size); /* forget all from SIZE on */
	void *data;
};

/* All of it to FD, which stays the caller's: 0 or an errno. */
int sink_write(int fd, const void *bytes, size_t size);

/* A sink that is a file; data is a pointer to its descriptor. */
struct sink sink_of_file(int *fd);
/* The same for a descriptor that only goes forward: a pipe, a terminal. */
struct sink sink_of_stream(int *fd);

#endif
