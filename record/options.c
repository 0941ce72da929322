/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/options.h"

#include <ctype.h>
#include <inttypes.h>

#include "common/util/cli.h"
#include "common/util/log.h"
#include "record/sys/priority.h"

#define RING_SIZE_MAX MIB(512)
#define DURATION_MAX_S 1e9
#define FREQUENCY_LIMIT 1000000000u

static struct error *take_event(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	*array_push(&options->events) = value;
	return NULL;
}

static struct error *take_filter(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	if (!options->events.n)
		return error_usage("--filter belongs behind the -e that it is "
				   "for");
	*array_push(&options->filters) = (struct option_filter){
		options->events.n - 1, value };
	return NULL;
}

static struct error *take_max_stack(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	options->has_callchains = true;
	return cli_number(value, "--max-stack", 1, UINT16_MAX,
		&options->max_stack);
}

/* What samples always tell, so that readers find their way. */
static struct error *take_always(
	void *context _unused_, const char *value _unused_, bool is_on)
{
	return is_on ? NULL
		     : error_usage("every sample tells its event, time and "
				   "CPU; that can't be left out");
}

static struct error *take_intr_regs(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->carried.registers_intr = 0;
	return is_on ? carried_parse_registers(value, CARRIED_INTR,
			       &options->carried.registers_intr)
		     : NULL;
}

static struct error *take_user_regs(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->carried.registers_user = 0;
	return is_on ? carried_parse_registers(value, CARRIED_USER,
			       &options->carried.registers_user)
		     : NULL;
}

static struct error *take_branches(
	void *context, const char *value, bool is_on _unused_)
{
	struct options *options = context;

	return carried_parse_branches(value, &options->carried.branches);
}

static struct error *take_record_filter(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	*array_push(&options->record_filters) = value;
	return NULL;
}

static struct error *take_freq(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	if (string_is(value, "max")) {
		options->frequency = OPTIONS_FREQUENCY_MAX;
		return NULL;
	}
	return cli_number(
		value, "-F", 1, FREQUENCY_LIMIT, &options->frequency);
}

static struct error *take_count(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	return cli_number(value, "-c", 1, INT64_MAX, &options->period);
}

static struct error *take_call_graph(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->has_callchains = is_on;
	options->callgraph = (struct callgraph){ 0 };
	return is_on ? callgraph_parse(
			       value, "--call-graph", &options->callgraph)
		     : NULL;
}

/* As perf has it: a bare number counts pages, a unit makes it a size. */
static struct error *take_mmap(void *context, const char *value, bool is_on)
{
	struct options *options = context;
	uint64_t size, page = (uint64_t)sysconf(_SC_PAGESIZE);
	bool is_pages = value[strspn(value, "0123456789")] == '\0';
	struct error *err;

	(void)is_on;
	err = cli_size(value, "-m", 1,
		is_pages ? RING_SIZE_MAX / page : RING_SIZE_MAX, &size);
	if (err)
		return err;
	size = MAX(is_pages ? size * page : size, page);
	options->ring_size = page;
	while (options->ring_size < size)
		options->ring_size *= 2;
	return NULL;
}

static struct error *take_output(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	options->output = value;
	return NULL;
}

static struct error *take_level(void *context, const char *value, bool is_on)
{
	struct options *options = context;
	struct error *err;
	uint64_t level = is_on ? OPTIONS_LEVEL_DEFAULT : 0;

	err = value ? cli_number(value, "-z", 0, 22, &level) : NULL;
	options->level = (int)level;
	return err;
}

static struct error *take_realtime(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;
	uint64_t priority = 0;
	struct error *err = cli_number(value, "-r", 0, 99, &priority);

	(void)is_on;
	options->realtime = (int)priority;
	return err;
}

static struct error *take_delay(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	return schedule_parse(value, &options->schedule);
}

static struct error *take_duration(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;
	char *end = NULL;
	double seconds = 0;

	(void)is_on;
	if (isdigit((unsigned char)value[0]))
		seconds = strtod(value, &end);
	if (!end || *end || !(seconds > 0) || seconds > DURATION_MAX_S)
		return error_usage(
			"--duration: '%s' is not a number of seconds", value);
	options->duration_ns = (uint64_t)(seconds * (double)NSEC_PER_SEC);
	return NULL;
}

static struct error *take_max_size(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	return cli_size(value, "--max-size", 1, INT64_MAX, &options->max_size);
}

static struct error *take_switch(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	if (is_on)
		return switching_parse(
			value ? value : "signal", &options->switching);
	options->switching.has_many = options->switching.is_stamped = false;
	return NULL;
}

static struct error *take_max_files(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	return cli_number(value, "--switch-max-files", 1, INT32_MAX,
		&options->switching.n_max);
}

static struct error *take_clock(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	return clocks_parse(value, &options->clock);
}

static struct error *take_queue(void *context, const char *value, bool is_on)
{
	struct options *options = context;
	uint64_t size = 0;
	struct error *err =
		cli_size(value, "--queue-size", MIB(1), MIB(65536), &size);

	(void)is_on;
	options->queue_size = size;
	return err;
}

static const struct cli_option table[] = {
	{ 'e', "event", CLI_VALUE, "EVENT",
		"what to sample: cycles, cpu-clock:u, sched:sched_switch, r1a8",
		take_event },
	{ 0, "filter", CLI_VALUE, "FILTER",
		"only tracepoints of the -e before with: prev_pid == 0",
		take_filter },
	{ 'F', "freq", CLI_VALUE, "N", "samples per second, or max (4000)",
		take_freq },
	{ 'c', "count", CLI_VALUE, "N", "a sample every N events", take_count },
	{ 'g', NULL, CLI_NONE, NULL, "record call chains",
		.slot = offsetof(struct options, has_callchains) },
	{ 0, "call-graph", CLI_VALUE, "KIND",
		"how to find callers: fp, dwarf[,SIZE], lbr or auto",
		take_call_graph },
	{ 0, "keep-stacks", CLI_NONE, NULL,
		"with dwarf: write copies of stacks, not call chains",
		.slot = offsetof(struct options, keeps_stacks) },
	{ 0, "max-stack", CLI_VALUE, "N",
		"record call chains of at most so many entries",
		take_max_stack },
	{ 0, "user-callchains", CLI_NONE, NULL,
		"only the part of call chains in user space",
		.slot = offsetof(struct options, user_callchains) },
	{ 0, "kernel-callchains", CLI_NONE, NULL,
		"only the part of call chains in the kernel",
		.slot = offsetof(struct options, kernel_callchains) },
	{ 0, "all-user", CLI_NONE, NULL, "all events in user space only",
		.slot = offsetof(struct options, all_user) },
	{ 0, "all-kernel", CLI_NONE, NULL, "all events in the kernel only",
		.slot = offsetof(struct options, all_kernel) },
	{ 0, "exclude-perf", CLI_NONE, NULL, "leave out dwell record itself",
		.slot = offsetof(struct options, leaves_itself_out) },
	{ 'p', "pid", CLI_VALUE, "PID[,PID]", "running processes",
		.slot = offsetof(struct options, pids) },
	{ 't', "tid", CLI_VALUE, "TID[,TID]", "running threads",
		.slot = offsetof(struct options, tids) },
	{ 0, "name", CLI_VALUE, "REGEX",
		"all processes that are named so: '^nginx$'",
		.slot = offsetof(struct options, name) },
	{ 'u', "uid", CLI_VALUE, "USER", "all processes of this user",
		.slot = offsetof(struct options, user) },
	{ 0, "wait", CLI_NONE, NULL,
		"wait until --name or -u finds a process",
		.slot = offsetof(struct options, is_waiting) },
	{ 'i', "no-inherit", CLI_NONE, NULL,
		"without the threads and processes that are made later",
		.slot = offsetof(struct options, has_no_inherit) },
	{ 0, "per-thread", CLI_NONE, NULL,
		"each thread for itself; implies -i",
		.slot = offsetof(struct options, is_per_thread) },
	{ 'a', "all-cpus", CLI_NONE, NULL,
		"the whole system (the default without a command)",
		.slot = offsetof(struct options, is_system_wide) },
	{ 'C', "cpu", CLI_VALUE, "LIST", "these CPUs only: 0-3,7",
		.slot = offsetof(struct options, cpus) },
	{ 'G', "cgroup", CLI_VALUE, "NAME[,NAME]",
		"in this control group; one for each -e, or for all",
		.slot = offsetof(struct options, cgroups) },
	{ 0, "record-filter", CLI_VALUE, "TERM",
		"keep these samples only: pid=1,2 tid=3 uid=0 comm!=^sh$",
		take_record_filter },
	{ 'd', "data", CLI_NONE, NULL,
		"the data address of each sample, and what memory answered",
		.slot = offsetof(struct options, carried.data) },
	{ 0, "phys-data", CLI_NONE, NULL, "the physical address of the data",
		.slot = offsetof(struct options, carried.physical) },
	{ 'W', "weight", CLI_NONE, NULL, "how long each sample took",
		.slot = offsetof(struct options, carried.weights) },
	{ 0, "data-page-size", CLI_NONE, NULL,
		"the size of the page that the data is in",
		.slot = offsetof(struct options, carried.data_page) },
	{ 0, "code-page-size", CLI_NONE, NULL,
		"the size of the page that the code is in",
		.slot = offsetof(struct options, carried.code_page) },
	{ 'b', "branch-any", CLI_NONE, NULL, "the last branches taken",
		.slot = offsetof(struct options, has_branch_any) },
	{ 'j', "branch-filter", CLI_VALUE, "KIND[,KIND]",
		"the last branches of these kinds: any_call,u", take_branches },
	{ 'I', "intr-regs", CLI_OPTIONAL, "REGS",
		"the registers at each sample; -I? lists them",
		take_intr_regs },
	{ 0, "user-regs", CLI_OPTIONAL, "REGS",
		"those that user space had", take_user_regs },
	{ 'R', "raw-samples", CLI_NONE, NULL, "what the event itself tells",
		.slot = offsetof(struct options, carried.raw) },
	{ 'P', "period", CLI_NONE, NULL,
		"how many events each sample stands for (always with -F)",
		.slot = offsetof(struct options, carried.periods) },
	{ 'T', "timestamp", CLI_NONE, NULL, "the time (always there)",
		take_always },
	{ 0, "sample-cpu", CLI_NONE, NULL, "the CPU (always there)",
		take_always },
	{ 0, "sample-identifier", CLI_NONE, NULL,
		"the event (always there)", take_always },
	{ 0, "switch-events", CLI_NONE, NULL,
		"when threads begin and cease to run",
		.slot = offsetof(struct options, has_switches) },
	{ 0, "off-cpu", CLI_NONE, NULL,
		"where threads leave their CPUs, for how long, and why",
		.slot = offsetof(struct options, has_off_cpu) },
	{ 0, "all-cgroups", CLI_NONE, NULL,
		"which control group each sample was in",
		.slot = offsetof(struct options, has_all_cgroups) },
	{ 0, "namespaces", CLI_NONE, NULL, "which namespaces threads are in",
		.slot = offsetof(struct options, has_namespaces) },
	{ 0, "pack", CLI_NONE, NULL,
		"inlined functions and lines go into the file at the end",
		.slot = offsetof(struct options, packs) },
	{ 'o', "output", CLI_VALUE, "FILE", "where to write (dwell.data); - is standard output",
		take_output },
	{ 'z', "compression-level", CLI_OPTIONAL, "LEVEL",
		"of zstd, 0 to 22 (3); 0 writes plain records", take_level },
	{ 'D', "delay", CLI_VALUE, "MS",
		"start sampling so many milliseconds later, or -1, or 10-20,40-50",
		take_delay },
	{ 0, "duration", CLI_VALUE, "SECONDS", "end after that time",
		take_duration },
	{ 'k', "clockid", CLI_VALUE, "CLOCK",
		"clock of all times: monotonic, realtime, boottime, tai ...",
		take_clock },
	{ 0, "max-size", CLI_VALUE, "SIZE", "end when the file has it: 100M",
		take_max_size },
	{ 0, "overwrite", CLI_NONE, NULL,
		"keep the newest samples only, until SIGUSR2 or the end",
		.slot = offsetof(struct options, is_overwritten) },
	{ 0, "switch-output", CLI_OPTIONAL, "WHEN",
		"begin another file: signal (SIGUSR2), 100M, 30s", take_switch },
	{ 0, "switch-max-files", CLI_VALUE, "N", "keep the newest N files",
		take_max_files },
	{ 0, "timestamp-filename", CLI_NONE, NULL,
		"put the time behind the file's name",
		.slot = offsetof(struct options, switching.is_stamped) },
	{ 0, "control", CLI_VALUE, "HOW",
		"take commands: fifo:CTL[,ACK] or fd:CTL[,ACK]",
		.slot = offsetof(struct options, control) },
	{ 'm', "mmap-pages", CLI_VALUE, "N",
		"size of each CPU's ring, in pages or as 512K", take_mmap },
	{ 0, "queue-size", CLI_VALUE, "SIZE",
		"memory for what isn't written yet (64M)", take_queue },
	{ 'r', "realtime", CLI_VALUE, "PRIO",
		"collect with this SCHED_FIFO priority (2); 0: nice alone", take_realtime },
	CLI_LOG_OPTIONS,
};

static const struct cli_foreign foreign[] = {
	{ 'B', "no-buildid", "build IDs come with the mappings, at no cost" },
	{ 'N', "no-buildid-cache",
		"nothing is copied; the symbols that were hit go into the "
		"file" },
	{ 'n', "no-samples",
		"to record names and mappings alone: -e dummy" },
	{ 's', "stat",
		"each sample tells its thread; counts: perf stat" },
	{ 0, "buildid-all", "each mapping has its build ID" },
	{ 0, "buildid-mmap", "each mapping has its build ID" },
	{ 0, "timestamp-boundary",
		"the times of the first and the last sample are always there" },
	{ 0, "kcore", "functions of the kernel that were hit go into the file" },
	{ 0, "debuginfod", "the report asks servers: dwell report --debuginfod" },
	{ 0, "aio", "a thread of its own writes the file" },
};

static const struct cli cli = {
	.usage = "dwell record [options] [--] [command...]",
	.summary = "Samples a command, running processes or the whole system "
		   "into a file.",
	.options = table,
	.n_options = ARRAY_SIZE(table),
	.foreign = foreign,
	.n_foreign = ARRAY_SIZE(foreign),
	.stops_at_word = true,
};

struct error *options_parse(int argc, char **argv, struct options *ret)
{
	struct error *err;
	int first;

	*ret = (struct options){
		.output = "dwell.data",
		.level = OPTIONS_LEVEL_DEFAULT,
		.clock = CLOCK_MONOTONIC,
		.queue_size = MIB(64),
		.realtime = PRIORITY_LOW,
	};
	err = cli_parse(&cli, argc, argv, ret, &first);
	if (err)
		return err;
	if (first < argc)
		ret->command = argv + first;
	if (!ret->command && !ret->pids && !ret->tids && !ret->cpus &&
		!ret->name && !ret->user)
		ret->is_system_wide = true;
	err = options_check(ret);
	if (ret->has_branch_any)
		ret->carried.branches = PERF_SAMPLE_BRANCH_ANY;
	return err;
}

void options_deinit(struct options *options)
{
	array_free(&options->events);
	schedule_deinit(&options->schedule);
	array_free(&options->filters);
	array_free(&options->record_filters);
}
