/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the interactive view has to show of one histogram, as a list of lines:
 * its rows, and below those that are unfolded the branches of their call
 * graphs. Where the cursor is, and which part of the list is on the screen.
 * For tui_page, which draws it; no terminal is known here.
 */
#ifndef DWELL_REPORT_TUI_TUI_LINES_H
#define DWELL_REPORT_TUI_TUI_LINES_H

#include "report/result/result.h"

struct tui_line {
	uint32_t row;   /* its number among .rows */
	uint32_t node;  /* of the row's tree; 0: the row itself */
	uint16_t depth; /* 0: a row */
	/*
	 * Frames that all stacks of a branch go on with stand below its first
	 * one, in the same column and without a number of their own.
	 */
	bool is_first;
};

struct tui_row {
	const struct row *row;
	struct tree tree; /* without nodes: it wasn't asked for yet */
	bool *is_open;    /* by node, 0: the row itself; owned */
};

/* A zeroed one is empty. Borrows the result. */
struct tui_lines {
	const struct result *result;
	const struct hist *hist;
	ARRAY(struct tui_row) rows;
	ARRAY(struct tui_line) at;
	size_t cursor, top; /* numbers of lines */
	size_t height;      /* lines that the screen has room for */
	/* For rows below the graphs' limit, which text has none of; or NULL. */
	struct forest *small;
	uint64_t put_by; /* bytes of the reader's, for trees */
};

void tui_lines_init(const struct result *result, const struct hist *hist,
	struct tui_lines *ret);
void tui_lines_deinit(struct tui_lines *lines);

/* The cursor goes there, or as far as there are lines; the screen follows. */
void tui_lines_go(struct tui_lines *lines, size_t line);
void tui_lines_move(struct tui_lines *lines, ptrdiff_t by);
/* The screen has room for so many lines now. */
void tui_lines_fit(struct tui_lines *lines, size_t height);

/* Unfolds what the cursor is on, or folds it. False: there is nothing in it. */
bool tui_lines_turn(struct tui_lines *lines);
/* The same of all branches of the cursor's row at once. */
bool tui_lines_turn_all(struct tui_lines *lines);
/* All branches of all rows. False: there is no memory for those of all. */
bool tui_lines_open_all(struct tui_lines *lines);
void tui_lines_close_all(struct tui_lines *lines);

/* '+' can be unfolded, '-' is, ' ' can't. */
char tui_lines_sign(const struct tui_lines *lines, size_t line);
/* The row that a line is of. */
const struct row *tui_lines_row(const struct tui_lines *lines, size_t line);
/* Where a branch's code is. */
uint32_t tui_lines_location(const struct tui_lines *lines, size_t line);
/* What a branch shows before its name, and that as a share in percent. */
double tui_lines_put_value(
	const struct tui_lines *lines, size_t line, struct strbuf *out);
/* The text that a line can be found by: a branch's name, or a row's keys. */
void tui_lines_put_text(
	const struct tui_lines *lines, size_t line, struct strbuf *out);

/*
 * The cursor goes to the next line behind it (or before it) that has WANTED,
 * and from the end on to the beginning. False: no line has it.
 */
bool tui_lines_find(
	struct tui_lines *lines, const char *wanted, bool forwards);

#endif
