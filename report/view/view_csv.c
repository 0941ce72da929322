/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the report as comma-separated values: a line of column names, then a
 * line per row.
 */
#include "config.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/result/result.h"
#include "report/rows/ratio.h"
#include "report/util/output.h"

/*
 * Writes the line of ROW, a row of LEADER, for event number EVENT of the group:
 * the numbers are those of the event, the keys and ratios those of the group.
 */
static void put_csv_line(const struct result *result, const struct hist *leader,
	const struct row *row, size_t event, struct strbuf *out)
{
	static const struct hist_key_style style = { escape_csv, "" };
	static const struct row none;
	const struct hist_request *request = &result->request;
	const struct hist *hist =
		event ? &leader->members.at[event - 1] : leader;
	const struct row *own = hist_member_row(row, event);
	const struct row *sums = own ? own : &none;
	double total = hist->period ? (double)hist->period : 1;
	size_t i;

	escape_csv(out, result_event(result, hist)->name);
	strbuf_printf(out, ",%.4f,%.4f,%" PRIu64 ",%" PRIu64 ",%" PRIu64,
		100.0 * (double)sums->children / total,
		100.0 * (double)sums->self / total, sums->samples, sums->self,
		sums->children);
	for (i = 0; i < request->columns.n; i++) {
		const struct column *column = &request->columns.at[i];
		const struct field *field = column->field;

		if (!column_is_named(column))
			continue;
		strbuf_putc(out, ',');
		if (field->kind == FIELD_KEY)
			hist_put_key(row, column, &result->names, &style, out);
		else if (field->kind == FIELD_RATIO)
			ratio_put(leader, row, field, "", out);
		else
			strbuf_printf(out, "%.4f",
				100.0 * (double)hist_number(sums, field) /
					total);
	}
	strbuf_putc(out, '\n');
}

static void print_csv_report(struct result *result, struct strbuf *out)
{
	const struct hist_request *request = &result->request;
	size_t i;

	strbuf_puts(out,
		"event,children,self,samples,self_period,"
		"children_period");
	for (i = 0; i < request->columns.n; i++)
		if (column_is_named(&request->columns.at[i]))
			strbuf_printf(
				out, ",%s", request->columns.at[i].field->name);
	strbuf_putc(out, '\n');
	array_each(&result->hists, hist)
		array_each(&hist->rows, row) {
			/* a line per event of a group, the group leader first */
			for (i = 0; !row->is_hidden && i <= hist->members.n;
				i++)
				put_csv_line(result, hist, row, i, out);
			output_some(out);
		}
}

const struct view view_csv = { "csv", print_csv_report };
