/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads all samples that overwritten ring buffers (--overwrite) contain at the
 * time of a request. All ring buffers are paused together, and read one
 * after the other, a few records at a time, while the queue has space. No
 * thread blocks, and no record is dropped, independently of the size of the
 * ring buffers.
 */
#ifndef DWELL_RECORD_STREAM_SNAPSHOT_H
#define DWELL_RECORD_STREAM_SNAPSHOT_H

#include "record/open/open.h"
#include "record/stream/ring_intake.h"

struct snapshot;

/* OPENED and INTAKE are borrowed until snapshot_destroy(). */
struct snapshot *snapshot_create(
	struct event_fds *opened, struct intake *intake);
void snapshot_destroy(struct snapshot *snapshot);

/*
 * Pauses the ring buffers, whose current records are then read by
 * snapshot_continue(). The sideband records that the samples depend on must be
 * read between this call and the first snapshot_continue().
 */
void snapshot_begin(struct snapshot *snapshot);
/*
 * Reads records while the queue has space. Resumes all ring buffers after the
 * last record of the snapshot.
 */
void snapshot_continue(struct snapshot *snapshot);
bool snapshot_is_over(const struct snapshot *snapshot);

#endif
