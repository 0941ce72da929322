/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the sampled code while blocks of samples are written: the address
 * and the callers of every sample, as places (file and file offset). Then the
 * recording need not be read again to select the symbols to pack. Memory grows
 * with the number of distinct places and of running processes, not with the
 * number of samples.
 */
#ifndef DWELL_RECORD_SYMBOLS_SAMPLED_CODE_H
#define DWELL_RECORD_SYMBOLS_SAMPLED_CODE_H

#include "common/maps/maps.h"
#include "common/perf/sample.h"
#include "common/util/array.h"
#include "record/symbols/cut_chains.h"
#include "record/symbols/sideband_order.h"
#include "record/symbols/unnamed_code.h"

struct hit {
	uint32_t dso;	/* DSO number in sampled_code_maps() */
	uint64_t place; /* file offset; for the kernel, the address */
};

struct sampled_code;
struct sideband_state;

/* An event ID, and the layout of the samples with that ID. */
struct sampled_event {
	uint64_t id;
	struct sample_layout layout;
};
/* The last element of EVENTS is the sideband event. EVENTS is copied. */
struct sampled_code *sampled_code_create(
	const struct sampled_event *events, size_t n_events);
void sampled_code_destroy(struct sampled_code *sampled);
/* Enables places in data mappings. Call this function before all others. */
void sampled_code_track_data(struct sampled_code *sampled);

/*
 * Enables sampled_code_removed(). Call this function before the first record is
 * added, and only if the events are opened per task.
 */
void sampled_code_watch_removals(struct sampled_code *sampled);

/*
 * Calls ON_UNMAPPED with each sample of user code at an address where nothing
 * is mapped, in the thread that adds the samples.
 */
void sampled_code_on_unmapped(struct sampled_code *sampled,
	void (*on_unmapped)(
		void *data, uint32_t pid, uint64_t address, uint64_t time),
	void *data);

/* Returns the layout of RECORD, a sample of one of the events; borrowed. */
const struct sample_layout *sampled_code_layout(
	const struct sampled_code *sampled, const struct record *record);

/*
 * Adds complete sideband records. Records up to UNTIL (clocks_now()) are
 * applied in the order of time; later records wait, because earlier records can
 * still arrive.
 */
void sampled_code_add_sideband(struct sampled_code *sampled,
	const uint8_t *records, size_t size, uint64_t until);
/* Adds samples. All must be older than UNTIL of the last added sideband. */
void sampled_code_add_samples(
	struct sampled_code *sampled, const uint8_t *records, size_t size);

/* Resets SAMPLED for the next perf.data file. */
void sampled_code_restart(struct sampled_code *sampled);

/* Returns the sideband event. */
const struct sampled_event *sampled_code_sideband_event(
	const struct sampled_code *sampled);
/* Returns the state that the sideband records have produced. */
const struct sideband_order *sampled_code_sideband(
	const struct sampled_code *sampled);

const struct maps *sampled_code_maps(const struct sampled_code *sampled);
/*
 * Returns all *N_RET places, sorted by DSO and place. Borrowed until the next
 * call of a function that changes SAMPLED.
 */
const struct hit *sampled_code_sorted(
	struct sampled_code *sampled, size_t *n_ret);
/*
 * Returns the counts of call chains that lack callers, since the last
 * sampled_code_restart(). Their DSOs are those of sampled_code_maps().
 */
const struct cut_chains *sampled_code_cut_chains(
	const struct sampled_code *sampled);
/*
 * Finds the processes with many samples in code without names since the last
 * sampled_code_restart(). JIT has the names of the sampled JIT code.
 * READS_RUNTIMES: dwell reads the structures of runtimes.
 */
void sampled_code_find_unnamed(struct sampled_code *sampled,
	const struct jit_section *jit, bool reads_runtimes);
/* Returns the result of the last sampled_code_find_unnamed(). */
const struct unnamed_code *sampled_code_unnamed(
	const struct sampled_code *sampled);
/*
 * Returns the programs whose events the kernel removed, in all perf.data files.
 */
const struct removed_events *sampled_code_removed(
	const struct sampled_code *sampled);
/* Returns the number of samples whose address is in DSO. */
uint64_t sampled_code_samples(const struct sampled_code *sampled, uint32_t dso);

#endif
