/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User callchains that came after their samples (common/perf/userchain.h). They are
 * sideband, so the survey has them all before the first sample is counted, and
 * no sample waits. Equal chains are kept once.
 */
#ifndef DWELL_REPORT_SURVEY_DEFERRED_CHAINS_H
#define DWELL_REPORT_SURVEY_DEFERRED_CHAINS_H

#include "common/file/reader.h"
#include "common/perf/userchain.h"
#include "common/util/array.h"
#include "common/util/hash.h"

struct late {
	ARRAY(struct late_chain {
		uint64_t cookie;
		uint32_t tid, entries; /* index */
	}) chains;
	ARRAY(struct late_entries {
		size_t at; /* in bytes */
		uint64_t n;
	}) entries;
	struct strbuf bytes;
	struct hash_index by_key, by_entries;
};

/* Of thread TID. False: READER affords no more. */
bool late_add(struct late *late, struct reader *reader, uint32_t tid,
	const struct userchain *chain) _must_check_;
void late_deinit(struct late *late);

/* Where samples become whole, and how many didn't. */
struct late_room {
	uint64_t missing; /* samples whose chain never came */
	uint8_t record[RECORD_SIZE_ALIGNED];
};

/*
 * sample_read(), and where RECORD awaits its user's part: then it becomes one
 * in ROOM that has it, or at least no mark, and RET borrows from that.
 */
bool late_read(const struct late *late, const struct sample_layout *layout,
	struct record *record, struct sample *ret, struct late_room *room);

/* Says how many of READER's samples are MISSING theirs, if any are. */
void late_tell(const struct reader *reader, uint64_t missing);

#endif
