/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings beside each other as JSON, documented in dwell-diff(1). */
#include "config.h"

#include <inttypes.h>
#include <math.h>

#include "common/util/escape.h"
#include "report/diff/diff_view.h"
#include "report/util/output.h"

#define SHAPE_VERSION 1

static const char *const measures[] = {
	[DIFF_SHARE] = "share",
	[DIFF_PERIOD] = "period",
	[DIFF_RATE] = "rate",
};

/* JSON knows no infinity. */
static void put_number(const char *name, double value, struct strbuf *out)
{
	if (isfinite(value))
		strbuf_printf(out, ", \"%s\": %.9g", name, value);
	else
		strbuf_printf(out, ", \"%s\": null", name);
}

static void put_cells(
	const struct diff *diff, const struct diff_row *row, struct strbuf *out)
{
	size_t i;

	strbuf_puts(out, ", \"cells\": [");
	for (i = 0; i < diff->sides.n; i++) {
		const struct diff_cell *cell = &row->cells[i];

		strbuf_printf(out,
			"%s{\"samples\": %" PRIu64 ", \"period\": %" PRIu64,
			i ? ", " : "", cell->samples, cell->period);
		put_number("share", cell->share, out);
		put_number("value", cell->value, out);
		strbuf_putc(out, '}');
	}
	strbuf_putc(out, ']');
}

static void put_change(const struct diff *diff,
	const struct diff_change *change, struct strbuf *out)
{
	if (!change->is_known) {
		strbuf_puts(out, "null");
		return;
	}
	strbuf_printf(out, "{\"change\": \"%s\"", diff_verdict(diff, change));
	put_number("delta", change->delta, out);
	put_number("delta_error", change->delta_error, out);
	put_number("ratio", change->ratio, out);
	put_number("ratio_error", change->ratio_error, out);
	put_number("wdiff", change->wdiff, out);
	put_number("wdiff_error", change->wdiff_error, out);
	put_number("p", change->p, out);
	strbuf_printf(out, ", \"noise\": %s}",
		change->is_noise ? "true" : "false");
}

static void put_key(const struct diff *diff, const struct diff_row *row,
	size_t i, struct strbuf *out)
{
	const char *text = diff_key_text(diff, row, i);
	long long number;
	char *end;

	escape_json(out, diff->keys.at[i].name);
	strbuf_puts(out, ": ");
	if (!diff->keys.at[i].is_number) {
		escape_json(out, text);
		return;
	}
	number = strtoll(text, &end, 10);
	if (end == text)
		strbuf_puts(out, "null");
	else
		strbuf_printf(out, "%lld", number);
}

static void put_row(
	const struct diff *diff, const struct diff_row *row, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < diff->keys.n; i++) {
		strbuf_puts(out, i ? ", " : "{");
		put_key(diff, row, i, out);
	}
	put_cells(diff, row, out);
	strbuf_puts(out, ", \"changes\": [null");
	for (i = 1; i < diff->sides.n; i++) {
		strbuf_puts(out, ", ");
		put_change(diff, &row->changes[i], out);
	}
	strbuf_puts(out, "]}");
}

static void put_event(const struct diff *diff, const struct diff_event *event,
	struct strbuf *out)
{
	const char *separator = "\n    ";
	size_t i;

	strbuf_puts(out, "{\"event\": ");
	escape_json(out, event->name);
	strbuf_puts(out, ", \"totals\": [");
	for (i = 0; i < event->totals.n; i++)
		strbuf_printf(out,
			"%s{\"samples\": %" PRIu64 ", \"period\": %" PRIu64 "}",
			i ? ", " : "", event->totals.at[i].samples,
			event->totals.at[i].period);
	strbuf_puts(out, "], \"rows\": [");
	array_each(&event->rows, row) {
		strbuf_puts(out, separator);
		put_row(diff, row, out);
		separator = ",\n    ";
		output_some(out);
	}
	strbuf_puts(out, "]}");
}

static void put_recordings(const struct diff *diff, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < diff->sides.n; i++) {
		const struct diff_side *side = &diff->sides.at[i];

		strbuf_puts(out, i ? ", {\"file\": " : "{\"file\": ");
		escape_json(out, side->path);
		strbuf_printf(out, ", \"lost\": %" PRIu64, side->lost);
		if (side->damaged.places)
			strbuf_printf(out,
				", \"damaged_places\": %" PRIu64
				", \"missing_samples\": %" PRIu64,
				side->damaged.places, side->damaged.samples);
		if (side->seconds > 0)
			put_number("seconds", side->seconds, out);
		strbuf_putc(out, '}');
	}
}

void diff_json_put(const struct diff *diff, struct strbuf *out)
{
	const struct diff_style *style = diff->style;
	const char *separator = "\n  ";

	strbuf_printf(out,
		"{\"version\": %d, \"compute\": \"%s\", \"measure\": \"%s\", "
		"\"weights\": [%" PRIu64 ", %" PRIu64 "], \"recordings\": [",
		SHAPE_VERSION, diff_compute_name(style->compute),
		measures[style->measure], style->weights[0],
		style->weights[1]);
	put_recordings(diff, out);
	strbuf_puts(out, "], \"events\": [");
	array_each(&diff->events, event) {
		strbuf_puts(out, separator);
		put_event(diff, event, out);
		separator = ",\n  ";
	}
	strbuf_puts(out, "]}\n");
}
