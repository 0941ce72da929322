/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/snapshot.h"

#include "common/alloc.h"
#include "common/log.h"
#include "record/ring_backward.h"

struct snapshot {
	struct opened *opened;
	struct intake *intake;
	uint64_t *heads;
	size_t next; /* ring to take; n_rings: it is over */
	struct ring_places places;
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

void snapshot_begin(struct snapshot *snapshot)
{
	const struct opened *opened = snapshot->opened;
	size_t i;

	for (i = 0; i < opened->n_rings; i++)
		if (opened->samples[i].ring.page &&
			ring_backward_pause(opened->samples[i].owner))
			log_verbose("a ring can't be paused");
	for (i = 0; i < opened->n_rings; i++)
		if (opened->samples[i].ring.page)
			snapshot->heads[i] =
				ring_head(&opened->samples[i].ring);
	snapshot->next = 0;
}

static void take_ring(struct snapshot *snapshot, size_t i)
{
	struct ring *ring = &snapshot->opened->samples[i].ring;

	ring_backward_list(ring, snapshot->heads[i], &snapshot->places);
	array_each(&snapshot->places.list, place)
		intake_take(snapshot->intake, ring_backward_at(ring, *place,
						      snapshot->scratch));
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
	const struct opened *opened = snapshot->opened;

	if (snapshot_is_over(snapshot))
		return;
	while (!snapshot_is_over(snapshot) &&
		intake_has_room(snapshot->intake)) {
		if (opened->samples[snapshot->next].ring.page)
			take_ring(snapshot, snapshot->next);
		snapshot->next++;
	}
	if (snapshot_is_over(snapshot))
		resume(snapshot);
}
