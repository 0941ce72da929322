/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording as a page for a browser. */
#include "config.h"

#include "common/util/alloc.h"
#include "report/code/function_args.h"
#include "report/export/export.h"
#include "report/flame/flame_result.h"
#include "report/html/html_code.h"
#include "report/html/html_write.h"

/* Of the functions that are asked for by name, or of the hottest. */
static struct error *put_code(struct flame_result *made, struct strbuf *out)
{
	struct result *result = &made->result;
	size_t n = result->inputs.events.n, i;
	struct functions *by_event = xcalloc(n + 1, sizeof(*by_event));
	const struct html_code code = { result, &made->flame, &made->slices,
		&made->hits, by_event, result->options->max_functions };
	struct error *err;

	functions_find_hits(result, &made->hits, by_event);
	err = asked_mark(&result->options->functions, result, by_event, n);
	if (!err)
		html_code_put(&code, out);
	for (i = 0; i < n; i++)
		functions_deinit(&by_event[i]);
	free(by_event);
	return err;
}

static void put_page(const struct flame_result *made,
	const struct html_section *section, struct outflow *out)
{
	const struct result *result = &made->result;
	const struct html_data data = { .results = &result,
		.sections = section,
		.n_sections = 1,
		.n_results = 1,
		.flame = &made->flame,
		.slices = &made->slices,
		.moments = made->has_times ? &made->moments : NULL };

	html_write(&data, out);
}

static struct error *run(const struct options *options, int fd)
{
	const struct flame_wish wish = { .has_times = true, .has_code = true };
	struct html_section code = { .name = "code" };
	struct outflow out = outflow_begin(options->output, &fd);
	struct flame_result made;
	struct error *err = flame_result_make(options, &wish, &made);

	if (!err)
		err = put_code(&made, &code.bytes);
	if (!err)
		put_page(&made, &code, &out);
	err = outflow_end(&out, err);
	strbuf_free(&code.bytes);
	flame_result_deinit(&made);
	return err;
}

const struct export export_html = { "html", false, run };
