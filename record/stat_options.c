/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat_options.h"

#include "record/commands.h"
#include "record/event/event_list.h"
#include "record/synth/cgroups.h"

static CLI_PARSER(parse_separator)
{
	const char **separator = slot;

	if (!*value)
		return error_usage("-x: the separator is empty");
	*separator = string_is(value, "\\t") ? "\t" : value;
	return NULL;
}

/* The last of these options decides, as in perf. */
static CLI_PARSER(parse_by)
{
	*(enum count_by *)slot =
		is_on ? (enum count_by)option->min : COUNT_BY_ALL;
	return NULL;
}

static CLI_PARSER(parse_detail)
{
	uint64_t *detail = slot;

	*detail = is_on ? *detail + 1 : 0;
	return NULL;
}

static CLI_PARSER(parse_delay)
{
	uint64_t *delay_ms = slot;

	if (!string_is(value, "-1"))
		return cli_parse_number(option, value, is_on, slot);
	*delay_ms = STAT_DELAY_FOREVER;
	return NULL;
}

static const struct cli_option stat_option_table[] = {
	{ 'e', "event", CLI_VALUE, "EVENT",
		"count EVENT: page-faults, {cycles,instructions}:u (default: "
		"task-clock, cycles, ...)",
		offsetof(struct stat_options, events),
		event_options_parse_event, .complete = event_list_complete },
	{ 0, "filter", CLI_VALUE, "FILTER",
		"count only tracepoints of the preceding -e whose fields "
		"match: prev_pid == 0",
		offsetof(struct stat_options, events),
		event_options_parse_filter },
	{ 'd', "detailed", CLI_NONE, NULL,
		"also count accesses and misses of caches; -dd and -ddd count "
		"more caches",
		offsetof(struct stat_options, detail), parse_detail },
	{ 'n', "null", CLI_NONE, NULL, "count no event: print only times",
		.slot = offsetof(struct stat_options, counts_nothing) },
	{ 0, "all-user", CLI_NONE, NULL, "count all events only in user space",
		.slot = offsetof(struct stat_options, all_user) },
	{ 0, "all-kernel", CLI_NONE, NULL,
		"count all events only in the kernel",
		.slot = offsetof(struct stat_options, all_kernel) },
	{ 'p', "pid", CLI_VALUE, "PID[,PID]", "count these running processes",
		.slot = offsetof(struct stat_options, target.pids),
		.complete = tasks_complete_pids },
	{ 't', "tid", CLI_VALUE, "TID[,TID]", "count these running threads",
		.slot = offsetof(struct stat_options, target.tids),
		.complete = tasks_complete_tids },
	{ 0, "name", CLI_VALUE, "REGEX",
		"count processes whose name matches REGEX: '^nginx$'",
		.slot = offsetof(struct stat_options, target.name),
		.complete = tasks_complete_names },
	{ 'u', "uid", CLI_VALUE, "USER",
		"count all processes of USER (name or number)",
		.slot = offsetof(struct stat_options, target.user),
		.complete = task_users_complete },
	{ 0, "wait", CLI_NONE, NULL,
		"wait until a process matches --name or -u",
		.slot = offsetof(struct stat_options, target.is_waiting) },
	{ 'i', "no-inherit", CLI_NONE, NULL,
		"do not count threads and processes created after the start",
		.slot = offsetof(struct stat_options, has_no_inherit) },
	{ 'a', "all-cpus", CLI_NONE, NULL,
		"count the whole system (default if there is no command or "
		"target)",
		.slot = offsetof(struct stat_options, target.is_system_wide) },
	{ 'C', "cpu", CLI_VALUE, "LIST",
		"count all processes on these CPUs: 0-3,7",
		.slot = offsetof(struct stat_options, target.cpus),
		.complete = completion_offer_cpus },
	{ 'G', "cgroup", CLI_VALUE, "NAME[,NAME]",
		"count this control group; give one name for all events, or "
		"one per event",
		offsetof(struct stat_options, events),
		event_options_parse_cgroups, .complete = cgroups_complete },
	{ 0, "for-each-cgroup", CLI_VALUE, "NAME[,NAME]",
		"count all events in each of these control groups; a name can "
		"be a regular expression",
		.slot = offsetof(struct stat_options, each_cgroup),
		.complete = cgroups_complete },
	{ 'o', "output", CLI_VALUE, "FILE",
		"write the counts to FILE (default: standard error)",
		.slot = offsetof(struct stat_options, output) },
	{ 0, "append", CLI_NONE, NULL, "append to the file of -o",
		.slot = offsetof(struct stat_options, appends) },
	{ 'A', "no-aggr", CLI_NONE, NULL,
		"with -a or -C: print the counts of each CPU",
		offsetof(struct stat_options, by), parse_by, COUNT_BY_CPU },
	{ 0, "per-core", CLI_NONE, NULL,
		"with -a or -C: print the counts of each core",
		offsetof(struct stat_options, by), parse_by, COUNT_BY_CORE },
	{ 0, "per-die", CLI_NONE, NULL,
		"with -a or -C: print the counts of each die",
		offsetof(struct stat_options, by), parse_by, COUNT_BY_DIE },
	{ 0, "per-socket", CLI_NONE, NULL,
		"with -a or -C: print the counts of each socket",
		offsetof(struct stat_options, by), parse_by, COUNT_BY_SOCKET },
	{ 0, "per-node", CLI_NONE, NULL,
		"with -a or -C: print the counts of each NUMA node",
		offsetof(struct stat_options, by), parse_by, COUNT_BY_NODE },
	{ 0, "per-thread", CLI_NONE, NULL,
		"with a running target: print the counts of each thread",
		offsetof(struct stat_options, by), parse_by, COUNT_BY_THREAD },
	{ 'I', "interval-print", CLI_VALUE, "MS",
		"print the counts of every MS milliseconds",
		offsetof(struct stat_options, interval_ms), cli_parse_number, 1,
		INT32_MAX },
	{ 0, "interval-count", CLI_VALUE, "N", "stop after N intervals of -I",
		offsetof(struct stat_options, n_intervals), cli_parse_number, 1,
		UINT32_MAX },
	{ 0, "timeout", CLI_VALUE, "MS", "stop after MS milliseconds",
		offsetof(struct stat_options, timeout_ms), cli_parse_number, 1,
		INT32_MAX },
	{ 'D', "delay", CLI_VALUE, "MS",
		"start counting MS milliseconds after the start; -1: wait for "
		"--control",
		offsetof(struct stat_options, delay_ms), parse_delay, 0,
		INT32_MAX },
	{ 0, "control", CLI_VALUE, "HOW",
		"accept commands from fifo:CTL[,ACK] or fd:CTL[,ACK]: enable, "
		"disable, evlist, ping, stop",
		.slot = offsetof(struct stat_options, control),
		.complete = commands_complete },
	{ 'S', "sync", CLI_NONE, NULL,
		"call sync(2) before each run of the command",
		.slot = offsetof(struct stat_options, syncs) },
	{ 'r', "repeat", CLI_VALUE, "N",
		"run the command N times, and print means and deviations",
		offsetof(struct stat_options, n_runs), cli_parse_number, 1,
		UINT32_MAX },
	{ 'x', "field-separator", CLI_VALUE, "SEP",
		"print CSV with fields separated by SEP, such as , or \\t",
		offsetof(struct stat_options, separator), parse_separator },
	{ 'j', "json-output", CLI_NONE, NULL, "print one JSON object per line",
		.slot = offsetof(struct stat_options, is_json) },
	{ 'B', "big-num", CLI_NONE, NULL,
		"separate the thousands of counts by commas (default)",
		.slot = offsetof(struct stat_options, has_thousands) },
	CLI_LOG_OPTIONS,
};

static const struct cli stat_cli = {
	.usage = "dwell stat [options] [--] [command...]",
	.summary = "Counts events of a command, running processes or the whole "
		   "system, and prints\nthe counts.",
	.options = stat_option_table,
	.n_options = ARRAY_SIZE(stat_option_table),
	.command = "stat",
	.stops_at_word = true,
};

static struct error *check_stat_options(const struct stat_options *options)
{
	/* Each combination of options is an error, with its message. */
	const struct {
		bool is_used;
		const char *text;
	} forbidden[] = {
		{ target_config_is_ambiguous(&options->target),
			"-p, -t, --name (or -u) and -a (or -C, -G, --for-each-cgroup) "
			"exclude each other. "
			"Use one of them" },
		{ options->target.is_waiting &&
				!target_config_finds(&options->target),
			"--wait needs --name or -u, which select the process to wait "
			"for" },
		{ options->all_user && options->all_kernel,
			"--all-user and --all-kernel exclude each other. Without both, "
			"user space and kernel are counted" },
		{ options->counts_nothing && options->events.texts.n,
			"-n and -e exclude each other: -n counts no event" },
		{ options->is_json && options->separator,
			"-j and -x exclude each other. Use one of them" },
		{ options->by != COUNT_BY_ALL &&
				options->by != COUNT_BY_THREAD &&
				!target_config_is_wide(&options->target),
			"-A, --per-core, --per-die, --per-socket and --per-node need "
			"-a or -C: each event of a thread counts on all CPUs" },
		{ options->by == COUNT_BY_THREAD && !options->target.pids &&
				!options->target.tids &&
				!target_config_finds(&options->target),
			"--per-thread needs -p, -t, --name or -u: the threads that "
			"exist at the start" },
		{ options->n_intervals && !options->interval_ms,
			"--interval-count needs -I" },
		{ options->n_runs > 1 && options->interval_ms,
			"-r and -I exclude each other" },
		{ options->n_runs > 1 && options->by == COUNT_BY_THREAD,
			"-r and --per-thread exclude each other: the threads of each "
			"run may differ" },
		{ options->events.cgroups.n && options->each_cgroup,
			"-G and --for-each-cgroup exclude each other. Use one of "
			"them" },
		{ options->n_runs > 1 && !options->command,
			"-r needs a command, which it repeats" },
		{ options->appends && !options->output,
			"--append needs -o FILE" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forbidden); i++)
		if (forbidden[i].is_used)
			return error_usage("%s", forbidden[i].text);
	return NULL;
}

struct error *stat_options_parse(
	int argc, char **argv, struct stat_options *ret)
{
	struct error *err;
	int first;

	*ret = (struct stat_options){ .has_thousands = true, .n_runs = 1 };
	err = cli_parse(&stat_cli, argc, argv, ret, &first);
	if (err)
		return err;
	if (first < argc)
		ret->command = argv + first;
	ret->target.has_cgroups = ret->events.cgroups.n || ret->each_cgroup;
	ret->has_no_target = !ret->command &&
		!target_config_is_wide(&ret->target) && !ret->target.pids &&
		!ret->target.tids && !target_config_finds(&ret->target);
	target_config_default(&ret->target, ret->command);
	return check_stat_options(ret);
}

void stat_options_deinit(struct stat_options *options)
{
	event_options_deinit(&options->events);
}
