/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring that the kernel fills from its end to its start, writing over the
 * oldest records (attr.write_backward, Linux 4.7): so the newest record is
 * found at data_head, and from there on the others. It is to be paused before
 * data_head is read, or the oldest ones change while they are taken.
 */
#ifndef DWELL_RECORD_RING_RING_BACKWARD_H
#define DWELL_RECORD_RING_RING_BACKWARD_H

#include "common/util/array.h"
#include "record/ring/ring.h"

/* As ring_map(), for reading only: that is what lets the kernel write on. */
int ring_backward_map(struct ring *ring, int fd, size_t size);

/* PERF_EVENT_IOC_PAUSE_OUTPUT for the ring of FD: 0 or errno. */
int ring_backward_pause(int fd);
int ring_backward_resume(int fd);

/*
 * The places of the whole records that came since the last call and are still
 * there, the oldest one first, are put into PLACES. HEAD is ring_head().
 */
struct ring_places {
	ARRAY(uint64_t) list;
};
void ring_backward_list(
	struct ring *ring, uint64_t head, struct ring_places *places);
/* The record at one of them; SCRATCH as in ring_next(). */
const struct perf_event_header *ring_backward_at(
	const struct ring *ring, uint64_t place, uint8_t *scratch);

#endif
