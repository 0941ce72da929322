/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the events of tasks that are running already: first the sideband
 * events, then records synthesized from /proc until a pass finds nothing new,
 * then the samples. Also reads /proc again when sideband records were lost.
 */
#ifndef DWELL_RECORD_STREAM_ATTACH_RUNNING_H
#define DWELL_RECORD_STREAM_ATTACH_RUNNING_H

#include "common/util/error.h"
#include "record/open/open.h"
#include "record/stream/drain.h"
#include "record/synth/synth_procs.h"

/*
 * Opens the remaining events of the target of OPENED, and adds records of the
 * state of /proc to DRAIN, whose thread must not run yet. Samples remain
 * disabled.
 */
struct error *attach_running(struct event_fds *opened, struct intake *intake,
	struct drain *drain, struct synth_procs *procs) _must_check_;

/* Reads /proc again and adds its state at TIME to DRAIN as sideband records. */
void attach_running_resync(const struct target *target, struct drain *drain,
	struct synth_procs *procs, uint64_t time);

#endif
