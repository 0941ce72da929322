/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/hotplug.h"

/* Adds the members of CPUS that are in OTHERS (ARE_AMONG) or not. */
static void add_changed_cpu(struct cpus *ret, const struct cpus *cpus,
	const struct cpus *others, bool are_among)
{
	array_each(&cpus->list, cpu)
		if (cpus_has(others, *cpu) == are_among)
			*array_push(&ret->list) = *cpu;
}

bool hotplug_update(struct hotplug *hotplug, const struct cpus *recorded,
	const struct cpus *online, struct hotplug_change *ret)
{
	struct hotplug now = { 0 };

	*ret = (struct hotplug_change){ 0 };
	add_changed_cpu(&now.missing, recorded, online, false);
	add_changed_cpu(&now.others, online, recorded, false);
	add_changed_cpu(&ret->gone, &now.missing, &hotplug->missing, false);
	add_changed_cpu(&ret->back, &hotplug->missing, online, true);
	add_changed_cpu(&ret->others, &now.others, &hotplug->others, false);
	hotplug_deinit(hotplug);
	*hotplug = now;
	return ret->gone.list.n || ret->back.list.n || ret->others.list.n;
}

void hotplug_mark_offline(
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
