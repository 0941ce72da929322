/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One entry of the section "unsampled", version 1: the CPU time of a clock
 * event that has no sample, because the event's timer skipped periods.
 */
#ifndef DWELL_COMMON_FILE_UNSAMPLED_SECTION_H
#define DWELL_COMMON_FILE_UNSAMPLED_SECTION_H

#include "common/util/bytes.h"
#include "common/util/strbuf.h"

#define UNSAMPLED_VERSION 1u

struct unsampled {
	uint64_t id;	       /* of the event, as in its attr */
	uint64_t cpu_ns;       /* the CPU time that the event counted */
	uint64_t unsampled_ns; /* the part of CPU_NS without a sample */
};

/* Appends the entry to OUT. */
void unsampled_write(const struct unsampled *unsampled, struct strbuf *out);
/* Returns false at the end, and at an entry that no recorder writes. */
bool unsampled_read(struct bytes *b, struct unsampled *ret);
/*
 * Appends a sentence without a full stop to OUT: the share of the CPU time of
 * the event NAME that has no sample. CPU_NS is not 0.
 */
void unsampled_print(const struct unsampled *unsampled, const char *name,
	struct strbuf *out);

#endif
