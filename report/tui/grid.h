/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The content of a screen as character cells. Views draw into a grid;
 * terminal.h shows a grid on the terminal, and tests read a grid as text.
 */
#ifndef DWELL_REPORT_TUI_GRID_H
#define DWELL_REPORT_TUI_GRID_H

#include "common/util/array.h"
#include "common/util/strbuf.h"

/* The meaning of a cell. terminal.c maps it to colours and attributes. */
enum grid_style {
	GRID_PLAIN,
	GRID_HOT,  /* a large percentage */
	GRID_WARM, /* a medium percentage */
	GRID_DIM,  /* less important text */
	GRID_TITLE,
	GRID_CRUMB, /* a filter */
	GRID_HEAD,  /* the heading of a column */
	GRID_MATCH, /* a match of the search text */
	GRID_STYLES,
};

struct grid_cell {
	uint32_t character; /* 0: the right half of a wide character */
	uint8_t style;
	bool is_highlighted; /* the cursor is on this line */
};

/* A zero-initialized struct is a grid without cells. */
struct grid {
	size_t lines, columns;
	bool has_utf8;	      /* false: "?" replaces non-ASCII characters */
	struct grid_cell *at; /* owned */
};

/* The position at which text is written next. Text ends at END. */
struct grid_pen {
	struct grid *grid;
	size_t line, column, end;
	size_t skip; /* columns of the text that are skipped: scrolled out */
	size_t n;    /* columns written so far, with skipped ones; for tabs */
};

/* Changes the size of GRID, and sets all its cells to blanks. */
void grid_resize(struct grid *grid, size_t lines, size_t columns);
/* Sets all cells of GRID to blanks. */
void grid_clear(struct grid *grid);
void grid_deinit(struct grid *grid);

/* Returns a pen at the start of LINE that ends at the last column. */
struct grid_pen grid_pen(struct grid *grid, size_t line);
/*
 * Writes TEXT, which is escaped UTF-8 (escape.h) and can contain tabs. Text
 * behind the end of the pen is not shown.
 */
void grid_put(struct grid_pen *pen, enum grid_style style, const char *text);
void grid_printf(struct grid_pen *pen, enum grid_style style,
	const char *format, ...) _printf_(3, 4);
/* Writes COLUMNS blanks. */
void grid_fill(struct grid_pen *pen, enum grid_style style, size_t columns);
/* Highlights LINE over its whole width. */
void grid_highlight(struct grid *grid, size_t line);

/* Appends CHARACTER as UTF-8 to OUT. */
void grid_encode(struct strbuf *out, uint32_t character);
/* Returns the number of columns that TEXT needs. */
size_t grid_width(const char *text);
/* Appends the text of LINE to OUT, without blanks at the end. */
void grid_line_text(const struct grid *grid, size_t line, struct strbuf *out);

#endif
