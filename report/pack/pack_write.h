/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a copy of a recording with other sections. Compressed blocks and plain
 * records are copied unchanged, or all records are written in blocks of another
 * zstd level. The file header is written again.
 */
#ifndef DWELL_REPORT_PACK_PACK_WRITE_H
#define DWELL_REPORT_PACK_PACK_WRITE_H

#include "common/util/error.h"
#include "report/pack/rewrite.h"

/* Highest zstd level; higher levels need gigabytes of memory. */
#define PACK_LEVEL_MAX 19u

struct pack_write_config {
	struct rewrite_sections *sections;
	/* zstd level for all records; 0: blocks are copied unchanged */
	int level;
	/*
	 * remove private data (see pack_write.c); blocks are compressed again
	 */
	bool redacts;
};

/*
 * Writes the copy of READER's recording to FD; in the stream format if FD is a
 * pipe. The survey of READER is complete.
 */
struct error *pack_write(struct reader *reader,
	const struct pack_write_config *config, int fd) _must_check_;

#endif
