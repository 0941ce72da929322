/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of a comparison, and the texts of the cells. Views arrange the
 * cells.
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
	size_t number; /* number of the side; for DIFF_KEY, of the key */
	bool is_left;  /* aligned left: text, not a number */
};

struct diff_columns {
	ARRAY(struct diff_column) at;
};

/*
 * Sets RET to the columns that the options of DIFF select. The caller frees .at
 * of RET.
 */
void diff_columns_make(const struct diff *diff, struct diff_columns *ret);

/* The colour of a cell, by the change of its row. */
enum diff_look {
	DIFF_PLAIN,
	DIFF_NOISE,
	DIFF_MORE,
	DIFF_LESS,
};
enum diff_look diff_cell_look(const struct diff *diff,
	const struct diff_row *row, const struct diff_column *column);

void diff_column_head(const struct diff *diff, const struct diff_column *column,
	struct strbuf *out);
/* Appends the text of ROW in COLUMN, escaped for a terminal. */
void diff_cell_put(const struct diff *diff, const struct diff_event *event,
	const struct diff_row *row, const struct diff_column *column,
	struct strbuf *out);

#endif
