/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording once more, with other sections: its blocks byte for byte,
 * its plain records as they are, its header made anew.
 */
#ifndef DWELL_PACK_WRITE_H
#define DWELL_PACK_WRITE_H

#include "common/error.h"
#include "report/rewrite.h"

/* Behind the survey of READER. FD may be a pipe: then it stays a stream. */
struct error *pack_write(struct reader *reader,
	const struct rewrite_sections *sections, int fd) _must_check_;

#endif
