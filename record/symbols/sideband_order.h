/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applies sideband records in the order of time, and keeps the resulting state
 * (mappings, threads). Records come from many ring buffers, so recent records
 * wait for earlier records that can still arrive. The state of processes that
 * ended long ago is removed.
 */
#ifndef DWELL_RECORD_SYMBOLS_SIDEBAND_ORDER_H
#define DWELL_RECORD_SYMBOLS_SIDEBAND_ORDER_H

#include "common/maps/maps.h"
#include "common/perf/sample.h"
#include "record/symbols/removed_events.h"
#include "record/synth/sideband_state.h"

struct sideband_order {
	struct maps *maps;   /* mappings of code; owned */
	uint32_t generation; /* number of changes of .maps; never 0 */
	uint32_t epoch;	     /* how often address spaces were renumbered */
	struct sideband_state state;
	struct removed_events
		*removed;      /* gets all records; borrowed; or NULL */
	struct strbuf common;  /* records that every perf.data file needs */
	uint64_t until;	       /* time of the last sideband_order_advance() */
	struct strbuf waiting; /* complete records after .until */
	ARRAY(struct sideband_pending {
		uint64_t time;
		size_t at; /* offset in .waiting */
	})
	pending;
	size_t weight; /* weight of .maps and .state after last removal */
};

void sideband_order_init(struct sideband_order *sideband);
void sideband_order_deinit(struct sideband_order *sideband);

/*
 * Adds complete sideband records with the trailer of LAYOUT. The records wait
 * for sideband_order_advance().
 */
void sideband_order_add(struct sideband_order *sideband,
	const struct sample_layout *layout, const uint8_t *records,
	size_t size);
/*
 * Applies the waiting records up to UNTIL (clocks_now()) in the order of time.
 * Returns true if old state was removed, so that address spaces are renumbered.
 * Before the call, the caller must have looked up all samples that are older
 * than UNTIL of the previous call.
 */
bool sideband_order_advance(struct sideband_order *sideband, uint64_t until);

#endif
