/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/stdio_cell.h"

#include "common/util/escape.h"

/* Columns of numbers have the same width for all values. */
size_t stdio_cell_width(const struct field *field, const struct hist *hist)
{
	size_t n_events = hist->members.n + 1;

	switch (field->kind) {
	case FIELD_SHARE: return STDIO_SHARE_WIDTH * n_events;
	case FIELD_COUNT: return STDIO_COUNT_WIDTH * n_events;
	default: return strlen(field->header);
	}
}

/* Next to the column "Children", the heading of the own share is "Self". */
const char *stdio_cell_head(const struct result *result, size_t column)
{
	const struct column *at = result->request.columns.at;

	if (column == 1 && at[0].field->kind == FIELD_SHARE &&
		at[0].field->number == NUMBER_CHILDREN &&
		at[1].field->kind == FIELD_SHARE &&
		at[1].field->number == NUMBER_SELF)
		return "Self";
	return at[column].field->header;
}

void stdio_cell_text(const struct result *result, const struct row *row,
	size_t column, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };

	strbuf_puts(&raw, "");
	hist_key_text(
		row, &result->request.columns.at[column], &result->names, &raw);
	escape_text(out, raw.at);
}

/* perf's colours of percentages: red from 5 %, green from 0.5 %. */
enum stdio_heat stdio_cell_heat(double percent)
{
	return percent >= 5 ? HEAT_HOT : percent >= 0.5 ? HEAT_WARM : HEAT_NONE;
}

const char *stdio_cell_colour(const struct options *options, double percent)
{
	static const char *const colours[] = {
		[HEAT_NONE] = "",
		[HEAT_WARM] = "\033[32m",
		[HEAT_HOT] = "\033[31m",
	};

	return options->has_colour ? colours[stdio_cell_heat(percent)] : "";
}

uint64_t stdio_cell_number(
	const struct row *row, const struct field *field, size_t event)
{
	const struct row *own = hist_member_row(row, event);

	return own ? hist_number(own, field) : 0;
}

double stdio_cell_share(const struct hist *hist, const struct row *row,
	const struct field *field, size_t event)
{
	uint64_t whole =
		event ? hist->members.at[event - 1].period : hist->period;

	if (!whole)
		return 0;
	return 100.0 * (double)stdio_cell_number(row, field, event) /
		(double)whole;
}
