/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The destination of a recording's bytes, as a set of callbacks, so that tests
 * need no disk.
 */
#ifndef DWELL_COMMON_UTIL_SINK_H
#define DWELL_COMMON_UTIL_SINK_H

#include "common/util/base.h"

/*
 * Each callback returns 0 if it wrote everything, else an errno. .overwrite and
 * .cut are NULL for streams, because written bytes cannot be changed there.
 */
struct sink {
	int (*append)(void *data, const void *bytes, size_t size);
	int (*overwrite)(
		void *data, uint64_t offset, const void *bytes, size_t size);
	int (*cut)(void *data, uint64_t size); /* truncate to SIZE bytes */
	void *data;
};

/* Writes all SIZE bytes to FD. Returns 0 or an errno. */
int sink_write(int fd, const void *bytes, size_t size);

/* Returns a sink that writes to the file *FD. FD is borrowed as .data. */
struct sink sink_of_file(int *fd);
/*
 * Returns a sink that writes to *FD, a pipe or a terminal, without .overwrite
 * and .cut. FD is borrowed as .data.
 */
struct sink sink_of_stream(int *fd);

#endif
