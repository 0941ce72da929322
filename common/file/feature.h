/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads, writes and prints the HEADER_* feature sections of a perf.data. A
 * const table has the number, name and functions of each section. doc/format.md
 * describes the layout of the sections that dwell writes.
 */
#ifndef DWELL_COMMON_FILE_FEATURE_H
#define DWELL_COMMON_FILE_FEATURE_H

#include "common/file/features.h"

/* Returns the name ("HOSTNAME"), or NULL for an unknown number. */
const char *feature_name(unsigned bit);

/*
 * Reads one section into FEATURES and marks it present. A section that dwell
 * does not know is only marked. Returns false, and leaves FEATURES as it was,
 * if the section is damaged.
 */
bool feature_read(struct features *features, unsigned bit, struct bytes b);
/* Appends the section's bytes. Returns false if dwell does not write BIT. */
bool feature_write(
	const struct features *features, unsigned bit, struct strbuf *out);
/*
 * Appends TEXT in the format of feature sections: its size, then the padded
 * text.
 */
void feature_put_text(struct strbuf *out, const char *text);
/* Returns true if the section prints many lines, which only an option shows. */
bool feature_is_long(unsigned bit);
/* Appends the lines, each "# ...", that --header prints for the section. */
void feature_print(
	const struct features *features, unsigned bit, struct strbuf *out);

#endif
