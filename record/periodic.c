/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/periodic.h"

#include <inttypes.h>

#include "common/util/log.h"
#include "record/kernel_waits.h"
#include "record/open/open_task.h"
#include "record/stream/attach_running.h"
#include "record/stream/file_head.h"
#include "record/sys/clocks.h"
#include "record/sys/hotplug.h"
#include "record/sys/sysfile.h"

/* Reads /proc again, which replaces the lost sideband records. */
static void resync_processes(struct periodic *periodic)
{
	attach_running_resync(periodic->opened->target, periodic->stages->drain,
		periodic->stages->procs, clocks_now());
}

/*
 * Opens the events of the CPUs in BACK again. The drain thread is stopped
 * meanwhile, and the ring buffers hold the new records.
 */
static void reopen_cpus(struct periodic *periodic, const struct cpus *back)
{
	struct error *err = NULL;

	drain_stop(periodic->stages->drain);
	array_each(&back->list, cpu) {
		if (!err)
			err = open_cpu_again(periodic->opened, *cpu);
		if (!err)
			err = kernel_unwinding_connect_cpu(
				periodic->bpf, periodic->opened, *cpu);
		log_note("CPU %" PRIu32 " is online again", *cpu);
	}
	if (err)
		log_note("%s. This CPU is no longer recorded", err->text);
	error_free(err);
	err = drain_start(
		periodic->stages->drain, (int)periodic->options->realtime);
	if (err)
		log_error("%s. Further samples will be lost", err->text);
	error_free(err);
	periodic->has_new_ids = true;
	resync_processes(periodic);
}

static void check_cpus(struct periodic *periodic)
{
	const struct target *target = periodic->opened->target;
	struct hotplug_change change;
	struct cpus online = { 0 };

	sysfile_cpus_online(&online);
	if (hotplug_update(
		    &periodic->hotplug, &target->online, &online, &change)) {
		array_each(&change.gone.list, cpu)
			log_note("CPU %" PRIu32 " went offline. It is recorded "
				 "again when it returns",
				*cpu);
		array_each(&change.others.list, cpu)
			log_note("CPU %" PRIu32
				 " came online. It is not recorded, because it "
				 "was offline at the start",
				*cpu);
		if (change.back.list.n)
			reopen_cpus(periodic, &change.back);
	}
	hotplug_change_deinit(&change);
	cpus_deinit(&online);
}

/* Also detects a CPU that went offline and returned within a second. */
void periodic_on_uevent(void *data)
{
	struct periodic *periodic = data;
	struct cpus online = { 0 }, left = { 0 };

	uevents_take(periodic->uevents, &left);
	sysfile_cpus_online(&online);
	array_each(&left.list, cpu)
		if (cpus_has(&online, *cpu))
			hotplug_mark_offline(&periodic->hotplug,
				&periodic->opened->target->online, *cpu);
	if (left.list.n)
		check_cpus(periodic);
	cpus_deinit(&online);
	cpus_deinit(&left);
}

void periodic_add_ids(struct periodic *periodic)
{
	if (periodic->has_new_ids)
		file_head_add_ids(periodic->opened, periodic->head);
	periodic->has_new_ids = false;
}

static void collect_waits(struct periodic *periodic)
{
	_cleanup_strbuf_ struct strbuf waits = { 0 };

	kernel_waits_collect(periodic->bpf, &waits);
	drain_inject(periodic->stages->drain, &waits);
}

void periodic_check(void *data)
{
	struct periodic *periodic = data;

	check_cpus(periodic);
	if (periodic->opened->selection->measures_waits)
		collect_waits(periodic);
	kernel_unwinding_watch(periodic->bpf, &periodic->watch);
	if (!output_files_is_switching(periodic->stages->files))
		periodic_add_ids(periodic);
	if (!losses_read(periodic->stages->losses))
		return;
	periodic->has_lost_sideband = true;
	resync_processes(periodic);
}

void periodic_deinit(struct periodic *periodic)
{
	hotplug_deinit(&periodic->hotplug);
	if (periodic->uevents >= 0)
		close(periodic->uevents);
}
