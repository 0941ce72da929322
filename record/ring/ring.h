/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads one perf ring buffer (linux/perf_event.h, perf_event_mmap_page). Uses
 * only the size of records, not their contents.
 *
 *	uint64_t head = ring_head(ring);
 *	while ((record = ring_next(ring, head, scratch)))
 *		use(record);
 *	ring_release(ring);
 */
#ifndef DWELL_RECORD_RING_RING_H
#define DWELL_RECORD_RING_RING_H

#include "common/perf/abi.h"
#include "common/perf/record.h"
#include "common/util/array.h"
#include "common/util/error.h"

struct ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	const uint8_t *data;
	uint64_t size; /* bytes of .data, a power of two */
	uint64_t tail; /* position up to which records were read */
};

/*
 * Maps SIZE bytes (whole pages, a power of two) of the ring buffer of
 * descriptor FD. Returns 0 or an errno.
 */
int ring_map(struct ring *ring, int fd, size_t size);
void ring_unmap(struct ring *ring);

/* Returns the position up to which the kernel has written complete records. */
static inline uint64_t ring_head(const struct ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

/*
 * Returns the next record before HEAD, or NULL. The record is borrowed until
 * ring_release(). A record that wraps at the end of the buffer is copied to
 * SCRATCH (RECORD_SIZE_MAX bytes).
 */
const struct perf_event_header *ring_next(
	struct ring *ring, uint64_t head, uint8_t *scratch);

/* Returns the space of all records taken so far to the kernel. */
static inline void ring_release(struct ring *ring)
{
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

/*
 * The ring_backward functions read a ring buffer that the kernel fills from its
 * end to its start, overwriting the oldest records (attr.write_backward, Linux
 * 4.7). The newest record is at data_head, followed by older ones. Pause the
 * ring buffer before reading data_head, or the oldest records change while they
 * are read.
 */

/*
 * Maps SIZE bytes of the ring buffer of descriptor FD read-only, which makes
 * the kernel overwrite the oldest records. Returns 0 or an errno.
 */
int ring_backward_map(struct ring *ring, int fd, size_t size);

/*
 * Pause and resume the output to the ring buffer of FD
 * (PERF_EVENT_IOC_PAUSE_OUTPUT). Return 0 or an errno.
 */
int ring_backward_pause(int fd);
int ring_backward_resume(int fd);

/*
 * The positions of the complete records that were written since the last
 * ring_backward_list() and not overwritten, the oldest first. HEAD is
 * ring_head().
 */
struct ring_positions {
	ARRAY(uint64_t) list;
};
void ring_backward_list(
	struct ring *ring, uint64_t head, struct ring_positions *places);
/*
 * Returns the record at position PLACE. A record that wraps at the end of the
 * buffer is copied to SCRATCH (RECORD_SIZE_MAX bytes).
 */
const struct perf_event_header *ring_backward_at(
	const struct ring *ring, uint64_t place, uint8_t *scratch);

#endif
