/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/offcpu_time.h"

#include <inttypes.h>

#include "common/perf/sched_waking.h"
#include "common/perf/wait_sample.h"
#include "common/util/error.h"
#include "common/util/log.h"

const char *offcpu_counted_word(enum offcpu_counted time)
{
	return time == OFFCPU_TIME_WALL ? "wall" : "off-cpu";
}

const char *offcpu_state_name(enum offcpu_state state)
{
	static const char *const names[OFFCPU_STATES] = {
		[OFFCPU_STATE_ON] = "on",
		[OFFCPU_STATE_BLOCKED] = "blocked",
		[OFFCPU_STATE_RUNNABLE] = "runnable",
		[OFFCPU_STATE_PREEMPTED] = "preempted",
	};

	return state < OFFCPU_STATES ? names[state] : "unknown";
}

const char *offcpu_state_mark(
	enum offcpu_state state, char room[OFFCPU_STATE_SIZE])
{
	snprintf(room, OFFCPU_STATE_SIZE, "[%s]", offcpu_state_name(state));
	return room;
}

static bool is_software_event(
	const struct perf_event_attr *attr, uint64_t config)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == config;
}

static bool is_waking_event(const struct event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT &&
		event->attr.sample_type & PERF_SAMPLE_RAW &&
		string_is(event->name, SCHED_WAKING_EVENT);
}

static bool is_traced_switch_event(const struct event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT &&
		event->attr.sample_type & PERF_SAMPLE_RAW &&
		string_is(event->name, "sched:sched_switch");
}

/*
 * Context switches occur in the kernel: an event of user space only counts
 * none.
 */
static bool is_kernel_switch_event(const struct event *event)
{
	return is_software_event(
		       &event->attr, PERF_COUNT_SW_CONTEXT_SWITCHES) &&
		!event->attr.exclude_kernel;
}

/* Whether EVENT was opened to sample each context switch. */
static bool has_period_one(const struct event *event)
{
	return is_software_event(
		       &event->attr, PERF_COUNT_SW_CONTEXT_SWITCHES) &&
		!event->attr.freq && event->attr.sample_period == 1;
}

/* Whether the samples of EVENT are waits (wait_sample.h). */
static bool is_wait_event(const struct event *event)
{
	return is_software_event(&event->attr, PERF_COUNT_SW_BPF_OUTPUT) &&
		string_is(event->name, WAIT_SAMPLE_EVENT);
}

static bool is_clock_event(const struct event *event)
{
	return is_software_event(&event->attr, PERF_COUNT_SW_CPU_CLOCK) ||
		is_software_event(&event->attr, PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * The number of the first event of READER for which the expression CONDITION on
 * EVENT is true, or OFFCPU_NO_EVENT.
 */
#define find_event(reader, event, condition)                                 \
	({                                                                   \
		uint32_t found_ = 0, n_ = (uint32_t)reader_n_events(reader); \
		for (; found_ < n_; found_++) {                              \
			const struct event *event =                          \
				reader_event(reader, found_);                \
			if (condition)                                       \
				break;                                       \
		}                                                            \
		found_ < n_ ? found_ : OFFCPU_NO_EVENT;                      \
	})

uint32_t offcpu_record_event(const struct reader *reader)
{
	return find_event(reader, event, event->attr.context_switch);
}

uint32_t offcpu_traced_event(const struct reader *reader)
{
	return offcpu_record_event(reader) == OFFCPU_NO_EVENT
		? find_event(reader, event, is_traced_switch_event(event))
		: OFFCPU_NO_EVENT;
}

uint32_t offcpu_waking_event(const struct reader *reader)
{
	return find_event(reader, event, is_waking_event(event));
}

uint32_t offcpu_stack_event(const struct reader *reader)
{
	uint32_t found = find_event(reader, event, is_wait_event(event));

	if (found == OFFCPU_NO_EVENT)
		found = find_event(reader, event,
			has_period_one(event) && is_kernel_switch_event(event));
	if (found == OFFCPU_NO_EVENT)
		found = find_event(
			reader, event, is_traced_switch_event(event));
	return found != OFFCPU_NO_EVENT
		? found
		: find_event(reader, event, is_kernel_switch_event(event));
}

bool offcpu_is_recorded(const struct reader *reader)
{
	return find_event(reader, event, is_wait_event(event)) !=
		OFFCPU_NO_EVENT ||
		(offcpu_record_event(reader) != OFFCPU_NO_EVENT &&
			find_event(reader, event, has_period_one(event)) !=
				OFFCPU_NO_EVENT);
}

static uint32_t find_best_clock(const struct reader *reader)
{
	uint32_t clock = find_event(reader, event, is_clock_event(event));

	return clock != OFFCPU_NO_EVENT
		? clock
		: find_event(reader, event,
			  event->attr.freq && event->attr.sample_freq &&
				  event->attr.type != PERF_TYPE_TRACEPOINT &&
				  event->attr.type != PERF_TYPE_SOFTWARE);
}

bool offcpu_covers_all_events(const struct reader *reader)
{
	uint32_t n = (uint32_t)reader_n_events(reader), i;
	uint32_t clock = find_best_clock(reader);

	for (i = 0; i < n; i++) {
		const struct event *event = reader_event(reader, i);

		if (i != clock && !has_period_one(event) &&
			!is_wait_event(event) && !is_waking_event(event) &&
			!is_software_event(&event->attr, PERF_COUNT_SW_DUMMY))
			return false;
	}
	return clock != OFFCPU_NO_EVENT;
}

struct error *offcpu_init(
	struct offcpu *offcpu, const struct offcpu_config *config)
{
	const struct reader *reader = config->reader;
	uint32_t records = offcpu_record_event(reader);
	bool has_waits = find_event(reader, event, is_wait_event(event)) !=
		OFFCPU_NO_EVENT;

	*offcpu = (struct offcpu){
		.switches = config->switches,
		.stacks = offcpu_stack_event(reader),
		.clock = OFFCPU_NO_EVENT,
		.least_ns = config->least_ns,
		.times = config->times,
		.begin = reader_features(reader)->first_time,
		.has_waits = has_waits,
		.swaps_waits = reader_is_swapped(reader),
		.has_wakings = has_waits ||
			offcpu_waking_event(reader) != OFFCPU_NO_EVENT,
	};
	offcpu->event =
		offcpu->stacks != OFFCPU_NO_EVENT ? offcpu->stacks : records;
	if (offcpu->event == OFFCPU_NO_EVENT ||
		(!has_waits && records == OFFCPU_NO_EVENT &&
			offcpu_traced_event(reader) == OFFCPU_NO_EVENT))
		return error_hint(error_new("%s: no context switches in the "
					    "recording",
					  reader_path(reader)),
			"'dwell record --off-cpu' records them");
	if (config->time != OFFCPU_TIME_WALL)
		return NULL;
	offcpu->clock = find_best_clock(reader);
	if (offcpu->clock == OFFCPU_NO_EVENT)
		return error_hint(error_new("%s: --wall: no event of the "
					    "recording measures "
					    "CPU time",
					  reader_path(reader)),
			"'dwell record --off-cpu -e cpu-clock' records it");
	if (!is_clock_event(reader_event(reader, offcpu->clock)))
		offcpu->tick_ns = NSEC_PER_SEC /
			reader_event(reader, offcpu->clock)->attr.sample_freq;
	return NULL;
}

void offcpu_counts_add(
	struct offcpu_counts *into, const struct offcpu_counts *from)
{
	size_t i;

	for (i = 0; i < OFFCPU_STATES; i++)
		into->ns[i] += from->ns[i];
	into->switches += from->switches;
	into->brief += from->brief;
	into->open += from->open;
	into->lost += from->lost;
	into->unknown += from->unknown;
}

static void put_switch_count(struct strbuf *out, uint64_t n, const char *text)
{
	if (n)
		strbuf_printf(out, "; %" PRIu64 " %s", n, text);
}

void offcpu_counts_print(const struct offcpu_counts *counts, struct strbuf *out)
{
	size_t i;

	for (i = counts->ns[OFFCPU_STATE_ON] ? OFFCPU_STATE_ON
					     : OFFCPU_STATE_BLOCKED;
		i < OFFCPU_STATES; i++)
		strbuf_printf(out, "%.6f s %s%s",
			(double)counts->ns[i] / (double)NSEC_PER_SEC,
			offcpu_state_name((enum offcpu_state)i),
			i + 1 < OFFCPU_STATES ? ", " : "");
	strbuf_printf(out, "; %" PRIu64 " switches", counts->switches);
	put_switch_count(
		out, counts->open, "of them lasted until the recording ended");
	put_switch_count(out, counts->brief, "too short to count");
	put_switch_count(out, counts->lost,
		"left out because switch records were lost at that time");
	put_switch_count(out, counts->unknown,
		"left out because their length is unknown");
}

void offcpu_report_missing(
	const struct offcpu *offcpu, const struct reader *reader)
{
	if (offcpu->stacks == OFFCPU_NO_EVENT)
		log_note("%s: context switches have no call stacks; 'dwell "
			 "record --off-cpu' records them as root or with "
			 "kernel.perf_event_paranoid=1",
			reader_path(reader));
	if (!offcpu->has_wakings)
		log_note(
			"%s: wakeups were not recorded: the time from a wakeup "
			"until the thread runs counts as blocked",
			reader_path(reader));
}
