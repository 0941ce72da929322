/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/deferred_unwind.h"

#include <linux/perf_event.h>

#include "common/util/alloc.h"

void deferred_unwind_deinit(struct deferred_unwind *deferred)
{
	size_t i;

	for (i = 0; i < DEFERRED_UNWIND_MAX; i++) {
		free(deferred->samples[i].record);
		free(deferred->samples[i].written);
	}
}

void deferred_unwind_begin(struct deferred_unwind *deferred)
{
	deferred->n = 0;
}

bool deferred_unwind_keep(struct deferred_unwind *deferred, size_t number)
{
	struct deferred_sample kept = deferred->samples[number];

	if (++kept.batches > DEFERRED_UNWIND_BATCHES_MAX)
		return false;
	deferred->samples[number] = deferred->samples[deferred->n];
	deferred->samples[deferred->n++] = kept;
	return true;
}

static void copy_record(
	uint8_t **at, size_t *room, const uint8_t *from, size_t size)
{
	if (size > *room) {
		*at = xrealloc(*at, size);
		*room = size;
	}
	memcpy(*at, from, size);
}

bool deferred_unwind_add(struct deferred_unwind *deferred,
	const struct block_info *info, const uint8_t *record,
	const uint8_t *written, size_t size,
	const struct unwinding_outcome *outcome)
{
	const struct perf_event_header *header =
		(const struct perf_event_header *)record;
	struct deferred_sample *sample = &deferred->samples[deferred->n];

	if (deferred->n == DEFERRED_UNWIND_MAX)
		return false;
	deferred->n++;
	copy_record(
		&sample->record, &sample->record_room, record, header->size);
	copy_record(&sample->written, &sample->written_room, written, size);
	sample->size = size;
	sample->info = *info;
	sample->outcome = *outcome;
	sample->batches = 0;
	return true;
}
