/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/alloc.h"
#include "report/options/options_shared.h"
#include "report/rows/fields.h"
#include "report/util/demangle.h"
#include "report/util/pattern.h"

#define TREE_LIMIT 0.5 /* percent */
#define QUANTUM_NS (NSEC_PER_SEC / 10)

const char *const options_percentages[] = { "absolute", "relative" };

struct error *options_read_percent(
	const char *what, const char *text, double *ret)
{
	char *end;
	double value = strtod(text, &end);

	if (*end == '%')
		end++;
	if (end == text || *end || !(value >= 0 && value <= 100))
		return error_usage("%s: '%s' is not a percentage; use a number "
				   "from 0 to 100",
			what, text);
	*ret = value;
	return NULL;
}

CLI_PARSER(options_parse_percent)
{
	_cleanup_free_ char *name = xasprintf("--%s", option->name);

	return options_read_percent(name, value, slot);
}

CLI_PARSER(options_parse_span)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "s", NSEC_PER_SEC }, { "ms", NSEC_PER_SEC / 1000 },
		{ "us", 1000 }, { "ns", 1 } };
	size_t digits = strspn(value, "0123456789"), i;
	_cleanup_free_ char *number = xstrndup(value, digits);
	_cleanup_free_ char *name = xasprintf("--%s", option->name);
	uint64_t *span_ns = slot, count;
	struct error *err;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (!string_is(units[i].name, value + digits))
			continue;
		err = cli_number(
			number, name, 1, UINT64_MAX / units[i].ns, &count);
		if (!err)
			*span_ns = count * units[i].ns;
		return err;
	}
	return error_usage("%s: '%s' is not a time. Use a number with a unit: "
			   "s, ms, us or ns",
		name, value);
}

CLI_PARSER(options_parse_counted_time)
{
	struct options *options = slot;
	bool is_wall = string_is(option->name, "wall");

	options->time = !is_on ? TIME_RECORDED
		: is_wall      ? TIME_WALL
			       : TIME_OFF_CPU;
	options->has_chosen_time = true;
	return NULL;
}

CLI_PARSER(options_parse_choice)
{
	*(enum choice *)slot = is_on ? CHOICE_ON : CHOICE_OFF;
	return NULL;
}

CLI_PARSER(options_parse_regex)
{
	_cleanup_free_ char *name = xasprintf("--%s", option->name);

	*(const char **)slot = value;
	return pattern_check(name, value);
}

CLI_PARSER(options_push_name)
{
	struct name_list *list = slot;

	*array_push(&list->names) = xstrdup(value);
	return NULL;
}

CLI_PARSER(options_parse_demangle)
{
	demangle_turn(is_on);
	return NULL;
}

/* Fields of tracepoints have any names until the recording is read. */
static bool may_be_field(const char *name)
{
	return *name &&
		!name[strspn(name,
			"abcdefghijklmnopqrstuvwxyz"
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			"0123456789_:.*-")];
}

CLI_PARSER(options_parse_fields)
{
	_cleanup_free_ char *copy = xstrdup(value + (*value == '+' ? 1 : 0));
	_cleanup_free_ char *option_name = xasprintf("--%s", option->name);
	char *rest = copy, *word;

	*(const char **)slot = value;
	while ((word = field_next_name(&rest)))
		if (!may_be_field(word))
			return field_unknown(option_name, word);
	return NULL;
}

CLI_PARSER(options_parse_separator)
{
	*(const char **)slot = value;
	/* In cells, the separator is replaced by ".". */
	if (!*value || string_is(value, "."))
		return error_usage("--field-separator: '%s' cannot separate "
				   "columns; use another character",
			value);
	return NULL;
}

/* Of --stdio and another view, as in perf, the last one counts. */
CLI_PARSER(options_parse_view)
{
	struct options *options = slot;
	const char *before = options->chosen_view, *name = option->name;
	bool is_tui = string_is(name, "tui");

	options->view = is_on && !is_tui ? name : "stdio";
	options->interactive = is_on && is_tui ? CHOICE_ON : CHOICE_OFF;
	options->chosen_view = is_on && !string_is(name, "stdio") ? name : NULL;
	if (before && options->chosen_view && !string_is(before, name))
		return error_usage(
			"--%s and --%s exclude each other", before, name);
	return NULL;
}

struct error *options_parse(
	const struct cli *cli, int argc, char **argv, struct options *options)
{
	return options_parse_words(cli, argc, argv, options, &options->inputs);
}

struct error *options_parse_words(const struct cli *cli, int argc, char **argv,
	struct options *options, struct name_list *words)
{
	struct error *err;

	options->view = "stdio";
	options->graph.limit = TREE_LIMIT;
	options->quantum_ns = QUANTUM_NS;
	options->has_inlines = true;
	options->script.max_stack = UINT64_MAX;
	script_choice_init(&options->script.choice);
	options->has_colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	err = options_words(cli, argc, argv, options, words);
	options->shows_header |= options->only_header || options->shows_info;
	if (!err && options->least_ns && !options->time)
		err = error_usage("--min-block requires --off-cpu or --wall");
	output_limit_begin(options->max_output);
	return err;
}
