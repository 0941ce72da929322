/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/options.h"

#include "common/cli.h"

struct error *options_words(const struct cli *cli, int argc, char **argv,
	void *context, const char **input)
{
	int first;
	struct error *err = cli_parse(cli, argc, argv, context, &first);

	if (err || first == argc)
		return err;
	if (first + 1 == argc && !*input) {
		*input = argv[first];
		return NULL;
	}
	return error_usage("'%s' is one word too many; see --help",
		argv[*input ? first : first + 1]);
}

void options_deinit(struct options *options)
{
	filter_deinit(&options->filter);
	array_free(&options->widths.columns);
}
