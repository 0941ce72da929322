/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/ratio.h"

#include "common/util/alloc.h"
#include "report/rows/group.h"

/* --- names of events ------------------------------------------------------ */

static const char *const aliases[][2] = {
	{ "cycles", "cpu-cycles" },
	{ "branches", "branch-instructions" },
	{ "stalled-cycles-frontend", "idle-cycles-frontend" },
	{ "stalled-cycles-backend", "idle-cycles-backend" },
	{ "page-faults", "faults" },
	{ "context-switches", "cs" },
	{ "cpu-migrations", "migrations" },
};

/*
 * Returns whether the event NAME is WORD with modifiers or terms, or WORD of a
 * PMU: "cycles:u", "cycles/period=9/", "cpu/cycles/".
 */
static bool is_event_of(const char *name, const char *word)
{
	const char *slash = strchr(name, '/');
	size_t n = strlen(word);

	if (string_starts(name, word) &&
		(name[n] == '/' ||
			(name[n] == ':' && name[n + 1] &&
				!name[n + 1 +
					strspn(name + n + 1,
						"ukhIGHpPSDWeb")])))
		return true;
	return slash && string_starts(slash + 1, word) && slash[1 + n] &&
		strchr("/,", slash[1 + n]);
}

/* Consecutive events of INPUTS that one table shows. */
struct ratio_group {
	const struct inputs *inputs;
	size_t first, n;
};

/*
 * Sets *RET to the number in GROUP of the event WORD, or else of the first event
 * that WORD can mean. Returns false if there is none.
 */
static bool find_ratio_event(
	const struct ratio_group *group, const char *word, size_t *ret)
{
	const struct input_event *events =
		&group->inputs->events.at[group->first];
	const char *alias = NULL;
	size_t i;

	for (i = 0; !alias && i < ARRAY_SIZE(aliases); i++)
		alias = string_is(aliases[i][0], word)	 ? aliases[i][1]
			: string_is(aliases[i][1], word) ? aliases[i][0]
							 : NULL;
	for (*ret = 0; *ret < group->n; ++*ret)
		if (string_is(events[*ret].name, word))
			return true;
	for (*ret = 0; *ret < group->n; ++*ret)
		if (is_event_of(events[*ret].name, word) ||
			(alias &&
				(string_is(events[*ret].name, alias) ||
					is_event_of(events[*ret].name, alias))))
			return true;
	return false;
}

/* Returns whether event number I of GROUP counts nanoseconds on a CPU. */
static bool is_clock_event(const struct ratio_group *group, size_t i)
{
	const struct perf_event_attr *attr = inputs_event_attr(
		group->inputs, &group->inputs->events.at[group->first + i]);

	return attr->type == PERF_TYPE_SOFTWARE &&
		(attr->config == PERF_COUNT_SW_CPU_CLOCK ||
			attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * Finds the events of FIELD in GROUP. Names can contain slashes: each slash of
 * the field is tried. Returns false if there are no such events.
 */
static bool find_ratio(const struct ratio_group *group,
	const struct field *field, struct hist_ratio *ret)
{
	_cleanup_free_ char *words = xstrdup(field->ratio);
	char *slash = words;

	ret->field = field;
	while ((slash = strchr(slash, '/'))) {
		*slash = 0;
		if (find_ratio_event(group, words, &ret->above) &&
			find_ratio_event(group, slash + 1, &ret->below)) {
			ret->is_per_ns = is_clock_event(group, ret->below) &&
				!is_clock_event(group, ret->above);
			return true;
		}
		*slash++ = '/';
	}
	return false;
}

/* --- columns -------------------------------------------------------------- */

struct field *ratio_field(char *name)
{
	struct field *field = xcalloc(1, sizeof(*field));

	field->name = field->header = field->ratio = name;
	field->kind = FIELD_RATIO;
	return field;
}

bool ratio_is_among(const struct columns *columns)
{
	size_t i;

	for (i = 0; i < columns->n; i++)
		if (columns->at[i].field->kind == FIELD_RATIO)
			return true;
	return false;
}

/* Returns the group, or the single event, from event number FIRST on. */
static struct ratio_group ratio_group_at(
	const struct inputs *inputs, size_t first, bool is_forced)
{
	const char *name;

	return (struct ratio_group){ inputs, first,
		group_size(inputs, first, is_forced, &name) };
}

/* Appends "{a,b}" or "a"; nothing for an event that counts nothing. */
static void put_group_names(const struct ratio_group *group, struct strbuf *out)
{
	const struct inputs *inputs = group->inputs;
	const struct perf_event_attr *attr =
		inputs_event_attr(inputs, &inputs->events.at[group->first]);
	size_t i;

	if (group->n == 1 && attr->type == PERF_TYPE_SOFTWARE &&
		attr->config == PERF_COUNT_SW_DUMMY)
		return;
	strbuf_puts(out, out->n ? ", " : "");
	strbuf_puts(out, group->n > 1 ? "{" : "");
	for (i = 0; i < group->n; i++)
		strbuf_printf(out, "%s%s", i ? "," : "",
			inputs->events.at[group->first + i].name);
	strbuf_puts(out, group->n > 1 ? "}" : "");
}

struct error *ratio_check(const struct inputs *inputs,
	const struct columns *columns, bool is_forced)
{
	struct ratio_group group;
	struct hist_ratio ratio;
	size_t i, j;

	for (i = 0; i < columns->n; i++) {
		const struct field *field = columns->at[i].field;
		bool is_found = field->kind != FIELD_RATIO;

		for (j = 0; !is_found && j < inputs->events.n; j += group.n) {
			group = ratio_group_at(inputs, j, is_forced);
			is_found = find_ratio(&group, field, &ratio);
		}
		if (is_found)
			continue;

		_cleanup_strbuf_ struct strbuf known = { 0 };
		bool is_named = field->name != field->ratio;

		for (j = 0; j < inputs->events.n; j += group.n) {
			group = ratio_group_at(inputs, j, is_forced);
			put_group_names(&group, &known);
		}
		return error_hint(
			error_new("%s: field '%s'%s%s: no group has both "
				  "events; the events are %s",
				reader_path(inputs->at.at[0].reader),
				field->name, is_named ? ", which is " : "",
				is_named ? field->ratio : "", known.at),
			"to record a group: dwell record -e '{EVENT,EVENT}:S'");
	}
	return NULL;
}

void ratio_find_events(struct hist *leader, const struct columns *columns,
	const struct inputs *inputs)
{
	const struct ratio_group group = { inputs, leader->event,
		leader->members.n + 1 };
	struct hist_ratio ratio;
	size_t i;

	for (i = 0; i < columns->n; i++)
		if (columns->at[i].field->kind == FIELD_RATIO &&
			find_ratio(&group, columns->at[i].field, &ratio))
			*array_push(&leader->ratios) = ratio;
}

/* --- numbers -------------------------------------------------------------- */

void ratio_put(const struct hist *leader, const struct row *row,
	const struct field *field, const char *unknown, struct strbuf *out)
{
	double ratio = hist_ratio(leader, row, field);

	if (ratio < 0)
		strbuf_puts(out, unknown);
	else
		strbuf_printf(out, "%.6g", ratio);
}

/* How a small ratio is written: multiplied by .scale, with the text .unit. */
struct ratio_unit {
	double least, scale;
	const char *unit;
};

static const struct ratio_unit units_per_ns[] = { { 1, 1, "/ns" },
	{ 1e-3, 1e3, "/us" }, { 1e-6, 1e6, "/ms" }, { 0, 1e9, "/s" } };
static const struct ratio_unit units_per_event[] = { { 1e-4, 1, "" },
	{ 1e-7, 1e6, "/1M" }, { 0, 1e9, "/1G" } };

void ratio_text(const struct hist *leader, const struct row *row,
	const struct field *field, struct strbuf *out)
{
	double ratio = hist_ratio(leader, row, field), shown;
	const struct ratio_unit *unit = units_per_event;

	if (ratio <= 0) {
		strbuf_puts(out, ratio < 0 ? "-" : "0.00");
		return;
	}
	array_each(&leader->ratios, of)
		if (of->field == field && of->is_per_ns)
			unit = units_per_ns;
	while (ratio < unit->least)
		unit++;
	shown = ratio * unit->scale;
	strbuf_printf(
		out, shown < 0.01 ? "%.2g%s" : "%.2f%s", shown, unit->unit);
}
