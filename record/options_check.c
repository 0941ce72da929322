/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that are sound one by one, but not together. */
#include "config.h"

#include "record/options.h"
#include "record/stream/output.h"

static bool is_system(const struct options *options)
{
	return options->is_system_wide || options->cpus || options->cgroups;
}

static bool is_found(const struct options *options)
{
	return options->name || options->user;
}

static bool has_two_rates(const struct options *options)
{
	return options->frequency && options->period;
}

static bool has_two_targets(const struct options *options)
{
	return !!options->pids + !!options->tids + is_system(options) +
		is_found(options) >
		1;
}

static bool waits_for_nothing(const struct options *options)
{
	return options->is_waiting && !is_found(options);
}

static bool is_threads_of_all(const struct options *options)
{
	return options->is_per_thread && is_system(options);
}

static bool splits_stream(const struct options *options)
{
	return options->switching.is_stamped &&
		(output_is_stream(options->output) ||
			output_is_null(options->output));
}

static bool packs_no_file(const struct options *options)
{
	return options->packs &&
		(output_is_stream(options->output) ||
			output_is_null(options->output) ||
			options->switching.has_many ||
			options->switching.is_stamped ||
			options->is_overwritten);
}

static bool switches_by_nothing(const struct options *options)
{
	return options->is_overwritten && options->switching.size;
}

static bool keeps_some_of_one(const struct options *options)
{
	return options->switching.n_max && !options->switching.has_many;
}

/* What is off can only be turned on from outside. */
static bool never_starts(const struct options *options)
{
	return options->schedule.starts_off && !options->schedule.steps.n &&
		!options->control;
}

static bool ends_before_start(const struct options *options)
{
	return options->schedule.starts_off && options->schedule.steps.n &&
		options->duration_ns && !options->control &&
		options->schedule.steps.at[0].after_ns >= options->duration_ns;
}

static bool is_neither_side(const struct options *options)
{
	return options->all_user && options->all_kernel;
}

static bool has_neither_callchains(const struct options *options)
{
	return options->user_callchains && options->kernel_callchains;
}

static bool copies_stacks(const struct options *options)
{
	return options->has_callchains &&
		(options->callgraph.kind == CALLGRAPH_DWARF ||
			options->callgraph.kind == CALLGRAPH_AUTO);
}

static bool copies_in_vain(const struct options *options)
{
	return copies_stacks(options) && options->kernel_callchains;
}

static bool chooses_nothing(const struct options *options)
{
	return options->keeps_stacks &&
		options->callgraph.kind == CALLGRAPH_AUTO;
}

static bool uses_branches_twice(const struct options *options)
{
	return options->callgraph.kind == CALLGRAPH_LBR &&
		(options->has_branch_any || options->carried.branches);
}

static bool has_two_branches(const struct options *options)
{
	return options->has_branch_any && options->carried.branches;
}

static bool switches_without_kernel(const struct options *options)
{
	return options->has_off_cpu && options->all_user;
}

static bool branches_off_cpu(const struct options *options)
{
	return options->has_off_cpu &&
		(options->has_branch_any || options->carried.branches);
}

/* What can't be, though each word of it can. */
static const struct rule {
	bool (*is_broken)(const struct options *options);
	const char *text;
} rules[] = {
	{ has_two_rates, "-F and -c exclude each other" },
	{ is_neither_side, "--all-user and --all-kernel exclude each other" },
	{ has_neither_callchains,
		"--user-callchains and --kernel-callchains "
		"exclude each other" },
	{ has_two_branches, "-b and -j exclude each other" },
	{ copies_in_vain,
		"--kernel-callchains and --call-graph dwarf (or auto) exclude "
		"each other: stacks are the user's part" },
	{ chooses_nothing,
		"--call-graph auto chooses what --keep-stacks leaves to the "
		"report: they exclude each other" },
	{ uses_branches_twice,
		"--call-graph lbr takes the branches for itself: without -b "
		"and -j" },
	{ has_two_targets,
		"-p, -t, --name (or -u) and -a (or -C, -G) exclude "
		"each other" },
	{ switches_without_kernel,
		"--off-cpu and --all-user exclude each other: it is the "
		"kernel that takes threads off their CPUs" },
	{ branches_off_cpu,
		"--off-cpu and -b or -j exclude each other: what leaves a CPU "
		"has no branches" },
	{ waits_for_nothing, "--wait needs a --name or -u to wait for" },
	{ is_threads_of_all, "--per-thread and -a (or -C) exclude each other" },
	{ splits_stream,
		"-o - is one stream, as is /dev/null: --switch-output and "
		"--timestamp-filename need a file" },
	{ packs_no_file,
		"--pack is for one file: others are packed by dwell pack, one "
		"by one" },
	{ switches_by_nothing,
		"--overwrite writes nothing by itself: --switch-output takes "
		"a time or signal, and no size, then" },
	{ keeps_some_of_one, "--switch-max-files needs --switch-output" },
	{ never_starts, "-D -1 samples nothing without --control" },
	{ ends_before_start,
		"--duration ends before -D begins: nothing would be sampled" },
};

struct error *options_check(const struct options *options)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].is_broken(options))
			return error_usage("%s", rules[i].text);
	return NULL;
}
