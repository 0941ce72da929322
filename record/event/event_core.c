/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_core.h"

#include "record/event/event_pmu.h"

/* Events that one kind of core counts, and another one differently. */
static bool is_generic(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE ||
		attr->type == PERF_TYPE_HW_CACHE ||
		attr->type == PERF_TYPE_RAW;
}

/* "cycles:u" as "cpu_core/cycles/u", "cycles/freq=9/" with its terms. */
static char *name_of_core(const char *core, const char *name)
{
	size_t bare = strcspn(name, ":/");
	const char *rest = name + bare;

	if (*rest == '/' && rest[1] != '/')
		return xasprintf(
			"%s/%.*s,%s", core, (int)bare, name, rest + 1);
	rest += strspn(rest, ":/");
	return xasprintf("%s/%.*s/%s", core, (int)bare, name, rest);
}

static void add_to_core(struct selection *selection,
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
	event->name = name_of_core(pmu->name, model->name);
	event->ends_in_modifiers = true;
}

void event_core_add(struct selection *selection,
	const struct selected *event, const struct pmus *pmus)
{
	if (!is_generic(&event->attr) || !pmus_is_hybrid(pmus)) {
		struct selected *copy = array_push(&selection->events);

		selected_copy(event, copy);
		if (is_generic(&event->attr) && pmus_find(pmus, "cpu"))
			event_pmu_limit_precise(pmus_find(pmus, "cpu"), copy);
		return;
	}
	array_each(&pmus->list, pmu)
		if (pmu->is_core)
			add_to_core(selection, event, pmu);
}
