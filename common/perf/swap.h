/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of a machine of the other byte order, turned into this machine's in
 * place. So only the reader knows of byte orders, and all that is behind it
 * reads one kind of records.
 *
 * What is not the record's own stays as it is: texts, build IDs, raw data of
 * samples (a tracepoint's format tells their order), copied stacks, what AUX
 * and TRACING_DATA carry, sections in FEATURE records, compressed data.
 */
#ifndef DWELL_COMMON_PERF_SWAP_H
#define DWELL_COMMON_PERF_SWAP_H

#include "common/perf/sample.h"

/*
 * Turns the record at DATA, which is as long as RECORD says (read with .swap).
 * LAYOUT is its event's. What is cut off or of an unknown type is turned as far
 * as it is known.
 */
void swap_record(uint8_t *data, const struct record *record,
	const struct sample_layout *layout);

#endif
