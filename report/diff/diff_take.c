/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the rows of one recording to the comparison. */
#include "config.h"

#include "report/diff/diff.h"
#include "report/result/result.h"
#include "report/scan/missing_samples.h"

struct side_input {
	struct diff *diff;
	size_t side;
	const struct result *result;
	struct strbuf text;
};

static bool is_key_column(const struct column *column)
{
	return column->field->kind == FIELD_KEY;
}

static void add_diff_keys(struct diff *diff, const struct columns *columns)
{
	size_t i;

	for (i = 0; i < columns->n; i++) {
		const struct field *field = columns->at[i].field;
		struct diff_key *key;

		if (!is_key_column(&columns->at[i]))
			continue;
		key = array_push(&diff->keys);
		key->name = xstrdup(field->name);
		key->head = xstrdup(field->header);
		key->is_number = field->is_number;
	}
}

static struct diff_event *find_diff_event(
	struct diff *diff, const struct input_event *like)
{
	struct diff_event *event;

	array_each(&diff->events, known)
		if (known->occurrence == like->occurrence &&
			string_is(known->name, like->name))
			return known;
	event = array_push(&diff->events);
	event->name = xstrdup(like->name);
	event->occurrence = like->occurrence;
	while (event->totals.n < diff->sides.n)
		array_push(&event->totals);
	return event;
}

/*
 * Returns the sum of the squared periods of all samples. All samples of a row
 * are assumed to have equal periods, and all samples without a row as well.
 */
static double sum_of_squares(const struct hist *hist)
{
	double squares = 0, period = (double)hist->period;
	double samples = (double)hist->samples;

	array_each(&hist->rows, row) {
		if (!row->samples)
			continue;
		squares += (double)row->self * (double)row->self /
			(double)row->samples;
		period -= (double)row->self;
		samples -= (double)row->samples;
	}
	return samples > 0 ? squares + period * period / samples : squares;
}

static bool is_unknown_code(const struct result *result, const struct row *row,
	const struct column *column)
{
	return string_is(column->field->name, "sym") &&
		!resolver_location(
			result->resolver, (uint32_t)row->key[column->key])
			 ->symbol;
}

static uint32_t intern_row_key(struct side_input *side_input,
	const struct row *row, const struct column *column)
{
	const struct result *result = side_input->result;
	struct strbuf *text = &side_input->text;

	strbuf_clear(text);
	strbuf_puts(text, "");
	hist_key_text(row, column, &result->names, text);
	if (!row->is_rest && is_unknown_code(result, row, column)) {
		/* Keep the mark of the CPU mode, "[.] ". */
		text->n = MIN(text->n, strlen("[.] "));
		strbuf_puts(text, DIFF_UNKNOWN);
	}
	return string_table_intern(&side_input->diff->texts, text->at);
}

/* Returns the number of the row with KEYS. Adds the row if it is new. */
static uint32_t find_or_add_row(
	struct diff *diff, struct diff_event *event, const uint32_t *keys)
{
	size_t n = diff->keys.n, size = n * sizeof(*keys), i;
	uint64_t hash = hash_bytes(keys, size);
	uint32_t number = (uint32_t)event->rows.n;

	hash_each_match(&event->by_keys, hash, known)
		if (!memcmp(&event->keys.at[known * n], keys, size))
			return known;
	hash_insert(&event->by_keys, hash, number);
	array_push(&event->rows)->number = number;
	for (i = 0; i < n; i++)
		*array_push(&event->keys) = keys[i];
	for (i = 0; i < diff->sides.n; i++)
		array_push(&event->cells);
	return number;
}

static void add_diff_row(struct side_input *side_input,
	struct diff_event *event, const struct row *row)
{
	const struct columns *columns = &side_input->result->request.columns;
	uint32_t keys[FIELDS_MAX], number;
	struct diff_cell *cell;
	size_t i, n = 0;

	for (i = 0; i < columns->n; i++)
		if (is_key_column(&columns->at[i]))
			keys[n++] = intern_row_key(
				side_input, row, &columns->at[i]);
	number = find_or_add_row(side_input->diff, event, keys);
	cell = &event->cells.at[number * side_input->diff->sides.n +
		side_input->side];
	cell->samples += row->samples;
	cell->period += row->self;
}

static void add_hist_rows(
	struct side_input *side_input, const struct hist *hist)
{
	struct diff_event *event = find_diff_event(
		side_input->diff, result_event(side_input->result, hist));
	struct diff_total *total = &event->totals.at[side_input->side];

	total->samples = hist->samples;
	total->period = hist->period;
	total->squares = sum_of_squares(hist);
	array_each(&hist->rows, row)
		if (!row->is_hidden)
			add_diff_row(side_input, event, row);
}

void diff_take_totals(
	struct diff *diff, size_t side, const struct result *result)
{
	const struct scan *scan = &result->scan;
	size_t i;

	for (i = 0; i < scan->by_event.n; i++) {
		const struct event_totals *totals = &scan->by_event.at[i];
		struct diff_event *event;

		if (!totals->samples)
			continue;
		event = find_diff_event(diff, &result->inputs.events.at[i]);
		event->totals.at[side].samples = totals->samples;
		event->totals.at[side].period = totals->period;
	}
}

void diff_take(struct diff *diff, size_t side, const struct result *result)
{
	struct side_input side_input = {
		.diff = diff, .side = side, .result = result
	};
	double percent;

	diff->sides.at[side].lost = result_lost(result, &percent);
	diff->sides.at[side].damaged = damaged_inputs_sums(&result->inputs);
	if (!diff->keys.n)
		add_diff_keys(diff, &result->request.columns);
	array_each(&result->hists, hist)
		add_hist_rows(&side_input, hist);
	strbuf_free(&side_input.text);
}
