/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/cmd.h"
#include "report/export.h"
#include "report/output.h"

static const struct export *const exports[] = {
	&export_folded,
	&export_perf_data,
};

static struct error *run(const struct options *options)
{
	const struct export *export = NULL;
	struct output_file output;
	struct error *err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(exports); i++)
		if (string_is(exports[i]->name, options->format))
			export = exports[i];
	if (!export)
		return error_usage("--format: there is no '%s'; there are "
				   "folded and perf-data",
			options->format);
	err = output_open(options->output, &output);
	if (!err && export->is_binary && isatty(output.fd))
		err = error_usage("--format %s: standard output is a terminal; "
				  "name a file with -o",
			export->name);
	if (err)
		return err;
	err = export->run(options, output.fd);
	if (err) {
		error_free(output_close(&output, true));
		return err;
	}
	return output_close(&output, false);
}

struct error *cmd_export(int argc, char **argv)
{
	struct options options = { 0 };
	struct error *err = options_export(argc, argv, &options);

	if (!err)
		err = run(&options);
	options_deinit(&options);
	return err;
}
