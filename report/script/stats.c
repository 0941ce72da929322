/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/stats.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/file/meta_section.h"
#include "common/util/escape.h"
#include "report/scan/missing_samples.h"
#include "report/view/table.h"

/* Numbers of frames of a language runtime that the recorder read. */
struct runtime_frames {
	char name[32];
	uint64_t read, rejected; /* rejected: their data were not plausible */
};

/*
 * Sets RET to the next numbers of frames in META, the section "meta". Returns false at the
 * end.
 */
static bool next_runtime_frames(struct bytes *meta, struct runtime_frames *ret)
{
	const char *key, *value;

	while (meta_section_next(meta, &key, &value))
		if (string_is(key, META_RUNTIME_FRAMES) &&
			sscanf(value, "%31s %" SCNu64 " %" SCNu64, ret->name,
				&ret->read, &ret->rejected) == 3)
			return true;
	return false;
}

static void put_type_share(
	struct strbuf *out, const char *name, uint64_t n, uint64_t total)
{
	strbuf_printf(out, "%16s events: %10" PRIu64 "  (%4.1f%%)\n", name, n,
		100.0 * (double)n / (double)(total ? total : 1));
}

void stats_print(
	const struct survey *survey, struct reader *reader, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf gaps = { 0 };
	size_t i;

	strbuf_printf(out, "\nAggregated stats:\n%16s events: %10" PRIu64 "\n",
		"TOTAL", survey->records);
	for (i = 1; i < RECORD_END; i++)
		if (survey->by_type[i])
			put_type_share(out, record_name((uint32_t)i),
				survey->by_type[i], survey->records);
	if (survey->by_type[0])
		put_type_share(
			out, "UNKNOWN", survey->by_type[0], survey->records);
	for (i = 0; i < survey->by_event.n; i++) {
		const struct survey_event_counts *counts =
			&survey->by_event.at[i];

		if (!counts->samples && !counts->lost_read)
			continue;
		escape_text(out, reader_event(reader, i)->name);
		strbuf_puts(out, " stats:\n");
		if (counts->samples)
			strbuf_printf(out, "%16s events: %10" PRIu64 "\n",
				"SAMPLE", counts->samples);
		if (counts->lost_read)
			strbuf_printf(out, "%16s events: %10" PRIu64 "\n",
				"LOST_SAMPLES", counts->lost_read);
	}
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct bytes meta = meta_section_read(reader, &raw);
	struct runtime_frames frames;

	while (next_runtime_frames(&meta, &frames)) {
		escape_text(out, frames.name);
		strbuf_printf(out,
			" stats:\n%16s frames: %10" PRIu64
			"\n%16s frames: %10" PRIu64 "\n",
			"READ", frames.read, "REJECTED", frames.rejected);
	}
	missing_clock_gaps_print(reader, &gaps);
	escape_lines(out, gaps.at, gaps.n);
}

static void put_type_row(struct table *table, const char *event,
	const char *type, uint64_t records)
{
	table_text(table, event);
	table_text(table, type);
	table_number(table, records);
}

void stats_put_table(const struct survey *survey, struct reader *reader,
	const char *view, struct strbuf *out)
{
	static const char *const columns[] = { "event", "type", "records",
		NULL };
	struct table table;
	size_t i;

	table_begin(&table, view, "stats", columns, out);
	put_type_row(&table, NULL, "TOTAL", survey->records);
	for (i = 1; i < RECORD_END; i++)
		if (survey->by_type[i])
			put_type_row(&table, NULL, record_name((uint32_t)i),
				survey->by_type[i]);
	if (survey->by_type[0])
		put_type_row(&table, NULL, "UNKNOWN", survey->by_type[0]);
	for (i = 0; i < survey->by_event.n; i++) {
		const struct survey_event_counts *counts =
			&survey->by_event.at[i];
		const char *name = reader_event(reader, i)->name;

		if (counts->samples)
			put_type_row(&table, name, "SAMPLE", counts->samples);
		if (counts->lost_read)
			put_type_row(&table, name, "LOST_SAMPLES",
				counts->lost_read);
	}
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct bytes meta = meta_section_read(reader, &raw);
	struct runtime_frames frames;

	while (next_runtime_frames(&meta, &frames)) {
		put_type_row(&table, frames.name, "READ_FRAMES", frames.read);
		put_type_row(&table, frames.name, "REJECTED_FRAMES",
			frames.rejected);
	}
	table_end(&table);
}
