/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/log.h"
#include "report/options/options_shared.h"

static struct error *take_script_fields(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	return script_choice_add(&options->script.choice, value);
}

#define DEFINE_CLOCK(name, since)                                              \
	static struct error *name(                                             \
		void *context, const char *value, bool is_on)                  \
	{                                                                      \
		struct options *options = context;                             \
                                                                               \
		(void)value;                                                   \
		options->script.clock = is_on ? since : SCRIPT_CLOCK_FILE;     \
		return NULL;                                                   \
	}

DEFINE_CLOCK(take_reltime, SCRIPT_CLOCK_FIRST)
DEFINE_CLOCK(take_deltatime, SCRIPT_CLOCK_LAST)

static struct error *take_address_range(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	if (!is_on)
		value = "0";
	return cli_number(value, "--addr-range", 0, UINT32_MAX,
		&options->filter.address_range);
}

static const struct cli_option script_options[] = {
	INPUT_OPTION,
	{ 'F', "fields", CLI_VALUE, "[KIND:]FIELD,...",
		"what to print of each sample, as in dwell-script(1)",
		take_script_fields },
	{ 'G', "hide-call-graph", CLI_NONE, NULL,
		"the sampled address instead of the call chain",
		.slot = offsetof(struct options, script.hides_chain) },
	{ 0, "max-stack", CLI_VALUE, "N", "at most N frames of a call chain",
		options_take_max_stack },
	INLINE_OPTION,
	FULL_PATH_OPTION,
	{ 0, "ns", CLI_NONE, NULL, "times to the nanosecond",
		.slot = offsetof(struct options, script.has_ns) },
	{ 0, "reltime", CLI_NONE, NULL, "times since the first sample",
		take_reltime },
	{ 0, "deltatime", CLI_NONE, NULL, "times since the sample before",
		take_deltatime },
	{ 0, "show-task-events", CLI_NONE, NULL,
		"also where threads begin, end and change their names",
		.slot = offsetof(struct options, records.tasks) },
	{ 0, "show-mmap-events", CLI_NONE, NULL,
		"also mappings",
		.slot = offsetof(struct options, records.maps) },
	{ 0, "show-switch-events", CLI_NONE, NULL,
		"also context switches",
		.slot = offsetof(struct options, records.switches) },
	{ 0, "show-namespace-events", CLI_NONE, NULL,
		"also namespaces of threads",
		.slot = offsetof(struct options, records.namespaces) },
	{ 0, "show-cgroup-events", CLI_NONE, NULL,
		"also control groups",
		.slot = offsetof(struct options, records.cgroups) },
	{ 0, "show-lost-events", CLI_NONE, NULL,
		"also what was lost",
		.slot = offsetof(struct options, records.lost) },
	{ 0, "show-bpf-events", CLI_NONE, NULL,
		"also BPF programs",
		.slot = offsetof(struct options, records.bpf) },
	{ 0, "show-text-poke-events", CLI_NONE, NULL,
		"also changes of the kernel's code",
		.slot = offsetof(struct options, records.text_pokes) },
	{ 0, "show-round-events", CLI_NONE, NULL,
		"also where perf had emptied its rings, in the file's order",
		.slot = offsetof(struct options, records.rounds) },
	{ 'D', "dump-raw-trace", CLI_NONE, NULL,
		"every record of the file, in its order",
		.slot = offsetof(struct options, dumps_records) },
	HEADER_OPTIONS,
	PLACE_OPTIONS,
	DEMANGLE_OPTION,
	FILTER_OPTIONS,
	SYMBOL_FILTER_OPTION,
	{ 0, "addr-range", CLI_VALUE, "BYTES",
		"so much of the code behind each address of -S",
		take_address_range },
	CLI_LOG_OPTIONS,
};

static const struct cli_foreign foreign[] = {
	FOREIGN_FORCE,
	{ 0, "show-task-events", "-D prints every record" },
	{ 0, "show-mmap-events", "-D prints every record" },
	{ 0, "show-switch-events", "-D prints every record" },
	{ 0, "show-lost-events", "-D prints every record" },
};

struct error *options_script(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell script [options] [FILE]",
		"Prints every sample of a recording as text.",
		script_options, ARRAY_SIZE(script_options), false,
		foreign, ARRAY_SIZE(foreign),
	};

	struct error *err;

	options->single = "dwell script";
	err = options_parse(&cli, argc, argv, options);
	filter_add_addresses(&options->filter);
	return err;
}
