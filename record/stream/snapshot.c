/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/snapshot.h"

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "record/ring/ring.h"

/* Number of records that are read before the queue is checked again. */
#define RECORDS_PER_STEP 256u

struct snapshot {
	struct event_fds *opened;
	struct intake *intake;
	uint64_t *heads;
	size_t next; /* index of the ring buffer that is being read; n_rings:
			the snapshot is over */
	struct ring_places places; /* record positions in this ring buffer */
	size_t n_taken;		   /* number of .places that were read */
	uint8_t scratch[RECORD_SIZE_MAX + 1];
};

struct snapshot *snapshot_create(
	struct event_fds *opened, struct intake *intake)
{
	struct snapshot *snapshot = xcalloc(1, sizeof(*snapshot));

	snapshot->opened = opened;
	snapshot->intake = intake;
	snapshot->heads = xcalloc(opened->n_rings, sizeof(*snapshot->heads));
	snapshot->next = opened->n_rings;
	return snapshot;
}

void snapshot_destroy(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	array_free(&snapshot->places.list);
	free(snapshot->heads);
	free(snapshot);
}

bool snapshot_is_over(const struct snapshot *snapshot)
{
	return snapshot->next == snapshot->opened->n_rings;
}

static void start_ring(struct snapshot *snapshot, size_t next)
{
	const struct event_fds *opened = snapshot->opened;

	snapshot->next = next;
	snapshot->n_taken = 0;
	array_clear(&snapshot->places.list);
	if (next < opened->n_rings && opened->samples[next].ring.page)
		ring_backward_list(&opened->samples[next].ring,
			snapshot->heads[next], &snapshot->places);
}

/*
 * Reads some records of the current ring buffer. Returns false if the ring
 * buffer has no more records.
 */
static bool take_records(struct snapshot *snapshot)
{
	const struct ring *ring =
		&snapshot->opened->samples[snapshot->next].ring;
	size_t n = MIN(
		snapshot->places.list.n, snapshot->n_taken + RECORDS_PER_STEP);

	for (; snapshot->n_taken < n; snapshot->n_taken++)
		intake_take(snapshot->intake,
			ring_backward_at(ring,
				snapshot->places.list.at[snapshot->n_taken],
				snapshot->scratch));
	return n < snapshot->places.list.n;
}

void snapshot_begin(struct snapshot *snapshot)
{
	const struct event_fds *opened = snapshot->opened;
	size_t i;

	/*
	 * The previous snapshot is not over: the ring buffers are already
	 * paused.
	 */
	if (!snapshot_is_over(snapshot))
		return;
	for (i = 0; i < opened->n_rings; i++)
		if (opened->samples[i].ring.page &&
			ring_backward_pause(opened->samples[i].owner))
			log_verbose("cannot pause a ring buffer: its samples "
				    "may be incomplete");
	for (i = 0; i < opened->n_rings; i++)
		if (opened->samples[i].ring.page)
			snapshot->heads[i] =
				ring_head(&opened->samples[i].ring);
	start_ring(snapshot, 0);
}

static void resume_rings(const struct snapshot *snapshot)
{
	const struct event_fds *opened = snapshot->opened;
	size_t i;

	for (i = 0; i < opened->n_rings; i++)
		if (opened->samples[i].ring.page)
			ring_backward_resume(opened->samples[i].owner);
}

void snapshot_continue(struct snapshot *snapshot)
{
	if (snapshot_is_over(snapshot))
		return;
	while (!snapshot_is_over(snapshot) && intake_has_room(snapshot->intake))
		if (!take_records(snapshot))
			start_ring(snapshot, snapshot->next + 1);
	if (snapshot_is_over(snapshot))
		resume_rings(snapshot);
}
