/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For those who write a recording anew: what of it stays true in another file,
 * where its header and its own sections are made again.
 */
#ifndef DWELL_REPORT_EXPORT_REWRITE_H
#define DWELL_REPORT_EXPORT_REWRITE_H

#include "common/file/reader.h"
#include "common/file/writer.h"

/*
 * What READER's recording says of itself, with its events, for writer_create();
 * to be given to rewrite_deinit() before READER is closed, whose it is. Bits
 * that dwell can't write are left out by the writer.
 */
struct features rewrite_head(struct reader *reader);
void rewrite_deinit(struct features *head);
/*
 * The build IDs of HEAD as records for a stream, appended to RECORDS; HEAD doesn't
 * tell them then: perf 6.1 reads on in the pipe for such a feature, and is lost.
 */
void rewrite_stream_build_ids(struct features *head, struct strbuf *records);
/*
 * What of HEAD is told at the close: names, ids, build IDs, times. With IS_ONCE
 * HEAD doesn't tell it then, as far as it needn't.
 */
struct features rewrite_closing(struct features *head, bool is_once);

/* Sections of ours on their way. A zeroed one is empty. */
struct rewrite_sections {
	ARRAY(struct writer_section) at;
};
/*
 * Adds READER's, whose their names are, but for the index, which is made anew, and
 * those named in WITHOUT, NULL behind them. Returns the name, borrowed, of the
 * first one that can't be read, which READER adds to its damages; NULL: all
 * are there.
 */
const char *rewrite_add_sections(struct reader *reader,
	const char *const *without, struct rewrite_sections *ret);
/*
 * Adds the section "damage" if READER's recording is damaged, so that what
 * is written from it is known to be incomplete.
 */
void rewrite_add_damage(
	const struct reader *reader, struct rewrite_sections *ret);
void rewrite_sections_deinit(struct rewrite_sections *sections);

/* Whether RECORD belongs to the data, and not to what is made again. */
bool rewrite_keeps(const struct record *record);

#endif
