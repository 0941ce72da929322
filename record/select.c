/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/select.h"

#include <inttypes.h>

#include "common/util/log.h"
#include "record/event/event_filter.h"
#include "record/event/group.h"
#include "record/event/offcpu_events.h"
#include "record/event/open_fallback.h"
#include "record/open/stack_copy_size.h"
#include "record/stream/output.h"
#include "record/sys/sysfile.h"
#include "record/sys/workload.h"

#define MAX_STACK "/proc/sys/kernel/perf_event_max_stack"

/* One -e, with what stands behind it. */
static struct error *add(const struct options *options, size_t index,
	const struct pmus *pmus, struct selection *selection)
{
	size_t first = selection->events.n;
	struct error *err = selection_add(
		selection, options->events.at[index], pmus);

	array_each(&options->filters, filter)
		if (!err && filter->event == index)
			err = event_filter_add(selection, first, filter->text);
	return err;
}

/* Entries of a call chain, by the kernel's default if it doesn't tell. */
static uint32_t stack_limit(void)
{
	int64_t limit;

	if (!sysfile_number(MAX_STACK, &limit) || limit <= 0)
		return PERF_MAX_STACK_DEPTH;
	return (uint32_t)MIN(limit, (int64_t)UINT16_MAX);
}

/* What the kernel makes of a call chain that has no end. */
static struct error *check_stack(uint64_t wanted)
{
	int64_t limit;

	if (!sysfile_number(MAX_STACK, &limit) || limit <= 0 ||
		wanted <= (uint64_t)limit)
		return NULL;
	return error_new("call chains of %" PRIu64 " entries: the kernel's "
			 "limit is %" PRIi64 "; as root: "
			 "sysctl kernel.perf_event_max_stack=%" PRIu64,
		wanted, limit, wanted);
}

static struct error *check_stacks(
	const struct options *options, const struct selection *selection)
{
	uint64_t wanted = options->max_stack;

	array_each(&selection->events, event)
		wanted = MAX(wanted, (uint64_t)event->max_stack);
	return check_stack(wanted);
}

/*
 * Counters that samples tell have ids that stand in the file's header; those of
 * threads that run already are known when it has been written.
 */
static struct error *check_counts(
	const struct options *options, const struct selection *selection)
{
	bool is_late = options->pids || options->tids || options->name ||
		options->user;

	array_each(&selection->events, event)
		if (event->reads_counts && is_late &&
			output_is_stream(options->output))
			return error_usage("%s: with :S and -o - only a "
					   "command or -a, because a stream "
					   "begins with the counters' ids",
				event->name);
	return NULL;
}

/* Terms of events may ask for copies, too. */
static bool copies_stacks(
	const struct options *options, const struct selected *event)
{
	enum callgraph_kind kind = event->callgraph.kind
		? event->callgraph.kind
		: options->callgraph.kind;
	bool has_callchains = event->callchains == WISH_YES ||
		(event->callchains == WISH_NONE &&
			(event->max_stack || options->has_callchains));

	return has_callchains &&
		(kind == CALLGRAPH_DWARF || kind == CALLGRAPH_AUTO);
}

static struct error *check_kept(
	const struct options *options, const struct selection *selection)
{
	array_each(&selection->events, event)
		if (copies_stacks(options, event))
			return NULL;
	return options->keeps_stacks
		? error_usage("--keep-stacks needs stacks to keep: "
			      "--call-graph dwarf")
		: NULL;
}

struct error *select_events(const struct options *options,
	const struct pmus *pmus, struct selection *ret)
{
	_cleanup_free_ char *program =
		options->command ? workload_path(options->command) : NULL;
	struct error *err = NULL;
	size_t i;

	ret->program = program;
	for (i = 0; i < options->events.n && !err; i++)
		err = add(options, i, pmus, ret);
	ret->program = NULL;
	if (!options->events.n)
		selection_add_default(ret, pmus);
	if (!err && options->has_off_cpu)
		err = offcpu_add(ret, pmus);
	if (!err)
		err = check_counts(options, ret);
	if (!err)
		err = check_kept(options, ret);
	return err ? err : check_stacks(options, ret);
}

static uint64_t choose_frequency(const struct options *options)
{
	uint64_t limit = probe_max_frequency();
	uint64_t frequency = options->frequency ? options->frequency
						: OPTIONS_FREQUENCY_DEFAULT;

	if (!limit || frequency <= limit)
		return frequency == OPTIONS_FREQUENCY_MAX
			? OPTIONS_FREQUENCY_DEFAULT
			: frequency;
	log_note("sampling at %" PRIu64 " Hz, the kernel's limit; "
		 "more: sysctl kernel.perf_event_max_sample_rate",
		limit);
	return limit;
}

static void tell_of_probes(const struct selection *selection)
{
	array_each (&selection->events, event)
		if (event->probed && event->is_wide) {
			log_note("%s: whoever runs there is slowed down, and "
				 "only the target's samples are kept, because "
				 "the kernel can't pass probes on to new "
				 "threads; -i does without those",
				event->name);
			return;
		}
}

static void tell_of_counts(const struct selection *selection)
{
	array_each (&selection->events, event)
		if (event->reads_counts && !event->follows &&
			event->inherits == WISH_NONE) {
			log_note("%s: with :S not of threads and processes "
				 "that are made later; -a has them, and the "
				 "term inherit, which perf reads since 6.13",
				event->name);
			return;
		}
}

void select_sampling(const struct options *options, enum target_kind kind,
	struct selection *selection)
{
	struct sampling sampling = {
		.period = options->period,
		.is_explicit = options->period || options->frequency,
		.has_callchains = options->has_callchains,
		.callgraph = options->callgraph,
		.user_callchains = options->user_callchains,
		.kernel_callchains = options->kernel_callchains,
		.max_stack = (uint32_t)options->max_stack,
		.all_user = options->all_user,
		.all_kernel = options->all_kernel,
		.is_cpu_wide = kind == TARGET_SYSTEM,
		.inherits = kind != TARGET_SYSTEM && !options->has_no_inherit &&
			!options->is_per_thread,
		.has_cgroups = options->has_all_cgroups,
		.carried = options->carried,
		.starts_at_exec = kind == TARGET_COMMAND &&
			!options->schedule.starts_off,
		.is_overwritten = options->is_overwritten,
	};

	if (!options->period)
		sampling.frequency = choose_frequency(options);
	selection_configure(selection, &sampling);
	selection->keeps_stacks = options->keeps_stacks;
	selection->kept_registers = options->carried.registers_user;
	groups_configure(selection);
	dumping_fit_records(selection, stack_limit());
	if (!sampling.is_cpu_wide)
		tell_of_probes(selection);
	if (sampling.inherits)
		tell_of_counts(selection);
}
