/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/columns.h"

#include "report/rows/fields.h"
#include "report/rows/ratio.h"
#include "report/scan/trace_keys.h"

/* perf's default fields for each enum sample_count_mode. */
static const char *const defaults[] = {
	[SAMPLE_COUNT_SAMPLES] = "comm,dso,sym",
	[SAMPLE_COUNT_TIME] = "state,comm,dso,sym",
	[SAMPLE_COUNT_BRANCHES] = "comm,dso_from,symbol_from,symbol_to,cycles",
	[SAMPLE_COUNT_WEIGHTS] =
		("local_weight,mem,sym,dso,symbol_daddr,dso_daddr,"
		 "snoop,tlb,locked,blocked,local_ins_lat"),
};

static void add_column(struct columns *columns, const struct field *field)
{
	size_t i;

	for (i = 0; i < columns->n; i++)
		if (columns->at[i].field == field)
			return;
	if (columns->n < COLUMNS_MAX)
		columns->at[columns->n++].field = field;
}

/*
 * Returns the field NAME of the tables (fields.h) or of the recorded
 * tracepoints, or the ratio NAME, or NULL.
 */
static const struct field *find_request_field(
	const struct hist_request *request, const char *name)
{
	const struct field *field = field_find(name);

	array_each(&request->own, own)
		if (!field && string_is((*own)->name, name))
			field = *own;
	return field;
}

static void add_named_column(struct columns *columns, const char *name)
{
	add_column(columns, field_find(name));
}

static void add_columns_of(struct columns *to, const struct columns *from)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		add_column(to, from->at[i].field);
}

/* Adds the fields NAMES, which resolve_field_names() has checked. */
static void add_named_columns(struct columns *columns,
	const struct hist_request *request, const char *names)
{
	_cleanup_free_ char *copy = xstrdup(names);
	char *rest = copy, *word;

	while ((word = field_next_name(&rest)))
		add_column(columns, find_request_field(request, word));
}

/* Returns whether NAMES has the form "+x,y", which adds to the defaults. */
static bool extends_defaults(const char *names)
{
	return names && *names == '+';
}

/* Returns whether any recording has the data of FIELD. */
static bool any_input_has_field(
	const struct field *field, const struct inputs *inputs)
{
	array_each(&inputs->at, input)
		if (field_is_recorded(field, input->reader))
			return true;
	return false;
}

/*
 * Returns whether --off-cpu is reported and no recording has call stacks of
 * context switches.
 */
static bool has_no_switch_stacks(
	const struct options *options, const struct inputs *inputs)
{
	array_each(&inputs->at, input)
		if (offcpu_stack_event(input->reader) != OFFCPU_NO_EVENT)
			return false;
	return options->time.counted == OFFCPU_TIME_OFF_CPU;
}

bool columns_are_free(const struct options *options)
{
	return !options->rows.sort && !options->rows.fields &&
		!options->rows.separator &&
		string_is(options->output.view, "stdio");
}

/*
 * Returns whether the default keys, to which "+x" adds, are those of the
 * functions in which threads wait.
 */
static bool defaults_are_wait_sites(
	const struct options *options, const struct inputs *inputs)
{
	const char *sort = options->rows.sort, *fields = options->rows.fields;

	return (!sort || extends_defaults(sort)) &&
		(!fields || extends_defaults(fields)) &&
		!options->rows.separator &&
		string_is(options->output.view, "stdio") &&
		options->time.counted == OFFCPU_TIME_OFF_CPU &&
		options->rows.children != OPTION_ON &&
		!has_no_switch_stacks(options, inputs);
}

static bool has_name(const char *names, const char *name)
{
	_cleanup_free_ char *copy = xstrdup(names ? names : "");
	char *rest = copy + extends_defaults(names), *word;

	while ((word = field_next_name(&rest)))
		if (string_is(word, name))
			return true;
	return false;
}

bool columns_are_wait_sites(
	const struct options *options, const struct inputs *inputs)
{
	return defaults_are_wait_sites(options, inputs) ||
		(options->rows.children != OPTION_ON &&
			(has_name(options->rows.sort, "waits_in") ||
				has_name(options->rows.fields, "waits_in")));
}

static void add_sort_keys(const struct options *options,
	const struct inputs *inputs, const struct hist_request *request,
	struct columns *columns)
{
	if (!options->rows.sort || extends_defaults(options->rows.sort)) {
		const char *names = defaults[request->sample_keys.mode];
		struct columns all = { 0 };
		size_t i;

		if (has_no_switch_stacks(options, inputs))
			names = "state,comm,tid";
		/*
		 * Without callers, nearly all rows are of one function of the
		 * kernel.
		 */
		else if (request->has_chains &&
			defaults_are_wait_sites(options, inputs))
			names = "state,comm,waits_in";
		else if (options->time.counted && request->has_chains &&
			!request->has_children)
			names = "state,comm,dso,sym,waits_in";
		add_named_columns(&all, request, names);
		for (i = 0; i < all.n; i++)
			if (any_input_has_field(all.at[i].field, inputs))
				add_column(columns, all.at[i].field);
	}
	if (options->rows.sort)
		add_named_columns(columns, request,
			options->rows.sort +
				extends_defaults(options->rows.sort));
	if (options->stacks.parent)
		add_named_column(columns, "parent");
}

/*
 * As in perf, -F alone names all columns, and rows are sorted by the columns
 * from left to right. With -s, rows are sorted by the keys of -s first. Without
 * -F, percentages are the first columns and the first sort keys, unless -s
 * contains the fields of percentages or ratios.
 */
static void choose_columns(const struct options *options,
	const struct inputs *inputs, struct hist_request *request)
{
	bool has_columns =
		options->rows.fields && !extends_defaults(options->rows.fields);
	struct columns *shown = &request->columns, keys = { 0 };
	bool has_share = false;
	size_t i;

	if (!has_columns || options->rows.sort)
		add_sort_keys(options, inputs, request, &keys);
	for (i = 0; i < keys.n; i++)
		has_share |= keys.at[i].field->kind == FIELD_SHARE ||
			keys.at[i].field->kind == FIELD_RATIO;
	if (has_columns)
		add_named_columns(shown, request, options->rows.fields);
	else {
		if (request->has_children)
			add_named_column(shown, "overhead_children");
		add_named_column(shown, "overhead");
		if (options->rows.shows_samples)
			add_named_column(shown, "sample");
		if (options->rows.shows_period || options->time.counted)
			add_named_column(shown, "period");
	}
	if (extends_defaults(options->rows.fields))
		add_named_columns(shown, request, options->rows.fields + 1);
	if (!has_columns && request->has_children)
		add_named_column(&request->order, "overhead_children");
	if (has_columns || has_share) {
		add_columns_of(&request->order, &keys);
		add_columns_of(shown, &keys);
		add_columns_of(&request->order, shown);
	} else {
		request->order.n = 0;
		add_columns_of(shown, &keys);
	}
}

/*
 * Numbers the keys among COLUMNS, in the order of COLUMNS; the numbers are
 * indexes in row.key.
 */
static struct error *number_key_columns(
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
			return error_usage("--sort and --fields: more than %u "
					   "keys; name fewer fields",
				FIELDS_MAX);
		column->key = (uint8_t)j;
		request->fields[j] = column->field;
		request->n_fields = MAX(request->n_fields, j + 1);
	}
	return NULL;
}

static struct error *check_column_field(const struct field *field,
	const struct inputs *inputs, struct sample_keys *sample_keys)
{
	struct error *err = NULL;
	size_t i;

	if (!any_input_has_field(field, inputs))
		err = field_explain(field, inputs->at.at[0].reader);
	else if (field->needs == FIELD_NEEDS_BRANCHES &&
		sample_keys->mode != SAMPLE_COUNT_BRANCHES)
		err = error_usage("field '%s' needs the option "
				  "--branch-stack",
			field->name);
	else if (field->take[0] == sample_key_state &&
		sample_keys->mode != SAMPLE_COUNT_TIME)
		err = error_usage("field '%s' needs the option --off-cpu "
				  "or --wall",
			field->name);
	for (i = 0; !err && i < FIELD_TAKES && field->take[i]; i++)
		if (!sample_keys_add(sample_keys, field->take[i], field->data))
			err = error_usage(
				"--sort and --fields: the fields need too "
				"many values of each sample; name fewer "
				"fields");
	return err;
}

/*
 * Checks the field names NAMES. A name that is not in the tables of fields can
 * be a ratio, or a field of tracepoints in the recordings; such a field is
 * added to REQUEST->own.
 */
static struct error *resolve_field_names(struct hist_request *request,
	const struct inputs *inputs, const char *option, const char *names)
{
	_cleanup_free_ char *copy = xstrdup(names ? names : "");
	char *rest = copy + extends_defaults(names), *word;
	struct trace_keys **traces = &request->sample_keys.traces;

	while (names && (word = field_next_name(&rest))) {
		if (field_find(word) && !string_is(word, "trace"))
			continue;
		if (ratio_is_named(word)) {
			if (!find_request_field(request, word))
				*array_push(&request->own) =
					ratio_field(xstrdup(word));
			continue;
		}
		if (!*traces) {
			*traces = trace_keys_create();
			array_each(&inputs->at, input)
				trace_keys_add(*traces, input->reader);
		}
		if (find_request_field(request, word))
			continue;
		if (!trace_keys_have_field(*traces, word))
			return field_unknown(option, word);
		*array_push(&request->own) = field_of_tracepoint(xstrdup(word));
	}
	return NULL;
}

struct error *columns_make(const struct options *options,
	const struct inputs *inputs, struct hist_request *request)
{
	struct error *err = resolve_field_names(
		request, inputs, "--sort", options->rows.sort);
	size_t i;

	if (!err)
		err = resolve_field_names(
			request, inputs, "--fields", options->rows.fields);
	if (err)
		return err;
	choose_columns(options, inputs, request);
	if (ratio_is_among(&request->columns) &&
		(options->count.groups == OPTION_OFF || options->time.counted))
		return error_usage("ratios of events exclude --no-group, "
				   "--off-cpu and --wall");
	err = number_key_columns(request, &request->columns);
	if (!err)
		err = number_key_columns(request, &request->order);
	for (i = 0; !err && i < request->columns.n; i++)
		err = check_column_field(request->columns.at[i].field, inputs,
			&request->sample_keys);
	return err;
}

static void remove_column(struct columns *columns, const struct field *field)
{
	size_t n = 0, i;

	for (i = 0; i < columns->n; i++)
		if (columns->at[i].field != field)
			columns->at[n++] = columns->at[i];
	columns->n = n;
}

void columns_remove_key(struct hist_request *request, const char *name)
{
	const struct field *field = find_request_field(request, name);

	remove_column(&request->columns, field);
	remove_column(&request->order, field);
	request->n_fields = 0;
	/* There are fewer keys than before. */
	error_free(number_key_columns(request, &request->columns));
	error_free(number_key_columns(request, &request->order));
}

void columns_deinit(struct hist_request *request)
{
	array_each(&request->own, own) {
		free((char *)(*own)->name);
		free(*own);
	}
	array_free(&request->own);
	trace_keys_destroy(request->sample_keys.traces);
}

/*
 * Returns the RESOLVE_* flags that the fields NAMES need, and clears
 * *ALLOW_CALLERS if one of the fields is only for sampled code. Tracepoint
 * fields belong to samples: callers have these fields, too, and no location is
 * needed.
 */
static unsigned add_field_needs(const char *names, bool *allow_callers)
{
	_cleanup_free_ char *copy = xstrdup(names ? names : "");
	char *rest = copy + extends_defaults(names), *word;
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

	add_field_needs(options->rows.sort, &allow);
	add_field_needs(options->rows.fields, &allow);
	return allow;
}

unsigned columns_grain(const struct options *options)
{
	unsigned builds = options->names.stitch_builds ? 0 : RESOLVE_BUILDS;
	bool ignored;

	if (options->names.has_no_names)
		return builds | RESOLVE_FILES;
	return builds | (options->names.has_inlines ? RESOLVE_INLINES : 0) |
		(options->names.has_guesses ? RESOLVE_GUESSES : 0) |
		(options->names.has_full_paths ? RESOLVE_FULL_PATHS : 0) |
		(script_choice_names(&options->script.choice, SCRIPT_SRCLINE)
				? RESOLVE_ADDRESSES
				: 0) |
		add_field_needs(options->rows.sort, &ignored) |
		add_field_needs(options->rows.fields, &ignored) |
		(options->graph.key == BRANCH_FUNCTION ? RESOLVE_FUNCTIONS
						       : RESOLVE_ADDRESSES);
}
