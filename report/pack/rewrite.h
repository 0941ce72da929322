/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies a recording to another file: selects the features, sections and
 * records that are still valid there. The writer makes the header and dwell's
 * index anew.
 */
#ifndef DWELL_REPORT_PACK_REWRITE_H
#define DWELL_REPORT_PACK_REWRITE_H

#include "common/file/reader.h"
#include "common/file/writer.h"

/*
 * Returns the features of READER's recording, with its events, for
 * writer_create(). Borrowed from READER; call rewrite_deinit() before READER is
 * closed. The writer leaves out features that it cannot write.
 */
struct features rewrite_head(struct reader *reader);
void rewrite_deinit(struct features *head);
/*
 * Moves the build IDs of HEAD to RECORDS, as records for a stream. As a feature
 * of a stream, they would break perf 6.1, which reads them from the wrong
 * place.
 */
void rewrite_stream_build_ids(struct features *head, struct strbuf *records);
/*
 * Returns the features of HEAD that are written when the file is closed: names,
 * IDs, build IDs, times. With IS_ONCE, they are removed from HEAD where
 * possible.
 */
struct features rewrite_closing(struct features *head, bool is_once);

/* dwell's sections to write. A zero-initialized struct is empty. */
struct rewrite_sections {
	ARRAY(struct writer_section) at;
};
/*
 * Adds the sections of READER, which owns their names, except the index, which
 * is made anew, and those in WITHOUT, which ends with NULL. Returns the name,
 * borrowed, of the first section that is damaged, or NULL. READER adds it to
 * its damages.
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

/* Returns whether RECORD is copied; other records are made anew. */
bool rewrite_keeps(const struct record *record);

#endif
