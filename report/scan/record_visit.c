/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/record_visit.h"

#include "report/util/progress.h"

/* Returns false if no extent is left. */
static bool load_visited_extent(struct record_visit *visit)
{
	size_t n = reader_n_extents(visit->reader);

	while (visit->next_extent < n) {
		size_t i = visit->next_extent++;
		const struct extent *extent = reader_extent(visit->reader, i);
		bool has_sideband = extent->coding != EXTENT_BLOCK ||
			extent->info.kind != BLOCK_SAMPLES;

		if (visit->progress)
			progress_show(visit->progress, i, n);
		if (visit->type == RECORD_SAMPLE
				? sample_selection_has_extent(
					  visit->selection, extent)
				: has_sideband) {
			cursor_load(visit->cursor, extent);
			return true;
		}
	}
	return false;
}

bool record_visit_next(struct record_visit *visit)
{
	bool is_loaded = visit->cursor;

	if (!visit->cursor)
		visit->cursor = cursor_create(visit->reader);
	while (is_loaded || load_visited_extent(visit)) {
		while (cursor_next_record(
			visit->cursor, &visit->record, &visit->position))
			if (visit->record.type == visit->type)
				return true;
		is_loaded = false;
	}
	cursor_destroy(visit->cursor);
	visit->cursor = NULL;
	if (visit->progress)
		progress_clear();
	return false;
}
