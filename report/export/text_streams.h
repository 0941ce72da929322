/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that grow side by side, and are read one after the other when all are
 * whole: the columns of formats that want each in one piece. Beyond
 * so many bytes they wait in $TMPDIR, in a file without a name.
 */
#ifndef DWELL_REPORT_EXPORT_TEXT_STREAMS_H
#define DWELL_REPORT_EXPORT_TEXT_STREAMS_H

#include "common/util/array.h"
#include "report/util/export_stream.h"

#define STREAMS_MEMORY_MAX MIB(4)

struct streams {
	ARRAY(struct stream {
		struct strbuf text; /* the end of it */
		ARRAY(struct stream_part {
			uint64_t at, size;
		}) parts; /* on disk, before that */
		uint64_t size; /* of all */
	}) at;
	uint64_t memory_max, in_memory, on_disk;
	int fd; /* -1: nothing is on disk */
	struct error *err; /* owned */
};

/* MEMORY_MAX is STREAMS_MEMORY_MAX, but for tests. */
void streams_init(struct streams *streams, uint64_t memory_max);
void streams_deinit(struct streams *streams);

/* Number NUMBER, for strbuf_*(); streams_added() is due afterwards. */
struct strbuf *streams_text(struct streams *streams, size_t number);
/* SIZE bytes were added to number NUMBER. */
void streams_added(struct streams *streams, size_t number, size_t size);
/* Number NUMBER goes to OUT; what of it nobody has added to is empty. */
void streams_copy(
	struct streams *streams, size_t number, struct outflow *out);
/* What went wrong with the disk; the caller owns it. */
struct error *streams_end(struct streams *streams) _must_check_;

#endif
