/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event_options.h"

#include "record/event/event_filter.h"
#include "record/sys/workload.h"

CLI_PARSER(event_options_parse_event)
{
	struct event_options *options = slot;

	*array_push(&options->texts) = value;
	return NULL;
}

CLI_PARSER(event_options_parse_filter)
{
	struct event_options *options = slot;

	if (!options->texts.n)
		return error_usage("--filter: no -e before it. Put --filter "
				   "after the -e whose events it filters");
	*array_push(&options->filters) =
		(struct event_option_filter){ options->texts.n - 1, value };
	return NULL;
}

void event_options_deinit(struct event_options *options)
{
	array_free(&options->texts);
	array_free(&options->filters);
}

/*
 * Adds the events of the -e option with index INDEX to SELECTION, with the
 * --filter options of this -e.
 */
static struct error *add_events_of_option(const struct event_options *options,
	size_t index, const struct pmus *pmus, struct selection *selection)
{
	size_t first = selection->events.n;
	struct error *err =
		selection_add(selection, options->texts.at[index], pmus);

	array_each(&options->filters, filter)
		if (!err && filter->text == index)
			err = event_filter_add(
				selection, first, filter->filter);
	return err;
}

struct error *event_options_select(const struct event_options *options,
	char *const *command, const struct pmus *pmus,
	struct selection *selection)
{
	_cleanup_free_ char *program = command ? workload_path(command) : NULL;
	struct error *err = NULL;
	size_t i;

	selection->program = program;
	for (i = 0; i < options->texts.n && !err; i++)
		err = add_events_of_option(options, i, pmus, selection);
	selection->program = NULL;
	return err;
}
