/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/sink.h"

#include <errno.h>

int sink_write(int fd, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0) {
			at += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static int write_file(void *data, const void *bytes, size_t size)
{
	return sink_write(*(int *)data, bytes, size);
}

static int overwrite_file(
	void *data, uint64_t offset, const void *bytes, size_t size)
{
	ssize_t n = pwrite(*(int *)data, bytes, size, (off_t)offset);

	if (n < 0)
		return errno;
	return (size_t)n == size ? 0 : EIO;
}

static int cut_file(void *data, uint64_t size)
{
	int fd = *(int *)data;

	if (ftruncate(fd, (off_t)size) < 0)
		return errno;
	return lseek(fd, (off_t)size, SEEK_SET) < 0 ? errno : 0;
}

struct sink sink_of_file(int *fd)
{
	return (struct sink){ write_file, overwrite_file, cut_file, fd };
}

struct sink sink_of_stream(int *fd)
{
	return (struct sink){ .append = write_file, .data = fd };
}
