/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of threads and processes that is written to the next file of a
 * recording (--switch-output), but that no sample needs: namespaces, and
 * mappings of data. Its size depends on the number of running processes. The
 * writer thread adds records in the order of time.
 */
#ifndef DWELL_RECORD_SYNTH_SIDEBAND_STATE_H
#define DWELL_RECORD_SYNTH_SIDEBAND_STATE_H

#include "common/maps/maps.h"
#include "common/util/array.h"

/*
 * Limit of the namespaces in a record. NR_NAMESPACES of Linux is 7. Records
 * with more namespaces are ignored.
 */
#define SIDEBAND_STATE_NAMESPACES_MAX 8u

/* The last NAMESPACES record of a thread. */
struct sideband_namespaces {
	uint32_t pid, tid;
	uint64_t ended; /* time of the thread's exit; 0: running */
	uint32_t size;	/* bytes of PAYLOAD */
	uint8_t payload[16 + 16 * SIDEBAND_STATE_NAMESPACES_MAX];
};

/* A zero-initialized struct is empty. */
struct sideband_state {
	struct maps *data; /* mappings of data; NULL: disabled; owned */
	ARRAY(struct sideband_namespaces) threads;
	struct hash_index by_tid;
};

/*
 * Adds the sideband record RECORD with TIME. Records that do not change the
 * state are ignored.
 */
void sideband_state_add_record(struct sideband_state *state,
	const struct record *record, uint64_t time);
/* Removes threads that ended before BEFORE. */
void sideband_state_forget(struct sideband_state *state, uint64_t before);
/* Returns the memory size of STATE, in the unit of maps_weight(). */
size_t sideband_state_weight(const struct sideband_state *state);
void sideband_state_deinit(struct sideband_state *state);

#endif
