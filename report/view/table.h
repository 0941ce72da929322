/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a table for programs as JSON or CSV, cell by cell and row by row.
 * view_json.c and view_csv.c write the rows of a report; this module writes all
 * other tables. dwell-report(1) documents the shape: {"version": 1, "NAME":
 * [{COLUMN: cell, ...}]}, or a line of column names and a line per row.
 */
#ifndef DWELL_REPORT_VIEW_TABLE_H
#define DWELL_REPORT_VIEW_TABLE_H

#include "common/util/json.h"

#define TABLE_VERSION 1

struct table {
	const char *const *columns; /* column names, followed by NULL */
	bool is_csv;
	size_t cell; /* column of the next cell */
	struct strbuf *out;
	struct json json;
};

/* Returns whether VIEW ("stdio", "json", "csv", or NULL) is for programs. */
bool table_is_view(const char *view);

/*
 * Begins the only table of a document. COLUMNS are borrowed until table_end().
 */
void table_begin(struct table *table, const char *view, const char *name,
	const char *const *columns, struct strbuf *out);
void table_end(struct table *table);

/*
 * Begins the array NAME in an open object that the caller writes with JSON. The
 * caller uses JSON again only after table_end_member(), which ends the array.
 */
void table_begin_member(struct table *table, const char *name,
	const char *const *columns, const struct json *json);
void table_end_member(struct table *table, struct json *json);

/*
 * table_text(), table_number() and table_signed() write the next cell. Each row
 * has one cell per column.
 */
void table_text(struct table *table, const char *text); /* TEXT may be NULL
							   (unknown) */
void table_number(struct table *table, uint64_t number);
void table_signed(struct table *table, int64_t number);
/*
 * Writes the next cell with ADDRESS as a text, "0x1000", because JSON readers
 * round numbers above 2^53.
 */
void table_address(struct table *table, uint64_t address);

#endif
