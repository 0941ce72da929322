/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/options/options.h"

#include "common/util/alloc.h"
#include "common/util/cli.h"
#include "report/survey/paths.h"

struct error *options_words(const struct cli *cli, int argc, char **argv,
	void *context, struct filter_names *inputs)
{
	int i;
	struct error *err = cli_parse(cli, argc, argv, context, &i);

	for (; !err && i < argc; i++)
		*array_push(&inputs->names) = xstrdup(argv[i]);
	return err;
}

struct error *options_find_inputs(
	const struct options *options, struct filter_names *ret)
{
	struct error *err = paths_expand(&options->input.inputs, ret);

	if (err || !options->input.single || ret->names.n <= 1)
		return err;
	return error_usage("%s accepts one recording, not %zu",
		options->input.single, ret->names.n);
}

void options_deinit(struct options *options)
{
	filter_names_deinit(&options->input.inputs);
	filter_names_deinit(&options->code.functions);
	filter_deinit(&options->filter);
	transform_list_deinit(&options->stacks.transforms);
	filter_names_deinit(&options->places.debug_dirs);
	search_sources_deinit(&options->places.source_paths);
	array_free(&options->places.open_files.numbers);
	filter_names_deinit(&options->diff.times);
	free(options->diff.sort);
	array_free(&options->rows.widths.columns);
}
