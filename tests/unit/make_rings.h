/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes ring buffers in plain memory, in the layout of perf_event_open(2)
 * (perf_event_mmap_page), with a drain, an intake and a queue that read them.
 * The caller writes records in place of the kernel.
 */
#ifndef DWELL_MAKE_RINGS_H
#define DWELL_MAKE_RINGS_H

#include "record/stream/drain.h"

/* IDs of the event and of the sideband: the first descriptor's, and another. */
enum {
	RINGS_CANONICAL = 100,
	RINGS_ID = 500,
	RINGS_SIDEBAND_CANONICAL = 200,
	RINGS_SIDEBAND_ID = 700,
};

struct rings {
	struct rings_entry *sideband, *samples; /* one of each per CPU */
	struct selection selection;
	struct target target;
	struct event_fds opened;
	struct sample_layout layout; /* of the sideband's trailer */
	struct queue *queue;
	struct intake *intake;
	struct drain *drain;
};

/* Makes rings for N CPUs. RING_SIZE is in bytes, a power of two. */
struct rings *rings_create(size_t n, size_t ring_size, size_t queue_limit);
void rings_destroy(struct rings *rings);

/* Appends whole records. Returns false if the ring has no room. */
bool rings_put(struct ring *ring, const void *bytes, size_t size);

/*
 * Appends a sample of event ID to the ring of CPU, with IDENTIFIER, IP, TID,
 * TIME, CPU and PERIOD. Returns false if the ring has no room.
 */
#define RINGS_SAMPLE_SIZE 56u
bool rings_put_sample(struct rings *rings, size_t cpu, uint64_t id, uint64_t ip,
	uint64_t time);
/* Appends a COMM of thread 7 to the sideband ring of CPU. */
bool rings_put_comm(struct rings *rings, size_t cpu, uint64_t time);

#endif
