/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event_options.h"

#include "record/event/event_filter.h"
#include "record/event/group.h"
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

CLI_PARSER(event_options_parse_cgroups)
{
	struct event_options *options = slot;

	if (!*value)
		return error_usage("-G: the name is empty. Use a path below "
				   "the mount point of the cgroup file system");
	*array_push(&options->cgroups) =
		(struct event_option_cgroups){ options->texts.n, value };
	return NULL;
}

void event_options_deinit(struct event_options *options)
{
	array_free(&options->texts);
	array_free(&options->filters);
	array_free(&options->cgroups);
}

static void set_cgroup(struct selection_event *event, const char *name)
{
	free(event->cgroup);
	event->cgroup = xstrdup(name);
}

/*
 * Sets the control groups of the -G options after N_TEXTS options -e. The
 * events of these -e are the last ones of SELECTION.
 */
static struct error *set_cgroups_after(const struct event_options *options,
	size_t n_texts, struct selection *selection)
{
	size_t event = 0;

	array_each(&options->cgroups, cgroups) {
		_cleanup_free_ char *names = xstrdup(cgroups->names);
		bool is_due = cgroups->n_texts == n_texts ||
			(!cgroups->n_texts && n_texts == options->texts.n);
		char *rest = names, *name;

		for (; (name = strsep(&rest, ",")); event++) {
			if (is_due && event >= selection->events.n)
				return error_usage(
					"-G: more cgroups than events before "
					"this option (%zu). Use one name for "
					"all events, or one per event",
					selection->events.n);
			if (is_due && *name)
				set_cgroup(&selection->events.at[event], name);
		}
		if (is_due && event == 1)
			array_each(&selection->events, each)
				set_cgroup(each, cgroups->names);
	}
	return NULL;
}

/*
 * The kernel would count an event without a control group only in that of its
 * group's first event. It refuses a group with events of two control groups.
 */
static struct error *check_cgroups_of_groups(const struct selection *selection)
{
	size_t i;

	for (i = 0; i < selection->events.n; i++) {
		const struct selection_event *event = &selection->events.at[i];
		const struct selection_event *first =
			&selection->events.at[group_leader(selection, i)];

		if (first->cgroup && !event->cgroup)
			return error_usage(
				"-G: %s has no cgroup, but %s, the first event "
				"of its group, has. Use the same name for all "
				"events of a group",
				event->name, first->name);
	}
	return NULL;
}

struct error *event_options_set_cgroups(
	const struct event_options *options, struct selection *selection)
{
	struct error *err =
		set_cgroups_after(options, options->texts.n, selection);

	return err ? err : check_cgroups_of_groups(selection);
}

struct error *event_options_select(const struct event_options *options,
	char *const *command, const struct pmus *pmus,
	struct selection *selection)
{
	_cleanup_free_ char *program = command ? workload_path(command) : NULL;
	struct error *err = NULL;
	size_t i;

	selection->program = program;
	for (i = 0; i < options->texts.n && !err; i++) {
		if (i)
			err = set_cgroups_after(options, i, selection);
		size_t first = selection->events.n;

		if (!err)
			err = event_select(
				selection, options->texts.at[i], pmus);
		array_each(&options->filters, filter)
			if (!err && filter->text == i)
				err = event_filter_add(
					selection, first, filter->filter);
	}
	selection->program = NULL;
	return err;
}
