/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of one histogram in the interactive view: its rows, and below each
 * expanded row the branches of its call graph. Contains the cursor and the part
 * of the list that is on the screen. tui_page.h draws the lines.
 */
#ifndef DWELL_REPORT_TUI_TUI_LINES_H
#define DWELL_REPORT_TUI_TUI_LINES_H

#include "report/result/result.h"

struct tui_line {
	uint32_t row;	/* index in tui_lines.rows */
	uint32_t node;	/* node of the row's tree; 0: the row itself */
	uint16_t depth; /* level in the tree; 0: a row */
	/*
	 * Whether this is the first frame of a branch. The other frames that
	 * all stacks of the branch share are drawn below it in the same column,
	 * without a number.
	 */
	bool is_first;
};

struct tui_row {
	const struct row *row;
	struct tree tree; /* without nodes until it is needed */
	bool *is_open;	  /* for each node: is expanded; 0: the row; owned */
};

/* A zero-initialized struct has no lines. The result is borrowed. */
struct tui_lines {
	const struct result *result;
	const struct hist *hist;
	ARRAY(struct tui_row) rows;
	ARRAY(struct tui_line) at;
	size_t cursor, top; /* indexes in .at */
	size_t height;	    /* number of lines that the screen has room for */
	/*
	 * Call trees of rows below the percentage limit of call graphs; owned;
	 * NULL until needed.
	 */
	struct forest *small;
	uint64_t reserved_bytes; /* memory reserved for trees */
};

void tui_lines_init(const struct result *result, const struct hist *hist,
	struct tui_lines *ret);
void tui_lines_deinit(struct tui_lines *lines);

/* Moves the cursor to LINE, or to the last line, and scrolls to the cursor. */
void tui_lines_go(struct tui_lines *lines, size_t line);

/* Sets the number of lines that the screen has room for. */
void tui_lines_fit(struct tui_lines *lines, size_t height);

/*
 * Expands or collapses the cursor's branch. Returns false if the branch has
 * nothing to expand.
 */
bool tui_lines_toggle(struct tui_lines *lines);
/*
 * Expands or collapses all branches of the cursor's row. Returns false if the
 * row has no branches.
 */
bool tui_lines_toggle_all(struct tui_lines *lines);
/* Expands all branches of all rows. Returns false at the limit of memory. */
bool tui_lines_expand_all(struct tui_lines *lines);
void tui_lines_collapse_all(struct tui_lines *lines);

/* Returns '+' if LINE can be expanded, '-' if it is expanded, otherwise ' '. */
char tui_lines_sign(const struct tui_lines *lines, size_t line);
/* Returns the row of LINE, also if LINE is a branch. */
const struct row *tui_lines_row(const struct tui_lines *lines, size_t line);
/* Returns the location of the branch LINE. */
uint32_t tui_lines_location(const struct tui_lines *lines, size_t line);
/*
 * Appends the value of the branch LINE (percentage, period or samples) to OUT.
 * Returns the percentage.
 */
double tui_lines_put_value(
	const struct tui_lines *lines, size_t line, struct strbuf *out);
/* Appends the name of the branch LINE, or the keys of the row LINE, to OUT. */
void tui_lines_put_text(
	const struct tui_lines *lines, size_t line, struct strbuf *out);

/*
 * Moves the cursor to the next (or previous) line whose text contains SEARCHED,
 * and continues at the other end of the list. Returns false if no line contains
 * SEARCHED.
 */
bool tui_lines_find(
	struct tui_lines *lines, const char *searched, bool forwards);

#endif
