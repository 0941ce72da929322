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

static struct diff_event *find_diff_event(struct diff *diff,
	const struct result *result, const struct input_event *like)
{
	struct diff_event *event;

	array_each(&diff->events, known)
		if (known->occurrence == like->occurrence &&
			string_is(known->name, like->name))
			return known;
	event = array_push(&diff->events);
	event->name = xstrdup(like->name);
	event->occurrence = like->occurrence;
	event->counts_ns = result_counts_ns(result, like);
	while (event->totals.n < diff->sides.n)
		array_push(&event->totals);
	return event;
}

/* Replaces the name in TEXT, but keeps the mark of the CPU mode, "[.] ". */
static void set_unknown_name(struct strbuf *text)
{
	text->n = MIN(text->n, strlen("[.] "));
	strbuf_puts(text, DIFF_UNKNOWN);
}

static uint32_t intern_row_key(struct side_input *side_input,
	const struct row *row, const struct column *column)
{
	const struct result *result = side_input->result;
	const struct location *location =
		!row->is_rest && string_is(column->field->name, "sym")
		? resolver_location(
			  result->resolver, (uint32_t)row->key[column->key])
		: NULL;
	struct strbuf *text = &side_input->text;
	uint32_t number;

	strbuf_clear(text);
	strbuf_puts(text, "");
	hist_key_text(row, column, &result->names, text);
	if (location && !location->symbol)
		set_unknown_name(text);
	number = string_table_intern(&side_input->diff->texts, text->at);
	if (location && location->is_guessed) {
		/*
		 * Record that text number NUMBER is the guessed function
		 * LOCATION.
		 */
		const struct resolver *resolver = side_input->result->resolver;
		struct diff *diff = side_input->diff;

		while (diff->guessed.n <= number)
			array_push(&diff->guessed);
		diff->guessed.at[number] = 1 +
			guessed_builds_add(&diff->guessed_builds,
				resolver_dso_name(resolver, location->dso_name),
				resolver_build(resolver, location));
	}
	if (location)
		moved_functions_add(&side_input->diff->moved, side_input->side,
			result->resolver, location, text->at);
	return number;
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

static void add_hist_rows(
	struct side_input *side_input, const struct hist *hist)
{
	const struct result *result = side_input->result;
	const struct columns *columns = &result->request.columns;
	struct diff_event *event = find_diff_event(
		side_input->diff, result, result_event(result, hist));
	struct diff_total *total = &event->totals.at[side_input->side];

	total->samples = hist->samples;
	total->period = hist->period;
	/*
	 * All samples of a row are assumed to have equal periods, and all
	 * samples without a row as well.
	 */
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
	total->squares =
		samples > 0 ? squares + period * period / samples : squares;
	array_each(&hist->rows, row) {
		uint32_t keys[FIELDS_MAX], number;
		struct diff_cell *cell;
		size_t i, n = 0;

		if (row->is_hidden)
			continue;
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
}

void diff_take_totals(
	struct diff *diff, size_t side, const struct result *result)
{
	const struct scan *scan = &result->scan;
	size_t i;

	for (i = 0; i < scan->by_event.n; i++) {
		const struct sample_totals *totals = &scan->by_event.at[i];
		struct diff_event *event;

		if (!totals->samples)
			continue;
		event = find_diff_event(
			diff, result, &result->inputs.events.at[i]);
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
	diff->sides.at[side].damaged = missing_damage_sums(&result->inputs);
	if (!diff->keys.n) {
		size_t i;

		for (i = 0; i < result->request.columns.n; i++) {
			const struct field *field =
				result->request.columns.at[i].field;
			struct diff_key *key;

			if (!is_key_column(&result->request.columns.at[i]))
				continue;
			key = array_push(&diff->keys);
			key->name = xstrdup(field->name);
			key->head = xstrdup(field->header);
			key->is_number = field->is_number;
		}
	}
	array_each(&result->hists, hist)
		add_hist_rows(&side_input, hist);
	strbuf_free(&side_input.text);
}

/* Adds the cell FROM of side number SIDE, in the row with KEYS, to EVENT. */
static void add_cell_again(struct diff *diff, struct diff_event *event,
	size_t side, const uint32_t *keys, const struct diff_cell *from)
{
	uint32_t common[FIELDS_MAX], number;
	struct diff_cell *to;
	size_t i;

	for (i = 0; i < diff->keys.n; i++) {
		uint32_t dso = keys[i] < diff->guessed.n
			? diff->guessed.at[keys[i]]
			: 0;

		/* A guessed function of several builds is an unknown one. */
		_cleanup_strbuf_ struct strbuf text = { 0 };
		const char *name = string_table_at(&diff->texts, keys[i]);

		if (dso && diff->guessed_builds.at.at[dso - 1].differs) {
			strbuf_puts(&text, name);
			set_unknown_name(&text);
			name = text.at;
		} else {
			name = moved_functions_name(&diff->moved, side, name);
		}
		common[i] = string_table_intern(&diff->texts, name);
	}
	number = find_or_add_row(diff, event, common);
	to = &event->cells.at[number * diff->sides.n + side];
	to->samples += from->samples;
	to->period += from->period;
}

/* Adds the rows of EVENT again, with the texts that are common to all builds. */
static void add_rows_again(struct diff *diff, struct diff_event *event)
{
	struct diff_event old = *event;
	size_t n = diff->keys.n, sides = diff->sides.n, side;

	memset(&event->rows, 0, sizeof(event->rows));
	memset(&event->keys, 0, sizeof(event->keys));
	memset(&event->cells, 0, sizeof(event->cells));
	memset(&event->by_keys, 0, sizeof(event->by_keys));
	array_each(&old.rows, row)
		for (side = 0; side < sides; side++) {
			const struct diff_cell *cell =
				&old.cells.at[row->number * sides + side];

			if (cell->samples)
				add_cell_again(diff, event, side,
					&old.keys.at[row->number * n], cell);
		}
	array_free(&old.rows);
	array_free(&old.keys);
	array_free(&old.cells);
	hash_free(&old.by_keys);
}

void diff_match_builds(struct diff *diff)
{
	bool differs = false;

	array_each(&diff->guessed_builds.at, build)
		differs |= build->differs;
	array_each(&diff->moved.builds.at, build)
		differs |= build->differs;
	if (!differs)
		return;
	moved_functions_match(&diff->moved);
	array_each(&diff->events, event)
		add_rows_again(diff, event);
}
