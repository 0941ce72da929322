/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the features, sections and records of a recording that are still
 * valid in a copy. The writer creates the file header and dwell's index again.
 */
#ifndef DWELL_REPORT_PACK_REWRITE_H
#define DWELL_REPORT_PACK_REWRITE_H

#include "common/file/reader.h"
#include "common/file/writer.h"

/*
 * Returns the features and events of READER's recording for writer_create().
 * The result borrows from READER; call rewrite_deinit() before READER is
 * closed. The writer leaves out features that it cannot write.
 */
struct features rewrite_head(struct reader *reader);
void rewrite_deinit(struct features *head);
/*
 * Moves the build IDs of HEAD to RECORDS, as records for a stream. A stream
 * must not contain build IDs as a feature: perf 6.1 reads this feature from a
 * wrong offset.
 */
void rewrite_stream_build_ids(struct features *head, struct strbuf *records);
/*
 * Returns the features of HEAD that are written when the file is closed: event
 * names and IDs, host name, build IDs, branch stacks, sample times. With
 * IS_ONCE, removes features from HEAD that need not be at the start of the
 * file.
 */
struct features rewrite_closing(struct features *head, bool is_once);

/* The dwell sections of the copy. A zero-initialized struct is empty. */
struct rewrite_sections {
	ARRAY(struct writer_section) at;
};
/*
 * Adds the sections of READER to RET, except sections that are created again
 * and the sections named in WITHOUT, which ends with NULL. Section names are
 * borrowed from READER. Returns the name of the first damaged section,
 * borrowed, or NULL. READER adds the damaged section to its list of damages.
 */
const char *rewrite_add_sections(struct reader *reader,
	const char *const *without, struct rewrite_sections *ret);
/*
 * Adds the section "damage" if READER's recording is damaged. Readers of the
 * copy then report that the copy is incomplete.
 */
void rewrite_add_damage(
	const struct reader *reader, struct rewrite_sections *ret);
void rewrite_sections_deinit(struct rewrite_sections *sections);

/*
 * Returns whether RECORD is copied. The writer creates header records again;
 * AUX traces are left out.
 */
bool rewrite_keeps(const struct record *record);

#endif
