/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/periodic.h"

#include <inttypes.h>

#include "common/util/log.h"
#include "record/open/open_task.h"
#include "record/stream/attach_running.h"
#include "record/stream/file_head.h"
#include "record/sys/clocks.h"
#include "record/sys/sysfile.h"
#include "record/sys/uevents.h"

/* What happened unseen is read from /proc again. */
static void heal(struct upkeep *upkeep)
{
	attach_heal(upkeep->opened->target, upkeep->pipe->drain,
		upkeep->pipe->procs, clocks_now());
}

/* The rings stay; the drain waits meanwhile, and they hold what comes. */
static void take_back(struct upkeep *upkeep, const struct cpus *back)
{
	struct error *err = NULL;

	drain_stop(upkeep->pipe->drain);
	array_each(&back->list, cpu) {
		if (!err)
			err = open_return(upkeep->opened, *cpu);
		log_note("CPU %" PRIu32 " is online again", *cpu);
	}
	if (err)
		log_note("%s: it is not recorded any more", err->text);
	error_free(err);
	err = drain_start(upkeep->pipe->drain, upkeep->options->realtime);
	if (err)
		log_error("%s: samples will be lost", err->text);
	error_free(err);
	upkeep->has_new_ids = true;
	heal(upkeep);
}

static void look_at_cpus(struct upkeep *upkeep)
{
	const struct target *target = upkeep->opened->target;
	struct hotplug_change change;
	struct cpus online = { 0 };

	sysfile_cpus_online(&online);
	if (hotplug_look(&upkeep->hotplug, &target->online, &online,
		    &change)) {
		array_each(&change.gone.list, cpu)
			log_note("CPU %" PRIu32 " went offline: the others "
				 "are recorded until it returns",
				*cpu);
		array_each(&change.others.list, cpu)
			log_note("CPU %" PRIu32 " came online; it is not "
				 "recorded, as it was offline at the start",
				*cpu);
		if (change.back.list.n)
			take_back(upkeep, &change.back);
	}
	hotplug_change_deinit(&change);
	cpus_deinit(&online);
}

/* One that is back within a second would be missed otherwise. */
void upkeep_hear(void *data)
{
	struct upkeep *upkeep = data;
	struct cpus online = { 0 }, left = { 0 };

	uevents_take(upkeep->uevents, &left);
	sysfile_cpus_online(&online);
	array_each(&left.list, cpu)
		if (cpus_has(&online, *cpu))
			hotplug_left(&upkeep->hotplug,
				&upkeep->opened->target->online, *cpu);
	if (left.list.n)
		look_at_cpus(upkeep);
	cpus_deinit(&online);
	cpus_deinit(&left);
}

void upkeep_add_ids(struct upkeep *upkeep)
{
	if (upkeep->has_new_ids)
		head_add_ids(upkeep->opened, upkeep->head);
	upkeep->has_new_ids = false;
}

void upkeep_look(void *data)
{
	struct upkeep *upkeep = data;

	look_at_cpus(upkeep);
	if (!files_is_asked(upkeep->pipe->files))
		upkeep_add_ids(upkeep);
	if (!losses_read(upkeep->pipe->losses))
		return;
	upkeep->has_lost_sideband = true;
	heal(upkeep);
}

void upkeep_deinit(struct upkeep *upkeep)
{
	hotplug_deinit(&upkeep->hotplug);
	if (upkeep->uevents >= 0)
		close(upkeep->uevents);
}
