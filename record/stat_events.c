/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat_events.h"

#include "common/util/log.h"
#include "record/event/group.h"

#define DEFAULT_EVENTS                                            \
	"task-clock,context-switches,cpu-migrations,page-faults," \
	"cycles,instructions,branches,branch-misses"

/* The events that -d, -dd and -ddd add, as in perf. */
static const char *const details[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,"
	 "iTLB-loads,iTLB-load-misses"),
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

/* Returns whether a core PMU of this machine has the named event NAME. */
static bool has_core_event(const struct pmus *pmus, const char *name)
{
	_cleanup_strbuf_ struct strbuf terms = { 0 };

	array_each(&pmus->list, pmu)
		if (pmu->is_core && pmu_event(pmus, pmu, name, &terms))
			return true;
	return false;
}

static struct error *add_default_events(
	const struct pmus *pmus, struct selection *selection)
{
	static const char *const optional[] = { "stalled-cycles-frontend",
		"stalled-cycles-backend" };
	struct error *err = selection_add(selection, DEFAULT_EVENTS, pmus);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(optional) && !err; i++)
		if (has_core_event(pmus, optional[i]))
			err = selection_add(selection, optional[i], pmus);
	return err;
}

void stat_events_report(
	const struct selection *selection, enum target_kind kind)
{
	array_each(&selection->events, event)
		if (kind != TARGET_SYSTEM && event->is_wide) {
			log_note(
				"%s: counts all processes that run this code. "
				"The kernel cannot limit a probe to the target "
				"and its new threads. To count only existing "
				"threads: -i",
				event->name);
			return;
		}
}

/*
 * Replaces the events of SELECTION by one copy of all events for each control
 * group of GROUPS.
 */
static void count_each_cgroup(
	const struct cgroup_names *groups, struct selection *selection)
{
	struct selection all = *selection;
	uint32_t n_groups = 0, shift = 0;

	memset(&all.events, 0, sizeof(all.events));
	array_each(&selection->events, event)
		n_groups = MAX(n_groups, event->group);
	array_each(&groups->list, name) {
		array_each(&selection->events, event) {
			struct selected *copy = array_push(&all.events);

			selected_copy(event, copy);
			copy->cgroup = xstrdup(*name);
			copy->group += copy->group ? shift : 0;
		}
		shift += n_groups;
	}
	selection_deinit(selection);
	*selection = all;
}

struct error *stat_events_select(const struct stat_options *options,
	enum target_kind kind, const struct pmus *pmus,
	const struct cgroup_names *groups, struct selection *ret)
{
	const struct sampling sampling = {
		.all_user = options->all_user,
		.all_kernel = options->all_kernel,
		.is_cpu_wide = kind == TARGET_SYSTEM,
		.inherits = kind != TARGET_SYSTEM && !options->has_no_inherit,
		.starts_at_exec = kind == TARGET_COMMAND && !options->delay_ms,
	};
	struct error *err = NULL;
	size_t i;

	if (options->events.texts.n)
		err = event_options_select(
			&options->events, options->command, pmus, ret);
	else if (!options->counts_nothing)
		err = add_default_events(pmus, ret);
	for (i = 0; i < MIN(options->detail, ARRAY_SIZE(details)) && !err &&
		!options->counts_nothing;
		i++)
		err = selection_add(ret, details[i], pmus);
	if (!err)
		err = event_options_set_cgroups(&options->events, ret);
	if (err)
		return err;
	if (groups->list.n)
		count_each_cgroup(groups, ret);
	/* Only a probe of a thread alone does not count on all CPUs. */
	array_each(&ret->events, event)
		if (options->by == COUNT_BY_THREAD && event->probed)
			event->inherits = EVENT_CHOICE_NO;
	selection_count(ret, &sampling);
	groups_configure(ret);
	return NULL;
}
