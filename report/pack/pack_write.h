/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording once more, with other sections: its blocks byte for byte,
 * its plain records as they are, or all of them in blocks of another level; its
 * header made anew.
 */
#ifndef DWELL_REPORT_PACK_PACK_WRITE_H
#define DWELL_REPORT_PACK_PACK_WRITE_H

#include "common/util/error.h"
#include "report/export/rewrite.h"

#define PACK_LEVEL_MAX 19u /* of zstd, before those that take gigabytes */

struct pack_wish {
	struct rewrite_sections *sections;
	int level; /* of zstd, for all records; 0: as they are */
	bool redacts; /* redact.h; what is in blocks is compressed anew */
};

/* Behind the survey of READER. FD may be a pipe: then it stays a stream. */
struct error *pack_write(struct reader *reader, const struct pack_wish *wish,
	int fd) _must_check_;

#endif
