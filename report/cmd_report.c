/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/cmd.h"
#include "report/check/unwind_check.h"
#include "report/result/result.h"
#include "report/script/stats.h"
#include "report/script/tasks.h"
#include "report/survey/incomplete.h"
#include "report/tui/tui.h"
#include "report/util/output.h"
#include "report/view/dsos_put.h"
#include "report/view/header.h"
#include "report/view/table.h"

static const struct view *const views[] = {
	&view_stdio,
	&view_json,
	&view_csv,
};

static const struct view *find_report_view(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(views); i++)
		if (string_is(views[i]->name, name))
			return views[i];
	return &view_stdio;
}

static struct error *show_recording_header(
	const struct options *options, struct strbuf *out)
{
	struct result result;
	struct error *err = result_prepare(options, &result);

	if (!err) {
		array_each(&result.inputs.at, input)
			reader_check_blocks(input->reader);
		output_page();
	}
	if (!err && table_is_view(options->output.view))
		header_put_table(&result, out);
	else if (!err)
		header_put_all(&result, out);
	result_deinit(&result);
	return err;
}

/* Prints the output of --dsos without an argument. */
static struct error *show_dsos(
	const struct options *options, struct strbuf *out)
{
	struct result result;
	struct error *err = result_count(options, &result);
	struct dsos dsos = { 0 };

	if (!err) {
		dsos_find(&result, &dsos);
		output_page();
	}
	if (!err && table_is_view(options->output.view))
		dsos_put_table(&dsos, options->output.view, out);
	else if (!err)
		dsos_print(&dsos, out);
	dsos_deinit(&dsos);
	result_deinit(&result);
	return err;
}

/*
 * Prints the output of --check-unwinding. *LIMIT_RET is an error if more stacks
 * differ than --max-differ allows.
 */
static struct error *show_unwind_check(const struct options *options,
	struct strbuf *out, struct error **limit_ret)
{
	struct result result;
	struct unwind_check check = { 0 };
	const struct judge *judge;
	struct error *err =
		unwind_check_find_judge(options->check.judge, &judge);

	if (err)
		return err;
	err = result_prepare(options, &result);
	if (!err)
		err = unwind_check_run(&result, judge, &check);
	if (!err) {
		output_page();
		*limit_ret =
			unwind_check_limit(&check, options->check.max_differ);
	}
	if (!err && table_is_view(options->output.view))
		unwind_check_put_table(&check, options->output.view, out);
	else if (!err)
		unwind_check_print(&check, out);
	unwind_check_deinit(&check);
	result_deinit(&result);
	return err;
}

/* *LIMIT_RET is as in show_unwind_check(). */
static struct error *show_report(const struct options *options,
	struct strbuf *out, struct error **limit_ret)
{
	bool is_interactive;
	struct error *err = tui_decide(options, &is_interactive);

	if (err)
		return err;
	if (is_interactive)
		return tui_run(options);
	if (options->facts.only_header)
		return show_recording_header(options, out);
	if (options->facts.shows_stats || options->facts.shows_tasks ||
		options->facts.shows_maps) {
		/* Print the output of --stats, --tasks or --mmaps. */
		struct reader *reader = NULL;
		struct survey survey = { 0 };
		err = result_open(options, &reader);

		if (!err)
			err = survey_run(reader,
				options->facts.shows_stats ? SURVEY_SAMPLES
							   : SURVEY_SIDEBAND,
				&survey);
		if (!err) {
			reader_check_blocks(reader);
			incomplete_add_records(reader, &survey.damaged, 0);
			incomplete_report_lost(reader, survey.lost);
			incomplete_report_limit(reader, &survey.over_limit);
			output_page();
		}
		if (!err && table_is_view(options->output.view)) {
			if (options->facts.shows_stats)
				stats_put_table(&survey, reader,
					options->output.view, out);
			else
				tasks_put_table(reader, &survey,
					options->facts.shows_maps,
					options->output.view, out);
		} else if (!err && options->facts.shows_stats)
			stats_print(&survey, reader, out);
		else if (!err)
			tasks_print(reader, &survey, options->facts.shows_maps,
				out);
		survey_deinit(&survey);
		incomplete_close(reader);
		return err;
	}
	if (options->facts.shows_dsos)
		return show_dsos(options, out);
	if (options->check.is_requested)
		return show_unwind_check(options, out, limit_ret);
	struct result result;
	err = result_make(options, &result);

	if (!err) {
		output_page();
		find_report_view(options->output.view)->print(&result, out);
		result_report_other_names(&result);
	}
	result_deinit(&result);
	return err;
}

struct error *cmd_report(int argc, char **argv)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct options options = { 0 };
	struct error *err = options_report(argc, argv, &options), *limit = NULL;

	if (!err)
		err = show_report(&options, &text, &limit);
	if (!err)
		err = output_text(&text);
	if (err)
		error_free(output_finish());
	else
		err = output_finish();
	if (err)
		error_free(limit);
	else
		err = limit;
	options_deinit(&options);
	return err;
}
