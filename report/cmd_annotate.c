/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell annotate: instructions and source lines of functions with samples. */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/cmd.h"
#include "report/code/function_args.h"
#include "report/export/export.h"
#include "report/tui/tui.h"
#include "report/util/output.h"
#include "report/util/progress.h"
#include "report/view/annotation_view.h"

/*
 * Code without symbols is reported if it has at least this percentage of the
 * event.
 */
#define UNNAMED_PERCENT 5.0

struct annotating {
	const struct options *options;
	struct result result;
	ARRAY(struct functions) events;
	struct annotation_maker *annotator;
	const struct annotation_view *view;
	size_t shown, left_out;
	bool is_interactive;
	struct strbuf out;
	struct strbuf source; /* source files for the interactive view */
};

static void print_event_functions(
	struct annotating *annotating, const struct functions *functions)
{
	const struct options *options = annotating->options;
	uint64_t room =
		options->code.functions.names.n || !options->code.max_functions
		? UINT64_MAX
		: options->code.max_functions;

	array_each(&functions->at, function) {
		if (!function->is_selected ||
			(!function->samples &&
				!options->code.functions.names.n) ||
			!(100.0 * (double)function->period >=
				annotating->options->rows.percent_limit *
					(double)functions->period))
			continue;
		if (room) {
			const struct annotation_config wish = annotation_config(
				&annotating->options->annotation);
			struct annotation annotation;

			annotation_make(annotating->annotator, functions,
				function, &wish, &annotation);
			annotating->view->put(&annotation, !annotating->shown,
				&annotating->out);
			if (annotating->is_interactive)
				annotation_put_source_file(
					&annotation, &annotating->source);
			annotation_deinit(&annotation);
			annotating->shown++;
			output_some(&annotating->out);
		} else
			annotating->left_out++;
		room -= room > 0;
	}
}

static void print_annotations(struct annotating *annotating)
{
	annotating->annotator = annotation_maker_create(&annotating->result);
	annotating->view = string_is(annotating->options->output.view, "json")
		? &annotation_view_json
		: &annotation_view_stdio;
	annotating->view->begin(&annotating->result.inputs, &annotating->out);
	array_each(&annotating->events, functions)
		print_event_functions(annotating, functions);
	annotating->view->end(&annotating->out);
	annotation_maker_report_missing(annotating->annotator);
	if (annotating->left_out)
		log_note("%zu more functions were sampled. To annotate all: "
			 "--limit 0",
			annotating->left_out);
	else if (!annotating->shown)
		log_note("no sampled function matches the filters and limits");
	if (annotating->options->code.functions.names.n)
		return;
	array_each(&annotating->events, functions) {
		/*
		 * Report the share of code without symbols, which cannot be
		 * annotated.
		 */
		const struct result *result = &annotating->result;
		uint64_t period = 0;
		size_t largest = 0, i;

		for (i = 0; i < functions->nameless.n; i++) {
			period += functions->nameless.at[i];
			if (functions->nameless.at[i] >
				functions->nameless.at[largest])
				largest = i;
		}
		if (period &&
			100.0 * (double)period >=
				UNNAMED_PERCENT * (double)functions->period) {
			log_note(
				"%.2f%% of event '%s' is in code without symbols, most of it "
				"in %s. For the symbols that are missing: dwell report --dsos",
				100.0 * (double)period /
					(double)functions->period,
				result->inputs.events.at[functions->event].name,
				resolver_dso_name(
					result->resolver, (uint32_t)largest));
		}
	}
}

/* Shows the text of all selected functions in the interactive view. */
static struct error *show_annotation_view(struct annotating *annotating)
{
	const struct options *options = annotating->options;
	_cleanup_strbuf_ struct strbuf title = { 0 };
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct error *err;

	if (!file)
		return error_errno(errno, "dwell annotate");
	output_divert(file);
	print_annotations(annotating);
	err = output_text(&annotating->out);
	output_divert(NULL);
	fclose(file);
	progress_clear();
	array_each(&options->code.functions.names, name)
		strbuf_printf(&title, "%s%s", title.n ? ", " : "", *name);
	if (!err && annotating->shown)
		err = tui_code_run(title.at, text, annotating->source.at,
			options->output.has_colour);
	return err;
}

static struct error *find_functions(struct annotating *annotating)
{
	struct error *err =
		result_count(annotating->options, &annotating->result);

	if (err)
		return err;
	size_t n = annotating->result.inputs.events.n;

	while (annotating->events.n < n)
		array_push(&annotating->events);
	functions_find(&annotating->result, annotating->events.at);
	return function_args_mark(&annotating->options->code.functions,
		&annotating->result, annotating->events.at,
		annotating->events.n);
}

static struct error *show_annotate(struct options *options)
{
	bool is_interactive;
	struct error *err = tui_decide(options, &is_interactive);

	if (err)
		return err;
	if (string_is(options->output.view, "html"))
		return export_write(&export_html, options);
	if (is_interactive && !options->code.functions.names.n) {
		options_count_functions(options);
		return tui_run(options);
	}
	options_count_places(options);
	struct annotating annotating = { .options = options,
		.is_interactive = is_interactive };
	err = find_functions(&annotating);

	if (!err && is_interactive) {
		err = show_annotation_view(&annotating);
	} else if (!err) {
		output_page();
		print_annotations(&annotating);
		err = output_text(&annotating.out);
	}
	annotation_maker_destroy(annotating.annotator);
	array_each(&annotating.events, functions)
		functions_deinit(functions);
	array_free(&annotating.events);
	strbuf_free(&annotating.out);
	strbuf_free(&annotating.source);
	result_deinit(&annotating.result);
	return err;
}

struct error *cmd_annotate(int argc, char **argv)
{
	struct options options = { 0 };
	struct error *err = options_annotate(argc, argv, &options);

	if (!err)
		err = show_annotate(&options);
	if (!err)
		err = output_finish();
	options_deinit(&options);
	return err;
}
