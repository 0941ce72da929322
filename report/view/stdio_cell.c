/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/stdio_cell.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/rows/group.h"
#include "report/util/output.h"

/* The width of a column of numbers does not depend on the numbers. */
size_t stdio_cell_width(const struct field *field, const struct hist *hist)
{
	size_t n_events = hist->members.n + 1;

	switch (field->kind) {
	case FIELD_SHARE: return STDIO_SHARE_WIDTH * n_events;
	case FIELD_COUNT: return STDIO_COUNT_WIDTH * n_events;
	case FIELD_RATIO:
		return MAX(strlen(field->header), (size_t)STDIO_SHARE_WIDTH);
	default: return strlen(field->header);
	}
}

size_t stdio_underline_width(size_t before, size_t width)
{
	size_t columns = output_columns();
	size_t room = columns > before ? columns - before : 0;

	return MIN(width, MAX(room, (size_t)STDIO_SHARE_WIDTH));
}

/*
 * If the first column is "Children", the heading of the share without callees
 * in the second column is "Self".
 */
const char *stdio_cell_head(const struct result *result, size_t column)
{
	const struct column *at = result->request.columns.at;

	if (column == 1 && at[0].field->kind == FIELD_SHARE &&
		at[0].field->number == FIELD_NUMBER_CHILDREN &&
		at[1].field->kind == FIELD_SHARE &&
		at[1].field->number == FIELD_NUMBER_SELF)
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
	return percent >= 5	 ? STDIO_HEAT_HOT
		: percent >= 0.5 ? STDIO_HEAT_WARM
				 : STDIO_HEAT_NONE;
}

const char *stdio_cell_colour(const struct options *options, double percent)
{
	static const char *const colours[] = {
		[STDIO_HEAT_NONE] = "",
		[STDIO_HEAT_WARM] = "\033[32m",
		[STDIO_HEAT_HOT] = "\033[31m",
	};

	return options->output.has_colour ? colours[stdio_cell_heat(percent)]
					  : "";
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

void stdio_period_text(
	const struct options *options, uint64_t period, struct strbuf *out)
{
	if (options->time.counted && !options->rows.separator)
		strbuf_put_duration(out, period);
	else
		strbuf_printf(out, "%" PRIu64, period);
}

void stdio_count_text(const struct options *options, const struct row *row,
	const struct field *field, size_t event, struct strbuf *out)
{
	uint64_t number = stdio_cell_number(row, field, event);

	if (field->number == FIELD_NUMBER_SAMPLES)
		strbuf_printf(out, "%" PRIu64, number);
	else
		stdio_period_text(options, number, out);
}

/* Appends "cycles", or "anon group { cycles, instructions }". */
static void put_event_names(const struct result *result,
	const struct hist *hist, struct strbuf *out)
{
	const char *name;

	if (!hist->members.n) {
		escape_text(out, result_event(result, hist)->name);
		return;
	}
	group_size(&result->inputs, hist->event, true, &name);
	escape_text(out, *name ? name : "anon group");
	strbuf_puts(out, " { ");
	escape_text(out, result_event(result, hist)->name);
	array_each(&hist->members, member) {
		strbuf_puts(out, ", ");
		escape_text(out, result_event(result, member)->name);
	}
	strbuf_puts(out, " }");
}

void stdio_title_put_samples(const struct result *result,
	const struct hist *hist, struct strbuf *out)
{
	uint64_t samples = hist->samples;

	array_each(&hist->members, member)
		samples += member->samples;
	strbuf_puts(out, "Samples: ");
	/* 1126 is written as "1K", as perf does. */
	const char *units = " KMGTPE";

	while (samples >= 1000 && units[1]) {
		samples /= 1000;
		units++;
	}
	strbuf_printf(out, "%" PRIu64, samples);
	if (*units != ' ')
		strbuf_putc(out, *units);
	strbuf_printf(out, " of event%s '", hist->members.n ? "s" : "");
	put_event_names(result, hist, out);
	strbuf_putc(out, '\'');
}

void stdio_title_put_thread_time(
	const struct result *result, uint64_t period, struct strbuf *out)
{
	strbuf_puts(out, "Thread time: ");
	strbuf_put_duration(out, period);
	strbuf_printf(out, " (%zu thread%s", result->n_threads,
		plural(result->n_threads));
	if (result->seconds > 0) {
		strbuf_puts(out, ", ");
		strbuf_put_duration(
			out, (uint64_t)(result->seconds * NSEC_PER_SEC));
	}
	strbuf_putc(out, ')');
}

void stdio_title_put_period(const struct result *result,
	const struct hist *hist, struct strbuf *out)
{
	uint64_t period = hist->period;

	array_each(&hist->members, member)
		period += member->period;
	if (result->options->time.counted)
		stdio_title_put_thread_time(result, period, out);
	else
		strbuf_printf(out, "Event count (approx.): %" PRIu64, period);
}

void stdio_separated_put_cell(
	const char *cell, const char *separator, struct strbuf *out)
{
	size_t n = strlen(separator);

	while (*cell) {
		bool is_separator = !strncmp(cell, separator, n);

		strbuf_putc(out, is_separator ? '.' : *cell);
		cell += is_separator ? n : 1;
	}
}
