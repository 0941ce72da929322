/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/hotplug.h"

/* Adds those of CPUS that are, or aren't, among OTHERS. */
static void add(struct cpus *ret, const struct cpus *cpus,
	const struct cpus *others, bool are_among)
{
	array_each (&cpus->list, cpu)
		if (cpus_has(others, *cpu) == are_among)
			*array_push(&ret->list) = *cpu;
}

bool hotplug_look(struct hotplug *hotplug, const struct cpus *recorded,
	const struct cpus *online, struct hotplug_change *ret)
{
	struct hotplug now = { 0 };

	*ret = (struct hotplug_change){ 0 };
	add(&now.missing, recorded, online, false);
	add(&now.others, online, recorded, false);
	add(&ret->gone, &now.missing, &hotplug->missing, false);
	add(&ret->back, &hotplug->missing, online, true);
	add(&ret->others, &now.others, &hotplug->others, false);
	hotplug_deinit(hotplug);
	*hotplug = now;
	return ret->gone.list.n || ret->back.list.n || ret->others.list.n;
}

void hotplug_left(
	struct hotplug *hotplug, const struct cpus *recorded, uint32_t cpu)
{
	if (cpus_has(recorded, cpu) && !cpus_has(&hotplug->missing, cpu))
		*array_push(&hotplug->missing.list) = cpu;
}

void hotplug_change_deinit(struct hotplug_change *change)
{
	cpus_deinit(&change->gone);
	cpus_deinit(&change->back);
	cpus_deinit(&change->others);
}

void hotplug_deinit(struct hotplug *hotplug)
{
	cpus_deinit(&hotplug->missing);
	cpus_deinit(&hotplug->others);
}
