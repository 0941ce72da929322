/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table for programs, as JSON or CSV, of whoever has more to tell than rows
 * of a report (view_json.c, view_csv.c): cell by cell, row by row. The shape is
 * documented in dwell-report(1): {"version": 1, "NAME": [{COLUMN: cell, ...}]},
 * or a line of columns and a line per row.
 */
#ifndef DWELL_REPORT_VIEW_TABLE_H
#define DWELL_REPORT_VIEW_TABLE_H

#include "common/util/strbuf.h"

#define TABLE_VERSION 1

struct table {
	const char *const *columns; /* NULL ends them */
	bool is_csv;
	size_t cell, rows; /* the next cell's column; rows that began */
	struct strbuf *out;
};

/* Whether VIEW ("stdio", "json", "csv", or NULL) is one of programs. */
bool table_is_wanted(const char *view);

/* Begins the only table of a document; COLUMNS are borrowed until its end. */
void table_begin(struct table *table, const char *view, const char *name,
	const char *const *columns, struct strbuf *out);
void table_end(struct table *table);

/* The same within a JSON object that somebody else writes: "NAME": [...]. */
void table_begin_member(struct table *table, const char *name,
	const char *const *columns, struct strbuf *out);
void table_end_member(struct table *table);

/* The next cell: each row has one of every column. */
void table_text(struct table *table, const char *text); /* NULL: not known */
void table_number(struct table *table, uint64_t number);
void table_signed(struct table *table, int64_t number);
/* "0x1000": what is larger than 2^53 is safe as text only. */
void table_address(struct table *table, uint64_t address);

#endif
