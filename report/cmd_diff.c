/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/cmd.h"
#include "report/diff/diff.h"
#include "report/diff/diff_view.h"
#include "report/export/export.h"
#include "report/tui/tui.h"
#include "report/util/output.h"

static struct error *show_diff(
	const struct options *options, struct strbuf *out)
{
	bool is_interactive;
	struct error *err = tui_decide(options, &is_interactive);
	struct diff diff;

	if (err)
		return err;
	if (is_interactive)
		return tui_diff_run(options);
	if (string_is(options->output.view, "html"))
		return export_write(&export_difference, options);
	err = diff_make(options, &diff);
	if (!err) {
		output_page();
		if (string_is(options->output.view, "json"))
			diff_json_put(&diff, out);
		else if (string_is(options->output.view, "csv"))
			diff_csv_put(&diff, out);
		else
			diff_text_put(&diff, out);
	}
	diff_deinit(&diff);
	return err;
}

struct error *cmd_diff(int argc, char **argv)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct options options = { 0 };
	struct error *err = options_diff(argc, argv, &options);

	if (!err)
		err = show_diff(&options, &text);
	if (!err)
		err = output_text(&text);
	if (!err)
		err = output_finish();
	options_deinit(&options);
	return err;
}
