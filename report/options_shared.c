/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/alloc.h"
#include "report/demangle.h"
#include "report/options_shared.h"

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

#define DEFINE_VIEW(name, view_name)                                           \
	struct error *name(                                                    \
		void *context, const char *value _unused_, bool is_on)         \
	{                                                                      \
		struct options *options = context;                             \
                                                                               \
		options->view = is_on ? view_name : "stdio";                   \
		return NULL;                                                   \
	}

DEFINE_VIEW(options_take_stdio, "stdio")
DEFINE_VIEW(options_take_json, "json")
DEFINE_VIEW(options_take_csv, "csv")

struct error *options_parse(const struct cli *cli, int argc, char **argv,
	struct options *options)
{
	struct error *err;

	options->view = "stdio";
	options->graph.limit = TREE_LIMIT;
	options->quantum_ns = QUANTUM_NS;
	options->has_inlines = true;
	options->script.max_stack = UINT64_MAX;
	script_choice_init(&options->script.choice);
	options->has_colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	err = options_words(cli, argc, argv, options, &options->inputs);
	options->shows_header |= options->only_header || options->shows_info;
	return err;
}
