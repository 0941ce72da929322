/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads, writes and prints the HEADER_* feature sections of a perf.data. A
 * const table has the number, name and functions of each section. doc/format.md
 * describes the layout of the sections that dwell writes.
 */
#ifndef DWELL_COMMON_FILE_FEATURE_H
#define DWELL_COMMON_FILE_FEATURE_H

#include "common/file/features.h"

/*
 * Returns the name of feature section BIT, for example "HOSTNAME", or NULL if
 * BIT is unknown.
 */
const char *feature_name(unsigned bit);

/*
 * Reads B, the content of feature section BIT, into FEATURES and marks the
 * section as present. A section that dwell does not parse is only marked.
 * Returns false, and does not mark the section, if B is damaged.
 */
bool feature_read(struct features *features, unsigned bit, struct bytes b);
/*
 * Appends the content of feature section BIT of FEATURES to OUT. Returns false
 * if dwell does not write this section.
 */
bool feature_write(
	const struct features *features, unsigned bit, struct strbuf *out);
/*
 * Appends TEXT to OUT in the format of texts in feature sections: a u32 size,
 * then the text padded with zeros.
 */
void feature_put_text(struct strbuf *out, const char *text);
/*
 * Returns true if feature section BIT prints many lines, which --header omits
 * unless -I is given.
 */
bool feature_is_long(unsigned bit);
/*
 * Appends the lines that --header prints for feature section BIT to OUT. Each
 * line begins with "# ".
 */
void feature_print(
	const struct features *features, unsigned bit, struct strbuf *out);

#endif
