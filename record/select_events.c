/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/select_events.h"

#include <inttypes.h>

#include "common/util/log.h"
#include "record/event/group.h"
#include "record/event/kernel_features.h"
#include "record/event/offcpu_events.h"
#include "record/event/open_fallback.h"
#include "record/open/stack_copy_size.h"
#include "record/stream/output.h"
#include "record/sys/sysfile.h"

#define MAX_STACK_PATH "/proc/sys/kernel/perf_event_max_stack"

static struct error *check_chain_lengths(
	const struct options *options, const struct selection *selection)
{
	uint64_t max_stack = options->max_stack;

	array_each(&selection->events, event)
		max_stack = MAX(max_stack, (uint64_t)event->max_stack);
	int64_t limit;

	/* The kernel would refuse the event with a misleading error. */
	if (!sysfile_number(MAX_STACK_PATH, &limit) || limit <= 0 ||
		max_stack <= (uint64_t)limit)
		return NULL;
	return error_new(
		"cannot record call chains of %" PRIu64
		" entries: the limit of the kernel is %" PRIi64
		". As root: sysctl kernel.perf_event_max_stack=%" PRIu64,
		max_stack, limit, max_stack);
}

/*
 * Returns whether samples of EVENT contain a stack copy. --call-graph applies
 * to all events without a term call-graph.
 */
static bool event_copies_stacks(
	const struct options *options, const struct selection_event *event)
{
	enum callgraph_kind kind = event->callgraph.kind
		? event->callgraph.kind
		: options->callgraph.kind;
	bool has_callchains = event->callchains == SELECTION_CHOICE_YES ||
		(event->callchains == SELECTION_CHOICE_DEFAULT &&
			(event->max_stack || options->has_callchains));

	return has_callchains &&
		(kind == CALLGRAPH_DWARF || kind == CALLGRAPH_AUTO);
}

struct error *select_events_add(const struct options *options,
	const struct pmus *pmus, struct selection *ret)
{
	struct error *err = event_options_select(
		&options->events, options->command, pmus, ret);

	if (!options->events.texts.n)
		event_select_default(ret, pmus);
	if (!err && options->has_off_cpu)
		err = ret->measures_waits ? offcpu_add_waits(ret, pmus)
					  : offcpu_add(ret, pmus);
	if (!err)
		err = event_options_set_cgroups(&options->events, ret);
	bool is_late = options->target.pids || options->target.tids ||
		options->target.name || options->target.user;
	bool copies_stacks = false;

	array_each(&ret->events, event) {
		copies_stacks |= event_copies_stacks(options, event);
		/*
		 * An event with :S samples running threads and the output is a
		 * stream: a stream starts with the header, which must contain
		 * the IDs of the counters of :S, but the IDs of running threads
		 * are known only later.
		 */
		if (!err && event->reads_counts && is_late &&
			output_is_stream(options->output))
			err = error_usage(
				"%s: :S and -o - exclude -p, -t, --name and "
				"-u, because a stream starts with the IDs of "
				"all counters. Record a command, or use -a or "
				"-o FILE",
				event->name);
	}
	if (!err && options->keeps_stacks && !copies_stacks)
		err = error_usage("--keep-stacks needs stack copies. Add "
				  "--call-graph dwarf");
	return err ? err : check_chain_lengths(options, ret);
}

static uint64_t choose_frequency(const struct options *options)
{
	uint64_t limit = open_fallback_max_frequency();
	uint64_t frequency = options->frequency ? options->frequency
						: OPTIONS_FREQUENCY_DEFAULT;

	if (!limit || frequency <= limit)
		return frequency == OPTIONS_FREQUENCY_MAX
			? OPTIONS_FREQUENCY_DEFAULT
			: frequency;
	log_note("sampling at %" PRIu64
		 " Hz, the limit of the kernel. To raise it, as root: sysctl "
		 "kernel.perf_event_max_sample_rate=HZ",
		limit);
	return limit;
}

/*
 * Returns why the threads and processes that are created after the start cannot
 * be sampled with the counts of the group of event number INDEX, or NULL. A
 * probe that follows them is opened per CPU (selection.c) and counts the calls
 * of all programs.
 */
static const char *find_counts_limit(
	const struct selection *selection, size_t index)
{
	size_t first = group_leader(selection, index), i;

	for (i = 0; i < group_count_members(selection, index); i++)
		if (selection->events.at[first + i].probed)
			return "the kernel does not count a probe for each "
			       "of them";
	return open_fallback_lacks(&opener_kernel,
		       &kernel_features[KERNEL_FEATURE_INHERITED_COUNTS])
		? "this needs Linux 6.13"
		: NULL;
}

void select_events_set_sampling(const struct options *options,
	enum target_kind kind, struct selection *selection)
{
	struct selection_sampling sampling = {
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
		.fields = options->sample_fields,
		.starts_at_exec =
			kind == TARGET_COMMAND && !options->schedule.starts_off,
		.is_overwritten = options->is_overwritten,
	};

	if (!options->period)
		sampling.frequency = choose_frequency(options);
	if (sampling.inherits) {
		/*
		 * Events with :S sample the threads and processes that are
		 * created after the start, if their counts are those of one
		 * thread.
		 */
		size_t i;

		for (i = 0; i < selection->events.n; i++) {
			struct selection_event *event =
				&selection->events.at[i];
			const char *limit = event->reads_counts &&
					event->inherits ==
						SELECTION_CHOICE_DEFAULT
				? find_counts_limit(selection, i)
				: NULL;

			if (!limit)
				continue;
			event->inherits = SELECTION_CHOICE_NO;
			if (!group_has_leader(selection, i))
				log_note(
					"%s: with :S, threads and processes created "
					"after the start are not sampled: %s. To "
					"sample them, use -a",
					event->name, limit);
		}
	}
	selection_configure(selection, &sampling);
	selection->keeps_stacks = options->keeps_stacks;
	selection->kept_registers = options->sample_fields.registers_user;
	groups_configure(selection);
	int64_t most; /* entries of a call chain in the kernel */
	if (!sysfile_number(MAX_STACK_PATH, &most) || most <= 0)
		most = PERF_MAX_STACK_DEPTH;
	stack_copy_fit_records(
		selection, (uint32_t)MIN(most, (int64_t)UINT16_MAX));
	array_each(&selection->events, event)
		if (!sampling.is_cpu_wide && event->probed && event->is_wide) {
			log_note("%s: the probe slows down all processes that "
				 "run this code. Only samples of the target "
				 "are kept. The kernel cannot limit a probe to "
				 "the target and its new threads. To record "
				 "only existing threads: -i",
				event->name);
			break;
		}
}
