/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was told of threads and processes that no hit needs, but another file of
 * the recording: namespaces, and mappings of data. As much as lives, not as
 * much as ever did. Fed in order of time, by the thread that writes.
 */
#ifndef DWELL_RECORD_SYNTH_SIDEBAND_STATE_H
#define DWELL_RECORD_SYNTH_SIDEBAND_STATE_H

#include "common/maps/maps.h"
#include "common/util/array.h"

/* Linux's NR_NAMESPACES is 7; a record that has more is not kept. */
#define TOLD_NAMESPACES_MAX 8u

/* The last NAMESPACES record of a thread. */
struct told_thread {
	uint32_t pid, tid;
	uint64_t ended;	   /* 0: it lives */
	uint32_t size;	   /* bytes of PAYLOAD */
	uint8_t payload[16 + 16 * TOLD_NAMESPACES_MAX];
};

/* A zeroed one is empty. */
struct told {
	struct maps *data; /* NULL: nobody wants them; owned */
	ARRAY(struct told_thread) threads;
	struct hash_index by_tid;
};

void told_see(struct told *told, const struct record *record, uint64_t time);
/* Drops who had ended by BEFORE. */
void told_forget(struct told *told, uint64_t before);
/* How much there is, as maps_weight() counts. */
size_t told_weight(const struct told *told);
void told_deinit(struct told *told);

#endif
