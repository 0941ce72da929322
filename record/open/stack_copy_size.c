/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open/stack_copy_size.h"

#include "common/perf/sample.h"
#include "record/event/stack_copy.h"

#define HELD_PER_SECOND 20u /* 50 ms */
#define RING_MAX MIB(64)
#define RINGS_MAX GIB(1)
#define SIZE_LEAST KIB(4)
/* Samples that even the smallest ring has to hold. */
#define HELD_LEAST 2u
/* What else stands in a sample: registers, and 127 addresses at most. */
#define BESIDE 1400u
/* Nobody knows how often a -c comes: as often as the default rate. */
#define RATE_UNKNOWN 4000u

/* PERF_MAX_TRACE_SIZE in the kernel's include/linux/trace_events.h. */
#define RAW_MAX 8192u
#define BRANCHES_MAX 64u /* of a CPU, 32 bytes with their counters */
#define COUNTERS_MAX 1024u
#define CONTEXTS_MAX 8u
#define LEADING_MAX 256u /* header and all fields of one size */

static bool has_copy(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_STACK_USER;
}

bool dumping_is_wanted(const struct selection *selection)
{
	array_each(&selection->events, event)
		if (has_copy(&event->attr))
			return true;
	return false;
}

static uint32_t words(uint64_t mask)
{
	return 8 + 8 * (uint32_t)__builtin_popcountll(mask);
}

/* The most that can stand in a sample beside the copy. */
static uint32_t beside(const struct perf_event_attr *attr, uint32_t max_stack)
{
	uint32_t n_chain =
		attr->sample_max_stack ? attr->sample_max_stack : max_stack;
	uint64_t type = attr->sample_type;
	uint32_t size = LEADING_MAX + words(attr->sample_regs_user);

	if (type & PERF_SAMPLE_CALLCHAIN)
		size += 8 * (1 + n_chain + CONTEXTS_MAX);
	if (type & PERF_SAMPLE_RAW)
		size += RAW_MAX;
	if (type & PERF_SAMPLE_BRANCH_STACK)
		size += 16 + 32 * BRANCHES_MAX;
	if (type & PERF_SAMPLE_READ)
		size += COUNTERS_MAX;
	if (type & PERF_SAMPLE_REGS_INTR)
		size += words(attr->sample_regs_intr);
	return size;
}

/*
 * The kernel makes the copy fit with all that is written before it. What comes
 * behind and has no fixed size it forgets: records wrap then.
 */
void dumping_fit_records(struct selection *selection, uint32_t max_stack)
{
	array_each(&selection->events, event) {
		struct perf_event_attr *attr = &event->attr;
		uint32_t other = beside(attr, max_stack), most = SIZE_LEAST;

		if (!has_copy(attr) ||
			!(attr->sample_type & PERF_SAMPLE_REGS_INTR))
			continue;
		if (other + SIZE_LEAST < DUMP_SIZE_MAX)
			most = DUMP_SIZE_MAX - other;
		attr->sample_stack_user =
			MIN(attr->sample_stack_user, most & ~7u);
	}
}

static uint64_t rate_of(const struct perf_event_attr *attr)
{
	/* Only its group's leader has samples. */
	if (!attr->sample_period)
		return 0;
	return attr->freq ? attr->sample_freq : RATE_UNKNOWN;
}

/* Bytes that a second of samples takes from a ring, N of them for copies. */
static uint64_t second_of(const struct selection *selection, uint64_t *n_ret)
{
	uint64_t bytes = 0;

	*n_ret = 0;
	array_each(&selection->events, event) {
		if (!has_copy(&event->attr))
			continue;
		*n_ret += rate_of(&event->attr);
		bytes += rate_of(&event->attr) *
			(BESIDE + event->attr.sample_stack_user);
	}
	return bytes;
}

size_t dumping_ring_size(
	const struct selection *selection, size_t n_cpus, size_t least)
{
	uint64_t n;
	uint64_t wanted = second_of(selection, &n) / HELD_PER_SECOND;
	size_t size = least;

	while (size < wanted && size < RING_MAX &&
		2 * size * n_cpus <= RINGS_MAX)
		size *= 2;
	return size;
}

static uint32_t largest_of(const struct selection *selection)
{
	uint32_t size = 0;

	array_each(&selection->events, event)
		if (has_copy(&event->attr))
			size = MAX(size, event->attr.sample_stack_user);
	return size;
}

/* What is left of EACH sample's bytes for its copy; but for LEAST. */
static uint32_t shrink(
	struct selection *selection, uint64_t each, uint32_t least)
{
	uint32_t size = least;

	if (each > least + BESIDE)
		size = (uint32_t)MIN(each - BESIDE, (uint64_t)DUMP_SIZE_MAX);
	size &= ~7u;
	array_each(&selection->events, event)
		if (has_copy(&event->attr) &&
			event->attr.sample_stack_user > size)
			event->attr.sample_stack_user = size;
	return size;
}

uint32_t dumping_fit_any(struct selection *selection, size_t ring_size)
{
	if (largest_of(selection) + BESIDE <= ring_size)
		return 0;
	return shrink(selection, ring_size / HELD_LEAST, sizeof(uint64_t));
}

uint32_t dumping_fit_ring(struct selection *selection, size_t ring_size)
{
	uint64_t n;
	uint64_t wanted = second_of(selection, &n) / HELD_PER_SECOND;
	uint64_t each = n ? ring_size / n * HELD_PER_SECOND : 0;
	uint32_t size;

	if (wanted <= ring_size)
		return dumping_fit_any(selection, ring_size);
	size = shrink(selection, each, SIZE_LEAST);
	if (HELD_LEAST * (size + BESIDE) > ring_size)
		size = shrink(selection, ring_size / HELD_LEAST,
			sizeof(uint64_t));
	return size;
}

size_t dumping_held(const struct selection *selection, size_t ring_size,
	bool *is_enough_ret)
{
	uint64_t n;

	*is_enough_ret =
		second_of(selection, &n) / HELD_PER_SECOND <= ring_size;
	return ring_size / (largest_of(selection) + BESIDE);
}
