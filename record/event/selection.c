/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/selection.h"

#include <time.h>
#include "common/perf/abi.h"
#include "common/perf/attr.h"
#include "record/sys/clocks.h"

/*
 * Sample fields of all events, so that the event ID is at the same offset in
 * every record.
 */
#define COMMON_SAMPLE_TYPE                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
		PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define COMMON_READ_FORMAT (PERF_FORMAT_ID | ABI_FORMAT_LOST)
#define COUNT_READ_FORMAT \
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static char *copy_text(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

void selection_event_copy(
	const struct selection_event *from, struct selection_event *ret)
{
	*ret = *from;
	ret->name = copy_text(from->name);
	ret->tracepoint = copy_text(from->tracepoint);
	ret->filter = copy_text(from->filter);
	ret->cgroup = copy_text(from->cgroup);
	ret->probed = copy_text(from->probed);
	if (ret->probed)
		ret->attr.config1 = (uintptr_t)ret->probed;
	ret->cpus = (struct cpus){ 0 };
	array_each(&from->cpus.list, cpu)
		*array_push(&ret->cpus.list) = *cpu;
}

void selection_event_deinit(struct selection_event *event)
{
	free(event->name);
	free(event->tracepoint);
	free(event->filter);
	free(event->cgroup);
	free(event->probed);
	cpus_deinit(&event->cpus);
}

void selection_deinit(struct selection *selection)
{
	array_each(&selection->events, event)
		selection_event_deinit(event);
	array_free(&selection->events);
	free(selection->copy_reason);
}

static void set_common(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->sample_type |= COMMON_SAMPLE_TYPE;
	attr->read_format = COMMON_READ_FORMAT;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = clocks_chosen();
	/* With a wakeup_watermark of 0, half a ring buffer wakes the reader. */
	attr->watermark = 1;
}

/*
 * Samples of this event contain the data that a BPF program writes, so none may
 * be skipped.
 */
static bool is_bpf_output(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
		attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* Sets the rate of EVENT: its own, else that of -c or -F, else the default. */
static void set_rate(struct selection_event *event,
	const struct selection_sampling *sampling)
{
	struct perf_event_attr *attr = &event->attr;

	if (event->period) {
		attr->sample_period = event->period;
		return;
	}
	if (!event->frequency && !sampling->is_explicit &&
		(event->takes_each || is_bpf_output(attr))) {
		attr->sample_period = 1;
		return;
	}
	if (!event->frequency && sampling->period) {
		attr->sample_period = sampling->period;
		return;
	}
	attr->freq = 1;
	attr->sample_freq =
		event->frequency ? event->frequency : sampling->frequency;
	attr->sample_type |= PERF_SAMPLE_PERIOD;
}

static void set_callchain(struct selection_event *event,
	const struct selection_sampling *sampling)
{
	struct perf_event_attr *attr = &event->attr;
	struct callgraph graph = event->callgraph;

	if (!graph.kind)
		graph.kind = sampling->callgraph.kind;
	/* LBR is only for hardware events. */
	if (event->is_switch && graph.kind == CALLGRAPH_LBR)
		graph.kind = CALLGRAPH_FP;
	if (!graph.copy_size)
		graph.copy_size = sampling->callgraph.copy_size;
	if (event->callchains == SELECTION_CHOICE_NO ||
		(event->callchains == SELECTION_CHOICE_DEFAULT &&
			!event->max_stack && !sampling->has_callchains))
		return;
	callgraph_apply(&graph, attr);
	event->callgraph = graph;
	attr->sample_max_stack =
		(uint16_t)(event->max_stack ? event->max_stack
					    : sampling->max_stack);
	attr->exclude_callchain_user = sampling->kernel_callchains;
	attr->exclude_callchain_kernel = sampling->user_callchains;
}

static void set_levels(struct selection_event *event,
	const struct selection_sampling *sampling)
{
	if (!sampling->all_user && !sampling->all_kernel)
		return;
	event->attr.exclude_kernel = sampling->all_user;
	event->attr.exclude_user = sampling->all_kernel;
	event->has_modifiers = true;
}

bool selection_event_starts_at_exec(const struct selection_event *event)
{
	return event->is_on && !event->is_wide && !event->is_relocated;
}

/*
 * An event that is opened per CPU has no task that is inherited or that calls
 * exec.
 */
void selection_event_widen(struct selection_event *event)
{
	event->is_wide = true;
	event->attr.inherit = 0;
	event->attr.enable_on_exec = 0;
}

/*
 * A child that inherits a uprobe reads its file name from the memory of the
 * parent at an address that is not valid there: fork(2) and pthread_create(3)
 * would fail with EFAULT (perf_uprobe_init() in Linux's
 * kernel/trace/trace_event_perf.c). Therefore probes that follow children are
 * opened per CPU. Wakeup events are opened per CPU, too: an event of a task
 * counts the wakeups that the task causes, not the wakeups of the task (Linux
 * 6.18).
 */
static void set_reach(struct selection_event *event,
	const struct selection_sampling *sampling)
{
	event->follows = event->inherits == SELECTION_CHOICE_DEFAULT
		? sampling->inherits
		: event->inherits == SELECTION_CHOICE_YES;
	event->attr.inherit = event->follows;
	if (sampling->is_cpu_wide || (event->probed && event->follows) ||
		event->woken_at || event->is_wait)
		selection_event_widen(event);
}

/* The fields of samples that are made of the records of BPF programs. */
#define WAIT_SAMPLE_TYPE                                                \
	(COMMON_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
		PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

void selection_configure(
	struct selection *selection, const struct selection_sampling *sampling)
{
	array_each(&selection->events, event) {
		struct perf_event_attr *attr = &event->attr;

		set_common(attr);
		attr->disabled = 1;
		event->is_on = sampling->starts_at_exec;
		attr->enable_on_exec = selection_event_starts_at_exec(event);
		if (sampling->has_cgroups)
			attr->sample_type |= PERF_SAMPLE_CGROUP;
		sample_fields_apply(&sampling->fields, attr);
		attr->write_backward = sampling->is_overwritten;
		set_reach(event, sampling);
		if (event->tracepoint || is_bpf_output(attr))
			attr->sample_type |= PERF_SAMPLE_RAW;
		set_rate(event, sampling);
		set_callchain(event, sampling);
		if (event->is_wait)
			attr->sample_type =
				(attr->sample_type & WAIT_SAMPLE_TYPE) |
				PERF_SAMPLE_PERIOD;
		set_levels(event, sampling);
	}
}

void selection_count(
	struct selection *selection, const struct selection_sampling *sampling)
{
	array_each(&selection->events, event) {
		event->attr.size = sizeof(event->attr);
		event->attr.read_format = COUNT_READ_FORMAT;
		event->attr.disabled = 1;
		/* x86 has precise events only with samples. */
		event->attr.precise_ip = 0;
		event->reads_counts = false;
		event->is_on = sampling->starts_at_exec;
		event->attr.enable_on_exec =
			selection_event_starts_at_exec(event);
		set_reach(event, sampling);
		set_levels(event, sampling);
	}
}

struct perf_event_attr selection_sideband(bool inherits, bool is_cpu_wide)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.inherit = inherits,
		/* Sideband must not need the privilege to sample the kernel. */
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.ksymbol = is_cpu_wide,
		.bpf_event = is_cpu_wide,
	};

	attr_set_flags(
		&attr, attr_flags(&attr) | UINT64_C(1) << ABI_FLAG_BUILD_ID);
	set_common(&attr);
	return attr;
}

void selection_event_restrict_to_user(struct selection_event *event)
{
	char *bare = event->name;

	event->attr.exclude_kernel = 1;
	event->attr.exclude_hv = 1;
	if (event->is_named)
		return;
	event->name =
		xasprintf("%s%su", bare, event->ends_in_modifiers ? "" : ":");
	event->ends_in_modifiers = true;
	free(bare);
}

void selection_event_become_cpu_clock(struct selection_event *event)
{
	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	event->attr.precise_ip = 0;
	event->seeks_precise = false;
	cpus_deinit(&event->cpus);
	if (event->is_named)
		return;
	free(event->name);
	event->name = xstrdup(
		event->attr.exclude_kernel ? "cpu-clock:u" : "cpu-clock");
	event->ends_in_modifiers = event->attr.exclude_kernel;
}
