/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/cli.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/completion.h"
#include "common/util/log.h"
#include "common/util/perf_options.h"
#include "common/util/spell_suggest.h"
#include "common/util/standard_streams.h"
#include "common/util/strbuf.h"

#define HELP_COLUMN 34
/*
 * For a long option, getopt_long() returns the option's index in the table plus
 * ON_BASE, or plus OFF_BASE for --no-NAME.
 */
#define ON_BASE 1000
#define OFF_BASE 100000
/* For an option that only perf has: its index in the array plus PERF_BASE. */
#define PERF_BASE 200000
#define HELP_VALUE 1
#define VERSION_VALUE 2

static void print_cli_help(const struct cli *cli)
{
	size_t i;

	printf("usage: %s\n\n%s\n\n", cli->usage, cli->summary);
	for (i = 0; i < cli->n_options; i++) {
		const struct cli_option *option = &cli->options[i];
		_cleanup_strbuf_ struct strbuf left = { 0 };

		if (option->letter)
			strbuf_printf(&left, "  -%c%s", option->letter,
				option->name ? ", " : "");
		else
			strbuf_puts(&left, "      ");
		if (option->name)
			strbuf_printf(&left, "--%s", option->name);
		if (option->value == CLI_VALUE || option->value == CLI_LAST)
			strbuf_printf(&left, " %s", option->value_name);
		else if (option->value == CLI_OPTIONAL)
			strbuf_printf(&left, "[=%s]", option->value_name);
		if (left.n < HELP_COLUMN)
			strbuf_fill(&left, ' ', HELP_COLUMN - left.n);
		else
			strbuf_printf(&left, "\n%*s", HELP_COLUMN, "");
		printf("%s%s\n", left.at, option->help);
	}
	printf("  -V, --version                   print the version\n");
	printf("  -h, --help                      print this help\n");
}

/* The arguments of getopt_long() that describe the options of a struct cli. */
struct option_tables {
	struct strbuf letters;
	ARRAY(struct option) longs;
	ARRAY(char *) names; /* names in .longs, owned */
};

/* Returns whether a word of ARGV is "--NAME" or "--NAME=VALUE". */
static bool has_long_option(char **argv, const char *name)
{
	size_t length = strlen(name);

	for (; *argv; argv++)
		if (string_starts(*argv, "--") &&
			string_starts(*argv + 2, name) &&
			strchr("=", (*argv)[2 + length]))
			return true;
	return false;
}

/*
 * Adds the options of perf that CLI does not have, so that none of them is
 * taken for the abbreviation of another option. Names that are not in ARGV are
 * left out: they would make abbreviations of CLI's options ambiguous.
 */
static void add_perf_options(
	const struct cli *cli, char **argv, struct option_tables *ret)
{
	size_t n, i;
	const struct perf_option *options = perf_options(&n);

	for (i = 0; cli->command && i < n; i++) {
		_cleanup_free_ char *names = xstrdup(options[i].names);
		char *rest = names, *name;

		if (!perf_list_has(options[i].commands, cli->command))
			continue;
		if (options[i].letter)
			strbuf_printf(&ret->letters, "%c::", options[i].letter);
		while ((name = strsep(&rest, " "))) {
			int value = PERF_BASE + (int)ret->longs.n;

			if (!has_long_option(argv, name))
				continue;
			*array_push(&ret->names) = xstrdup(name);
			*array_push(&ret->longs) = (struct option){
				ret->names.at[ret->names.n - 1],
				optional_argument, NULL, value
			};
		}
	}
}

/* Names of at most this many letters begin too many words to be suggested. */
#define SHORT_NAME 3u

static struct error *option_error(
	const struct option_tables *tables, char **argv, int found)
{
	const char *word = argv[optind - 1];
	if (found == ':' && string_starts(word, "--"))
		return error_usage("option '%s' needs a value", word);
	if (found == ':')
		return error_usage("option '-%c' needs a value", optopt);
	if (optopt && optopt < 256 && isprint(optopt))
		return error_usage("unknown option '-%c'; see --help", optopt);
	if (optopt)
		return error_usage("option '%s' takes no value", word);
	_cleanup_free_ char *name = xstrndup(word, strcspn(word, "="));
	struct error *err =
		error_usage("unknown or ambiguous option '%s'", name);
	const char *bare = name + strspn(name, "-");
	const char *similar = NULL;
	struct spell_suggest nearest;
	size_t i;

	/*
	 * SIMILAR is the longest name of an option that is the beginning of the
	 * word, such as "freq" of "frequency".
	 */
	spell_suggest_init(&nearest, bare);
	for (i = 0;
		tables->longs.at[i].name && tables->longs.at[i].val < PERF_BASE;
		i++) {
		const char *own = tables->longs.at[i].name;

		if (string_starts(bare, own) &&
			strlen(own) > (similar ? strlen(similar) : SHORT_NAME))
			similar = own;
		spell_suggest_offer(&nearest, own);
	}
	if (nearest.best[0])
		similar = nearest.best;
	return similar ? error_hint(err, "did you mean '--%s'?", similar)
		       : error_hint(err, "see --help");
}

/*
 * Returns an error if getopt_long() found an option of perf, a letter or a
 * name, that CLI does not have, else NULL.
 */
static struct error *perf_option_error(
	const struct cli *cli, const struct option_tables *tables, int found)
{
	const char *name = found >= PERF_BASE
		? tables->longs.at[found - PERF_BASE].name
		: "";
	size_t n, i;
	const struct perf_option *options = perf_options(&n);

	for (i = 0; cli->command && i < n; i++) {
		if (!perf_list_has(options[i].commands, cli->command))
			continue;
		if (found == options[i].letter)
			return error_usage("perf's -%c is not available: %s",
				found, options[i].instead);
		if (perf_list_has(options[i].names, name))
			return error_usage("perf's --%s is not available: %s",
				name, options[i].instead);
	}
	return NULL;
}

static CLI_PARSER(store_option)
{
	if (option->value == CLI_NONE)
		*(bool *)slot = is_on;
	else
		*(const char **)slot = is_on ? value : NULL;
	return NULL;
}

static struct error *parse_option(
	const struct cli *cli, int argc, char **argv, int found, void *context)
{
	const struct cli_option *option = cli->options;
	const char *value = optarg;
	bool is_on = found < OFF_BASE;

	if (found >= OFF_BASE)
		option += found - OFF_BASE;
	else if (found >= ON_BASE)
		option += found - ON_BASE;
	else
		while (option->letter != found)
			option++;
	if (option->value == CLI_LAST && is_on && !value && optind < argc &&
		argv[optind][0] != '-')
		value = argv[optind++];
	/* An empty file name is often from an unset variable of a script. */
	if (value && !*value && option->value_name &&
		(string_is(option->value_name, "FILE") ||
			string_is(option->value_name, "DIR")))
		return error_usage("--%s: the name is empty", option->name);
	return (option->parse ?: store_option)(
		option, value, is_on, (char *)context + option->slot);
}

static void make_option_tables(
	const struct cli *cli, char **argv, struct option_tables *ret)
{
	size_t i;

	strbuf_puts(&ret->letters, cli->stops_at_word ? "+:hV" : ":hV");
	for (i = 0; i < cli->n_options; i++) {
		const struct cli_option *option = &cli->options[i];
		int has_value = option->value == CLI_NONE ? no_argument
			: option->value == CLI_VALUE	  ? required_argument
							  : optional_argument;

		if (option->letter) {
			strbuf_putc(&ret->letters, option->letter);
			strbuf_fill(&ret->letters, ':', (size_t)has_value);
		}
		if (!option->name)
			continue;
		*array_push(&ret->longs) = (struct option){ option->name,
			has_value, NULL, ON_BASE + (int)i };
		if (option->value == CLI_VALUE)
			continue;
		*array_push(&ret->names) = xasprintf("no-%s", option->name);
		*array_push(&ret->longs) =
			(struct option){ ret->names.at[ret->names.n - 1],
				no_argument, NULL, OFF_BASE + (int)i };
	}
	*array_push(&ret->longs) =
		(struct option){ "help", no_argument, NULL, HELP_VALUE };
	*array_push(&ret->longs) =
		(struct option){ "version", no_argument, NULL, VERSION_VALUE };
	add_perf_options(cli, argv, ret);
	array_push(&ret->longs);
}

struct error *cli_parse(const struct cli *cli, int argc, char **argv,
	void *context, int *first_ret)
{
	struct option_tables tables = { 0 };
	struct error *err = NULL;
	int found;

	if (completion_is_requested()) {
		completion_run(cli, argc, argv);
		return standard_streams_exit();
	}
	make_option_tables(cli, argv, &tables);
	/* 0, not 1, resets the state of an earlier getopt_long() (glibc). */
	optind = 0;
	while (!err) {
		optopt = 0;
		found = getopt_long(
			argc, argv, tables.letters.at, tables.longs.at, NULL);
		if (found < 0)
			break;
		if (found == HELP_VALUE || found == 'h') {
			print_cli_help(cli);
			err = standard_streams_exit();
		} else if (found == VERSION_VALUE || found == 'V') {
			puts(PACKAGE_STRING);
			err = standard_streams_exit();
		} else if (found == '?' || found == ':')
			err = option_error(&tables, argv, found);
		else
			err = perf_option_error(cli, &tables, found)
				?: parse_option(
					   cli, argc, argv, found, context);
	}
	*first_ret = optind;
	strbuf_free(&tables.letters);
	array_free(&tables.longs);
	array_each(&tables.names, name)
		free(*name);
	array_free(&tables.names);
	return err;
}

CLI_PARSER(cli_parse_quiet)
{
	log_set_level(is_on ? LOG_QUIET : LOG_NORMAL);
	return NULL;
}

CLI_PARSER(cli_parse_verbose)
{
	log_set_level(is_on ? LOG_VERBOSE : LOG_NORMAL);
	return NULL;
}

static struct error *parse_whole_number(const char *text, const char *what,
	bool has_unit, uint64_t min, uint64_t max, uint64_t *ret)
{
	unsigned long long value;
	unsigned shift = 0;
	char *end = NULL;

	errno = 0;
	value = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 0) : 0;
	if (has_unit && end && *end) {
		const char *units = "BKMG";
		const char *unit = strchr(units, toupper((unsigned char)*end));

		if (unit) {
			shift = 10 * (unsigned)(unit - units);
			end++;
			if (shift && (*end == 'B' || *end == 'b'))
				end++;
		}
	}
	if (!end || *end || errno || value > UINT64_MAX >> shift)
		return error_usage("%s: '%s' is not a number", what, text);
	value <<= shift;
	if (value < min || value > max)
		return error_usage("%s: %s is not between %" PRIu64
				   " and %" PRIu64,
			what, text, min, max);
	*ret = value;
	return NULL;
}

struct error *cli_number(const char *text, const char *what, uint64_t min,
	uint64_t max, uint64_t *ret)
{
	return parse_whole_number(text, what, false, min, max, ret);
}

struct error *cli_size(const char *text, const char *what, uint64_t min,
	uint64_t max, uint64_t *ret)
{
	return parse_whole_number(text, what, true, min, max, ret);
}

struct error *cli_span(const char *text, const char *what, uint64_t *ret)
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
		err = cli_number(
			number, what, 1, UINT64_MAX / units[i].ns, &count);
		if (!err)
			*ret = count * units[i].ns;
		return err;
	}
	return error_usage("%s: '%s' is not a time. Use a number with a unit: "
			   "s, ms, us or ns",
		what, text);
}

static struct error *parse_slot(const struct cli_option *option,
	const char *value, bool has_unit, void *slot)
{
	_cleanup_free_ char *name = xasprintf("--%s", option->name);

	return parse_whole_number(
		value, name, has_unit, option->min, option->max, slot);
}

CLI_PARSER(cli_parse_number)
{
	return parse_slot(option, value, false, slot);
}

CLI_PARSER(cli_parse_size)
{
	return parse_slot(option, value, true, slot);
}

CLI_PARSER(cli_parse_either)
{
	bool is_second = string_is(value, option->words[1]);

	*(bool *)slot = is_second;
	return is_second || string_is(value, option->words[0])
		? NULL
		: error_usage("--%s: unknown value '%s'; use %s or %s",
			  option->name, value, option->words[0],
			  option->words[1]);
}
