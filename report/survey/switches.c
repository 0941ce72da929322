/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/switches.h"

#include "common/util/alloc.h"

#define KIND_BITS 3u
#define CPUS_MAX 65536u

static uint64_t pack_switch(uint64_t time, enum switch_kind kind)
{
	return time << KIND_BITS | (uint64_t)kind;
}

static uint64_t switch_time(uint64_t at)
{
	return at >> KIND_BITS;
}

static enum switch_kind switch_kind_of(uint64_t at)
{
	return (enum switch_kind)(at & ((1u << KIND_BITS) - 1));
}

static bool is_counted_thread(uint32_t tid)
{
	return tid && tid != UINT32_MAX;
}

static uint32_t find_switch_thread(
	const struct switches *switches, uint32_t tid)
{
	uint64_t hash = hash_words(tid, 0);

	hash_each_match(&switches->by_tid, hash, i)
		if (switches->threads.at[i].tid == tid)
			return i;
	return HASH_NONE;
}

/* Returns whether the last known process of THREAD is another one than PID. */
static bool has_other_process(const struct switch_thread *thread, uint32_t pid)
{
	size_t n = thread->processes.n;

	return pid && (!n || thread->processes.at[n - 1].pid != pid);
}

bool switches_is_new(
	const struct switches *switches, uint32_t pid, uint32_t tid)
{
	uint32_t i = find_switch_thread(switches, tid);

	return is_counted_thread(tid) &&
		(i == HASH_NONE ||
			has_other_process(&switches->threads.at[i], pid));
}

static struct switch_thread *intern_switch_thread(
	struct switches *switches, uint32_t tid)
{
	uint32_t i = find_switch_thread(switches, tid);
	struct switch_thread *thread;

	if (i != HASH_NONE)
		return &switches->threads.at[i];
	i = (uint32_t)switches->threads.n;
	hash_insert(&switches->by_tid, hash_words(tid, 0), i);
	thread = array_push(&switches->threads);
	thread->tid = tid;
	return thread;
}

static bool is_valid_switch(uint32_t cpu, uint64_t time)
{
	return time <= SWITCHES_TIME_MAX &&
		(cpu < CPUS_MAX || cpu == SWITCHES_NO_CPU);
}

static void update_latest_time(
	struct switches *switches, uint32_t cpu, uint64_t time)
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
	struct switch_process *last;

	if (!is_valid_switch(record->cpu, record->time))
		return false;
	update_latest_time(switches, record->cpu, record->time);
	if (!is_counted_thread(record->tid))
		return true;
	thread = intern_switch_thread(switches, record->tid);
	/* Records come in the order of the file, not of their times. */
	if (has_other_process(thread, record->pid)) {
		*array_push(&thread->processes) =
			(struct switch_process){ record->time, record->pid };
	} else if (record->pid) {
		last = &thread->processes.at[thread->processes.n - 1];
		last->since = MIN(last->since, record->time);
	}
	*array_push(&thread->at) = pack_switch(record->time, kind);
	return true;
}

/*
 * Adds a wakeup of thread TID. Does not update the latest time of a CPU,
 * because the sample is of the waking thread.
 */
bool switches_add_wakeup(struct switches *switches, uint32_t tid, uint64_t time)
{
	if (time > SWITCHES_TIME_MAX)
		return false;
	switches->end = MAX(switches->end, time);
	if (is_counted_thread(tid))
		*array_push(&intern_switch_thread(switches, tid)->at) =
			pack_switch(time, SWITCH_WOKEN);
	return true;
}

bool switches_add_loss(struct switches *switches, uint32_t cpu, uint64_t time)
{
	struct switch_gap gap = { .until = time };

	if (!is_valid_switch(cpu, time))
		return false;
	if (cpu < switches->latest.n)
		gap.from = switches->latest.at[cpu];
	*array_push(&switches->gaps) = gap;
	update_latest_time(switches, cpu, time);
	return true;
}

static bool is_switch_out(uint64_t at)
{
	enum switch_kind kind = switch_kind_of(at);

	return kind == SWITCH_OUT || kind == SWITCH_PREEMPTED;
}

void switches_finish(struct switches *switches, uint64_t end)
{
	size_t n = 0, i;

	/* Sort the switches of threads and drop redundant wakeups and exits. */
	array_each(&switches->threads, thread) {
		uint64_t *kept = thread->at.at;
		bool is_sorted = true;

		for (i = 1; is_sorted && i < thread->at.n; i++)
			is_sorted = kept[i - 1] <= kept[i];
		if (!is_sorted)
			array_sort(&thread->at, array_compare_u64);
		array_sort(&thread->processes, array_compare_u64);
		n = 0;
		for (i = 0; i < thread->at.n; i++) {
			uint64_t at = kept[i];
			enum switch_kind kind = switch_kind_of(at);
			bool is_again = kind == SWITCH_WOKEN && n &&
				switch_kind_of(kept[n - 1]) == SWITCH_WOKEN;

			if (kind == SWITCH_CREATED || kind == SWITCH_EXITED)
				thread->is_gone = kind == SWITCH_EXITED;
			/*
			 * A wakeup can be recorded twice, and can come while
			 * the thread still runs. Of the wakeups between two
			 * switches, the first is kept if the thread was off its
			 * CPU, else the last, which may have come as the thread
			 * was about to leave the CPU.
			 */
			if (!is_again && kind != SWITCH_EXITED)
				kept[n++] = at;
			else if (is_again &&
				(n < 2 || !is_switch_out(kept[n - 2])))
				kept[n - 1] = at;
		}
		thread->at.n = n;
	}
	/* Merge time ranges of lost records that touch. */
	n = 0;
	array_sort(&switches->gaps, array_compare_u64);
	array_each(&switches->gaps, gap) {
		struct switch_gap *last = &switches->gaps.at[n ? n - 1 : 0];

		if (n && gap->from <= last->until)
			last->until = MAX(last->until, gap->until);
		else
			switches->gaps.at[n++] = *gap;
	}
	switches->gaps.n = n;
	switches->end = MIN(MAX(switches->end, end), SWITCHES_TIME_MAX);
}

void switches_deinit(struct switches *switches)
{
	array_each(&switches->threads, thread) {
		array_free(&thread->at);
		array_free(&thread->processes);
	}
	array_free(&switches->threads);
	array_free(&switches->gaps);
	array_free(&switches->latest);
	hash_free(&switches->by_tid);
}

/* Reads the absence that starts at the switch with index I of THREAD. */
static enum switch_absence_end read_absence(const struct switches *switches,
	const struct switch_thread *thread, size_t i,
	struct switch_absence *absence)
{
	const uint64_t *at = thread->at.at;
	size_t n = thread->at.n;

	absence->is_preempted = switch_kind_of(at[i]) == SWITCH_PREEMPTED;
	absence->out = switch_time(at[i++]);
	if (i < n && switch_kind_of(at[i]) == SWITCH_WOKEN) {
		if (!absence->woken)
			absence->woken = switch_time(at[i]);
		i++;
	}
	if (i < n && switch_kind_of(at[i]) == SWITCH_CREATED)
		return SWITCH_ABSENCE_NONE;
	if (i < n && switch_kind_of(at[i]) != SWITCH_IN)
		return SWITCH_ABSENCE_UNKNOWN;
	if (i == n && thread->is_gone)
		return SWITCH_ABSENCE_NONE;
	absence->is_open = i == n;
	absence->in = absence->is_open ? switches->end : switch_time(at[i]);
	if (!absence->woken)
		absence->woken = absence->in;
	/*
	 * A wakeup before the thread has left its CPU counts from the switch
	 * on.
	 */
	absence->woken = MAX(absence->woken, absence->out);
	return SWITCH_ABSENCE_KNOWN;
}

enum switch_absence_end switches_find(const struct switches *switches,
	uint32_t tid, uint64_t time, struct switch_absence *ret)
{
	uint32_t number = find_switch_thread(switches, tid);
	const struct switch_thread *thread;
	enum switch_absence_end end;
	size_t i;

	*ret = (struct switch_absence){ 0 };
	if (!is_counted_thread(tid))
		return SWITCH_ABSENCE_NONE;
	if (number == HASH_NONE || time > SWITCHES_TIME_MAX)
		return SWITCH_ABSENCE_UNKNOWN;
	thread = &switches->threads.at[number];
	i = array_count_before(&thread->at, at, switch_time(*at) < time);
	if (i < thread->at.n &&
		switch_kind_of(thread->at.at[i]) == SWITCH_WOKEN)
		ret->woken = switch_time(thread->at.at[i++]);
	if (i == thread->at.n || !is_switch_out(thread->at.at[i]))
		return SWITCH_ABSENCE_UNKNOWN;
	end = read_absence(switches, thread, i, ret);
	i = array_count_before(&switches->gaps, gap, gap->until <= time);
	return end == SWITCH_ABSENCE_KNOWN && i < switches->gaps.n &&
			switches->gaps.at[i].from < ret->in
		? SWITCH_ABSENCE_LOST
		: end;
}

void switches_each(const struct switches *switches,
	void (*take_switch)(void *data, const struct switch_record *out),
	void *data)
{
	array_each(&switches->threads, thread)
		array_each(&thread->at, at) {
			uint64_t time = switch_time(*at);

			if (!is_switch_out(*at))
				continue;
			/* the process of the thread at TIME */
			size_t n = array_count_before(&thread->processes,
				process, process->since <= time);
			uint32_t pid = thread->processes.n
				? thread->processes.at[n ? n - 1 : 0].pid
				: 0;

			take_switch(data,
				&(struct switch_record){ pid, thread->tid,
					SWITCHES_NO_CPU, time });
		}
}
