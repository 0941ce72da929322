/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/offcpu_events.h"

#include "common/perf/sched_waking.h"
#include "common/util/log.h"
#include "record/event/caller_caps.h"
#include "record/event/event.h"
#include "record/event/tracefs.h"

#define SWITCHES "context-switches"

/* The one that -e has asked for, or a new one. */
static struct error *find_switches(struct selection *selection,
	const struct pmus *pmus, struct selected **ret)
{
	struct error *err;

	array_each (&selection->events, event) {
		*ret = event;
		if (event->attr.type == PERF_TYPE_SOFTWARE &&
			event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES)
			return NULL;
	}
	err = selection_add(selection, SWITCHES, pmus);
	if (!err)
		*ret = &selection->events.at[selection->events.n - 1];
	return err;
}

/*
 * Each of them, with its stack. There can't be another event of switches: since
 * Linux 6.2 samples of two that are the same carry the id of one of them.
 */
static struct error *add_switches(
	struct selection *selection, const struct pmus *pmus)
{
	struct selected *event;
	struct error *err = find_switches(selection, pmus, &event);

	if (err)
		return err;
	if (event->period > 1 || event->frequency || event->attr.exclude_kernel)
		return error_usage("--off-cpu takes all " SWITCHES
				   ": leave out -e %s",
			event->name);
	event->period = 1;
	event->callchains = WISH_YES;
	event->is_switch = true;
	return NULL;
}

static struct error *find_place(const char *path, size_t *ret)
{
	_cleanup_strbuf_ struct strbuf format = { 0 };
	struct tracefs tracefs;
	struct error *err = tracefs_open(path, &tracefs);

	if (err)
		return err;
	if (tracefs_format(&tracefs, WAKING_GROUP, WAKING_NAME, &format))
		*ret = waking_place(format.at, format.n);
	tracefs_close(&tracefs);
	return *ret ? NULL
		    : error_new(WAKING_EVENT " doesn't tell who is woken here");
}

static void tell_lacking(struct error *why)
{
	log_note("--off-cpu: not recorded: who is woken when (" WAKING_EVENT
		 "), so that the time until it runs counts as blocked: %s",
		why->text);
	error_free(why);
}

/* Who may read tracefs, but has no tracepoints, is not helped. */
static struct error *name_right(struct error *err)
{
	struct asker asker;

	asker_read("", &asker);
	if (!err || asker_is_free(&asker) || asker.paranoid < 0)
		return err;
	error_free(err);
	return error_new("that needs root or CAP_PERFMON");
}

static void add_wakings(struct selection *selection, const struct pmus *pmus)
{
	size_t place = 0, n = selection->events.n;
	struct error *err = name_right(find_place(selection->tracefs, &place));
	struct selected *event;

	if (!err)
		err = selection_add(selection, WAKING_EVENT, pmus);
	if (err) {
		tell_lacking(err);
		return;
	}
	event = &selection->events.at[n];
	event->period = 1;
	event->callchains = WISH_NO;
	event->woken_at = place;
	/* Nobody is woken in user space. */
	event->has_modifiers = true;
}

struct error *offcpu_add(struct selection *selection, const struct pmus *pmus)
{
	struct error *err = add_switches(selection, pmus);

	if (!err)
		add_wakings(selection, pmus);
	return err;
}

void offcpu_drop_wakings(struct selection *selection, struct error *why)
{
	tell_lacking(why);
	selected_deinit(&selection->events.at[--selection->events.n]);
}

void offcpu_tell(const struct selection *selection)
{
	array_each (&selection->events, event)
		if (event->is_switch && event->attr.exclude_kernel)
			log_note("--off-cpu: how long each thread is off its "
				 "CPU is recorded, but not where; that, too, "
				 "as root: sysctl "
				 "kernel.perf_event_paranoid=1");
}
