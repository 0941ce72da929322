/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The HEADER_* feature sections of a perf.data. One const table knows each by
 * number and name, and how to read, write and print it; doc/format.md has the
 * layouts of those that dwell writes.
 */
#ifndef DWELL_COMMON_FILE_FEATURE_H
#define DWELL_COMMON_FILE_FEATURE_H

#include "common/file/features.h"

/* "HOSTNAME", or NULL for a number that dwell doesn't know. */
const char *feature_name(unsigned bit);

/*
 * Reads one section into FEATURES and marks it present. Returns false for
 * damage (FEATURES keeps what was there); a bit unknown to us is only marked.
 */
bool feature_read(struct features *features, unsigned bit, struct bytes b);
/* Appends the section's bytes; false for a bit that we don't write. */
bool feature_write(
	const struct features *features, unsigned bit, struct strbuf *out);
/* Appends a text as sections have it: its size and padding with it. */
void feature_put_text(struct strbuf *out, const char *text);
/* Whether its lines are many, and shown only when they are asked for. */
bool feature_is_long(unsigned bit);
/* Appends the lines that --header shows for it, each "# ..."; may be none. */
void feature_print(
	const struct features *features, unsigned bit, struct strbuf *out);

#endif
