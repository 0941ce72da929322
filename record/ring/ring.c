/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/ring/ring.h"

#include <errno.h>
#include <sys/mman.h>

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int ring_map(struct ring *ring, int fd, size_t size)
{
	void *memory = mmap(NULL, page_size() + size, PROT_READ | PROT_WRITE,
		MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return errno;
	*ring = (struct ring){
		.page = memory,
		.data = (uint8_t *)memory + page_size(),
		.size = size,
	};
	return 0;
}

void ring_unmap(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page, page_size() + ring->size);
	ring->page = NULL;
}

static const void *copy_wrapped_record(
	const struct ring *ring, uint64_t at, size_t size, uint8_t *scratch)
{
	uint64_t offset = at & (ring->size - 1);
	size_t first = MIN(size, ring->size - offset);

	if (first == size)
		return ring->data + offset;
	memcpy(scratch, ring->data + offset, first);
	memcpy(scratch + first, ring->data, size - first);
	return scratch;
}

const struct perf_event_header *ring_next(
	struct ring *ring, uint64_t head, uint8_t *scratch)
{
	const struct perf_event_header *header;
	uint64_t left = head - ring->tail;
	size_t size;

	if (left < sizeof(*header))
		return NULL;
	/* Record sizes are multiples of 8, so headers are never split. */
	header =
		copy_wrapped_record(ring, ring->tail, sizeof(*header), scratch);
	size = header->size;
	if (unlikely(size < sizeof(*header) || size > left)) {
		/*
		 * The kernel does not write this size, so the rest cannot be
		 * parsed.
		 */
		ring->tail = head;
		return NULL;
	}
	header = copy_wrapped_record(ring, ring->tail, size, scratch);
	ring->tail += size;
	return header;
}
