/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sideband in the order of time, and what it has told: records come from many
 * rings, and those of the last moments wait for what may still come. What ended
 * long ago is forgotten.
 */
#ifndef DWELL_RECORD_SYMBOLS_SIDEBAND_ORDER_H
#define DWELL_RECORD_SYMBOLS_SIDEBAND_ORDER_H

#include "common/maps/maps.h"
#include "common/perf/sample.h"
#include "record/synth/sideband_state.h"

struct replay {
	struct maps *maps;     /* code; owned */
	uint32_t generation;   /* counts changes of maps; never 0 */
	uint32_t epoch;        /* counts how often spaces were renumbered */
	struct told told;
	struct strbuf common;  /* records about no process: every file's */
	uint64_t until;        /* time of the last replay_until() */
	struct strbuf waiting; /* whole records that are later than that */
	ARRAY(struct pending {
		uint64_t time;
		size_t at; /* in waiting */
	}) pending;
	size_t weight; /* of maps and told when they last forgot */
};

void replay_init(struct replay *replay);
void replay_deinit(struct replay *replay);

/* Takes whole sideband records, which have LAYOUT's trailer, to wait. */
void replay_add(struct replay *replay, const struct sample_layout *layout,
	const uint8_t *records, size_t size);
/*
 * Takes what is not later than UNTIL (clocks_now()) in order. True: what ended
 * long before was forgotten, so spaces of the maps have other numbers. All
 * samples that are older than the UNTIL before have been looked up by then.
 */
bool replay_until(struct replay *replay, uint64_t until);

#endif
