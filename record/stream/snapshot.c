/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/snapshot.h"

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "record/ring/ring_backward.h"

/* So many records are taken between two looks at the queue. */
#define RECORDS_AT_ONCE 256u

struct snapshot {
	struct opened *opened;
	struct intake *intake;
	uint64_t *heads;
	size_t next; /* ring that is taken; n_rings: it is over */
	struct ring_places places; /* of its records, */
	size_t n_taken;            /* of which so many are through */
	uint8_t scratch[RECORD_SIZE_MAX + 1];
};

struct snapshot *snapshot_create(struct opened *opened, struct intake *intake)
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

static void begin_ring(struct snapshot *snapshot, size_t next)
{
	const struct opened *opened = snapshot->opened;

	snapshot->next = next;
	snapshot->n_taken = 0;
	array_clear(&snapshot->places.list);
	if (next < opened->n_rings && opened->samples[next].ring.page)
		ring_backward_list(&opened->samples[next].ring,
			snapshot->heads[next], &snapshot->places);
}

/* False: there are no more in this ring. */
static bool take_some(struct snapshot *snapshot)
{
	const struct ring *ring =
		&snapshot->opened->samples[snapshot->next].ring;
	size_t n = MIN(snapshot->places.list.n,
		snapshot->n_taken + RECORDS_AT_ONCE);

	for (; snapshot->n_taken < n; snapshot->n_taken++)
		intake_take(snapshot->intake,
			ring_backward_at(ring,
				snapshot->places.list.at[snapshot->n_taken],
				snapshot->scratch));
	return n < snapshot->places.list.n;
}

void snapshot_begin(struct snapshot *snapshot)
{
	const struct opened *opened = snapshot->opened;
	size_t i;

	/* They are paused already. */
	if (!snapshot_is_over(snapshot))
		return;
	for (i = 0; i < opened->n_rings; i++)
		if (opened->samples[i].ring.page &&
			ring_backward_pause(opened->samples[i].owner))
			log_verbose("a ring can't be paused");
	for (i = 0; i < opened->n_rings; i++)
		if (opened->samples[i].ring.page)
			snapshot->heads[i] =
				ring_head(&opened->samples[i].ring);
	begin_ring(snapshot, 0);
}

static void resume(const struct snapshot *snapshot)
{
	const struct opened *opened = snapshot->opened;
	size_t i;

	for (i = 0; i < opened->n_rings; i++)
		if (opened->samples[i].ring.page)
			ring_backward_resume(opened->samples[i].owner);
}

void snapshot_go_on(struct snapshot *snapshot)
{
	if (snapshot_is_over(snapshot))
		return;
	while (!snapshot_is_over(snapshot) &&
		intake_has_room(snapshot->intake))
		if (!take_some(snapshot))
			begin_ring(snapshot, snapshot->next + 1);
	if (snapshot_is_over(snapshot))
		resume(snapshot);
}
