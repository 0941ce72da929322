/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/export.h"

#include "report/util/output.h"

struct error *export_write(
	const struct export *export, const struct options *options)
{
	struct output_file output;
	struct error *err =
		output_check(options->output.file, options->output.is_forced);

	if (!err)
		err = output_open(options->output.file, &output);
	if (!err && export->is_binary && isatty(output.fd))
		err = error_usage("--format %s: cannot write a binary format "
				  "to a terminal; use -o FILE",
			export->name);
	if (err)
		return err;
	err = export->run(options, output.fd);
	if (err) {
		error_free(output_commit(&output, true));
		return err;
	}
	return output_commit(&output, false);
}
