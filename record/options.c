/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/options.h"

#include <ctype.h>
#include <inttypes.h>
#include <sys/utsname.h>

#include "common/unwind/unwind_arch.h"
#include "common/util/cli.h"
#include "common/util/log.h"
#include "common/util/standard_streams.h"
#include "record/commands.h"
#include "record/event/event_list.h"
#include "record/runtimes/runtimes.h"
#include "record/stream/sample_filter.h"
#include "record/stream/output.h"
#include "record/synth/cgroups.h"
#include "record/sys/priority.h"

#define RING_SIZE_MAX MIB(512)
#define DURATION_MAX_S 1e9
#define FREQUENCY_LIMIT 1000000000u

static CLI_PARSER(append_text)
{
	struct options_texts *texts = slot;

	*array_push(texts) = value;
	return NULL;
}

/*
 * Parses the options of sample fields that are always recorded, because readers
 * need them in every sample. It is an error to switch such a field off.
 */
static CLI_PARSER(parse_constant_field)
{
	return is_on ? NULL
		     : error_usage("the event ID, time and CPU of samples are "
				   "always recorded: readers need them. Remove "
				   "the option");
}

static enum sample_registers registers_of_option(
	const struct cli_option *option)
{
	return string_is(option->name, "intr-regs") ? SAMPLE_REGISTERS_INTR
						    : SAMPLE_REGISTERS_USER;
}

/* Parses --intr-regs and --user-regs. VALUE "?" prints the names of the
 * registers and ends the program. */
static CLI_PARSER(parse_registers)
{
	enum sample_registers kind = registers_of_option(option);
	_cleanup_strbuf_ struct strbuf names = { 0 };
	struct error *err;

	*(uint64_t *)slot = 0;
	if (!is_on)
		return NULL;
	if (!value || !string_is(value, "?"))
		return sample_fields_parse_registers(value, kind, slot);
	err = sample_fields_list_registers(kind, &names);
	if (err)
		return err;
	printf("available registers: %s\n", names.at);
	return standard_streams_exit();
}

static COMPLETER(complete_registers)
{
	sample_fields_offer_registers(completion, registers_of_option(option));
}

static CLI_PARSER(parse_branches)
{
	return sample_fields_parse_branches(value, slot);
}

static const char *const frequency_words[] = { "max", NULL };

static CLI_PARSER(parse_frequency)
{
	uint64_t *frequency = slot;

	if (string_is(value, "max")) {
		*frequency = OPTIONS_FREQUENCY_MAX;
		return NULL;
	}
	return cli_number(value, "-F", 1, FREQUENCY_LIMIT, frequency);
}

static CLI_PARSER(parse_call_graph)
{
	struct options *options = slot;

	options->has_callchains = true;
	options->callgraph = (struct callgraph){ 0 };
	return callgraph_parse(value, "--call-graph", &options->callgraph);
}

/*
 * Parses -m. As in perf, a number without a unit is in pages, and a number with
 * a unit in bytes.
 */
static CLI_PARSER(parse_ring_size)
{
	uint64_t size, page = (uint64_t)sysconf(_SC_PAGESIZE);
	bool is_pages = value[strspn(value, "0123456789")] == '\0';
	size_t *ring_size = slot;
	struct error *err;

	err = cli_size(value, "-m", 1,
		is_pages ? RING_SIZE_MAX / page : RING_SIZE_MAX, &size);
	if (err)
		return err;
	size = MAX(is_pages ? size * page : size, page);
	*ring_size = page;
	while (*ring_size < size)
		*ring_size *= 2;
	return NULL;
}

static CLI_PARSER(parse_compression)
{
	uint64_t *level = slot;

	*level = is_on ? OPTIONS_LEVEL_DEFAULT : 0;
	return value ? cli_number(value, "-z", 0, 22, level) : NULL;
}

static CLI_PARSER(parse_delay)
{
	return schedule_parse(value, slot);
}

static CLI_PARSER(parse_duration)
{
	uint64_t *duration_ns = slot;
	char *end = NULL;
	double seconds = 0;

	if (isdigit((unsigned char)value[0]))
		seconds = strtod(value, &end);
	if (!end || *end || !(seconds > 0) || seconds > DURATION_MAX_S)
		return error_usage(
			"--duration: '%s' is not a positive number of seconds",
			value);
	*duration_ns = (uint64_t)(seconds * (double)NSEC_PER_SEC);
	return NULL;
}

static CLI_PARSER(parse_min_block)
{
	return cli_span(value, "--min-block", slot);
}

static const char *const rotation_words[] = { "signal", NULL };

static CLI_PARSER(parse_rotation)
{
	struct output_rotation *rotation = slot;

	if (is_on)
		return output_rotation_parse(value ?: "signal", rotation);
	rotation->has_many = rotation->is_stamped = false;
	return NULL;
}

static CLI_PARSER(parse_languages)
{
	_cleanup_strbuf_ struct strbuf known = { 0 };

	if (runtimes_parse(value, slot))
		return NULL;
	runtimes_list(&known);
	return error_usage("--lang: '%s' is not auto, none, or some of: %s",
		value, known.at);
}

static CLI_PARSER(parse_clock_name)
{
	return clocks_parse(value, slot);
}

static const struct cli_option record_options[] = {
	{ 'e', "event", CLI_VALUE, "EVENT",
		"sample on EVENT: cpu-clock:u, sched:sched_switch (default: "
		"cycles:P)",
		offsetof(struct options, events), event_options_parse_event,
		.complete = event_list_complete },
	{ 0, "filter", CLI_VALUE, "FILTER",
		"sample only tracepoints of the preceding -e whose fields "
		"match: prev_pid == 0",
		offsetof(struct options, events), event_options_parse_filter },
	{ 'F', "freq", CLI_VALUE, "HZ",
		"sample at HZ samples per second, or \"max\" (default: 4000)",
		offsetof(struct options, frequency), parse_frequency,
		.words = frequency_words },
	{ 'c', "count", CLI_VALUE, "N",
		"sample every N events, instead of at a rate",
		offsetof(struct options, period), cli_parse_number, 1,
		INT64_MAX },
	{ 'g', NULL, CLI_NONE, NULL,
		"record call chains in the best way that this machine permits "
		"(--call-graph auto)",
		.slot = offsetof(struct options, has_callchains) },
	{ 0, "call-graph", CLI_VALUE, "KIND",
		"record call chains, found by KIND: fp, dwarf[,SIZE], bpf, "
		"lbr or auto",
		0, parse_call_graph, .complete = callgraph_complete },
	{ 0, "keep-stacks", CLI_NONE, NULL,
		"with --call-graph dwarf: write stack copies instead of call "
		"chains",
		.slot = offsetof(struct options, keeps_stacks) },
	{ 0, "runtime-env", CLI_NONE, NULL,
		"set environment variables that make Mono, Erlang and .NET "
		"write perf maps",
		.slot = offsetof(struct options, sets_runtime_env) },
	{ 0, "lang", CLI_VALUE, "NAME,...",
		"name functions of these language runtimes: java, node, "
		"python, php, ruby, perl, luajit; auto (default) or none",
		offsetof(struct options, languages), parse_languages,
		.complete = runtimes_complete },
	{ 0, "max-stack", CLI_VALUE, "N",
		"record call chains of at most N entries",
		offsetof(struct options, max_stack), cli_parse_number, 1,
		UINT16_MAX },
	{ 0, "user-callchains", CLI_NONE, NULL,
		"record only the user space part of call chains",
		.slot = offsetof(struct options, user_callchains) },
	{ 0, "kernel-callchains", CLI_NONE, NULL,
		"record only the kernel part of call chains",
		.slot = offsetof(struct options, kernel_callchains) },
	{ 0, "all-user", CLI_NONE, NULL, "sample all events only in user space",
		.slot = offsetof(struct options, all_user) },
	{ 0, "all-kernel", CLI_NONE, NULL,
		"sample all events only in the kernel",
		.slot = offsetof(struct options, all_kernel) },
	{ 0, "exclude-perf", CLI_NONE, NULL,
		"do not sample dwell record itself",
		.slot = offsetof(struct options, excludes_self) },
	{ 'p', "pid", CLI_VALUE, "PID[,PID]", "record these running processes",
		.slot = offsetof(struct options, target.pids),
		.complete = tasks_complete_pids },
	{ 't', "tid", CLI_VALUE, "TID[,TID]", "record these running threads",
		.slot = offsetof(struct options, target.tids),
		.complete = tasks_complete_tids },
	{ 0, "name", CLI_VALUE, "REGEX",
		"record processes whose name matches REGEX: '^nginx$'",
		.slot = offsetof(struct options, target.name),
		.complete = tasks_complete_names },
	{ 'u', "uid", CLI_VALUE, "USER",
		"record all processes of USER (name or number)",
		.slot = offsetof(struct options, target.user),
		.complete = task_users_complete },
	{ 0, "wait", CLI_NONE, NULL,
		"wait until a process matches --name or -u",
		.slot = offsetof(struct options, target.is_waiting) },
	{ 'i', "no-inherit", CLI_NONE, NULL,
		"do not sample threads and processes created after the start",
		.slot = offsetof(struct options, has_no_inherit) },
	{ 0, "per-thread", CLI_NONE, NULL,
		"count events per thread; implies -i",
		.slot = offsetof(struct options, is_per_thread) },
	{ 'a', "all-cpus", CLI_NONE, NULL,
		"record the whole system (default if there is no command or "
		"target)",
		.slot = offsetof(struct options, target.is_system_wide) },
	{ 'C', "cpu", CLI_VALUE, "LIST",
		"record all processes on these CPUs: 0-3,7",
		.slot = offsetof(struct options, target.cpus),
		.complete = completion_offer_cpus },
	{ 'G', "cgroup", CLI_VALUE, "NAME[,NAME]",
		"record this control group; give one name for all events, or "
		"one per event",
		offsetof(struct options, events), event_options_parse_cgroups,
		.complete = cgroups_complete },
	{ 0, "record-filter", CLI_VALUE, "TERM",
		"record only samples that match TERM: pid=1,2 or tid=3 or "
		"uid=0 or comm=REGEX; != negates; repeat the option for "
		"further terms",
		offsetof(struct options, record_filters), append_text,
		.complete = sample_filter_complete },
	{ 'd', "data", CLI_NONE, NULL,
		"record the data address and the memory level of each access",
		.slot = offsetof(struct options, sample_fields.data) },
	{ 0, "phys-data", CLI_NONE, NULL,
		"record the physical address of the data",
		.slot = offsetof(struct options, sample_fields.physical) },
	{ 'W', "weight", CLI_NONE, NULL,
		"record the weight of each sample: the cycles of the memory "
		"access",
		.slot = offsetof(struct options, sample_fields.weights) },
	{ 0, "data-page-size", CLI_NONE, NULL,
		"record the size of the page that contains the data",
		.slot = offsetof(struct options, sample_fields.data_page) },
	{ 0, "code-page-size", CLI_NONE, NULL,
		"record the size of the page that contains the code",
		.slot = offsetof(struct options, sample_fields.code_page) },
	{ 'b', "branch-any", CLI_NONE, NULL,
		"record the last branches before each sample",
		.slot = offsetof(struct options, has_branch_any) },
	{ 'j', "branch-filter", CLI_VALUE, "KIND[,KIND]",
		"record the last branches of these kinds: any_call,u",
		offsetof(struct options, sample_fields.branches),
		parse_branches, .complete = sample_fields_complete_branches },
	{ 'I', "intr-regs", CLI_OPTIONAL, "REGS",
		"record the CPU registers of each sample; -I? lists them",
		offsetof(struct options, sample_fields.registers_intr),
		parse_registers, .complete = complete_registers },
	{ 0, "user-regs", CLI_OPTIONAL, "REGS",
		"record the user space registers of each sample",
		offsetof(struct options, sample_fields.registers_user),
		parse_registers, .complete = complete_registers },
	{ 'R', "raw-samples", CLI_NONE, NULL,
		"record the raw data of the event, such as tracepoint fields",
		.slot = offsetof(struct options, sample_fields.raw) },
	{ 'P', "period", CLI_NONE, NULL,
		"record the number of events per sample (default with -F)",
		.slot = offsetof(struct options, sample_fields.periods) },
	{ 'T', "timestamp", CLI_NONE, NULL,
		"record the time of each sample (always recorded)", 0,
		parse_constant_field },
	{ 0, "sample-cpu", CLI_NONE, NULL,
		"record the CPU of each sample (always recorded)", 0,
		parse_constant_field },
	{ 0, "sample-identifier", CLI_NONE, NULL,
		"record the event ID of each sample (always recorded)", 0,
		parse_constant_field },
	{ 0, "switch-events", CLI_NONE, NULL,
		"record context switches of threads",
		.slot = offsetof(struct options, has_switches) },
	{ 0, "off-cpu", CLI_NONE, NULL,
		"record where threads block or are preempted, and for how long",
		.slot = offsetof(struct options, has_off_cpu) },
	{ 0, "min-block", CLI_VALUE, "TIME",
		"with --off-cpu: add up waits shorter than TIME (with a unit: "
		"100us) per thread and call stack, in the kernel",
		offsetof(struct options, least_ns), parse_min_block },
	{ 0, "all-cgroups", CLI_NONE, NULL,
		"record the control group of each sample",
		.slot = offsetof(struct options, has_all_cgroups) },
	{ 0, "namespaces", CLI_NONE, NULL, "record the namespaces of threads",
		.slot = offsetof(struct options, has_namespaces) },
	{ 0, "pack", CLI_NONE, NULL,
		"at the end, add inlined functions and source lines to the "
		"file",
		.slot = offsetof(struct options, packs) },
	{ 'o', "output", CLI_VALUE, "FILE",
		"write to FILE, or to standard output if FILE is - (default: "
		"dwell.data)",
		offsetof(struct options, output) },
	{ 'z', "compression-level", CLI_OPTIONAL, "LEVEL",
		"compress with zstd level LEVEL, 0 to 22; 0 does not compress "
		"(default: 3)",
		offsetof(struct options, level), parse_compression },
	{ 'D', "delay", CLI_VALUE, "MS",
		"start sampling after MS milliseconds, or only in 10-20,40-50; "
		"-1: wait for --control",
		offsetof(struct options, schedule), parse_delay },
	{ 0, "duration", CLI_VALUE, "SECONDS", "stop after SECONDS",
		offsetof(struct options, duration_ns), parse_duration },
	{ 'k', "clockid", CLI_VALUE, "CLOCK",
		"use CLOCK for all times: monotonic, realtime, boottime, tai "
		"(default: monotonic)",
		offsetof(struct options, clock), parse_clock_name,
		.complete = clocks_complete },
	{ 0, "max-size", CLI_VALUE, "SIZE",
		"stop when the file has SIZE bytes: 100M",
		offsetof(struct options, max_size), cli_parse_size, 1,
		INT64_MAX },
	{ 0, "overwrite", CLI_NONE, NULL,
		"keep only the newest samples; write them on SIGUSR2 and at "
		"the end",
		.slot = offsetof(struct options, is_overwritten) },
	{ 0, "switch-output", CLI_OPTIONAL, "WHEN",
		"start a new file on WHEN: signal (SIGUSR2), 100M, 30s "
		"(default: signal)",
		offsetof(struct options, rotation), parse_rotation,
		.words = rotation_words },
	{ 0, "switch-max-files", CLI_VALUE, "N",
		"keep only the newest N files of --switch-output",
		offsetof(struct options, rotation.n_max), cli_parse_number, 1,
		INT32_MAX },
	{ 0, "timestamp-filename", CLI_NONE, NULL,
		"append the date and time to the file name",
		.slot = offsetof(struct options, rotation.is_stamped) },
	{ 0, "control", CLI_VALUE, "HOW",
		"read commands from a FIFO or descriptor: fifo:CTL[,ACK] or "
		"fd:CTL[,ACK]",
		.slot = offsetof(struct options, control),
		.complete = commands_complete },
	{ 'm', "mmap-pages", CLI_VALUE, "PAGES",
		"set the size of each CPU's ring buffer, in pages or bytes: "
		"128, 512K",
		offsetof(struct options, ring_size), parse_ring_size },
	{ 0, "queue-size", CLI_VALUE, "SIZE",
		"limit memory for data not yet written to SIZE bytes (default: "
		"64M)",
		offsetof(struct options, queue_size), cli_parse_size, MIB(1),
		MIB(65536) },
	{ 'r', "realtime", CLI_VALUE, "PRIO",
		"read ring buffers with SCHED_FIFO priority PRIO; 0: nice "
		"value only (default: 2)",
		offsetof(struct options, realtime), cli_parse_number, 0, 99 },
	CLI_LOG_OPTIONS,
};

static const struct cli record_cli = {
	.usage = "dwell record [options] [--] [command...]",
	.summary =
		"Samples a command, running processes or the whole system, and "
		"writes the\nsamples to a file.",
	.options = record_options,
	.n_options = ARRAY_SIZE(record_options),
	.command = "record",
	.stops_at_word = true,
};

/* A combination of options that is an error, with its message. */
struct combination {
	bool is_used;
	const char *text;
};

static struct error *find_forbidden(const struct combination *rows, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (rows[i].is_used)
			return error_usage("%s", rows[i].text);
	return NULL;
}

static struct error *check_sampling(const struct options *options)
{
	const struct combination forbidden[] = {
		{ options->least_ns && !options->has_off_cpu,
			"--min-block needs --off-cpu" },
		{ options->sets_runtime_env && !options->command,
			"--runtime-env needs a command: the environment of a running "
			"process cannot be changed" },
		{ options->frequency && options->period,
			"-F and -c exclude each other. Use -F for a rate or -c for a "
			"count of events" },
		{ options->all_user && options->all_kernel,
			"--all-user and --all-kernel exclude each other. Without both, "
			"user space and kernel are sampled" },
		{ options->user_callchains && options->kernel_callchains,
			"--user-callchains and --kernel-callchains exclude each other. "
			"Without both, call chains contain both parts" },
		{ options->has_branch_any && options->sample_fields.branches,
			"-b and -j exclude each other. -b is the same as -j any" },
		{ (options->has_callchains &&
			  (options->callgraph.kind == CALLGRAPH_DWARF ||
				  options->callgraph.kind == CALLGRAPH_AUTO)) &&
				options->kernel_callchains,
			"--kernel-callchains and --call-graph dwarf (or auto) exclude "
			"each other: only user space stacks are unwound. Use -g" },
		{ options->keeps_stacks &&
				options->callgraph.kind == CALLGRAPH_AUTO,
			"--call-graph auto and --keep-stacks exclude each other: auto "
			"needs unwound stacks. Use --call-graph dwarf --keep-stacks" },
		{ options->callgraph.kind == CALLGRAPH_LBR &&
				(options->has_branch_any ||
					options->sample_fields.branches),
			"--call-graph lbr excludes -b and -j: it uses the branch "
			"records of the CPU itself" },
	};

	return find_forbidden(forbidden, ARRAY_SIZE(forbidden));
}

static struct error *check_other_options(const struct options *options)
{
	const struct combination forbidden[] = {
		{ target_config_is_ambiguous(&options->target),
			"-p, -t, --name (or -u) and -a (or -C, -G) exclude each other. "
			"Use one of them" },
		{ options->has_off_cpu && options->all_user,
			"--off-cpu and --all-user exclude each other: context switches "
			"are events of the kernel" },
		{ options->has_off_cpu &&
				(options->has_branch_any ||
					options->sample_fields.branches),
			"--off-cpu and -b or -j exclude each other: context switches "
			"have no branch records" },
		{ options->target.is_waiting &&
				!target_config_finds(&options->target),
			"--wait needs --name or -u, which select the process to wait "
			"for" },
		{ options->is_per_thread &&
				target_config_is_wide(&options->target),
			"--per-thread and -a (or -C) exclude each other. Use "
			"--per-thread with a command, -p or -t" },
		{ options->rotation.is_stamped &&
				(output_is_stream(options->output) ||
					output_is_null(options->output)),
			"--switch-output and --timestamp-filename exclude -o - and -o "
			"/dev/null: they need a file name" },
		{ options->packs &&
				(output_is_stream(options->output) ||
					output_is_null(options->output) ||
					options->rotation.has_many ||
					options->rotation.is_stamped ||
					options->is_overwritten),
			"--pack excludes -o -, -o /dev/null, --overwrite, "
			"--switch-output and --timestamp-filename: it needs a single "
			"file. Use dwell pack FILE for each file" },
		{ options->is_overwritten && options->rotation.size,
			"--overwrite and --switch-output=SIZE exclude each other: "
			"without a snapshot the file does not grow. Use "
			"--switch-output=30s or --switch-output=signal" },
		{ options->rotation.n_max && !options->rotation.has_many,
			"--switch-max-files needs --switch-output" },
		{ options->schedule.starts_off && !options->schedule.steps.n &&
				!options->control,
			"-D -1 needs --control, whose command \"enable\" starts "
			"sampling" },
		{ options->schedule.starts_off && options->schedule.steps.n &&
				options->duration_ns && !options->control &&
				options->schedule.steps.at[0].after_ns >=
					options->duration_ns,
			"--duration ends before -D starts sampling. Use a longer "
			"--duration" },
	};

	return find_forbidden(forbidden, ARRAY_SIZE(forbidden));
}

struct error *options_parse_record(int argc, char **argv, struct options *ret)
{
	struct error *err;
	int first;

	*ret = (struct options){
		.output = OPTIONS_OUTPUT_DEFAULT,
		.languages = RUNTIMES_ALL,
		.level = OPTIONS_LEVEL_DEFAULT,
		.clock = CLOCK_MONOTONIC,
		.queue_size = MIB(64),
		.realtime = PRIORITY_LOW,
	};
	err = cli_parse(&record_cli, argc, argv, ret, &first);
	if (err)
		return err;
	ret->has_callchains |= ret->max_stack != 0;
	/*
	 * Choose the call chains of -g. Copies would fill the ring buffers of
	 * --overwrite, which then contain the samples of a moment only.
	 */
	struct utsname machine;

	if (ret->has_callchains && !ret->callgraph.kind) {
		uname(&machine);
		if (ret->kernel_callchains || ret->is_overwritten ||
			unwind_arch_of_name(machine.machine) == UNWIND_NONE)
			ret->callgraph.kind = CALLGRAPH_FP;
		else if (ret->keeps_stacks)
			ret->callgraph.kind = CALLGRAPH_DWARF;
		else
			ret->callgraph.kind = CALLGRAPH_AUTO;
	}
	if (first < argc)
		ret->command = argv + first;
	ret->target.has_cgroups = ret->events.cgroups.n;
	target_config_default(&ret->target, ret->command);
	err = check_sampling(ret);
	if (!err)
		err = check_other_options(ret);
	if (ret->has_branch_any)
		ret->sample_fields.branches = PERF_SAMPLE_BRANCH_ANY;
	return err;
}

void options_deinit_record(struct options *options)
{
	event_options_deinit(&options->events);
	schedule_deinit(&options->schedule);
	array_free(&options->record_filters);
}
