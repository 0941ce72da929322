/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/table.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/util/escape.h"

bool table_is_wanted(const char *view)
{
	return view && !string_is(view, "stdio");
}

void table_begin_member(struct table *table, const char *name,
	const char *const *columns, struct strbuf *out)
{
	*table = (struct table){ .columns = columns, .out = out };
	strbuf_printf(out, "\"%s\": [", name);
}

void table_end_member(struct table *table)
{
	strbuf_putc(table->out, ']');
}

void table_begin(struct table *table, const char *view, const char *name,
	const char *const *columns, struct strbuf *out)
{
	size_t i;

	if (!string_is(view, "csv")) {
		strbuf_printf(out, "{\"version\": %d, ", TABLE_VERSION);
		table_begin_member(table, name, columns, out);
		return;
	}
	*table = (struct table){
		.columns = columns, .is_csv = true, .out = out
	};
	for (i = 0; columns[i]; i++)
		strbuf_printf(out, "%s%s", i ? "," : "", columns[i]);
	strbuf_putc(out, '\n');
}

void table_end(struct table *table)
{
	if (!table->is_csv)
		strbuf_puts(table->out, "]}\n");
}

static void begin_cell(struct table *table)
{
	const char *row = table->rows ? ",\n  {" : "\n  {";

	if (table->is_csv) {
		strbuf_puts(table->out, table->cell ? "," : "");
		return;
	}
	strbuf_printf(table->out, "%s\"%s\": ", table->cell ? ", " : row,
		table->columns[table->cell]);
}

static void end_cell(struct table *table)
{
	if (table->cell == 0)
		table->rows++;
	if (table->columns[++table->cell])
		return;
	table->cell = 0;
	strbuf_puts(table->out, table->is_csv ? "\n" : "}");
}

void table_text(struct table *table, const char *text)
{
	begin_cell(table);
	if (!text)
		strbuf_puts(table->out, table->is_csv ? "" : "null");
	else if (table->is_csv)
		escape_csv(table->out, text);
	else
		escape_json(table->out, text);
	end_cell(table);
}

void table_number(struct table *table, uint64_t number)
{
	begin_cell(table);
	strbuf_printf(table->out, "%" PRIu64, number);
	end_cell(table);
}

void table_signed(struct table *table, int64_t number)
{
	begin_cell(table);
	strbuf_printf(table->out, "%" PRId64, number);
	end_cell(table);
}

void table_address(struct table *table, uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	table_text(table, text);
}
