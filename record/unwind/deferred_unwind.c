/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/deferred_unwind.h"

#include <linux/perf_event.h>

#include "common/util/alloc.h"

void waiting_deinit(struct waiting *waiting)
{
	size_t i;

	for (i = 0; i < WAITING_MAX; i++) {
		free(waiting->samples[i].record);
		free(waiting->samples[i].written);
	}
}

void waiting_begin(struct waiting *waiting)
{
	waiting->n = 0;
}

bool waiting_keep(struct waiting *waiting, size_t number)
{
	struct waiting_sample kept = waiting->samples[number];

	if (++kept.batches > WAITING_BATCHES_MAX)
		return false;
	waiting->samples[number] = waiting->samples[waiting->n];
	waiting->samples[waiting->n++] = kept;
	return true;
}

static void copy(uint8_t **at, size_t *room, const uint8_t *from, size_t size)
{
	if (size > *room) {
		*at = xrealloc(*at, size);
		*room = size;
	}
	memcpy(*at, from, size);
}

bool waiting_add(struct waiting *waiting, const struct block_info *info,
	const uint8_t *record, const uint8_t *written, size_t size,
	const struct unwinding_told *told)
{
	const struct perf_event_header *header =
		(const struct perf_event_header *)record;
	struct waiting_sample *sample = &waiting->samples[waiting->n];

	if (waiting->n == WAITING_MAX)
		return false;
	waiting->n++;
	copy(&sample->record, &sample->record_room, record, header->size);
	copy(&sample->written, &sample->written_room, written, size);
	sample->size = size;
	sample->info = *info;
	sample->told = *told;
	sample->batches = 0;
	return true;
}
