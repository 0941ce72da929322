/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which code was hit: every sample's address and callers, as places in files,
 * collected while the blocks pass by, so that the file need not be read again
 * to know what symbols to embed. Memory grows with distinct code and with what
 * runs at one time; not with samples, nor with all that ever ran.
 */
#ifndef DWELL_RECORD_SYMBOLS_SAMPLED_CODE_H
#define DWELL_RECORD_SYMBOLS_SAMPLED_CODE_H

#include "common/maps/maps.h"
#include "common/perf/sample.h"
#include "common/util/array.h"
#include "record/symbols/sideband_order.h"

struct hit {
	uint32_t dso;   /* of hits_maps() */
	uint64_t place; /* file offset; the address where it is the kernel's */
};

struct hits;
struct told;

/* EVENTS sample layouts, told apart by the ids of their records. */
struct hits_event {
	uint64_t id;
	struct sample_layout layout;
};
/* The last of EVENTS is the sideband's. Copied. */
struct hits *hits_create(const struct hits_event *events, size_t n_events);
void hits_destroy(struct hits *hits);
/* Before anything else: mappings of data are recorded, too. */
void hits_want_data(struct hits *hits);

/* The layout of RECORD, a sample of one of the events; borrowed. */
const struct sample_layout *hits_layout(
	const struct hits *hits, const struct record *record);

/*
 * Takes whole sideband records. They are put into order by time as far as
 * UNTIL (clocks_now()); later ones wait for what may still come.
 */
void hits_add_sideband(
	struct hits *hits, const uint8_t *records, size_t size, uint64_t until);
/* Takes samples, all of which are older than the last UNTIL. */
void hits_add_samples(struct hits *hits, const uint8_t *records, size_t size);

/* Forgets all: another file begins. */
void hits_restart(struct hits *hits);

/* The sideband's event. */
const struct hits_event *hits_sideband(const struct hits *hits);
/* All sideband until now. */
const struct replay *hits_replay(const struct hits *hits);

const struct maps *hits_maps(const struct hits *hits);
/* All places, sorted by DSO and place; borrowed until the next call. */
const struct hit *hits_sorted(struct hits *hits, size_t *n_ret);
/* Samples whose own address was in DSO. */
uint64_t hits_samples(const struct hits *hits, uint32_t dso);

#endif
