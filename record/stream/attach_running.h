/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches to threads that are running already: opens their sideband events,
 * then adds records synthesized from /proc until a pass over /proc finds
 * nothing new, then opens their sample events. Also reads /proc again when
 * sideband records were lost.
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

/*
 * Reads /proc again and adds the state of /proc to DRAIN as sideband records
 * with TIME.
 */
void attach_running_resync(const struct target *target, struct drain *drain,
	struct synth_procs *procs, uint64_t time);

#endif
