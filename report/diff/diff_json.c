/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of dwell diff as JSON; dwell-diff(1) documents the members. */
#include "config.h"

#include "common/util/json.h"
#include "report/diff/diff_view.h"
#include "report/util/output.h"

#define SHAPE_VERSION 1

static const char *const measures[] = {
	[DIFF_SHARE] = "share",
	[DIFF_PERIOD] = "period",
	[DIFF_RATE] = "rate",
};

static void put_json_cells(
	const struct diff *diff, const struct diff_row *row, struct json *json)
{
	size_t i;

	json_begin_array(json, "cells");
	for (i = 0; i < diff->sides.n; i++) {
		const struct diff_cell *cell = &row->cells[i];

		json_begin_object(json, NULL);
		json_unsigned(json, "samples", cell->samples);
		json_unsigned(json, "period", cell->period);
		json_double(json, "share", cell->share);
		json_double(json, "value", cell->value);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_json_change(const struct diff *diff,
	const struct diff_change *change, struct json *json)
{
	if (!change->is_known) {
		json_null(json, NULL);
		return;
	}
	json_begin_object(json, NULL);
	json_string(json, "change", diff_verdict(diff, change));
	json_double(json, "delta", change->delta);
	json_double(json, "delta_error", change->delta_error);
	json_double(json, "ratio", change->ratio);
	json_double(json, "ratio_error", change->ratio_error);
	json_double(json, "wdiff", change->wdiff);
	json_double(json, "wdiff_error", change->wdiff_error);
	json_double(json, "p", change->p);
	json_bool(json, "noise", change->is_noise);
	json_end_object(json);
}

static void put_json_key(const struct diff *diff, const struct diff_row *row,
	size_t i, struct json *json)
{
	const char *text = diff_key_text(diff, row, i);
	const char *name = diff->keys.at[i].name;
	long long number;
	char *end;

	if (!diff->keys.at[i].is_number) {
		json_string(json, name, text);
		return;
	}
	number = strtoll(text, &end, 10);
	if (end == text)
		json_null(json, name);
	else
		json_signed(json, name, number);
}

static void put_json_row(
	const struct diff *diff, const struct diff_row *row, struct json *json)
{
	size_t i;

	json_begin_object(json, NULL);
	for (i = 0; i < diff->keys.n; i++)
		put_json_key(diff, row, i, json);
	put_json_cells(diff, row, json);
	json_begin_array(json, "changes");
	json_null(json, NULL);
	for (i = 1; i < diff->sides.n; i++)
		put_json_change(diff, &row->changes[i], json);
	json_end_array(json);
	json_end_object(json);
}

static void put_json_event(const struct diff *diff,
	const struct diff_event *event, struct json *json)
{
	size_t i;

	json_begin_object(json, NULL);
	json_string(json, "event", event->name);
	json_begin_array(json, "totals");
	for (i = 0; i < event->totals.n; i++) {
		json_begin_object(json, NULL);
		json_unsigned(json, "samples", event->totals.at[i].samples);
		json_unsigned(json, "period", event->totals.at[i].period);
		json_end_object(json);
	}
	json_end_array(json);
	json_begin_array(json, "rows");
	array_each(&event->rows, row) {
		json_line(json, "\n    ");
		put_json_row(diff, row, json);
		output_some(json->out);
	}
	json_end_array(json);
	json_end_object(json);
}

static void put_recording(const struct diff_side *side, struct json *json)
{
	json_begin_object(json, NULL);
	json_string(json, "file", side->path);
	json_unsigned(json, "lost", side->lost);
	if (side->damaged.places) {
		json_unsigned(json, "damaged_places", side->damaged.places);
		json_unsigned(json, "missing_samples", side->damaged.samples);
	}
	if (side->seconds > 0)
		json_double(json, "seconds", side->seconds);
	json_end_object(json);
}

void diff_json_put(const struct diff *diff, struct strbuf *out)
{
	const struct diff_style *style = diff->style;
	struct json json = { .out = out };

	json_begin_object(&json, NULL);
	json_unsigned(&json, "version", SHAPE_VERSION);
	json_string(&json, "compute", diff_compute_name(style->compute));
	json_string(&json, "measure", measures[style->measure]);
	json_begin_array(&json, "weights");
	json_unsigned(&json, NULL, style->weights[0]);
	json_unsigned(&json, NULL, style->weights[1]);
	json_end_array(&json);
	json_begin_array(&json, "recordings");
	array_each(&diff->sides, side)
		put_recording(side, &json);
	json_end_array(&json);
	json_begin_array(&json, "events");
	array_each(&diff->events, event) {
		json_line(&json, "\n  ");
		put_json_event(diff, event, &json);
	}
	json_end_array(&json);
	json_end_object(&json);
	strbuf_putc(out, '\n');
}
