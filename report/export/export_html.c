/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exports a recording as an HTML page. */
#include "config.h"

#include "common/util/alloc.h"
#include "report/code/function_args.h"
#include "report/export/export.h"
#include "report/flame/flame_result.h"
#include "report/html/html_code.h"
#include "report/html/html_data.h"
#include "report/html/html_waits.h"

/*
 * Writes the section "code": the code of the functions that the options name,
 * or of the hottest functions.
 */
static struct error *put_code_section(
	struct flame_result *made, struct strbuf *out)
{
	struct result *result = &made->result;
	size_t n = result->inputs.events.n, i;
	struct functions *by_event = xcalloc(n + 1, sizeof(*by_event));
	const struct html_code code = { result, &made->flame, &made->slices,
		by_event, result->options->code.max_functions };
	struct error *err;

	functions_find(result, by_event);
	err = function_args_mark(
		&result->options->code.functions, result, by_event, n);
	if (!err)
		html_code_put(&code, out);
	for (i = 0; i < n; i++)
		functions_deinit(&by_event[i]);
	free(by_event);
	return err;
}

static struct error *run_html_export(const struct options *options, int fd)
{
	/* The page groups by itself. */
	const struct flame_config config = { .has_times = true,
		.has_code = true,
		.grouping = STYLE_FLAME_BY_NONE };
	struct html_section sections[] = { { .name = "code" },
		{ .name = "waits" } };
	struct outflow out = outflow_begin(options->output.file, &fd);
	struct flame_result made;
	struct error *err = flame_result_make(options, &config, &made);

	if (!err)
		err = put_code_section(&made, &sections[0].bytes);
	if (!err) {
		html_waits_put(&made.flame, &sections[1].bytes);
		const struct result *result = &made.result;
		const struct html_data data = { .results = &result,
			.sections = sections,
			.n_sections = ARRAY_SIZE(sections),
			.n_results = 1,
			.flame = &made.flame,
			.slices = &made.slices,
			.time_bins = made.has_times ? &made.time_bins : NULL };
		html_write(&data, &out);
	}
	err = outflow_end(&out, err);
	strbuf_free(&sections[0].bytes);
	strbuf_free(&sections[1].bytes);
	flame_result_deinit(&made);
	return err;
}

const struct export export_html = { "html", false, run_html_export };
