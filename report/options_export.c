/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/log.h"
#include "report/options_shared.h"

static const struct cli_option export_options[] = {
	INPUT_OPTION,
	{ 0, "format", CLI_VALUE, "FORMAT",
		"folded: a line per stack; perf-data: without compression",
		.slot = offsetof(struct options, format) },
	{ 'o', "output", CLI_VALUE, "FILE", "where to (standard output)",
		.slot = offsetof(struct options, output) },
	INLINE_OPTION,
	PLACE_OPTIONS,
	DEMANGLE_OPTION,
	FILTER_OPTIONS,
	SYMBOL_FILTER_OPTION,
	CLI_LOG_OPTIONS,
};

struct error *options_export(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell export --format FORMAT [options] [FILE]",
		"Writes a recording in the format of another tool.",
		export_options, ARRAY_SIZE(export_options), false,
	};
	struct error *err = options_parse(&cli, argc, argv, options);

	options->single = "dwell export";
	if (!err && !options->format)
		err = error_usage("name a format: --format folded or "
				  "--format perf-data");
	return err;
}
