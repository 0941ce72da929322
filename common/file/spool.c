/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/util/alloc.h"
#include "common/util/sink.h"

#define STEP_SIZE KIB(256)

static const char *temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

struct error *spool_error(int errnum, const char *what)
{
	return error_hint(
		error_errno(errnum, "cannot %s a temporary file in %s", what,
			temporary_folder()),
		"set TMPDIR to a folder with room for it");
}

struct error *spool_open(int *ret)
{
	_cleanup_free_ char *path =
		xasprintf("%s/dwell.XXXXXX", temporary_folder());

	*ret = mkostemp(path, O_CLOEXEC);
	if (*ret < 0)
		return spool_error(errno, "create");
	unlink(path);
	return NULL;
}

/*
 * Copies at most MOST bytes from FROM to TO. *RET is the number of bytes
 * copied.
 */
static struct error *copy_stream(int from, int to, uint64_t most, uint64_t *ret)
{
	_cleanup_free_ uint8_t *buffer = xmalloc(STEP_SIZE);
	uint64_t moved = 0;
	int errnum;

	while (moved < most) {
		ssize_t n = read(
			from, buffer, MIN((uint64_t)STEP_SIZE, most - moved));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(errno, "cannot read the input");
		if (n == 0)
			break;
		errnum = sink_write(to, buffer, (size_t)n);
		if (errnum)
			return spool_error(errnum, "write");
		moved += (uint64_t)n;
	}
	*ret = moved;
	return NULL;
}

/*
 * Copies the content of MEMORY and the unread input of FROM to a temporary
 * file. *RET is the file descriptor of the temporary file.
 */
static struct error *copy_to_disk(int from, int memory, int *ret)
{
	struct error *err = spool_open(ret);
	uint64_t moved;

	if (err)
		return err;
	if (memory >= 0) {
		lseek(memory, 0, SEEK_SET);
		err = copy_stream(memory, *ret, UINT64_MAX, &moved);
	}
	if (!err)
		err = copy_stream(from, *ret, UINT64_MAX, &moved);
	if (err)
		close(*ret);
	return err;
}

struct error *spool_read(int from, uint64_t memory_max, int *ret)
{
	int memory = memfd_create("recording", MFD_CLOEXEC);
	struct error *err = NULL;
	uint64_t n = 0;

	/* Read one byte more than the limit, to detect input that is larger. */
	if (memory >= 0)
		err = copy_stream(from, memory, memory_max + 1, &n);
	if (!err && memory >= 0 && n <= memory_max) {
		*ret = memory;
		return NULL;
	}
	if (!err)
		err = copy_to_disk(from, memory, ret);
	if (memory >= 0)
		close(memory);
	return err;
}
