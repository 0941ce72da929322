/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/unsampled_time.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/clock.h"
#include "common/util/log.h"

/*
 * Minimum percentage of unsampled time that is reported. Less is normal:
 * interrupts are late, and virtual machines stand still.
 */
#define UNSAMPLED_PERCENT_MIN 5u

/*
 * Sums of one clock event, from the start of the recording to the end of a
 * file.
 */
struct clock_sums {
	uint64_t cpu_ns; /* counted by the event */
	uint64_t ticks;	 /* samples that were kept, left out or lost */
	uint64_t throttled, forks;
	uint64_t n_fds;	   /* descriptors of the event */
	uint64_t error_ns; /* time between reading the ticks and the CPU time */
};

struct unsampled_time {
	const struct event_fds *opened;
	const struct recorded_counts *counts;
	/*
	 * The last values read from each descriptor; 0 if the descriptor was
	 * never read.
	 */
	ARRAY(struct clock_reading { uint64_t value, lost; }) readings;
	uint64_t error_ns;	   /* clock_sums.error_ns of the last reading */
	struct clock_sums *before; /* sums of each event in all ended files */
};

struct unsampled_time *unsampled_time_create(
	const struct event_fds *opened, const struct recorded_counts *counts)
{
	struct unsampled_time *time = xcalloc(1, sizeof(*time));

	time->opened = opened;
	time->counts = counts;
	time->before =
		xcalloc(opened->selection->events.n + 1, sizeof(*time->before));
	return time;
}

void unsampled_time_destroy(struct unsampled_time *time)
{
	if (!time)
		return;
	array_free(&time->readings);
	free(time->before);
	free(time);
}

/*
 * Returns the nominal ns between two ticks of the event's timer; 0 if the event
 * has no timer.
 */
static uint64_t timer_period(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_SOFTWARE ||
		(attr->config != PERF_COUNT_SW_CPU_CLOCK &&
			attr->config != PERF_COUNT_SW_TASK_CLOCK))
		return 0;
	/* linux/kernel/events/core.c, perf_swevent_init_hrtimer() */
	return attr->freq ? NSEC_PER_SEC / MAX(attr->sample_freq, UINT64_C(1))
			  : attr->sample_period;
}

/*
 * Returns whether the counter of EVENT can be compared with its samples. EVENT
 * may be the sideband event, which has no samples.
 */
static bool is_comparable(const struct event_fds *opened, size_t event)
{
	const struct perf_event_attr *attr;

	if (event >= opened->selection->events.n)
		return false;
	attr = &opened->selection->events.at[event].attr;
	/*
	 * Compare only if each tick of the timer makes a sample that is kept,
	 * lost or left out.
	 */
	return attr->read_format & ABI_FORMAT_LOST &&
		!(attr->read_format & PERF_FORMAT_GROUP) &&
		timer_period(attr) && !attr->exclude_user &&
		!attr->exclude_kernel && !attr->exclude_idle &&
		!attr->write_backward;
}

void unsampled_time_read(struct unsampled_time *time, uint64_t since)
{
	const struct event_fds *opened = time->opened;
	struct event_counter counter;
	size_t i;

	while (time->readings.n < opened->fds.n)
		array_push(&time->readings);
	for (i = 0; i < opened->fds.n; i++) {
		const struct event_fd *fd = &opened->fds.at[i];

		/*
		 * The event of an offline CPU cannot be read: keep the last
		 * values.
		 */
		if (is_comparable(opened, fd->event) &&
			event_fds_read(fd, &counter))
			time->readings.at[i] =
				(struct clock_reading){ counter.value,
					counter.lost };
	}
	time->error_ns = clock_now_ns() - since;
}

/*
 * Returns the sums of EVENT at the last unsampled_time_read(). COUNTS are the
 * counts of the samples until then.
 */
static struct clock_sums sums_at_reading(const struct unsampled_time *time,
	const struct recorded_counts *counts, size_t event)
{
	struct recorded_count count =
		recorded_counts_sum(counts, (uint32_t)event);
	struct clock_sums sums = {
		.ticks = count.samples + count.dropped + count.left_out,
		.throttled = count.throttled,
		.forks = counts->forks,
		.error_ns = time->error_ns,
	};

	/* Add the last values read from the descriptors of EVENT to SUMS. */
	size_t i;

	for (i = 0; i < time->readings.n; i++) {
		if (time->opened->fds.at[i].event != event)
			continue;
		sums.cpu_ns += time->readings.at[i].value;
		sums.ticks += time->readings.at[i].lost;
		sums.n_fds++;
	}
	return sums;
}

/*
 * Returns the unsampled time of EVENT from BEFORE to NOW. All members are 0 if
 * the unsampled time is not known or is small.
 */
static struct section_unsampled compare_sums(const struct unsampled_time *time,
	size_t event, const struct clock_sums *before,
	const struct clock_sums *now)
{
	const struct selection_event *selected =
		&time->opened->selection->events.at[event];
	uint64_t period = timer_period(&selected->attr);
	uint64_t cpu_ns = now->cpu_ns - before->cpu_ns;
	uint64_t ticks = now->ticks - before->ticks;
	uint64_t per_ring = (before->error_ns + now->error_ns) / period;
	uint64_t ns;

	if (now->throttled != before->throttled || ticks >= cpu_ns / period)
		return (struct section_unsampled){ 0 };
	ns = cpu_ns - ticks * period;
	/* Each new thread may run on each CPU. */
	if (!event_fds_are_cpu_wide(time->opened) && !selected->is_wide)
		per_ring += now->forks - before->forks;
	/* A tick is also missing if a thread or a file ends between two ticks. */
	if (ns <= cpu_ns / 100 * UNSAMPLED_PERCENT_MIN ||
		ns / period <= now->n_fds + per_ring * time->opened->n_rings)
		return (struct section_unsampled){ 0 };
	return (struct section_unsampled){ selected->id, cpu_ns, ns };
}

void unsampled_time_end_file(struct unsampled_time *time,
	const struct recorded_counts *counts, struct strbuf *section)
{
	size_t event;

	for (event = 0; event < time->opened->selection->events.n; event++) {
		struct section_unsampled entry;
		struct clock_sums now;

		if (!is_comparable(time->opened, event))
			continue;
		now = sums_at_reading(time, counts, event);
		entry = compare_sums(time, event, &time->before[event], &now);
		if (entry.cpu_ns)
			section_unsampled_write(&entry, section);
		time->before[event] = now;
	}
}

void unsampled_time_print(const struct unsampled_time *time)
{
	const struct clock_sums none = { 0 };
	size_t event;

	for (event = 0; event < time->opened->selection->events.n; event++) {
		struct section_unsampled entry;
		struct clock_sums now;

		if (!is_comparable(time->opened, event))
			continue;
		now = sums_at_reading(time, time->counts, event);
		entry = compare_sums(time, event, &none, &now);
		if (entry.cpu_ns) {
			_cleanup_strbuf_ struct strbuf text = { 0 };

			section_unsampled_print(&entry,
				time->opened->selection->events.at[event].name,
				&text);
			/* perf_event_overflow() and trace_call_bpf() in Linux 6.18 */
			log_note("%s: its timer skipped periods%s. Use a %s.",
				text.at,
				time->opened->selection->unwinds_in_kernel
					? ", or the kernel left out samples while another "
					  "BPF program or bpf(2) ran on the CPU"
					: "",
				time->opened->selection->events.at[event]
						.attr.freq
					? "lower frequency (-F)"
					: "longer period (-c)");
		}
	}
}
