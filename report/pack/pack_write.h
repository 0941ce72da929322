/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a copy of a recording with other sections. Blocks are copied byte for
 * byte and plain records unchanged, or all are written in blocks of another
 * level. The header is written anew.
 */
#ifndef DWELL_REPORT_PACK_PACK_WRITE_H
#define DWELL_REPORT_PACK_PACK_WRITE_H

#include "common/util/error.h"
#include "report/pack/rewrite.h"

#define PACK_LEVEL_MAX 19u /* of zstd; higher levels need gigabytes */

struct pack_write_config {
	struct rewrite_sections *sections;
	int level;    /* of zstd, for all records; 0: unchanged */
	bool redacts; /* redact.h; blocks are compressed again */
};

/* Call after the survey of READER. If FD is a pipe, a stream is written. */
struct error *pack_write(struct reader *reader,
	const struct pack_write_config *config, int fd) _must_check_;

#endif
