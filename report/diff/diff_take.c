/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of one recording, put to those of the others. */
#include "config.h"

#include "report/diff/diff.h"
#include "report/result/result.h"
#include "report/scan/damaged_inputs.h"

struct taking {
	struct diff *diff;
	size_t side;
	const struct result *result;
	struct strbuf text;
};

static bool is_key(const struct column *column)
{
	return column->field->kind == FIELD_KEY;
}

static void take_keys(struct diff *diff, const struct columns *columns)
{
	size_t i;

	for (i = 0; i < columns->n; i++) {
		const struct field *field = columns->at[i].field;
		struct diff_key *key;

		if (!is_key(&columns->at[i]))
			continue;
		key = array_push(&diff->keys);
		key->name = xstrdup(field->name);
		key->head = xstrdup(field->header);
		key->is_number = field->is_number;
	}
}

static struct diff_event *find_event(
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
 * The sum of the squared periods, where those of a row are taken for alike; so are
 * those of all samples that no row has.
 */
static double squares_of(const struct hist *hist)
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

static bool is_unknown_code(const struct result *result,
	const struct row *row, const struct column *column)
{
	return string_is(column->field->name, "sym") &&
		!resolver_location(result->resolver,
			(uint32_t)row->key[column->key])->symbol;
}

static uint32_t key_of(struct taking *taking, const struct row *row,
	const struct column *column)
{
	const struct result *result = taking->result;
	struct strbuf *text = &taking->text;

	strbuf_clear(text);
	strbuf_puts(text, "");
	hist_key_text(row, column, &result->names, text);
	if (!row->is_rest && is_unknown_code(result, row, column)) {
		/* But for its level. */
		text->n = MIN(text->n, strlen("[.] "));
		strbuf_puts(text, DIFF_UNKNOWN);
	}
	return texts_number(&taking->diff->texts, text->at);
}

/* The number of the row that has KEYS. */
static uint32_t find_row(struct diff *diff, struct diff_event *event,
	const uint32_t *keys)
{
	size_t n = diff->keys.n, size = n * sizeof(*keys), i;
	uint64_t hash = hash_bytes(keys, size);
	uint32_t number, probe = hash_start(hash);

	while ((number = hash_next(&event->by_keys, hash, &probe)) != HASH_NONE)
		if (!memcmp(&event->keys.at[number * n], keys, size))
			return number;
	number = (uint32_t)event->rows.n;
	hash_insert(&event->by_keys, hash, number);
	array_push(&event->rows)->number = number;
	for (i = 0; i < n; i++)
		*array_push(&event->keys) = keys[i];
	for (i = 0; i < diff->sides.n; i++)
		array_push(&event->cells);
	return number;
}

static void take_row(struct taking *taking, struct diff_event *event,
	const struct row *row)
{
	const struct columns *columns = &taking->result->request.columns;
	uint32_t keys[FIELDS_MAX], number;
	struct diff_cell *cell;
	size_t i, n = 0;

	for (i = 0; i < columns->n; i++)
		if (is_key(&columns->at[i]))
			keys[n++] = key_of(taking, row, &columns->at[i]);
	number = find_row(taking->diff, event, keys);
	cell = &event->cells.at[number * taking->diff->sides.n + taking->side];
	cell->samples += row->samples;
	cell->period += row->self;
}

static void take_hist(struct taking *taking, const struct hist *hist)
{
	struct diff_event *event = find_event(
		taking->diff, result_event(taking->result, hist));
	struct diff_total *total = &event->totals.at[taking->side];

	total->samples = hist->samples;
	total->period = hist->period;
	total->squares = squares_of(hist);
	array_each(&hist->rows, row)
		if (!row->is_hidden)
			take_row(taking, event, row);
}

void diff_take_totals(
	struct diff *diff, size_t side, const struct result *result)
{
	const struct scan *scan = &result->scan;
	size_t i;

	for (i = 0; i < scan->by_event.n; i++) {
		const struct take_totals *totals = &scan->by_event.at[i];
		struct diff_event *event;

		if (!totals->samples)
			continue;
		event = find_event(diff, &result->inputs.events.at[i]);
		event->totals.at[side].samples = totals->samples;
		event->totals.at[side].period = totals->period;
	}
}

void diff_take(struct diff *diff, size_t side, const struct result *result)
{
	struct taking taking = { .diff = diff, .side = side, .result = result };
	double percent;

	diff->sides.at[side].lost = result_lost(result, &percent);
	diff->sides.at[side].damaged = damaged_inputs_sums(&result->inputs);
	if (!diff->keys.n)
		take_keys(diff, &result->request.columns);
	array_each(&result->hists, hist)
		take_hist(&taking, hist);
	strbuf_free(&taking.text);
}
