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
#include "common/util/error.h"

struct ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	const uint8_t *data;
	uint64_t size; /* of the data, a power of two */
	uint64_t tail; /* records up to here were taken */
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
 * Returns the next record before HEAD, or NULL. Borrowed until ring_release().
 * A record that wraps is copied to SCRATCH (RECORD_SIZE_MAX bytes).
 */
const struct perf_event_header *ring_next(
	struct ring *ring, uint64_t head, uint8_t *scratch);

/* Returns the space of all records taken so far to the kernel. */
static inline void ring_release(struct ring *ring)
{
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

#endif
