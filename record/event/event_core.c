/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_core.h"

#include "record/event/event_pmu.h"

/* Returns whether each kind of core counts the event with its own PMU. */
static bool is_core_event(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE ||
		attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW;
}

/* Returns the name for one kind of core: "cpu_core/cycles/u" for "cycles:u". */
static char *core_event_name(const char *core, const char *name)
{
	size_t length = strcspn(name, ":/");
	const char *rest = name + length;

	if (*rest == '/' && rest[1] != '/')
		return xasprintf(
			"%s/%.*s,%s", core, (int)length, name, rest + 1);
	rest += strspn(rest, ":/");
	return xasprintf("%s/%.*s/%s", core, (int)length, name, rest);
}

static void add_core_event(struct selection *selection,
	const struct selected *model, const struct pmu *pmu)
{
	struct selected *event = array_push(&selection->events);

	selected_copy(model, event);
	event_pmu_bind(pmu, event);
	array_each(&pmu->cpus.list, cpu)
		*array_push(&event->cpus.list) = *cpu;
	if (event->is_named)
		return;
	free(event->name);
	event->name = core_event_name(pmu->name, model->name);
	event->ends_in_modifiers = true;
}

void event_core_add(struct selection *selection, const struct selected *event,
	const struct pmus *pmus)
{
	if (!is_core_event(&event->attr) || !pmus_is_hybrid(pmus)) {
		struct selected *copy = array_push(&selection->events);

		selected_copy(event, copy);
		if (is_core_event(&event->attr) && pmus_find(pmus, "cpu"))
			event_pmu_limit_precise(pmus_find(pmus, "cpu"), copy);
		return;
	}
	array_each(&pmus->list, pmu)
		if (pmu->is_core)
			add_core_event(selection, event, pmu);
}
