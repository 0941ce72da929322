/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/columns.h"

#include "report/rows/fields.h"
#include "report/scan/trace_keys.h"

/* perf's columns where nobody named any. */
static const char *const defaults[] = {
	[TAKE_SAMPLES] = "comm,dso,sym",
	[TAKE_TIME] = "state,comm,dso,sym",
	[TAKE_BRANCHES] = "comm,dso_from,symbol_from,symbol_to,cycles",
	[TAKE_WEIGHTS] = ("local_weight,mem,sym,dso,symbol_daddr,dso_daddr,"
			  "snoop,tlb,locked,blocked,local_ins_lat"),
};

static bool is_among(const struct columns *columns, const struct field *field)
{
	size_t i;

	for (i = 0; i < columns->n; i++)
		if (columns->at[i].field == field)
			return true;
	return false;
}

static bool has_share(const struct columns *columns)
{
	size_t i;

	for (i = 0; i < columns->n; i++)
		if (columns->at[i].field->kind == FIELD_SHARE)
			return true;
	return false;
}

static void add(struct columns *columns, const struct field *field)
{
	if (!is_among(columns, field) && columns->n < COLUMNS_MAX)
		columns->at[columns->n++].field = field;
}

/* A field of the table, or one of the recording's tracepoints. */
static const struct field *find(
	const struct hist_request *request, const char *name)
{
	const struct field *field = field_find(name);

	array_each(&request->own, own)
		if (!field && string_is((*own)->name, name))
			field = *own;
	return field;
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

/* NAMES were looked at before: know_names(). */
static void add_names(struct columns *columns,
	const struct hist_request *request, const char *names)
{
	_cleanup_free_ char *copy = xstrdup(names);
	char *rest = copy, *word;

	while ((word = field_next_name(&rest)))
		add(columns, find(request, word));
}

/* "+x,y" adds to what is there by default. */
static bool is_added(const char *names)
{
	return names && *names == '+';
}

/* Whether any of the recordings can have it. */
static bool is_there(const struct field *field, const struct inputs *inputs)
{
	array_each(&inputs->at, input)
		if (field_is_there(field, input->reader))
			return true;
	return false;
}

/* Those of NAMES that the recordings have. */
static void add_defaults(struct columns *columns,
	const struct hist_request *request, const char *names,
	const struct inputs *inputs)
{
	struct columns all = { 0 };
	size_t i;

	add_names(&all, request, names);
	for (i = 0; i < all.n; i++)
		if (is_there(all.at[i].field, inputs))
			add(columns, all.at[i].field);
}

/* Whether nothing is known of where threads left their CPUs. */
static bool is_by_thread(
	const struct options *options, const struct inputs *inputs)
{
	array_each(&inputs->at, input)
		if (offcpu_stacks(input->reader) != OFFCPU_NO_EVENT)
			return false;
	return options->time == TIME_OFF_CPU;
}

static void add_sort_keys(const struct options *options,
	const struct inputs *inputs, const struct hist_request *request,
	struct columns *columns)
{
	if (!options->sort || is_added(options->sort))
		add_defaults(columns, request,
			is_by_thread(options, inputs)
				? "state,comm,tid"
				: defaults[request->takes.mode],
			inputs);
	if (options->sort)
		add_names(columns, request,
			options->sort + is_added(options->sort));
	if (options->parent)
		add_name(columns, "parent");
}

static void add_numbers(const struct options *options, bool has_children,
	struct columns *columns)
{
	if (has_children)
		add_name(columns, "overhead_children");
	add_name(columns, "overhead");
	if (options->shows_samples)
		add_name(columns, "sample");
	if (options->shows_period || options->time)
		add_name(columns, "period");
}

/*
 * As perf: -F alone names all that is shown, in the order by which rows are
 * sorted. With -s rows are sorted by its keys first. Without -F shares come
 * first, as columns and in the order, unless -s names their place.
 */
static void choose(const struct options *options, const struct inputs *inputs,
	struct hist_request *request)
{
	bool has_columns = options->fields && !is_added(options->fields);
	struct columns *shown = &request->columns, keys = { 0 };

	if (!has_columns || options->sort)
		add_sort_keys(
			options, inputs, request, &keys);
	if (has_columns)
		add_names(shown, request, options->fields);
	else
		add_numbers(options, request->has_children, shown);
	if (is_added(options->fields))
		add_names(shown, request, options->fields + 1);
	if (!has_columns && request->has_children)
		add_name(&request->order, "overhead_children");
	if (has_columns || has_share(&keys)) {
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
	const struct inputs *inputs, struct takes *takes)
{
	struct error *err = NULL;
	size_t i;

	if (!is_there(field, inputs))
		err = field_explain(field, inputs->at.at[0].reader);
	else if (field->needs == NEEDS_BRANCHES &&
		takes->mode != TAKE_BRANCHES)
		err = error_usage("'%s' is of branches: it goes with "
				  "--branch-stack only",
			field->name);
	else if (field->take[0] == take_state && takes->mode != TAKE_TIME)
		err = error_usage("'%s' is of time: it goes with --off-cpu or "
				  "--wall only",
			field->name);
	for (i = 0; !err && i < FIELD_TAKES && field->take[i]; i++)
		if (!takes_add(takes, field->take[i], field->data))
			err = error_usage("these are too many fields");
	return err;
}

static struct traces *make_traces(const struct inputs *inputs)
{
	struct traces *traces = traces_create();

	array_each(&inputs->at, input)
		traces_add(traces, input->reader);
	return traces;
}

static bool know_field(struct hist_request *request, const char *name)
{
	if (find(request, name))
		return true;
	if (!traces_have_field(request->takes.traces, name))
		return false;
	*array_push(&request->own) = field_of_tracepoint(xstrdup(name));
	return true;
}

/* What isn't in the table may be a field of the recording's tracepoints. */
static struct error *know_names(struct hist_request *request,
	const struct inputs *inputs, const char *option, const char *names)
{
	_cleanup_free_ char *copy = xstrdup(names ? names : "");
	char *rest = copy + is_added(names), *word;

	while (names && (word = field_next_name(&rest))) {
		if (field_find(word) && !string_is(word, "trace"))
			continue;
		if (!request->takes.traces)
			request->takes.traces = make_traces(inputs);
		if (!know_field(request, word))
			return field_unknown(option, word);
	}
	return NULL;
}

struct error *columns_make(const struct options *options,
	const struct inputs *inputs, struct hist_request *request)
{
	struct error *err =
		know_names(request, inputs, "--sort", options->sort);
	size_t i;

	if (!err)
		err = know_names(
			request, inputs, "--fields", options->fields);
	if (err)
		return err;
	choose(options, inputs, request);
	err = number_keys(request, &request->columns);
	if (!err)
		err = number_keys(request, &request->order);
	for (i = 0; !err && i < request->columns.n; i++)
		err = check(request->columns.at[i].field, inputs,
			&request->takes);
	return err;
}

void columns_deinit(struct hist_request *request)
{
	array_each(&request->own, own) {
		free((char *)(*own)->name);
		free(*own);
	}
	array_free(&request->own);
	traces_destroy(request->takes.traces);
}

/*
 * What the fields of the table among NAMES ask for. Those of tracepoints are of
 * the sample: callers have them, too, and they need no location.
 */
static unsigned add_needs(const char *names, bool *allow_callers)
{
	_cleanup_free_ char *copy = xstrdup(names ? names : "");
	char *rest = copy + is_added(names), *word;
	unsigned grain = RESOLVE_FUNCTIONS;

	while ((word = field_next_name(&rest))) {
		const struct field *field = field_find(word);

		if (!field)
			continue;
		if (field->is_of_sampled)
			*allow_callers = false;
		grain |= field->grain;
	}
	return grain;
}

bool columns_allow_callers(const struct options *options)
{
	bool allow = true;

	add_needs(options->sort, &allow);
	add_needs(options->fields, &allow);
	return allow;
}

unsigned columns_grain(const struct options *options)
{
	unsigned builds = options->joins_builds ? 0 : RESOLVE_BUILDS;
	bool ignored;

	if (options->has_no_names)
		return builds | RESOLVE_FILES;
	return builds | (options->has_inlines ? RESOLVE_INLINES : 0) |
		(options->has_full_paths ? RESOLVE_FULL_PATHS : 0) |
		(options->by_place ? RESOLVE_PLACES : 0) |
		(script_choice_names(&options->script.choice, SCRIPT_SRCLINE)
				? RESOLVE_ADDRESSES
				: 0) |
		add_needs(options->sort, &ignored) |
		add_needs(options->fields, &ignored) |
		(options->graph.key == BRANCH_FUNCTION ? RESOLVE_FUNCTIONS
						       : RESOLVE_ADDRESSES);
}
