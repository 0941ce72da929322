/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last moments, for --overwrite: what all rings of samples hold when
 * somebody asks for it. Rings are paused together and taken one by one, a few
 * records at a time, while the queue has room; so nobody waits, and nothing is
 * dropped however large the rings are.
 */
#ifndef DWELL_RECORD_STREAM_SNAPSHOT_H
#define DWELL_RECORD_STREAM_SNAPSHOT_H

#include "record/open/open.h"
#include "record/stream/ring_intake.h"

struct snapshot;

/* Both are borrowed until snapshot_destroy(). */
struct snapshot *snapshot_create(struct opened *opened, struct intake *intake);
void snapshot_destroy(struct snapshot *snapshot);

/*
 * Pauses the rings: what they hold now will be taken. What samples need is to
 * be taken from the sideband between this and the first snapshot_go_on().
 */
void snapshot_begin(struct snapshot *snapshot);
/* Takes records as far as there is room. The last one taken, all go on. */
void snapshot_go_on(struct snapshot *snapshot);
bool snapshot_is_over(const struct snapshot *snapshot);

#endif
