/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of a histogram's rows. */
#include "config.h"

#include "report/rows/hist.h"

struct sorting {
	size_t n_members; /* beside the leader */
	const struct hist_request *request;
	const struct field_names *names;
	struct strbuf *texts; /* two that are compared; their memory stays */
};

/* The text by which a key is sorted: functions without the mark before them. */
static int compare_texts(const struct sorting *sorting,
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
	has_mark = a->n > 4 && b->n > 4 && a->at[0] == '[' &&
		b->at[0] == '[' && a->at[2] == ']' && b->at[2] == ']';
	return strcmp(a->at + (has_mark ? 4 : 0), b->at + (has_mark ? 4 : 0));
}

/* The largest first; equal ones by the next event of the group. */
static int compare_numbers(const struct sorting *sorting,
	const struct field *field, const struct row *left,
	const struct row *right)
{
	int result = 0;
	size_t i;

	for (i = 0; !result && i <= sorting->n_members; i++) {
		const struct row *a = hist_member_row(left, i);
		const struct row *b = hist_member_row(right, i);
		uint64_t number_a = a ? hist_number(a, field) : 0;
		uint64_t number_b = b ? hist_number(b, field) : 0;

		result = COMPARE(number_b, number_a);
	}
	return result;
}

/* By what a row counts with its callers, or without. */
static int compare_weights(const struct sorting *sorting,
	const struct row *left, const struct row *right)
{
	const struct field weight = {
		.kind = FIELD_SHARE,
		.number = sorting->request->has_children ? NUMBER_CHILDREN
							 : NUMBER_SELF,
	};

	return compare_numbers(sorting, &weight, left, right);
}

static int compare_columns(const struct sorting *sorting,
	const struct column *column, const struct row *left,
	const struct row *right)
{
	uint64_t a = left->key[column->key], b = right->key[column->key];

	if (column->field->kind != FIELD_KEY)
		return compare_numbers(sorting, column->field, left, right);
	if (a == b)
		return 0;
	if (column->field->is_descending)
		return COMPARE(b, a);
	if (!column->field->value)
		return COMPARE(a, b);
	return compare_texts(sorting, column, left, right);
}

/* Functions of one name. */
static int compare_addresses(const struct sorting *sorting,
	const struct row *left, const struct row *right)
{
	const struct resolver *resolver = sorting->names->resolver;
	const struct location *a = resolver_location(resolver, left->location);
	const struct location *b = resolver_location(resolver, right->location);

	return COMPARE(a->start, b->start);
}

static int compare_rows(const void *a, const void *b, void *data)
{
	const struct row *left = a, *right = b;
	const struct sorting *sorting = data;
	const struct hist_request *request = sorting->request;
	int result = 0;
	size_t i;

	for (i = 0; !result && i < request->order.n; i++)
		result = compare_columns(
			sorting, &request->order.at[i], left, right);
	if (result)
		return result;
	result = compare_weights(sorting, left, right);
	if (result)
		return result;
	/* Of equals the caller comes first, and it did less itself. */
	if (left->self != right->self)
		return COMPARE(left->self, right->self);
	/* Numbers come from hashing; what is shown must not. */
	for (i = 0; !result && i < request->n_fields; i++) {
		const struct column column = { request->fields[i],
			(uint8_t)i };

		result = compare_texts(sorting, &column, left, right);
	}
	if (!result)
		result = compare_addresses(sorting, left, right);
	if (!result)
		return COMPARE(left->key[0], right->key[0]);
	return result;
}

void hist_sort(struct hist *hist, const struct hist_request *request,
	const struct field_names *names)
{
	struct strbuf texts[2] = { 0 };
	struct sorting sorting = { hist->members.n, request, names, texts };

	if (hist->rows.n)
		qsort_r(hist->rows.at, hist->rows.n, sizeof(*hist->rows.at),
			compare_rows, &sorting);
	strbuf_free(&texts[0]);
	strbuf_free(&texts[1]);
}
