/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/log.h"
#include "report/options_shared.h"

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
	{ 0, "ns", CLI_NONE, NULL, "times to the nanosecond",
		.slot = offsetof(struct options, script.has_ns) },
	{ 0, "reltime", CLI_NONE, NULL, "times since the first sample",
		take_reltime },
	{ 0, "deltatime", CLI_NONE, NULL, "times since the sample before",
		take_deltatime },
	{ 'D', "dump-raw-trace", CLI_NONE, NULL,
		"every record of the file, in its order", .slot = offsetof(struct options, dumps_records) },
	HEADER_OPTIONS,
	FILTER_OPTIONS,
	CLI_LOG_OPTIONS,
};

static const struct cli_foreign foreign[] = {
	FOREIGN_FORCE,
	FOREIGN_SYMBOLS,
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

	return options_parse(&cli, argc, argv, options);
}
