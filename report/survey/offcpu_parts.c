/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/offcpu_parts.h"

#include "common/perf/wait_sample.h"
#include "common/util/clock.h"

static void add_whole_part(struct offcpu_parts *parts, enum offcpu_state state,
	uint64_t from, uint64_t ns)
{
	parts->whole[parts->n++] = (struct offcpu_part){ .state = state,
		.from = from,
		.ns = ns,
		.span = MIN(ns, UINT64_MAX - from) };
}

static struct time_range range_of_part(const struct offcpu_part *part)
{
	return (struct time_range){ part->from, part->from + part->span };
}

/* Leaves out all parts if no part is in the selected times. */
static bool drop_unselected(struct offcpu_parts *parts)
{
	struct time_range cut;
	size_t i;

	for (i = 0; i < parts->n; i++) {
		const struct time_range whole = range_of_part(&parts->whole[i]);
		size_t next = 0;

		if (times_cut(parts->offcpu->times, &next, &whole, &cut))
			return false;
	}
	parts->n = 0;
	return true;
}

/*
 * Waits that were added up are anywhere in the WAIT_SAMPLE_SUM_NS before SAMPLE,
 * but not before the recording.
 */
static void spread_sum(
	struct offcpu_parts *parts, const struct sample *sample, uint64_t total)
{
	uint64_t span = MAX(total, WAIT_SAMPLE_SUM_NS), begin = 0;
	size_t i;

	if (sample->time > span)
		begin = sample->time - span;
	begin = MAX(begin, parts->offcpu->begin);
	begin = MIN(begin, sample->time - total);
	for (i = 0; i < parts->n; i++) {
		parts->whole[i].from = begin;
		parts->whole[i].span = sample->time - begin;
	}
}

/* Begins the parts of the waits that SAMPLE of the event offcpu-waits has. */
static void begin_waits(struct offcpu_parts *parts, const struct sample *sample)
{
	const struct offcpu *offcpu = parts->offcpu;
	struct wait_sample wait;
	uint64_t from = sample->time;
	size_t i;

	if (!wait_sample_read(sample, offcpu->swaps_waits, &wait)) {
		parts->counts->unknown += times_have(offcpu->times, from);
		return;
	}
	const struct offcpu_part in_state[] = {
		{ .state = OFFCPU_STATE_BLOCKED, .ns = wait.blocked },
		{ .state = OFFCPU_STATE_RUNNABLE, .ns = wait.runnable },
		{ .state = OFFCPU_STATE_PREEMPTED, .ns = wait.preempted },
	};

	for (i = 0; i < ARRAY_SIZE(in_state); i++)
		from -= MIN(from, in_state[i].ns);
	const uint64_t total = sample->time - from;

	for (i = 0; i < ARRAY_SIZE(in_state); i++) {
		if (!in_state[i].ns)
			continue;
		add_whole_part(parts, in_state[i].state, from, in_state[i].ns);
		from += parts->whole[parts->n - 1].span;
	}
	if (wait.is_sum)
		spread_sum(parts, sample, total);
	if (parts->n ? drop_unselected(parts)
		     : !times_have(offcpu->times, sample->time))
		return;
	if (wait.longest < offcpu->least_ns) {
		parts->counts->brief += wait.n;
		parts->n = 0;
		return;
	}
	parts->counts->switches += wait.n;
	parts->counts->open += wait.is_open;
}

static void begin_absence(
	struct offcpu_parts *parts, const struct switch_absence *absence)
{
	if (absence->is_preempted) {
		add_whole_part(parts, OFFCPU_STATE_PREEMPTED, absence->out,
			absence->in - absence->out);
	} else {
		if (absence->woken > absence->out ||
			absence->woken == absence->in)
			add_whole_part(parts, OFFCPU_STATE_BLOCKED,
				absence->out, absence->woken - absence->out);
		if (absence->in > absence->woken)
			add_whole_part(parts, OFFCPU_STATE_RUNNABLE,
				absence->woken, absence->in - absence->woken);
	}
	if (drop_unselected(parts))
		return;
	if (absence->in - absence->out < parts->offcpu->least_ns) {
		parts->counts->brief++;
		parts->n = 0;
		return;
	}
	parts->counts->switches++;
	parts->counts->open += absence->is_open;
}

static void begin_parts(
	struct offcpu_parts *parts, struct offcpu_counts *counts)
{
	parts->counts = counts;
	parts->n = parts->at = parts->next_range = parts->n_parts = 0;
	parts->has_left = false;
}

void offcpu_parts_begin_switch(struct offcpu_parts *parts,
	const struct sample *sample, struct offcpu_counts *counts)
{
	const struct offcpu *offcpu = parts->offcpu;
	struct switch_absence absence;
	bool is_selected;

	begin_parts(parts, counts);
	if (offcpu->has_waits) {
		begin_waits(parts, sample);
		return;
	}
	/* How long the time is, is not known. */
	is_selected = times_have(offcpu->times, sample->time);
	switch (switches_find(
		offcpu->switches, sample->tid, sample->time, &absence)) {
	case SWITCH_ABSENCE_NONE: return;
	case SWITCH_ABSENCE_LOST: counts->lost += is_selected; return;
	case SWITCH_ABSENCE_UNKNOWN: counts->unknown += is_selected; return;
	case SWITCH_ABSENCE_KNOWN: begin_absence(parts, &absence); return;
	}
}

void offcpu_parts_begin(struct offcpu_parts *parts, uint32_t event,
	const struct sample *sample, struct offcpu_counts *counts)
{
	const struct offcpu *offcpu = parts->offcpu;

	if (event == offcpu->stacks) {
		offcpu_parts_begin_switch(parts, sample, counts);
		return;
	}
	begin_parts(parts, counts);
	/* Samples of the idle task (TID 0) are not the time of a thread. */
	if (event != offcpu->clock || !sample->tid)
		return;
	parts->whole[parts->n++] = (struct offcpu_part){
		.state = OFFCPU_STATE_ON,
		.from = sample->time,
		.ns = offcpu->tick_ns ? offcpu->tick_ns : sample->period,
	};
}

/* Returns the nanoseconds of PART that come before TIME. */
static uint64_t ns_of_part_before(const struct offcpu_part *part, uint64_t time)
{
	return (uint64_t)((unsigned __int128)part->ns * (time - part->from) /
		part->span);
}

/*
 * Takes the first part of what is left of WHOLE, up to the end of a quantum.
 */
static void take_left(
	struct offcpu_parts *parts, const struct offcpu_part *whole)
{
	const uint64_t quantum = parts->quantum_ns;
	struct time_range *left = &parts->left, taken = *left;

	parts->has_left = quantum && parts->n_parts < OFFCPU_QUANTA_MAX &&
		taken.last - taken.first > quantum - taken.first % quantum;
	if (parts->has_left)
		left->first = taken.last =
			taken.first - taken.first % quantum + quantum;
	parts->part = (struct offcpu_part){
		.state = whole->state,
		.from = taken.first,
		.span = taken.last - taken.first,
		.ns = whole->span ? ns_of_part_before(whole, taken.last) -
				ns_of_part_before(whole, taken.first)
				  : whole->ns,
		.is_continued = parts->n_parts++ > 0,
	};
	parts->counts->ns[whole->state] += parts->part.ns;
}

bool offcpu_parts_next(struct offcpu_parts *parts)
{
	for (; parts->at < parts->n; parts->at++) {
		const struct offcpu_part *whole = &parts->whole[parts->at];
		const struct time_range range = range_of_part(whole);

		if (parts->has_left ||
			times_cut(parts->offcpu->times, &parts->next_range,
				&range, &parts->left)) {
			take_left(parts, whole);
			return true;
		}
		parts->next_range = parts->n_parts = 0;
	}
	return false;
}
