/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User call chains that the kernel records in a later record than their samples
 * (common/perf/userchain.h). The records are sideband: the survey reads all of
 * them before the first sample is counted, so no sample has to wait. Equal
 * chains are stored once.
 */
#ifndef DWELL_REPORT_SURVEY_DEFERRED_CHAINS_H
#define DWELL_REPORT_SURVEY_DEFERRED_CHAINS_H

#include "common/file/reader.h"
#include "common/perf/userchain.h"
#include "common/util/array.h"
#include "common/util/budget.h"
#include "common/util/hash.h"

struct deferred_chains {
	ARRAY(struct deferred_chain {
		uint64_t cookie;
		uint32_t tid, entries; /* .entries: index of the entries */
	})
	chains;
	ARRAY(struct deferred_entries {
		size_t at; /* offset of the first entry in .bytes */
		uint64_t n;
	})
	entries;
	struct strbuf bytes;
	struct hash_index by_key, by_entries;
};

/*
 * Adds a copy of CHAIN, a user call chain of thread TID. Returns false if
 * BUDGET does not suffice.
 */
bool deferred_chains_add(struct deferred_chains *deferred,
	struct budget *budget, uint32_t tid,
	const struct userchain *chain) _must_check_;
void deferred_chains_deinit(struct deferred_chains *deferred);

/*
 * A buffer for one sample record with its deferred call chain, and the number
 * of samples whose deferred call chain is missing.
 */
struct deferred_room {
	uint64_t missing; /* samples whose user call chain is missing */
	uint8_t record[RECORD_SIZE_ALIGNED];
};

/*
 * Decodes RECORD, a sample, to RET. Returns false if RECORD is damaged. If the
 * user call chain of the sample was deferred, RECORD becomes a copy in ROOM
 * with the user call chain, or without the placeholder if the chain is missing;
 * RET then borrows from ROOM.
 */
bool deferred_chains_read(const struct deferred_chains *deferred,
	const struct sample_layout *layout, struct record *record,
	struct sample *ret, struct deferred_room *room);

/*
 * If MISSING is not 0, reports that MISSING samples of READER's recording have
 * no user call chain.
 */
void deferred_chains_report_missing(
	const struct reader *reader, uint64_t missing);

#endif
