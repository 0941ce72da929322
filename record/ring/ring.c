/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/ring/ring.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "common/util/alloc.h"

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int map_ring(struct ring *ring, int fd, size_t size, int protection)
{
	void *memory =
		mmap(NULL, page_size() + size, protection, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return errno;
	*ring = (struct ring){
		.page = memory,
		.data = (uint8_t *)memory + page_size(),
		.size = size,
	};
	return 0;
}

int ring_map(struct ring *ring, int fd, size_t size)
{
	return map_ring(ring, fd, size, PROT_READ | PROT_WRITE);
}

int ring_backward_map(struct ring *ring, int fd, size_t size)
{
	return map_ring(ring, fd, size, PROT_READ);
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
		 * The kernel does not write records of this size: the ring
		 * buffer is damaged, and the records behind cannot be parsed.
		 */
		ring->tail = head;
		return NULL;
	}
	header = copy_wrapped_record(ring, ring->tail, size, scratch);
	ring->tail += size;
	return header;
}

static int set_paused(int fd, unsigned long is_paused)
{
	return ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, is_paused) < 0 ? errno
								     : 0;
}

int ring_backward_pause(int fd)
{
	return set_paused(fd, 1);
}

int ring_backward_resume(int fd)
{
	return set_paused(fd, 0);
}

const struct perf_event_header *ring_backward_at(
	const struct ring *ring, uint64_t place, uint8_t *scratch)
{
	struct ring at = *ring;

	at.tail = place;
	return ring_next(&at, place + ring->size, scratch);
}

/*
 * The kernel writes backward, so the new records are between HEAD and the HEAD
 * of the last call (ring->tail).
 */
void ring_backward_list(
	struct ring *ring, uint64_t head, struct ring_positions *places)
{
	uint64_t left = MIN(ring->tail - head, ring->size), place = head;
	struct perf_event_header header;

	array_clear(&places->list);
	while (left >= sizeof(header)) {
		/* Record sizes are multiples of 8: headers are not split. */
		memcpy(&header, ring->data + (place & (ring->size - 1)),
			sizeof(header));
		/* The oldest record is partly overwritten. */
		if (header.size < sizeof(header) || header.size > left)
			break;
		*array_push(&places->list) = place;
		place += header.size;
		left -= header.size;
	}
	size_t i, n = places->list.n;

	for (i = 0; i < n / 2; i++) {
		place = places->list.at[i];

		places->list.at[i] = places->list.at[n - 1 - i];
		places->list.at[n - 1 - i] = place;
	}
	ring->tail = head;
}
