/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the columns of a comparison are, and what their cells say as text, without
 * how they stand beside each other.
 */
#ifndef DWELL_REPORT_DIFF_DIFF_CELL_H
#define DWELL_REPORT_DIFF_DIFF_CELL_H

#include "report/diff/diff.h"

enum diff_column_kind {
	DIFF_BASELINE,
	DIFF_COMPUTED,
	DIFF_ERROR,
	DIFF_VERDICT,
	DIFF_FORMULA,
	DIFF_SAMPLES,
	DIFF_PERIODS,
	DIFF_KEY,
};

struct diff_column {
	enum diff_column_kind kind;
	size_t number; /* of its side, or of its key */
	bool is_left;  /* text, rather than a number */
};

struct diff_columns {
	ARRAY(struct diff_column) at;
};

/* Those that DIFF's style asks for. .at is to be freed. */
void diff_columns_make(const struct diff *diff, struct diff_columns *ret);

/* What became of a row, as cells with a colour tell. */
enum diff_look {
	DIFF_PLAIN,
	DIFF_NOISE,
	DIFF_MORE,
	DIFF_LESS,
};
enum diff_look diff_cell_look(const struct diff *diff,
	const struct diff_row *row, const struct diff_column *column);

void diff_column_head(const struct diff *diff,
	const struct diff_column *column, struct strbuf *out);
/* Escaped for a terminal. */
void diff_cell_put(const struct diff *diff, const struct diff_event *event,
	const struct diff_row *row, const struct diff_column *column,
	struct strbuf *out);

#endif
