/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a ring buffer that the kernel fills from its end to its start,
 * overwriting the oldest records (attr.write_backward, Linux 4.7). The newest
 * record is at data_head, followed by older ones. Pause the ring buffer before
 * reading data_head, or the oldest records change while they are read.
 */
#ifndef DWELL_RECORD_RING_RING_BACKWARD_H
#define DWELL_RECORD_RING_RING_BACKWARD_H

#include "common/util/array.h"
#include "record/ring/ring.h"

/* As ring_map(), but read-only, which makes the kernel overwrite. */
int ring_backward_map(struct ring *ring, int fd, size_t size);

/*
 * PERF_EVENT_IOC_PAUSE_OUTPUT for the ring buffer of FD. Returns 0 or an errno.
 */
int ring_backward_pause(int fd);
int ring_backward_resume(int fd);

/*
 * Lists the positions of the complete records since the last call that still
 * exist, the oldest first. HEAD is ring_head().
 */
struct ring_places {
	ARRAY(uint64_t) list;
};
void ring_backward_list(
	struct ring *ring, uint64_t head, struct ring_places *places);
/* Returns the record at PLACE; SCRATCH as in ring_next(). */
const struct perf_event_header *ring_backward_at(
	const struct ring *ring, uint64_t place, uint8_t *scratch);

#endif
