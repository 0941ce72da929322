/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applies sideband records in the order of time, and keeps the resulting state.
 * Records are read from many ring buffers, so recent ones wait for others that
 * can still arrive. The state of processes that ended long ago is removed.
 */
#ifndef DWELL_RECORD_SYMBOLS_SIDEBAND_ORDER_H
#define DWELL_RECORD_SYMBOLS_SIDEBAND_ORDER_H

#include "common/maps/maps.h"
#include "common/perf/sample.h"
#include "record/synth/sideband_state.h"

struct sideband_order {
	struct maps *maps;   /* mappings of code; owned */
	uint32_t generation; /* number of changes of MAPS; never 0 */
	uint32_t epoch;	     /* number of times that spaces were renumbered */
	struct sideband_state state;
	struct strbuf
		common; /* records of no process, which every file needs */
	uint64_t until; /* time of the last sideband_order_advance() */
	struct strbuf waiting; /* complete records that are later */
	ARRAY(struct pending {
		uint64_t time;
		size_t at; /* offset in WAITING */
	})
	pending;
	size_t weight; /* weight of MAPS and STATE after the last removal */
};

void sideband_order_init(struct sideband_order *sideband);
void sideband_order_deinit(struct sideband_order *sideband);

/* Adds complete sideband records with LAYOUT's trailer, which wait. */
void sideband_order_add(struct sideband_order *sideband,
	const struct sample_layout *layout, const uint8_t *records,
	size_t size);
/*
 * Applies the records up to UNTIL (clocks_now()) in order. Returns true if old
 * state was removed, so that address spaces are renumbered. All samples that
 * are older than the previous UNTIL must have been looked up before.
 */
bool sideband_order_advance(struct sideband_order *sideband, uint64_t until);

#endif
