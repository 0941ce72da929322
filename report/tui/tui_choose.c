/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether there is an interactive view: as perf's users expect it. */
#include "config.h"

#include "common/util/log.h"
#include "report/tui/terminal.h"
#include "report/tui/tui.h"

/* What only text shows; --tui is wrong beside it. */
static const char *text_only(const struct options *options)
{
	if (options->shows_stats)
		return "--stats";
	if (options->shows_maps)
		return "--mmaps";
	if (options->shows_tasks)
		return "--tasks";
	if (options->shows_dsos)
		return "--dsos without names";
	if (options->only_header)
		return "--header-only";
	return options->separator ? "--field-separator" : NULL;
}

/* Each filter reads the recording again. */
static bool is_stream(const struct options *options)
{
	array_each(&options->inputs.names, name)
		if (string_is(*name, "-"))
			return true;
	return false;
}

/* What --tui shows in its own way; who asks for it wants to have it as text. */
static bool is_for_text(const struct options *options)
{
	return options->shows_header ||
		options->graph.style == GRAPH_FLAT ||
		options->graph.style == GRAPH_FOLDED;
}

static struct error *refuse(const struct options *options)
{
	const char *text = text_only(options);

	if (text)
		return error_usage("--tui: %s is text; leave one of them out",
			text);
	if (is_stream(options))
		return error_usage("--tui: standard input can't be read again "
				   "for each filter; save the recording to a "
				   "file");
	return error_wrap(terminal_check(), "--tui");
}

struct error *tui_choose(const struct options *options, bool *is_wanted_ret)
{
	_cleanup_error_ struct error *why = NULL;

	*is_wanted_ret = options->interactive == CHOICE_ON;
	if (*is_wanted_ret)
		return refuse(options);
	if (options->interactive == CHOICE_OFF || text_only(options) ||
		is_stream(options) || is_for_text(options) ||
		!terminal_is_there())
		return NULL;
	why = terminal_check();
	*is_wanted_ret = !why;
	if (why)
		log_note("%s: this is the report as text", why->text);
	return NULL;
}
