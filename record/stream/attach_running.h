/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joining what runs already: sideband on first, then /proc until a pass finds
 * nothing new, then samples. Also the way back when sideband was lost.
 */
#ifndef DWELL_RECORD_STREAM_ATTACH_RUNNING_H
#define DWELL_RECORD_STREAM_ATTACH_RUNNING_H

#include "common/util/error.h"
#include "record/open/open.h"
#include "record/stream/drain.h"
#include "record/synth/synth_procs.h"

/*
 * Opens the rest of OPENED's target and puts what is there already into the
 * drain, whose thread must not run yet. Samples stay disabled.
 */
struct error *attach(struct opened *opened, struct intake *intake,
	struct drain *drain, struct procs *procs) _must_check_;

/* Reads /proc again at TIME, and gives it to the drain as sideband. */
void attach_heal(const struct target *target, struct drain *drain,
	struct procs *procs, uint64_t time);

#endif
