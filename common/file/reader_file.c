/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the bytes of a recording: a file, or the files of a directory (perf
 * record --threads) as if they were concatenated. The first file has the
 * header; the others contain only records.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/file/reader.h"
#include "common/file/reader_private.h"
#include "common/file/spool.h"
#include "common/util/alloc.h"

/* Limit of files; more than a machine has CPUs. */
#define PARTS_MAX 65536u

const struct part *reader_part(const struct reader *reader, uint64_t offset)
{
	size_t i = reader->parts.n - 1;

	while (i && offset < reader->parts.at[i].start)
		i--;
	return &reader->parts.at[i];
}

size_t reader_read_at(
	const struct reader *reader, uint64_t offset, void *out, size_t size)
{
	const struct part *part = reader_part(reader, offset);
	size_t done = 0;

	offset -= part->start;
	while (done < size) {
		ssize_t n = pread(part->fd, (uint8_t *)out + done, size - done,
			(off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

/* Takes ownership of FD. */
static struct error *add_file_part(struct reader *reader, int fd)
{
	struct part *part = array_push(&reader->parts);
	struct stat status;

	part->fd = fd;
	/*
	 * Leave a byte between files, so that no file ends where another one
	 * begins.
	 */
	part->start = reader->size + (reader->parts.n > 1);
	if (fstat(fd, &status) < 0)
		return error_errno(errno, "cannot read the file's status");
	if (!S_ISREG(status.st_mode))
		return error_new("not a regular file. To read a stream: -i -");
	reader->size = part->start + (uint64_t)status.st_size;
	part->end = reader->size;
	return NULL;
}

static int open_part_path(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

static bool is_directory_path(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

struct error *reader_open_file(struct reader *reader)
{
	struct error *err = NULL;
	int fd = -1;

	if (string_is(reader->path, "-")) {
		err = spool_read(STDIN_FILENO, SPOOL_MEMORY_MAX, &fd);
	} else if (is_directory_path(reader->path)) {
		_cleanup_free_ char *path = xasprintf("%s/data", reader->path);

		reader->is_folder = true;
		fd = open_part_path(path);
		if (fd < 0)
			return error_errno(errno,
				"the directory contains no recording: data");
	} else {
		fd = open_part_path(reader->path);
	}
	if (err)
		return err;
	if (fd < 0)
		return error_errno(errno, "cannot open the file");
	return add_file_part(reader, fd);
}

struct error *reader_open_parts(struct reader *reader)
{
	struct error *err = NULL;
	size_t i;

	reader->parts.at[0].end = reader->end;
	for (i = 0; !err && reader->is_folder && i < PARTS_MAX; i++) {
		_cleanup_free_ char *path =
			xasprintf("%s/data.%zu", reader->path, i);
		int fd = open_part_path(path);

		if (fd < 0 && errno == ENOENT)
			break;
		err = fd < 0 ? error_errno(errno, "cannot open the file")
			     : add_file_part(reader, fd);
		err = error_wrap(err, "data.%zu", i);
	}
	return err;
}
