/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/log.h"
#include "report/options/options_shared.h"

static CLI_PARSER(parse_script_fields)
{
	return script_choice_add(slot, value);
}

/* Parses --reltime and --deltatime. */
static CLI_PARSER(parse_clock)
{
	*(enum style_script_clock *)slot = !is_on    ? STYLE_SCRIPT_CLOCK_FILE
		: string_is(option->name, "reltime") ? STYLE_SCRIPT_CLOCK_FIRST
						     : STYLE_SCRIPT_CLOCK_LAST;
	return NULL;
}

static const struct cli_option script_options[] = {
	INPUT_OPTION,
	{ 'F', "fields", CLI_VALUE, "[KIND:]FIELD,...",
		"print these fields of each sample, listed in dwell-script(1)",
		offsetof(struct options, script.choice), parse_script_fields,
		.complete = script_choice_complete },
	{ 'G', "hide-call-graph", CLI_NONE, NULL,
		"print the sampled address instead of the call chain",
		.slot = offsetof(struct options, script.hides_chain) },
	{ 0, "max-stack", CLI_VALUE, "N",
		"use at most N frames of each call chain",
		offsetof(struct options, script.max_stack), cli_parse_number, 1,
		UINT32_MAX },
	INLINE_OPTION,
	FULL_PATH_OPTION,
	{ 0, "ns", CLI_NONE, NULL, "print times in nanoseconds",
		.slot = offsetof(struct options, script.has_ns) },
	{ 0, "reltime", CLI_NONE, NULL, "print times since the first sample",
		offsetof(struct options, script.clock), parse_clock },
	{ 0, "deltatime", CLI_NONE, NULL,
		"print times since the previous sample",
		offsetof(struct options, script.clock), parse_clock },
	{ 0, "show-task-events", CLI_NONE, NULL,
		"also print FORK, EXIT and COMM records",
		.slot = offsetof(struct options, records.tasks) },
	{ 0, "show-mmap-events", CLI_NONE, NULL, "also print MMAP records",
		.slot = offsetof(struct options, records.maps) },
	{ 0, "show-switch-events", CLI_NONE, NULL, "also print SWITCH records",
		.slot = offsetof(struct options, records.switches) },
	{ 0, "show-namespace-events", CLI_NONE, NULL,
		"also print NAMESPACES records",
		.slot = offsetof(struct options, records.namespaces) },
	{ 0, "show-cgroup-events", CLI_NONE, NULL, "also print CGROUP records",
		.slot = offsetof(struct options, records.cgroups) },
	{ 0, "show-lost-events", CLI_NONE, NULL, "also print LOST records",
		.slot = offsetof(struct options, records.lost) },
	{ 0, "show-bpf-events", CLI_NONE, NULL,
		"also print KSYMBOL and BPF_EVENT records",
		.slot = offsetof(struct options, records.bpf) },
	{ 0, "show-text-poke-events", CLI_NONE, NULL,
		"also print TEXT_POKE records",
		.slot = offsetof(struct options, records.text_pokes) },
	{ 0, "show-round-events", CLI_NONE, NULL,
		"also print FINISHED_ROUND records, in file order",
		.slot = offsetof(struct options, records.rounds) },
	{ 'D', "dump-raw-trace", CLI_NONE, NULL,
		"print all records, in file order",
		.slot = offsetof(struct options, facts.dumps_records) },
	MAX_OUTPUT_OPTION,
	HEADER_OPTIONS,
	PLACE_OPTIONS,
	DEMANGLE_OPTION,
	GUESS_OPTION,
	FILTER_OPTIONS,
	SYMBOL_FILTER_OPTION,
	{ 0, "addr-range", CLI_VALUE, "BYTES",
		"with addresses in -S: use samples in the BYTES from each "
		"address on",
		offsetof(struct options, filter.address_range),
		cli_parse_number, 0, UINT32_MAX },
	CLI_LOG_OPTIONS,
};

struct error *options_script(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell script [options] [FILE]",
		"Prints each sample of a recording as text.",
		script_options,
		ARRAY_SIZE(script_options),
		false,
		"script",
		paths_complete,
	};

	struct error *err;

	options->input.single = "dwell script";
	options->output.max_output = OUTPUT_LIMIT_BY_INPUT;
	err = options_parse(&cli, argc, argv, options);
	filter_add_addresses(&options->filter);
	return err;
}
