/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rejects combinations of options whose values are valid separately. */
#include "config.h"

#include "record/options.h"
#include "record/stream/output.h"

static bool records_all_processes(const struct options *options)
{
	return target_config_is_wide(&options->target);
}

static bool has_two_rates(const struct options *options)
{
	return options->frequency && options->period;
}

static bool has_two_targets(const struct options *options)
{
	return target_config_is_ambiguous(&options->target);
}

static bool waits_without_name(const struct options *options)
{
	return options->target.is_waiting &&
		!target_config_finds(&options->target);
}

static bool counts_threads_of_all(const struct options *options)
{
	return options->is_per_thread && records_all_processes(options);
}

static bool switches_stream(const struct options *options)
{
	return options->rotation.is_stamped &&
		(output_is_stream(options->output) ||
			output_is_null(options->output));
}

static bool packs_many_files(const struct options *options)
{
	return options->packs &&
		(output_is_stream(options->output) ||
			output_is_null(options->output) ||
			options->rotation.has_many ||
			options->rotation.is_stamped ||
			options->is_overwritten);
}

static bool overwrites_with_size_limit(const struct options *options)
{
	return options->is_overwritten && options->rotation.size;
}

static bool limits_number_of_one(const struct options *options)
{
	return options->rotation.n_max && !options->rotation.has_many;
}

/*
 * Returns whether only the command "enable" of --control could start sampling,
 * but --control is not given.
 */
static bool never_starts_sampling(const struct options *options)
{
	return options->schedule.starts_off && !options->schedule.steps.n &&
		!options->control;
}

static bool ends_before_sampling(const struct options *options)
{
	return options->schedule.starts_off && options->schedule.steps.n &&
		options->duration_ns && !options->control &&
		options->schedule.steps.at[0].after_ns >= options->duration_ns;
}

static bool excludes_both_sides(const struct options *options)
{
	return options->all_user && options->all_kernel;
}

static bool excludes_both_callchains(const struct options *options)
{
	return options->user_callchains && options->kernel_callchains;
}

static bool unwinds_user_stacks(const struct options *options)
{
	return options->has_callchains &&
		(options->callgraph.kind == CALLGRAPH_DWARF ||
			options->callgraph.kind == CALLGRAPH_AUTO);
}

static bool unwinds_without_user_part(const struct options *options)
{
	return unwinds_user_stacks(options) && options->kernel_callchains;
}

static bool keeps_stacks_of_auto(const struct options *options)
{
	return options->keeps_stacks &&
		options->callgraph.kind == CALLGRAPH_AUTO;
}

static bool records_branches_with_lbr(const struct options *options)
{
	return options->callgraph.kind == CALLGRAPH_LBR &&
		(options->has_branch_any || options->sample_fields.branches);
}

static bool selects_branches_twice(const struct options *options)
{
	return options->has_branch_any && options->sample_fields.branches;
}

static bool records_switches_without_kernel(const struct options *options)
{
	return options->has_off_cpu && options->all_user;
}

static bool records_branches_of_switches(const struct options *options)
{
	return options->has_off_cpu &&
		(options->has_branch_any || options->sample_fields.branches);
}

static bool sets_env_of_nothing(const struct options *options)
{
	return options->sets_runtime_env && !options->command;
}

static bool limits_no_waits(const struct options *options)
{
	return options->least_ns && !options->has_off_cpu;
}

/* Each row is a combination of options that is an error, with its
 * message. */
static const struct combination {
	bool (*is_used)(const struct options *options);
	const char *text;
} forbidden[] = {
	{ limits_no_waits, "--min-block needs --off-cpu" },
	{ sets_env_of_nothing,
		"--runtime-env needs a command: the environment of a running "
		"process cannot be changed" },
	{ has_two_rates,
		"-F and -c exclude each other. Use -F for a rate or -c for a "
		"count of events" },
	{ excludes_both_sides,
		"--all-user and --all-kernel exclude each other. Without both, "
		"user space and kernel are sampled" },
	{ excludes_both_callchains,
		"--user-callchains and --kernel-callchains exclude each other. "
		"Without both, call chains contain both parts" },
	{ selects_branches_twice,
		"-b and -j exclude each other. -b is the same as -j any" },
	{ unwinds_without_user_part,
		"--kernel-callchains and --call-graph dwarf (or auto) exclude "
		"each other: only user space stacks are unwound. Use -g" },
	{ keeps_stacks_of_auto,
		"--call-graph auto and --keep-stacks exclude each other: auto "
		"needs unwound stacks. Use --call-graph dwarf --keep-stacks" },
	{ records_branches_with_lbr,
		"--call-graph lbr excludes -b and -j: it uses the branch "
		"records of the CPU itself" },
	{ has_two_targets,
		"-p, -t, --name (or -u) and -a (or -C, -G) exclude each other. "
		"Use one of them" },
	{ records_switches_without_kernel,
		"--off-cpu and --all-user exclude each other: context switches "
		"are events of the kernel" },
	{ records_branches_of_switches,
		"--off-cpu and -b or -j exclude each other: context switches "
		"have no branch records" },
	{ waits_without_name,
		"--wait needs --name or -u, which select the process to wait "
		"for" },
	{ counts_threads_of_all,
		"--per-thread and -a (or -C) exclude each other. Use "
		"--per-thread with a command, -p or -t" },
	{ switches_stream,
		"--switch-output and --timestamp-filename exclude -o - and -o "
		"/dev/null: they need a file name" },
	{ packs_many_files,
		"--pack excludes -o -, -o /dev/null, --overwrite, "
		"--switch-output and --timestamp-filename: it needs a single "
		"file. Use dwell pack FILE for each file" },
	{ overwrites_with_size_limit,
		"--overwrite and --switch-output=SIZE exclude each other: "
		"without a snapshot the file does not grow. Use "
		"--switch-output=30s or --switch-output=signal" },
	{ limits_number_of_one, "--switch-max-files needs --switch-output" },
	{ never_starts_sampling,
		"-D -1 needs --control, whose command \"enable\" starts "
		"sampling" },
	{ ends_before_sampling,
		"--duration ends before -D starts sampling. Use a longer "
		"--duration" },
};

struct error *options_check(const struct options *options)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forbidden); i++)
		if (forbidden[i].is_used(options))
			return error_usage("%s", forbidden[i].text);
	return NULL;
}
