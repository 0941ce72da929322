/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the interactive view of a comparison share. */
#ifndef DWELL_REPORT_TUI_TUI_DIFF_PRIVATE_H
#define DWELL_REPORT_TUI_TUI_DIFF_PRIVATE_H

#include "report/diff/diff_cell.h"
#include "report/tui/tui_keys.h"
#include "report/tui/tui_screen.h"

/* Only rows with that text: all of a key, or a part of any. */
struct tui_diff_filter {
	const char *name; /* "DSO" */
	size_t key;	  /* DIFF_ANY_KEY: a part of any */
	char *text;	  /* owned */
};
#define DIFF_ANY_KEY SIZE_MAX

struct tui_diff {
	struct options options; /* those of .diff, whose style may change */
	struct diff diff;
	size_t event; /* which one is shown */
	ARRAY(struct tui_diff_filter) filters;
	/* What is shown of .event: those that pass. */
	ARRAY(const struct diff_row *) rows;
	struct diff_columns columns;
	ARRAY(size_t) widths; /* by column */
	ARRAY(size_t) shown;  /* those there is room for; 0: it isn't shown */
	size_t cursor, top;
	size_t shift; /* so many columns of long names are to the left */
	struct tui_screen screen;
	struct strbuf wanted; /* what is searched for */
	bool is_over;
};

extern const struct tui_key tui_diff_bindings[];

static inline const struct diff_event *tui_diff_event(
	const struct tui_diff *tui)
{
	return &tui->diff.events.at[tui->event];
}

/* tui_diff_rows.c: the rows that are shown, after a filter or their order. */
void tui_diff_list(struct tui_diff *tui);
/* The order that the options' style has now. */
void tui_diff_sort(struct tui_diff *tui);
void tui_diff_push(
	struct tui_diff *tui, const char *name, size_t key, const char *text);
/* False: there is none. */
bool tui_diff_pop(struct tui_diff *tui);
/* The text that ROW can be found by. */
void tui_diff_put_keys(const struct tui_diff *tui, const struct diff_row *row,
	struct strbuf *out);
/* " > DSO x": the filters, escaped. */
void tui_diff_put_crumbs(const struct tui_diff *tui, struct strbuf *out);

/* tui_diff_fit.c: .shown, of .widths. */
void tui_diff_fit(struct tui_diff *tui);

/* tui_diff_page.c: shows it as it is now. */
void tui_diff_draw(struct tui_diff *tui);
/* Lines that there is room for. */
size_t tui_diff_height(const struct tui_diff *tui);
/* tui_diff_details.c: all of the cursor's row. */
void tui_diff_show_details(struct tui_diff *tui);

#endif
