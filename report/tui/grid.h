/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be seen on a screen, cell by cell, before any terminal shows it:
 * so it is the same on all of them, and tests read it as text.
 */
#ifndef DWELL_REPORT_TUI_GRID_H
#define DWELL_REPORT_TUI_GRID_H

#include "common/util/array.h"
#include "common/util/strbuf.h"

/* What something is; the terminal knows how that looks. */
enum grid_style {
	GRID_PLAIN,
	GRID_HOT,    /* a large share */
	GRID_WARM,   /* one that counts */
	GRID_QUIET,  /* what is beside the point */
	GRID_TITLE,
	GRID_CRUMB,  /* a filter */
	GRID_HEAD,   /* of columns */
	GRID_FOUND,  /* what was searched for */
	GRID_STYLES,
};

struct grid_cell {
	uint32_t character; /* 0: the right half of a wide one */
	uint8_t style;
	bool is_chosen; /* of the line that the cursor is on */
};

/* A zeroed one has no cells. */
struct grid {
	size_t lines, columns;
	bool has_utf8; /* otherwise "?" stands for what isn't ASCII */
	struct grid_cell *at; /* owned */
};

/* Where text is put: behind what was put before, up to END. */
struct grid_pen {
	struct grid *grid;
	size_t line, column, end;
	size_t skip; /* so many columns of what comes aren't shown */
	size_t n;    /* columns that came, shown or not: for tabs */
};

/* All cells become blanks. */
void grid_resize(struct grid *grid, size_t lines, size_t columns);
void grid_clear(struct grid *grid);
void grid_deinit(struct grid *grid);

/* At the beginning of LINE, up to the last column. */
struct grid_pen grid_pen(struct grid *grid, size_t line);
/*
 * TEXT is escaped UTF-8 (escape.h), which may have tabs; what doesn't fit isn't
 * shown.
 */
void grid_put(struct grid_pen *pen, enum grid_style style, const char *text);
void grid_printf(struct grid_pen *pen, enum grid_style style,
	const char *format, ...) _printf_(3, 4);
/* So many blanks. */
void grid_fill(struct grid_pen *pen, enum grid_style style, size_t columns);
/* The cursor is on LINE, in its whole width. */
void grid_choose(struct grid *grid, size_t line);

/* One character as UTF-8. */
void grid_encode(struct strbuf *out, uint32_t character);
/* The columns that TEXT takes. */
size_t grid_width(const char *text);
/* What there is to see of LINE, without blanks at its end. */
void grid_line_text(const struct grid *grid, size_t line, struct strbuf *out);

#endif
