/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open/stack_copy_size.h"

#include "common/perf/sample.h"
#include "record/event/stack_copy.h"

#define HELD_PER_SECOND 20u /* ring buffers hold the samples of 50 ms */
#define RING_MAX MIB(64)
#define RINGS_MAX GIB(1)
#define SIZE_LEAST KIB(4)
/* Every ring buffer must hold this many samples. */
#define HELD_SAMPLES_LEAST 2u
/*
 * Typical bytes of a sample besides its stack copy: registers and up to 127
 * addresses.
 */
#define BESIDE_COPY 1400u
/* The rate of a fixed period (-c) is unknown: assume the default rate. */
#define RATE_UNKNOWN 4000u

/* PERF_MAX_TRACE_SIZE in the kernel's include/linux/trace_events.h. */
#define RAW_MAX 8192u
#define BRANCHES_MAX 64u /* branches of a sample; 32 bytes with counters */
#define COUNTERS_MAX 1024u
#define CONTEXTS_MAX 8u
#define LEADING_MAX 256u /* header and all fields of fixed size */

static bool has_copy(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_STACK_USER;
}

bool stack_copy_is_sampled(const struct selection *selection)
{
	array_each(&selection->events, event)
		if (has_copy(&event->attr))
			return true;
	return false;
}

static uint32_t count_words(uint64_t mask)
{
	return 8 + 8 * (uint32_t)__builtin_popcountll(mask);
}

/*
 * The kernel limits the stack copy by the fields before the copy, but does not
 * consider the variable fields behind the copy, so the u16 record size can
 * overflow.
 */
void stack_copy_fit_records(struct selection *selection, uint32_t max_stack)
{
	array_each(&selection->events, event) {
		struct perf_event_attr *attr = &event->attr;
		uint32_t n_chain = attr->sample_max_stack
			? attr->sample_max_stack
			: max_stack;
		uint64_t type = attr->sample_type;
		uint32_t size =
			LEADING_MAX + count_words(attr->sample_regs_user);

		if (type & PERF_SAMPLE_CALLCHAIN)
			size += 8 * (1 + n_chain + CONTEXTS_MAX);
		if (type & PERF_SAMPLE_RAW)
			size += RAW_MAX;
		if (type & PERF_SAMPLE_BRANCH_STACK)
			size += 16 + 32 * BRANCHES_MAX;
		if (type & PERF_SAMPLE_READ)
			size += COUNTERS_MAX;
		if (type & PERF_SAMPLE_REGS_INTR)
			size += count_words(attr->sample_regs_intr);
		uint32_t other = size, most = SIZE_LEAST;

		if (!has_copy(attr) ||
			!(attr->sample_type & PERF_SAMPLE_REGS_INTR))
			continue;
		if (other + SIZE_LEAST < STACK_COPY_MAX)
			most = STACK_COPY_MAX - other;
		attr->sample_stack_user =
			MIN(attr->sample_stack_user, most & ~7u);
	}
}

static uint64_t sample_rate_of_attr(const struct perf_event_attr *attr)
{
	/* sample_period is 0 if only the leader of a group has samples. */
	if (!attr->sample_period)
		return 0;
	return attr->freq ? attr->sample_freq : RATE_UNKNOWN;
}

/*
 * Returns the bytes of all samples with stack copies in one second. N_RET is
 * the number of these samples.
 */
static uint64_t bytes_per_second(
	const struct selection *selection, uint64_t *n_ret)
{
	uint64_t bytes = 0;

	*n_ret = 0;
	array_each(&selection->events, event) {
		if (!has_copy(&event->attr))
			continue;
		*n_ret += sample_rate_of_attr(&event->attr);
		bytes += sample_rate_of_attr(&event->attr) *
			(BESIDE_COPY + event->attr.sample_stack_user);
	}
	return bytes;
}

size_t stack_copy_ring_size(
	const struct selection *selection, size_t n_cpus, size_t least)
{
	uint64_t n;
	uint64_t wanted = bytes_per_second(selection, &n) / HELD_PER_SECOND;
	size_t size = least;

	while (size < wanted && size < RING_MAX &&
		2 * size * n_cpus <= RINGS_MAX)
		size *= 2;
	return size;
}

static uint32_t largest_copy_size(const struct selection *selection)
{
	uint32_t size = 0;

	array_each(&selection->events, event)
		if (has_copy(&event->attr))
			size = MAX(size, event->attr.sample_stack_user);
	return size;
}

/*
 * Limits all stack copies so that each sample has EACH bytes, but at least
 * LEAST bytes of stack copy. Returns the new size of stack copies in bytes.
 */
static uint32_t shrink_copies(
	struct selection *selection, uint64_t each, uint32_t least)
{
	uint32_t size = least;

	if (each > least + BESIDE_COPY)
		size = (uint32_t)MIN(
			each - BESIDE_COPY, (uint64_t)STACK_COPY_MAX);
	size &= ~7u;
	array_each(&selection->events, event)
		if (has_copy(&event->attr) &&
			event->attr.sample_stack_user > size)
			event->attr.sample_stack_user = size;
	return size;
}

uint32_t stack_copy_fit_any(struct selection *selection, size_t ring_size)
{
	if (largest_copy_size(selection) + BESIDE_COPY <= ring_size)
		return 0;
	return shrink_copies(
		selection, ring_size / HELD_SAMPLES_LEAST, sizeof(uint64_t));
}

uint32_t stack_copy_fit_ring(struct selection *selection, size_t ring_size)
{
	uint64_t n;
	uint64_t wanted = bytes_per_second(selection, &n) / HELD_PER_SECOND;
	uint64_t each = n ? ring_size / n * HELD_PER_SECOND : 0;
	uint32_t size;

	if (wanted <= ring_size)
		return stack_copy_fit_any(selection, ring_size);
	size = shrink_copies(selection, each, SIZE_LEAST);
	if (HELD_SAMPLES_LEAST * (size + BESIDE_COPY) > ring_size)
		size = shrink_copies(selection, ring_size / HELD_SAMPLES_LEAST,
			sizeof(uint64_t));
	return size;
}

size_t stack_copy_samples_in_ring(const struct selection *selection,
	size_t ring_size, bool *is_enough_ret)
{
	uint64_t n;

	*is_enough_ret =
		bytes_per_second(selection, &n) / HELD_PER_SECOND <= ring_size;
	return ring_size / (largest_copy_size(selection) + BESIDE_COPY);
}
