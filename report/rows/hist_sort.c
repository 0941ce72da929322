/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts and the order of the rows of a histogram. */
#include "config.h"

#include "report/rows/hist.h"

uint64_t hist_number(const struct row *row, const struct field *field)
{
	switch (field->number) {
	case FIELD_NUMBER_SELF: return row->self;
	case FIELD_NUMBER_CHILDREN: return row->children;
	case FIELD_NUMBER_SAMPLES: return row->samples;
	case FIELD_NUMBER_KERNEL: return row->by_mode[HIST_KERNEL];
	case FIELD_NUMBER_USER: return row->by_mode[HIST_USER];
	case FIELD_NUMBER_GUEST_KERNEL: return row->by_mode[HIST_GUEST_KERNEL];
	case FIELD_NUMBER_GUEST_USER: return row->by_mode[HIST_GUEST_USER];
	}
	return 0;
}

double hist_ratio(const struct hist *leader, const struct row *row,
	const struct field *field)
{
	array_each(&leader->ratios, ratio) {
		const struct row *above = hist_member_row(row, ratio->above);
		const struct row *below = hist_member_row(row, ratio->below);

		if (ratio->field == field && below && below->self)
			return above ? (double)above->self / (double)below->self
				     : 0;
	}
	return -1;
}

void hist_key_text(const struct row *row, const struct column *column,
	const struct field_names *names, struct strbuf *out)
{
	uint64_t value = row->key[column->key];

	if (row->is_rest) {
		strbuf_puts(out, HIST_REST);
		return;
	}
	if (column->field->is_per_sample)
		value *= row->samples;
	column->field->text(names, value, out);
}

void hist_put_key(const struct row *row, const struct column *column,
	const struct field_names *names, const struct hist_key_style *style,
	struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	long long number;
	char *end;

	strbuf_puts(&text, "");
	hist_key_text(row, column, names, &text);
	if (!column->field->is_number) {
		style->escape(out, text.at);
		return;
	}
	number = strtoll(text.at, &end, 10);
	if (end == text.at)
		strbuf_puts(out, style->no_number);
	else
		strbuf_printf(out, "%lld", number);
}

struct row_sorting {
	const struct hist *hist; /* the leader of a group, or a single event */
	const struct hist_request *request;
	const struct field_names *names;
	struct strbuf
		*texts; /* two buffers for compared texts, which are reused */
};

/*
 * Compares the texts of the key COLUMN. The mark "[.] " of functions is
 * ignored.
 */
static int compare_key_texts(const struct row_sorting *sorting,
	const struct column *column, const struct row *left,
	const struct row *right)
{
	struct strbuf *a = &sorting->texts[0], *b = &sorting->texts[1];
	bool has_mark;

	if (left->key[column->key] == right->key[column->key] &&
		!column->field->is_per_sample && !left->is_rest &&
		!right->is_rest)
		return 0;
	strbuf_clear(a);
	strbuf_clear(b);
	strbuf_puts(a, "");
	strbuf_puts(b, "");
	hist_key_text(left, column, sorting->names, a);
	hist_key_text(right, column, sorting->names, b);
	has_mark = a->n > 4 && b->n > 4 && a->at[0] == '[' && b->at[0] == '[' &&
		a->at[2] == ']' && b->at[2] == ']';
	return strcmp(a->at + (has_mark ? 4 : 0), b->at + (has_mark ? 4 : 0));
}

/*
 * Compares rows by the number in column FIELD, the largest first; for equal
 * numbers, the next event of the group decides.
 */
static int compare_row_numbers(const struct row_sorting *sorting,
	const struct field *field, const struct row *left,
	const struct row *right)
{
	int result = 0;
	size_t i;

	for (i = 0; !result && i <= sorting->hist->members.n; i++) {
		const struct row *a = hist_member_row(left, i);
		const struct row *b = hist_member_row(right, i);
		uint64_t number_a = a ? hist_number(a, field) : 0;
		uint64_t number_b = b ? hist_number(b, field) : 0;

		result = COMPARE(number_b, number_a);
	}
	return result;
}

static int compare_row_columns(const struct row_sorting *sorting,
	const struct column *column, const struct row *left,
	const struct row *right)
{
	uint64_t a = left->key[column->key], b = right->key[column->key];

	if (column->field->kind == FIELD_RATIO)
		return COMPARE(hist_ratio(sorting->hist, right, column->field),
			hist_ratio(sorting->hist, left, column->field));
	if (column->field->kind != FIELD_KEY)
		return compare_row_numbers(sorting, column->field, left, right);
	if (a == b)
		return 0;
	if (column->field->is_descending)
		return COMPARE(b, a);
	if (!column->field->value)
		return COMPARE(a, b);
	return compare_key_texts(sorting, column, left, right);
}

static int compare_hist_rows(const void *a, const void *b, void *data)
{
	const struct row *left = a, *right = b;
	const struct row_sorting *sorting = data;
	const struct hist_request *request = sorting->request;
	int result = 0;
	size_t i;

	for (i = 0; !result && i < request->order.n; i++)
		result = compare_row_columns(
			sorting, &request->order.at[i], left, right);
	if (result)
		return result;
	/* Compare the weights of rows (hist_weight()). */
	const struct field weight = {
		.kind = FIELD_SHARE,
		.number = sorting->request->has_children ? FIELD_NUMBER_CHILDREN
							 : FIELD_NUMBER_SELF,
	};
	result = compare_row_numbers(sorting, &weight, left, right);
	if (result)
		return result;
	/*
	 * Of rows with equal weight, the caller is first, because the share of
	 * the caller itself is smaller.
	 */
	if (left->self != right->self)
		return COMPARE(left->self, right->self);
	/*
	 * Compare texts and not numbers, because numbers depend on the random
	 * hash seed.
	 */
	for (i = 0; !result && i < request->n_fields; i++) {
		const struct column column = { request->fields[i], (uint8_t)i };

		result = compare_key_texts(sorting, &column, left, right);
	}
	if (result)
		return result;
	/* Functions that have the same name are ordered by address. */
	const struct resolver *resolver = sorting->names->resolver;
	uint64_t left_start =
		resolver_location(resolver, left->location)->start;
	uint64_t right_start =
		resolver_location(resolver, right->location)->start;

	return left_start != right_start ? COMPARE(left_start, right_start)
					 : COMPARE(left->key[0], right->key[0]);
}

void hist_sort(struct hist *hist, const struct hist_request *request,
	const struct field_names *names)
{
	struct strbuf texts[2] = { 0 };
	struct row_sorting sorting = { hist, request, names, texts };

	if (hist->rows.n)
		qsort_r(hist->rows.at, hist->rows.n, sizeof(*hist->rows.at),
			compare_hist_rows, &sorting);
	strbuf_free(&texts[0]);
	strbuf_free(&texts[1]);
}
