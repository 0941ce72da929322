/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/switches.h"

#include "common/util/alloc.h"

#define KIND_BITS 3u
#define CPUS_MAX 65536u

static uint64_t make(uint64_t time, enum switch_kind kind)
{
	return time << KIND_BITS | (uint64_t)kind;
}

static uint64_t time_of(uint64_t at)
{
	return at >> KIND_BITS;
}

static enum switch_kind kind_of(uint64_t at)
{
	return (enum switch_kind)(at & ((1u << KIND_BITS) - 1));
}

static bool is_thread(uint32_t tid)
{
	return tid && tid != UINT32_MAX;
}

static uint32_t find(const struct switches *switches, uint32_t tid)
{
	uint64_t hash = hash_words(tid, 0);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&switches->by_tid, hash, &probe)) != HASH_NONE)
		if (switches->threads.at[i].tid == tid)
			break;
	return i;
}

bool switches_is_new(const struct switches *switches, uint32_t tid)
{
	return is_thread(tid) && find(switches, tid) == HASH_NONE;
}

static struct switch_thread *thread_of(struct switches *switches, uint32_t tid)
{
	uint32_t i = find(switches, tid);
	struct switch_thread *thread;

	if (i != HASH_NONE)
		return &switches->threads.at[i];
	i = (uint32_t)switches->threads.n;
	hash_insert(&switches->by_tid, hash_words(tid, 0), i);
	thread = array_push(&switches->threads);
	thread->tid = tid;
	return thread;
}

static bool is_place(uint32_t cpu, uint64_t time)
{
	return time <= SWITCHES_TIME_MAX &&
		(cpu < CPUS_MAX || cpu == SWITCHES_NO_CPU);
}

static void note_latest(struct switches *switches, uint32_t cpu, uint64_t time)
{
	switches->end = MAX(switches->end, time);
	if (cpu == SWITCHES_NO_CPU)
		return;
	while (switches->latest.n <= cpu)
		array_push(&switches->latest);
	switches->latest.at[cpu] = MAX(switches->latest.at[cpu], time);
}

bool switches_add(struct switches *switches, enum switch_kind kind,
	const struct switch_record *record)
{
	struct switch_thread *thread;

	if (!is_place(record->cpu, record->time))
		return false;
	note_latest(switches, record->cpu, record->time);
	if (!is_thread(record->tid))
		return true;
	thread = thread_of(switches, record->tid);
	thread->pid = record->pid;
	*array_push(&thread->at) = make(record->time, kind);
	return true;
}

/* It is told by the sample of another thread, in a ring of samples. */
bool switches_wake(struct switches *switches, uint32_t tid, uint64_t time)
{
	if (time > SWITCHES_TIME_MAX)
		return false;
	switches->end = MAX(switches->end, time);
	if (is_thread(tid))
		*array_push(&thread_of(switches, tid)->at) =
			make(time, SWITCH_WOKEN);
	return true;
}

bool switches_lose(struct switches *switches, uint32_t cpu, uint64_t time)
{
	struct switch_gap gap = { .until = time };

	if (!is_place(cpu, time))
		return false;
	if (cpu < switches->latest.n)
		gap.from = switches->latest.at[cpu];
	*array_push(&switches->gaps) = gap;
	note_latest(switches, cpu, time);
	return true;
}

static int compare_times(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return COMPARE(*left, *right);
}

static int compare_gaps(const void *a, const void *b)
{
	const struct switch_gap *left = a, *right = b;

	return COMPARE(left->from, right->from);
}

static bool is_sorted(const struct switch_thread *thread)
{
	size_t i;

	for (i = 1; i < thread->at.n; i++)
		if (thread->at.at[i - 1] > thread->at.at[i])
			return false;
	return true;
}

static bool has_left(uint64_t at)
{
	enum switch_kind kind = kind_of(at);

	return kind == SWITCH_OUT || kind == SWITCH_PREEMPTED;
}

/*
 * A waking may be told twice, and while a thread still runs it may come to
 * nothing. What counts of those between two switches is the first if the thread
 * was away, else the last, which may have come as it was about to leave.
 */
static void keep_woken(struct switch_thread *thread, size_t *n, uint64_t at)
{
	uint64_t *kept = thread->at.at;
	bool is_again = *n && kind_of(kept[*n - 1]) == SWITCH_WOKEN;

	if (!is_again)
		kept[(*n)++] = at;
	else if (*n < 2 || !has_left(kept[*n - 2]))
		kept[*n - 1] = at;
}

/* In order, each switch with what belongs to it beside it. */
static void settle_thread(struct switch_thread *thread)
{
	size_t n = 0, i;

	if (!is_sorted(thread))
		array_sort(&thread->at, compare_times);
	for (i = 0; i < thread->at.n; i++) {
		uint64_t at = thread->at.at[i];
		enum switch_kind kind = kind_of(at);

		if (kind == SWITCH_BORN || kind == SWITCH_GONE)
			thread->is_gone = kind == SWITCH_GONE;
		if (kind == SWITCH_WOKEN)
			keep_woken(thread, &n, at);
		else if (kind != SWITCH_GONE)
			thread->at.at[n++] = at;
	}
	thread->at.n = n;
}

/* Gaps that don't touch each other, in order. */
static void join_gaps(struct switches *switches)
{
	size_t n = 0;

	array_sort(&switches->gaps, compare_gaps);
	array_each (&switches->gaps, gap) {
		struct switch_gap *last = &switches->gaps.at[n ? n - 1 : 0];

		if (n && gap->from <= last->until)
			last->until = MAX(last->until, gap->until);
		else
			switches->gaps.at[n++] = *gap;
	}
	switches->gaps.n = n;
}

void switches_settle(struct switches *switches, uint64_t end)
{
	array_each (&switches->threads, thread)
		settle_thread(thread);
	join_gaps(switches);
	switches->end = MIN(MAX(switches->end, end), SWITCHES_TIME_MAX);
}

void switches_deinit(struct switches *switches)
{
	array_each (&switches->threads, thread)
		array_free(&thread->at);
	array_free(&switches->threads);
	array_free(&switches->gaps);
	array_free(&switches->latest);
	hash_free(&switches->by_tid);
}

static bool is_lost(
	const struct switches *switches, uint64_t from, uint64_t until)
{
	size_t i = array_count_before(&switches->gaps, gap, gap->until <= from);

	return i < switches->gaps.n && switches->gaps.at[i].from < until;
}

/* From its number I on, where THREAD left. */
static enum absence_end read_absence(const struct switches *switches,
	const struct switch_thread *thread, size_t i, struct absence *absence)
{
	const uint64_t *at = thread->at.at;
	size_t n = thread->at.n;

	absence->is_preempted = kind_of(at[i]) == SWITCH_PREEMPTED;
	absence->out = time_of(at[i++]);
	if (i < n && kind_of(at[i]) == SWITCH_WOKEN) {
		if (!absence->woken)
			absence->woken = time_of(at[i]);
		i++;
	}
	if (i < n && kind_of(at[i]) == SWITCH_BORN)
		return ABSENCE_NONE;
	if (i < n && kind_of(at[i]) != SWITCH_IN)
		return ABSENCE_UNKNOWN;
	if (i == n && thread->is_gone)
		return ABSENCE_NONE;
	absence->is_open = i == n;
	absence->in = absence->is_open ? switches->end : time_of(at[i]);
	if (!absence->woken)
		absence->woken = absence->in;
	/* Who is woken as it leaves could go on at once. */
	absence->woken = MAX(absence->woken, absence->out);
	return ABSENCE_KNOWN;
}

enum absence_end switches_find(const struct switches *switches, uint32_t tid,
	uint64_t time, struct absence *ret)
{
	uint32_t number = find(switches, tid);
	const struct switch_thread *thread;
	enum absence_end end;
	size_t i;

	*ret = (struct absence){ 0 };
	if (!is_thread(tid))
		return ABSENCE_NONE;
	if (number == HASH_NONE || time > SWITCHES_TIME_MAX)
		return ABSENCE_UNKNOWN;
	thread = &switches->threads.at[number];
	i = array_count_before(&thread->at, at, time_of(*at) < time);
	if (i < thread->at.n && kind_of(thread->at.at[i]) == SWITCH_WOKEN)
		ret->woken = time_of(thread->at.at[i++]);
	if (i == thread->at.n || !has_left(thread->at.at[i]))
		return ABSENCE_UNKNOWN;
	end = read_absence(switches, thread, i, ret);
	if (end == ABSENCE_KNOWN && is_lost(switches, time, ret->in))
		return ABSENCE_LOST;
	return end;
}

void switches_each(const struct switches *switches,
	void (*see)(void *data, const struct switch_record *out), void *data)
{
	array_each (&switches->threads, thread)
		array_each (&thread->at, at)
			if (has_left(*at))
				see(data,
					&(struct switch_record){ thread->pid,
						thread->tid, SWITCHES_NO_CPU,
						time_of(*at) });
}
