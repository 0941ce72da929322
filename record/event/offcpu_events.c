/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/offcpu_events.h"

#include "common/perf/sched_waking.h"
#include "common/perf/wait_sample.h"
#include "common/util/log.h"
#include "record/event/caller_caps.h"
#include "record/event/event.h"
#include "record/event/tracefs.h"

#define SWITCHES "context-switches"

/*
 * Samples each switch with its call stack. Only one event of switches is
 * possible: since Linux 6.2, samples of two equal events carry the ID of one of
 * them.
 */
static struct error *add_switch_event(
	struct selection *selection, const struct pmus *pmus)
{
	struct selection_event *event = NULL;
	struct error *err;

	array_each(&selection->events, each)
		if (!event && each->attr.type == PERF_TYPE_SOFTWARE &&
			each->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES)
			event = each;
	if (!event) {
		err = event_select(selection, SWITCHES, pmus);
		if (err)
			return err;
		event = &selection->events.at[selection->events.n - 1];
	}
	if (event->period > 1 || event->frequency || event->attr.exclude_kernel)
		return error_usage("--off-cpu samples all " SWITCHES
				   "; remove -e %s",
			event->name);
	event->period = 1;
	event->callchains = SELECTION_CHOICE_YES;
	event->is_switch = true;
	return NULL;
}

static struct error *find_woken_field(const char *path, size_t *ret)
{
	_cleanup_strbuf_ struct strbuf format = { 0 };
	struct tracefs tracefs;
	struct error *err = tracefs_open(path, &tracefs);

	if (err)
		return err;
	if (tracefs_format(
		    &tracefs, SCHED_WAKING_GROUP, SCHED_WAKING_NAME, &format))
		*ret = sched_waking_offset(format.at, format.n);
	tracefs_close(&tracefs);
	return *ret
		? NULL
		: error_new(SCHED_WAKING_EVENT
			  " has no field with the woken thread on this kernel");
}

static void report_missing_wakeups(struct error *why)
{
	log_note("--off-cpu: wakeups (" SCHED_WAKING_EVENT
		 ") are not recorded, so the time from a wakeup until the "
		 "thread runs counts as blocked: %s",
		why->text);
	error_free(why);
}

static void add_wakeup_event(
	struct selection *selection, const struct pmus *pmus)
{
	size_t place = 0, n = selection->events.n;
	struct error *err = find_woken_field(selection->tracefs, &place);
	struct caller_caps caller;
	struct selection_event *event;

	/*
	 * For a user without privileges, the cause is the missing privilege,
	 * even if tracefs is missing too.
	 */
	caller_caps_read("", &caller);
	if (err && !caller_caps_are_full(&caller) && caller.paranoid >= 0) {
		error_free(err);
		err = error_new("this needs root or CAP_PERFMON");
	}
	if (!err)
		err = event_select(selection, SCHED_WAKING_EVENT, pmus);
	if (err) {
		report_missing_wakeups(err);
		return;
	}
	event = &selection->events.at[n];
	event->period = 1;
	event->callchains = SELECTION_CHOICE_NO;
	event->woken_at = place;
	/* Wakeups occur only in the kernel. */
	event->has_modifiers = true;
}

struct error *offcpu_add(struct selection *selection, const struct pmus *pmus)
{
	struct error *err = add_switch_event(selection, pmus);

	if (!err)
		add_wakeup_event(selection, pmus);
	return err;
}

struct error *offcpu_add_waits(
	struct selection *selection, const struct pmus *pmus)
{
	size_t n = selection->events.n;
	struct error *err = event_select(
		selection, "bpf-output/name=" WAIT_SAMPLE_EVENT "/", pmus);
	struct selection_event *event;

	if (err)
		return err;
	event = &selection->events.at[n];
	event->period = 1;
	event->callchains = SELECTION_CHOICE_YES;
	event->is_wait = true;
	event->has_modifiers = true;
	return NULL;
}

void offcpu_drop_wakeups(struct selection *selection, struct error *why)
{
	report_missing_wakeups(why);
	selection_event_deinit(&selection->events.at[--selection->events.n]);
}

void offcpu_report(const struct selection *selection)
{
	array_each(&selection->events, event)
		if (event->is_switch && event->attr.exclude_kernel)
			log_note("--off-cpu: off-CPU times are recorded "
				 "without call stacks, which need, as root: "
				 "sysctl kernel.perf_event_paranoid=1");
}
