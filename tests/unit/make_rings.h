/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings without a kernel: laid out in plain memory as perf_event_open(2) tells
 * (perf_event_mmap_page), with a drain, an intake and a queue behind them. The
 * caller writes records as the kernel would.
 */
#ifndef DWELL_MAKE_RINGS_H
#define DWELL_MAKE_RINGS_H

#include "record/stream/drain.h"

/* What the kernel calls the one event and the sideband, and what we do. */
enum {
	RINGS_CANONICAL = 100,
	RINGS_ID = 500,
	RINGS_SIDEBAND_CANONICAL = 200,
	RINGS_SIDEBAND_ID = 700,
};

struct rings {
	struct opened_ring *sideband, *samples; /* one of each per CPU */
	struct selection selection;
	struct target target;
	struct opened opened;
	struct sample_layout layout; /* of the sideband's trailer */
	struct queue *queue;
	struct intake *intake;
	struct drain *drain;
};

/* N CPUs; ring sizes in bytes, powers of two. */
struct rings *rings_create(size_t n, size_t ring_size, size_t queue_limit);
void rings_destroy(struct rings *rings);

/* Appends whole records; false if there is no room, as for the kernel. */
bool rings_put(struct ring *ring, const void *bytes, size_t size);

/*
 * A sample of event ID: IDENTIFIER, IP, TID, TIME, CPU, PERIOD; on the CPU that
 * RING is of.
 */
#define RINGS_SAMPLE_SIZE 56u
bool rings_put_sample(struct rings *rings, size_t cpu, uint64_t id,
	uint64_t ip, uint64_t time);
/* A COMM of task 7. */
bool rings_put_comm(struct rings *rings, size_t cpu, uint64_t time);

#endif
