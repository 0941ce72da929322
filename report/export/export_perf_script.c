/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exports the text of dwell script, for tools that read the output of perf
 * script.
 */
#include "config.h"

#include "report/export/export.h"
#include "report/script/script.h"
#include "report/util/outflow.h"

static void begin_script_text(void *data, uint64_t total)
{
	struct outflow *out = data;

	out->total = total;
}

static bool continue_script_text(void *data, uint64_t done)
{
	struct outflow *out = data;

	out->done = done;
	return outflow_some(out);
}

static struct error *run_perf_script_export(
	const struct options *options, int fd)
{
	struct outflow out = outflow_begin(options->output.file, &fd);
	const struct script_out to = { &out.text, begin_script_text,
		continue_script_text, &out };
	struct result result;
	struct error *err = result_prepare(options, &result);

	if (!err)
		err = script_run(&result, &to);
	err = outflow_end(&out, err);
	result_deinit(&result);
	return err;
}

const struct export export_perf_script = { "perf-script", false,
	run_perf_script_export };
