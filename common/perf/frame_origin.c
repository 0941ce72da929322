/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/frame_origin.h"

#define MARKER ((uint64_t)PERF_CONTEXT_USER)

const char *frame_origin_name(enum frame_origin origin)
{
	static const char *const names[] = {
		[FRAME_ORIGIN_COPY] = "copy",
		[FRAME_ORIGIN_PROCESS] = "process",
		[FRAME_ORIGIN_SAMPLES] = "samples",
		[FRAME_ORIGIN_FRAMES] = "frame_pointers",
		[FRAME_ORIGIN_NONE] = "none",
	};

	return names[origin];
}

bool frame_origin_is_recorded(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_CALLCHAIN &&
		attr->sample_stack_user;
}

size_t frame_origin_put(
	enum frame_origin origin, uint64_t *entries, size_t n, size_t own)
{
	size_t marks = origin, i;

	if (own >= n)
		return n;
	memmove(entries + own + marks, entries + own,
		(n - own) * sizeof(*entries));
	for (i = 0; i < marks; i++)
		entries[own + i] = MARKER;
	return n + marks;
}

/* The PERF_CONTEXT_USER that starts the user part is not part of the mark. */
struct frame_origin_mark frame_origin_find(const uint8_t *chain, uint64_t n)
{
	struct frame_origin_mark mark = { .origin = FRAME_ORIGIN_NONE };
	bool is_user = false;
	uint64_t i;

	for (i = 0; i < n && !mark.n; i++) {
		uint64_t entry = sample_entry_at(chain, i);

		if (entry < ABI_CONTEXT_FIRST)
			continue;
		if (entry == MARKER && !is_user)
			mark.origin = FRAME_ORIGIN_COPY;
		while (is_user && i + mark.n < n &&
			sample_entry_at(chain, i + mark.n) == MARKER)
			mark.n++;
		mark.at = i;
		is_user = entry == MARKER;
	}
	if (mark.n)
		mark.origin = (enum frame_origin)MIN(
			mark.n, (uint64_t)FRAME_ORIGIN_MARK_MAX);
	return mark;
}
