/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/columns.h"

#include "report/fields.h"

/* perf's columns where nobody named any. */
static const char *const defaults[] = {
	[TAKE_SAMPLES] = "comm,dso,sym",
	[TAKE_BRANCHES] = "comm,dso_from,symbol_from,symbol_to,cycles",
	[TAKE_WEIGHTS] = "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,"
			 "snoop,tlb,locked,blocked,local_ins_lat",
};

static bool is_among(const struct columns *columns, const struct field *field)
{
	size_t i;

	for (i = 0; i < columns->n; i++)
		if (columns->at[i].field == field)
			return true;
	return false;
}

static void add(struct columns *columns, const struct field *field)
{
	if (!is_among(columns, field) && columns->n < COLUMNS_MAX)
		columns->at[columns->n++].field = field;
}

static void add_name(struct columns *columns, const char *name)
{
	add(columns, field_find(name));
}

static void add_all(struct columns *to, const struct columns *from)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		add(to, from->at[i].field);
}

/* NAMES were looked at when they were given: options.c. */
static void add_names(struct columns *columns, const char *names)
{
	_cleanup_free_ char *copy = xstrdup(names);
	char *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		if (*word)
			add_name(columns, word);
}

/* "+x,y" adds to what is there by default. */
static bool is_added(const char *names)
{
	return names && *names == '+';
}

/* Those of NAMES that the recording has. */
static void add_defaults(struct columns *columns, const char *names,
	const struct reader *reader)
{
	struct columns all = { 0 };
	size_t i;

	add_names(&all, names);
	for (i = 0; i < all.n; i++)
		if (field_is_there(all.at[i].field, reader))
			add(columns, all.at[i].field);
}

static void add_sort_keys(const struct options *options,
	const struct reader *reader, enum take_mode mode,
	struct columns *columns)
{
	if (!options->sort || is_added(options->sort))
		add_defaults(columns, defaults[mode], reader);
	if (options->sort)
		add_names(columns, options->sort + is_added(options->sort));
}

static void add_numbers(const struct options *options, bool has_children,
	struct columns *columns)
{
	if (has_children)
		add_name(columns, "overhead_children");
	add_name(columns, "overhead");
	if (options->shows_samples)
		add_name(columns, "sample");
	if (options->shows_period)
		add_name(columns, "period");
}

/*
 * As perf: -F alone names all that is shown, in the order by which rows are
 * sorted. With -s rows are sorted by its keys first. Without -F shares come
 * first, as columns and in the order, unless -s names their place.
 */
static void choose(const struct options *options, const struct reader *reader,
	struct hist_request *request)
{
	bool has_columns = options->fields && !is_added(options->fields);
	struct columns *shown = &request->columns, keys = { 0 };
	const struct field *overhead = field_find("overhead");

	if (!has_columns || options->sort)
		add_sort_keys(
			options, reader, request->takes.mode, &keys);
	if (has_columns)
		add_names(shown, options->fields);
	else
		add_numbers(options, request->has_children, shown);
	if (is_added(options->fields))
		add_names(shown, options->fields + 1);
	if (!has_columns && request->has_children)
		add_name(&request->order, "overhead_children");
	if (has_columns || is_among(&keys, overhead)) {
		add_all(&request->order, &keys);
		add_all(shown, &keys);
		add_all(&request->order, shown);
	} else {
		request->order.n = 0;
		add_all(shown, &keys);
	}
}

/* The keys among what is shown are a row's, in this order. */
static struct error *number_keys(
	struct hist_request *request, struct columns *columns)
{
	size_t i, j;

	for (i = 0; i < columns->n; i++) {
		struct column *column = &columns->at[i];

		if (column->field->kind != FIELD_KEY)
			continue;
		for (j = 0; j < request->n_fields; j++)
			if (request->fields[j] == column->field)
				break;
		if (j == FIELDS_MAX)
			return error_usage("at most %u fields", FIELDS_MAX);
		column->key = (uint8_t)j;
		request->fields[j] = column->field;
		request->n_fields = MAX(request->n_fields, j + 1);
	}
	return NULL;
}

static struct error *check(const struct field *field,
	const struct reader *reader, struct takes *takes)
{
	struct error *err = NULL;
	size_t i;

	if (!field_is_there(field, reader))
		err = field_explain(field, reader);
	else if (field->needs == NEEDS_BRANCHES &&
		takes->mode != TAKE_BRANCHES)
		err = error_usage("'%s' is of branches: it goes with "
				  "--branch-stack only",
			field->name);
	for (i = 0; !err && i < FIELD_TAKES && field->take[i]; i++)
		if (!takes_add(takes, field->take[i]))
			err = error_usage("these are too many fields");
	return err;
}

struct error *columns_make(const struct options *options,
	const struct reader *reader, struct hist_request *request)
{
	struct error *err;
	size_t i;

	choose(options, reader, request);
	err = number_keys(request, &request->columns);
	if (!err)
		err = number_keys(request, &request->order);
	for (i = 0; !err && i < request->columns.n; i++)
		err = check(request->columns.at[i].field, reader,
			&request->takes);
	return err;
}

bool columns_allow_callers(const struct options *options)
{
	struct columns columns = { 0 };
	size_t i;

	if (options->sort)
		add_names(&columns, options->sort + is_added(options->sort));
	if (options->fields)
		add_names(
			&columns, options->fields + is_added(options->fields));
	for (i = 0; i < columns.n; i++)
		if (columns.at[i].field->is_of_sampled)
			return false;
	return true;
}
