/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cut_stacks BYTES FILE: cuts all stack copies in FILE, a plain perf.data, to
 * at most BYTES, in place. The original file has the rest of each stack.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>

#include "common/file/reader.h"

/* Overwrites the valid size of a stack copy, the u64 behind the copy's room. */
static void cut(int fd, const struct sample *sample, const uint8_t *record,
	uint64_t position, uint64_t max)
{
	uint64_t room;

	if (!sample->stack || sample->stack_size <= max)
		return;
	memcpy(&room, sample->stack - sizeof(room), sizeof(room));
	position += (uint64_t)(sample->stack - record) + room;
	if (pwrite(fd, &max, sizeof(max), (off_t)position) != sizeof(max))
		perror("cut_stacks");
}

int main(int argc, char **argv)
{
	struct reader *reader = NULL;
	struct record record;
	struct sample sample;
	struct reader_chunk chunk;
	struct error *err;
	uint64_t max;
	size_t at;
	int fd;

	if (argc != 3)
		return 2;
	max = strtoull(argv[1], NULL, 0);
	fd = open(argv[2], O_WRONLY | O_CLOEXEC);
	err = reader_open(argv[2], &reader);
	if (fd < 0 || err)
		return 1;
	while (reader_next(reader, BLOCK_MIXED, &chunk) == 0)
		for (at = 0; record_at(
			     chunk.data + at, chunk.size - at, false, &record);
			at += record.size)
			if (record.type == RECORD_SAMPLE &&
				sample_read(reader_layout(reader,
						    reader_event_of(
							    reader, &record)),
					&record, &sample))
				cut(fd, &sample, record.data,
					chunk.position + at, max);
	reader_close(reader);
	return close(fd) != 0;
}
