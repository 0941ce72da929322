/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a comparison as CSV: one line per row and recording. */
#include "config.h"

#include <inttypes.h>
#include <math.h>

#include "common/util/escape.h"
#include "report/diff/diff_view.h"
#include "report/util/output.h"

static void put_csv_number(double value, struct strbuf *out)
{
	strbuf_putc(out, ',');
	if (isfinite(value))
		strbuf_printf(out, "%.9g", value);
}

static void put_csv_cell(const struct diff_cell *cell, struct strbuf *out)
{
	strbuf_printf(out, ",%" PRIu64 ",%" PRIu64, cell->samples,
		cell->period);
	put_csv_number(cell->share, out);
	put_csv_number(cell->value, out);
}

static void put_csv_change(const struct diff *diff,
	const struct diff_event *event, const struct diff_row *row, size_t side,
	struct strbuf *out)
{
	const struct diff_change *change = &row->changes[side];
	size_t i;

	escape_csv(out, event->name);
	strbuf_putc(out, ',');
	escape_csv(out, diff->sides.at[side].path);
	put_csv_cell(&row->cells[0], out);
	put_csv_cell(&row->cells[side], out);
	put_csv_number(change->delta, out);
	put_csv_number(change->delta_error, out);
	put_csv_number(change->ratio, out);
	put_csv_number(change->ratio_error, out);
	put_csv_number(change->wdiff, out);
	put_csv_number(change->wdiff_error, out);
	put_csv_number(change->p, out);
	strbuf_printf(out, ",%s", diff_verdict(diff, change));
	for (i = 0; i < diff->keys.n; i++) {
		strbuf_putc(out, ',');
		escape_csv(out, diff_key_text(diff, row, i));
	}
	strbuf_putc(out, '\n');
}

void diff_csv_put(const struct diff *diff, struct strbuf *out)
{
	size_t i;

	strbuf_puts(out, "event,file,base_samples,base_period,base_share,"
			 "base_value,samples,period,share,value,delta,"
			 "delta_error,ratio,ratio_error,wdiff,wdiff_error,p,"
			 "change");
	for (i = 0; i < diff->keys.n; i++)
		strbuf_printf(out, ",%s", diff->keys.at[i].name);
	strbuf_putc(out, '\n');
	array_each(&diff->events, event)
		array_each(&event->rows, row) {
			for (i = 1; i < diff->sides.n; i++)
				if (row->changes[i].is_known)
					put_csv_change(
						diff, event, row, i, out);
			output_some(out);
		}
}
