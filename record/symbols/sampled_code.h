/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the sampled code: the address and the callers of every sample, as
 * places in files, while the blocks are written. The recording need not be read
 * again to select the symbols to embed. Memory grows with the distinct sampled
 * code and the running processes, not with the number of samples.
 */
#ifndef DWELL_RECORD_SYMBOLS_SAMPLED_CODE_H
#define DWELL_RECORD_SYMBOLS_SAMPLED_CODE_H

#include "common/maps/maps.h"
#include "common/perf/sample.h"
#include "common/util/array.h"
#include "record/symbols/sideband_order.h"

struct hit {
	uint32_t dso;	/* index into sampled_code_maps() */
	uint64_t place; /* file offset; for the kernel, the address */
};

struct sampled_code;
struct sideband_state;

/* The layouts of samples, by event ID. */
struct sampled_event {
	uint64_t id;
	struct sample_layout layout;
};
/* The last one of EVENTS is the sideband event. EVENTS is copied. */
struct sampled_code *sampled_code_create(
	const struct sampled_event *events, size_t n_events);
void sampled_code_destroy(struct sampled_code *sampled);
/* Enables mappings of data. Call it before any other function. */
void sampled_code_track_data(struct sampled_code *sampled);

/* Returns the layout of RECORD, a sample of one of the events; borrowed. */
const struct sample_layout *sampled_code_layout(
	const struct sampled_code *sampled, const struct record *record);

/*
 * Adds complete sideband records, which are applied in the order of time up to
 * UNTIL (clocks_now()); later ones wait for records that can still arrive.
 */
void sampled_code_add_sideband(struct sampled_code *sampled,
	const uint8_t *records, size_t size, uint64_t until);
/* Adds samples, all of which are older than the last UNTIL. */
void sampled_code_add_samples(
	struct sampled_code *sampled, const uint8_t *records, size_t size);

/* Resets everything for the next file. */
void sampled_code_restart(struct sampled_code *sampled);

/* Returns the sideband event. */
const struct sampled_event *sampled_code_sideband_event(
	const struct sampled_code *sampled);
/* Returns the state of the sideband. */
const struct sideband_order *sampled_code_sideband(
	const struct sampled_code *sampled);

const struct maps *sampled_code_maps(const struct sampled_code *sampled);
/* Returns all places, sorted by DSO and place; borrowed until the next call. */
const struct hit *sampled_code_sorted(
	struct sampled_code *sampled, size_t *n_ret);
/* Returns the number of samples whose address is in DSO. */
uint64_t sampled_code_samples(const struct sampled_code *sampled, uint32_t dso);

#endif
