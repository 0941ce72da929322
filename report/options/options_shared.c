/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/alloc.h"
#include "report/options/options_shared.h"
#include "report/rows/fields.h"
#include "report/util/demangle.h"

#define TREE_LIMIT 0.5 /* percent */
#define QUANTUM_NS (NSEC_PER_SEC / 10)

struct error *options_take_percent(
	const char *what, const char *text, double *ret)
{
	char *end;
	double value = strtod(text, &end);

	if (*end == '%')
		end++;
	if (end == text || *end || !(value >= 0 && value <= 100))
		return error_usage(
			"%s: '%s' is not a percentage", what, text);
	*ret = value;
	return NULL;
}

struct error *options_take_span(
	const char *what, const char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "s", NSEC_PER_SEC }, { "ms", NSEC_PER_SEC / 1000 },
		{ "us", 1000 }, { "ns", 1 } };
	size_t digits = strspn(text, "0123456789"), i;
	_cleanup_free_ char *number = xstrndup(text, digits);
	struct error *err;
	uint64_t count;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (!string_is(units[i].name, text + digits))
			continue;
		err = cli_number(number, what, 1, UINT64_MAX / units[i].ns,
			&count);
		if (!err)
			*ret_ns = count * units[i].ns;
		return err;
	}
	return error_usage("%s: '%s' is no time; give a number with s, ms, us "
			   "or ns behind it",
		what, text);
}

#define DEFINE_TIME(name, counted)                                             \
	struct error *name(                                                    \
		void *context, const char *value _unused_, bool is_on)         \
	{                                                                      \
		struct options *options = context;                             \
                                                                               \
		options->time = is_on ? counted : TIME_RECORDED;               \
		options->has_chosen_time = true;                               \
		return NULL;                                                   \
	}

DEFINE_TIME(options_take_off_cpu, TIME_OFF_CPU)
DEFINE_TIME(options_take_wall, TIME_WALL)

struct error *options_take_min_block(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->least_ns = 0;
	return is_on ? options_take_span(
			       "--min-block", value, &options->least_ns)
		     : NULL;
}

struct error *options_take_max_stack(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	return cli_number(value, "--max-stack", 1, UINT32_MAX,
		&options->script.max_stack);
}

struct error *options_take_input(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	if (is_on)
		*array_push(&options->inputs.names) = xstrdup(value);
	else
		filter_names_deinit(&options->inputs);
	return NULL;
}

struct error *options_take_demangle(
	void *context _unused_, const char *value _unused_, bool is_on)
{
	demangle_turn(is_on);
	return NULL;
}

/* A field of a tracepoint is known once the recording is read. */
static bool may_be_field(const char *name)
{
	return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_:.*-")];
}

struct error *options_check_fields(const char *option, const char *names)
{
	_cleanup_free_ char *copy =
		xstrdup(names + (*names == '+' ? 1 : 0));
	char *rest = copy, *word;

	while ((word = field_next_name(&rest)))
		if (!may_be_field(word))
			return field_unknown(option, word);
	return NULL;
}

struct error *options_take_percentage(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->is_relative = is_on && string_is(value, "relative");
	if (!is_on || options->is_relative || string_is(value, "absolute"))
		return NULL;
	return error_usage("--percentage: '%s' is neither relative nor "
			   "absolute",
		value);
}

struct error *options_take_separator(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->separator = is_on ? value : NULL;
	/* A separator in a cell becomes a point. */
	if (is_on && (!*value || string_is(value, ".")))
		return error_usage("--field-separator: it can't be '%s'",
			value);
	return NULL;
}

/* Of --stdio and another one, as in perf, the last one counts. */
static struct error *choose_view(
	struct options *options, const char *name, bool is_on)
{
	const char *before = options->chosen_view;
	bool is_tui = string_is(name, "tui");

	options->view = is_on && !is_tui ? name : "stdio";
	options->interactive = is_on && is_tui ? CHOICE_ON : CHOICE_OFF;
	options->chosen_view =
		is_on && !string_is(name, "stdio") ? name : NULL;
	if (before && options->chosen_view && !string_is(before, name))
		return error_usage(
			"--%s and --%s: leave one of them out", before, name);
	return NULL;
}

#define DEFINE_VIEW(name, view_name)                                           \
	struct error *name(                                                    \
		void *context, const char *value _unused_, bool is_on)         \
	{                                                                      \
		return choose_view(context, view_name, is_on);                 \
	}

DEFINE_VIEW(options_take_stdio, "stdio")
DEFINE_VIEW(options_take_tui, "tui")

DEFINE_VIEW(options_take_json, "json")
DEFINE_VIEW(options_take_csv, "csv")
DEFINE_VIEW(options_take_html, "html")

struct error *options_parse(const struct cli *cli, int argc, char **argv,
	struct options *options)
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
		err = error_usage("--min-block goes with --off-cpu or --wall");
	return err;
}
