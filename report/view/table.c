/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/table.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/util/escape.h"

bool table_is_view(const char *view)
{
	return view && !string_is(view, "stdio");
}

void table_begin_member(struct table *table, const char *name,
	const char *const *columns, const struct json *json)
{
	*table = (struct table){
		.columns = columns, .out = json->out, .json = *json
	};
	json_begin_array(&table->json, name);
}

void table_end_member(struct table *table, struct json *json)
{
	json_end_array(&table->json);
	*json = table->json;
}

void table_begin(struct table *table, const char *view, const char *name,
	const char *const *columns, struct strbuf *out)
{
	struct json json = { .out = out };
	size_t i;

	if (!string_is(view, "csv")) {
		json_begin_object(&json, NULL);
		json_unsigned(&json, "version", TABLE_VERSION);
		table_begin_member(table, name, columns, &json);
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
	if (table->is_csv)
		return;
	json_end_array(&table->json);
	json_end_object(&table->json);
	strbuf_putc(table->out, '\n');
}

/*
 * Writes what separates a cell of CSV or JSON from the text before it. Returns
 * the name of the column, which is the key in JSON.
 */
static const char *begin_table_cell(struct table *table)
{
	if (table->is_csv) {
		strbuf_puts(table->out, table->cell ? "," : "");
	} else if (table->cell == 0) {
		json_line(&table->json, "\n  ");
		json_begin_object(&table->json, NULL);
	}
	return table->columns[table->cell];
}

static void end_table_cell(struct table *table)
{
	if (table->columns[++table->cell])
		return;
	table->cell = 0;
	if (table->is_csv)
		strbuf_putc(table->out, '\n');
	else
		json_end_object(&table->json);
}

void table_text(struct table *table, const char *text)
{
	const char *key = begin_table_cell(table);

	if (!table->is_csv)
		json_string(&table->json, key, text);
	else if (text)
		escape_csv(table->out, text);
	end_table_cell(table);
}

void table_number(struct table *table, uint64_t number)
{
	const char *key = begin_table_cell(table);

	if (table->is_csv)
		strbuf_printf(table->out, "%" PRIu64, number);
	else
		json_unsigned(&table->json, key, number);
	end_table_cell(table);
}

void table_signed(struct table *table, int64_t number)
{
	const char *key = begin_table_cell(table);

	if (table->is_csv)
		strbuf_printf(table->out, "%" PRId64, number);
	else
		json_signed(&table->json, key, number);
	end_table_cell(table);
}

void table_address(struct table *table, uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	table_text(table, text);
}
