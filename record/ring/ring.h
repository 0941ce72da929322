/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One perf ring buffer, as its reader sees it (linux/perf_event.h,
 * perf_event_mmap_page). Knows records by their size only.
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
	uint64_t tail; /* up to here records were taken */
};

/* Maps SIZE bytes (pages, a power of two) of event FD's ring: 0 or errno. */
int ring_map(struct ring *ring, int fd, size_t size);
void ring_unmap(struct ring *ring);

/* How far the kernel has written. What was read before it is complete. */
static inline uint64_t ring_head(const struct ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

/*
 * The next record before HEAD; NULL if there is none. Borrowed until
 * ring_release(); one that wraps is copied to SCRATCH (RECORD_SIZE_MAX bytes).
 */
const struct perf_event_header *ring_next(
	struct ring *ring, uint64_t head, uint8_t *scratch);

/* Gives the space of all records taken so far back to the kernel. */
static inline void ring_release(struct ring *ring)
{
	__atomic_store_n(
		&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

#endif
