/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/selected.h"

#include <time.h>
#include "record/sys/clocks.h"

/* All events have these, so that one layout finds every record's id. */
#define COMMON_SAMPLE_TYPE                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |           \
		PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define COMMON_READ_FORMAT (PERF_FORMAT_ID | ABI_FORMAT_LOST)

static char *copy_text(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

void selected_copy(const struct selected *from, struct selected *ret)
{
	*ret = *from;
	ret->name = copy_text(from->name);
	ret->tracepoint = copy_text(from->tracepoint);
	ret->filter = copy_text(from->filter);
	ret->probed = copy_text(from->probed);
	if (ret->probed)
		ret->attr.config1 = (uintptr_t)ret->probed;
	ret->cpus = (struct cpus){ 0 };
	array_each(&from->cpus.list, cpu)
		*array_push(&ret->cpus.list) = *cpu;
}

void selected_deinit(struct selected *event)
{
	free(event->name);
	free(event->tracepoint);
	free(event->filter);
	free(event->probed);
	cpus_deinit(&event->cpus);
}

void selection_deinit(struct selection *selection)
{
	array_each(&selection->events, event)
		selected_deinit(event);
	array_free(&selection->events);
}

static void set_common(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->sample_type |= COMMON_SAMPLE_TYPE;
	attr->read_format = COMMON_READ_FORMAT;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = clocks_chosen();
	/* With a wakeup_watermark of 0 that is half the ring. */
	attr->watermark = 1;
}

/* Its samples are what a BPF program has written: none may be left out. */
static bool is_bpf_output(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
		attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* The event's own wish counts first, then -c and -F, then what is usual. */
static void set_rate(struct selected *event, const struct sampling *sampling)
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

static void set_callchain(
	struct selected *event, const struct sampling *sampling)
{
	struct perf_event_attr *attr = &event->attr;
	struct callgraph graph = event->callgraph;

	if (!graph.kind)
		graph.kind = sampling->callgraph.kind;
	/* What the CPU has noted of branches goes with its own events. */
	if (event->is_switch && graph.kind == CALLGRAPH_LBR)
		graph.kind = CALLGRAPH_FP;
	if (!graph.dump_size)
		graph.dump_size = sampling->callgraph.dump_size;
	if (event->callchains == WISH_NO ||
		(event->callchains == WISH_NONE && !event->max_stack &&
			!sampling->has_callchains))
		return;
	callgraph_apply(&graph, attr);
	event->callgraph = graph;
	attr->sample_max_stack = (uint16_t)(
		event->max_stack ? event->max_stack : sampling->max_stack);
	attr->exclude_callchain_user = sampling->kernel_callchains;
	attr->exclude_callchain_kernel = sampling->user_callchains;
}

static void set_side(struct selected *event, const struct sampling *sampling)
{
	if (!sampling->all_user && !sampling->all_kernel)
		return;
	event->attr.exclude_kernel = sampling->all_user;
	event->attr.exclude_user = sampling->all_kernel;
	event->has_modifiers = true;
}

/*
 * Of whole CPUs: with no task there is nothing to pass on, and no exec that
 * switches it on.
 */
void selected_widen(struct selected *event)
{
	event->is_wide = true;
	event->attr.inherit = 0;
	event->attr.enable_on_exec = 0;
}

/*
 * The name of what a probe is in is read again for each child, from the memory
 * of its parent, where it isn't: fork(2) and pthread_create(3) would fail with
 * EFAULT (perf_uprobe_init() in Linux's kernel/trace/trace_event_perf.c). So
 * one that is to follow them is of all CPUs. So are wakings: an event of a task
 * has those that it causes, not those that it needs (Linux 6.18).
 */
static void set_reach(struct selected *event, const struct sampling *sampling)
{
	event->follows = event->inherits == WISH_NONE
		? sampling->inherits
		: event->inherits == WISH_YES;
	event->attr.inherit = event->follows;
	if (sampling->is_cpu_wide || (event->probed && event->follows) ||
		event->woken_at)
		selected_widen(event);
}

static void configure(struct selected *event, const struct sampling *sampling)
{
	struct perf_event_attr *attr = &event->attr;

	set_common(attr);
	attr->disabled = 1;
	attr->enable_on_exec = sampling->starts_at_exec;
	event->is_on = sampling->starts_at_exec;
	if (sampling->has_cgroups)
		attr->sample_type |= PERF_SAMPLE_CGROUP;
	carried_apply(&sampling->carried, attr);
	attr->write_backward = sampling->is_overwritten;
	set_reach(event, sampling);
	if (event->tracepoint || is_bpf_output(attr))
		attr->sample_type |= PERF_SAMPLE_RAW;
	set_rate(event, sampling);
	set_callchain(event, sampling);
	set_side(event, sampling);
}

void selection_configure(
	struct selection *selection, const struct sampling *sampling)
{
	array_each(&selection->events, event)
		configure(event, sampling);
}

struct perf_event_attr event_sideband(bool inherits, bool is_cpu_wide)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.inherit = inherits,
		/* Sideband needs no right to see the kernel. */
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.build_id = 1,
		.ksymbol = is_cpu_wide,
		.bpf_event = is_cpu_wide,
	};

	set_common(&attr);
	return attr;
}

void selected_restrict_to_user(struct selected *event)
{
	char *bare = event->name;

	event->attr.exclude_kernel = 1;
	event->attr.exclude_hv = 1;
	if (event->is_named)
		return;
	event->name = xasprintf(
		"%s%su", bare, event->ends_in_modifiers ? "" : ":");
	event->ends_in_modifiers = true;
	free(bare);
}

void selected_become_cpu_clock(struct selected *event)
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
