/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/cli.h"

#include <stdio.h>

#include "tests/unit/testing.h"

/* What was taken: "all=on level=3 " */
static struct error *note(void *context, const char *name, const char *value,
	bool is_on)
{
	if (value && string_is(value, "bad"))
		return error_usage("--%s: '%s' is bad", name, value);
	strbuf_printf(context, "%s=%s ", name,
		value	      ? value
			: is_on ? "on"
				: "off");
	return NULL;
}

#define DEFINE_TAKE(name)                                                      \
	static struct error *take_##name(                                      \
		void *context, const char *value, bool is_on)                  \
	{                                                                      \
		return note(context, #name, value, is_on);                     \
	}

DEFINE_TAKE(all)
DEFINE_TAKE(graph)
DEFINE_TAKE(frequency)
DEFINE_TAKE(level)
DEFINE_TAKE(children)
DEFINE_TAKE(comm)
DEFINE_TAKE(guest)
DEFINE_TAKE(hidden)
DEFINE_TAKE(output)

static const struct cli_option options[] = {
	{ 'a', "all", CLI_NONE, NULL, "", take_all },
	{ 'g', "graph", CLI_LAST, "STYLE", "", take_graph },
	{ 'F', "frequency", CLI_VALUE, "N", "", take_frequency },
	{ 'z', "level", CLI_OPTIONAL, "LEVEL", "", take_level },
	{ 0, "children", CLI_NONE, NULL, "", take_children },
	{ 0, "comm", CLI_VALUE, "NAMES", "", take_comm },
	{ 'G', NULL, CLI_NONE, NULL, "", take_guest },
	{ 'x', "hidden", CLI_NONE, NULL, "", take_hidden },
	{ 'o', "output", CLI_VALUE, "FILE", "", take_output },
};

struct parsed {
	struct strbuf taken;
	struct error *err;
	const char *first; /* word that is no option; NULL at the end */
};

#define parse(stops_at_word, ...)                                              \
	parse_words(stops_at_word, (char *[]){ (char *)"dwell", __VA_ARGS__,   \
					   NULL })

static const struct cli_foreign foreign[] = {
	{ 'Q', "quux", "there are no quuxes" },
	{ 0, "corge", "there is one" },
};

static struct parsed parse_words(bool stops_at_word, char **words)
{
	const struct cli cli = { "usage", "summary", options,
		ARRAY_SIZE(options), stops_at_word, foreign,
		ARRAY_SIZE(foreign) };
	struct parsed parsed = { 0 };
	int n = 0, first = -1;

	while (words[n])
		n++;
	parsed.err = cli_parse(&cli, n, words, &parsed.taken, &first);
	assert_in_range(first, 1, n + 1);
	parsed.first = first < n ? words[first] : NULL;
	return parsed;
}

#define W(text) (char *)(text)

#define assert_taken(wanted, ...)                                              \
	({                                                                     \
		struct parsed all_taken = parse(false, __VA_ARGS__);           \
		assert_no_error(all_taken.err);                                \
		assert_text(&all_taken.taken, wanted);                         \
		assert_null(all_taken.first);                                  \
		strbuf_free(&all_taken.taken);                                 \
	})
#define assert_refused(wanted, ...)                                            \
	({                                                                     \
		struct parsed parsed = parse(false, __VA_ARGS__);              \
		assert_non_null(parsed.err);                                   \
		assert_int_equal(parsed.err->kind, ERROR_USAGE);               \
		assert_error(parsed.err, wanted);                              \
		strbuf_free(&parsed.taken);                                    \
	})

static void letters_cluster(void **state _unused_)
{
	assert_taken("all=on graph=on ", W("-ag"));
	assert_taken("all=on guest=on hidden=on ", W("-aGx"));
}

static void values_may_be_glued_on(void **state _unused_)
{
	assert_taken("frequency=99 ", W("-F99"));
	assert_taken("all=on frequency=99 ", W("-aF99"));
	assert_taken("frequency=99 ", W("-F"), W("99"));
	assert_taken("frequency=99 ", W("--frequency=99"));
	assert_taken("frequency=99 ", W("--frequency"), W("99"));
	assert_taken("frequency=-a ", W("-F"), W("-a"));
}

static void an_optional_value_is_only_ever_glued_on(void **state _unused_)
{
	struct parsed parsed = parse(false, W("-z"), W("3"));

	assert_taken("level=3 ", W("-z3"));
	assert_taken("level=3 ", W("--level=3"));
	assert_taken("level=on ", W("-z"));
	assert_taken("all=on level=1 ", W("-az1"));
	assert_no_error(parsed.err);
	assert_text(&parsed.taken, "level=on ");
	assert_string_equal(parsed.first, "3");
	strbuf_free(&parsed.taken);
}

static void a_last_option_takes_the_next_word_that_is_no_option(
	void **state _unused_)
{
	assert_taken("graph=folded ", W("-g"), W("folded"));
	assert_taken("graph=folded ", W("-gfolded"));
	assert_taken("graph=folded ", W("--graph=folded"));
	assert_taken(
		"graph=folded all=on ", W("--graph"), W("folded"), W("-a"));
	assert_taken("graph=on all=on ", W("-g"), W("-a"));
	assert_taken("graph=on ", W("-g"));
	assert_taken("all=on graph=folded ", W("-ag"), W("folded"));
}

static void a_last_option_behind_words_takes_its_own(void **state _unused_)
{
	struct parsed parsed =
		parse(false, W("one"), W("-g"), W("folded"), W("two"), W("-a"));

	assert_no_error(parsed.err);
	assert_text(&parsed.taken, "graph=folded all=on ");
	assert_string_equal(parsed.first, "one");
	strbuf_free(&parsed.taken);
}

static void switches_have_their_opposites(void **state _unused_)
{
	assert_taken("children=on ", W("--children"));
	assert_taken("children=off ", W("--no-children"));
	assert_taken("graph=off ", W("--no-graph"));
	assert_taken("level=off ", W("--no-level"));
	/* Not what needs a value. */
	assert_refused("unknown or ambiguous option '--no-comm'; see --help",
		W("--no-comm"));
}

static void the_opposite_of_a_last_option_takes_no_word(void **state _unused_)
{
	struct parsed parsed = parse(false, W("--no-graph"), W("folded"));

	assert_no_error(parsed.err);
	assert_text(&parsed.taken, "graph=off ");
	assert_string_equal(parsed.first, "folded");
	strbuf_free(&parsed.taken);
}

static void unique_prefixes_are_enough(void **state _unused_)
{
	assert_taken("children=on ", W("--chi"));
	assert_taken("children=off ", W("--no-c"));
	assert_taken("comm=ls ", W("--com=ls"));
	assert_refused("unknown or ambiguous option '--c'; see --help",
		W("--c"));
	assert_refused("unknown or ambiguous option '--no-'; see --help",
		W("--no-"));
}

static void a_command_ends_the_options(void **state _unused_)
{
	struct parsed parsed = parse(true, W("-a"), W("ls"), W("-x"));

	assert_no_error(parsed.err);
	assert_text(&parsed.taken, "all=on ");
	assert_string_equal(parsed.first, "ls");
	strbuf_free(&parsed.taken);
}

static void a_double_dash_ends_the_options(void **state _unused_)
{
	struct parsed parsed = parse(true, W("-a"), W("--"), W("-x"));

	assert_no_error(parsed.err);
	assert_text(&parsed.taken, "all=on ");
	assert_string_equal(parsed.first, "-x");
	strbuf_free(&parsed.taken);
}

static void what_is_unknown_is_named(void **state _unused_)
{
	assert_refused("unknown option '-q'; see --help", W("-q"));
	assert_refused("unknown option '-q'; see --help", W("-aq"));
	assert_refused("unknown or ambiguous option '--quiet'; see --help",
		W("--quiet"));
	assert_refused("unknown or ambiguous option '--quiet'; see --help",
		W("--quiet=1"));
	assert_refused("unknown or ambiguous option '--comn'; "
		       "did you mean '--comm'?",
		W("--comn=ls"));
	assert_refused("unknown or ambiguous option '--no-childern'; "
		       "did you mean '--no-children'?",
		W("--no-childern"));
}

static void what_perf_alone_has_is_explained(void **state _unused_)
{
	assert_refused("perf's -Q, --quux isn't needed: there are no quuxes",
		W("-Q"));
	assert_refused("perf's -Q, --quux isn't needed: there are no quuxes",
		W("--quux"));
	assert_refused("perf's --corge isn't needed: there is one",
		W("--corge"));
	assert_refused("perf's --corge isn't needed: there is one",
		W("--corge=3"));
	assert_refused("unknown or ambiguous option '--quu'; see --help",
		W("--quu"));
}

static void a_missing_value_is_told(void **state _unused_)
{
	assert_refused("option '-F' needs a value", W("-F"));
	assert_refused("option '-F' needs a value", W("-aF"));
	assert_refused("option '--frequency' needs a value", W("--frequency"));
}

static void a_value_too_many_is_told(void **state _unused_)
{
	assert_refused("option '--all=3' takes no value", W("--all=3"));
	assert_refused(
		"option '--no-level=3' takes no value", W("--no-level=3"));
}

static void an_empty_name_of_a_file_is_told(void **state _unused_)
{
	assert_taken("output=out comm= ", W("-oout"), W("--comm="));
	assert_refused("--output: it names no file", W("-o"), W(""));
	assert_refused("--output: it names no file", W("--output="));
}

static void an_options_own_error_ends_the_parsing(void **state _unused_)
{
	struct parsed parsed = parse(false, W("-a"), W("-Fbad"), W("-x"));

	assert_error(parsed.err, "--frequency: 'bad' is bad");
	assert_text(&parsed.taken, "all=on ");
	strbuf_free(&parsed.taken);
}

static void two_command_lines_can_be_parsed(void **state _unused_)
{
	assert_taken("all=on ", W("-a"));
	assert_taken("hidden=on ", W("-x"));
}

static void numbers_are_whole_and_in_range(void **state _unused_)
{
	uint64_t n = 99;

	assert_no_error(cli_number("0", "-m", 0, 10, &n));
	assert_int_equal(n, 0);
	assert_no_error(cli_number("10", "-m", 0, 10, &n));
	assert_int_equal(n, 10);
	assert_no_error(cli_number("0x1f", "-m", 0, 100, &n));
	assert_int_equal(n, 31);
	assert_no_error(cli_number(
		"18446744073709551615", "-m", 0, UINT64_MAX, &n));
	assert_true(n == UINT64_MAX);
}

static void what_is_no_number_is_refused(void **state _unused_)
{
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "1x",
		"x", "1.5", "1K", "18446744073709551616", "0x" };
	uint64_t n = 99;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error *err =
			cli_number(bad[i], "-m", 0, UINT64_MAX, &n);
		char wanted[64];

		snprintf(wanted, sizeof(wanted), "-m: '%s' is not a number",
			bad[i]);
		assert_error(err, wanted);
	}
	assert_int_equal(n, 99);
}

static void a_number_out_of_range_names_the_range(void **state _unused_)
{
	uint64_t n = 99;

	assert_error(cli_number("11", "-m", 1, 10, &n),
		"-m: 11 is not between 1 and 10");
	assert_error(cli_number("0", "-m", 1, 10, &n),
		"-m: 0 is not between 1 and 10");
	assert_int_equal(n, 99);
}

static void sizes_may_have_a_unit(void **state _unused_)
{
	uint64_t n = 99;

	assert_no_error(cli_size("7", "-m", 0, UINT64_MAX, &n));
	assert_int_equal(n, 7);
	assert_no_error(cli_size("4K", "-m", 0, UINT64_MAX, &n));
	assert_int_equal(n, 4096);
	assert_no_error(cli_size("2m", "-m", 0, UINT64_MAX, &n));
	assert_int_equal(n, 2 << 20);
	assert_no_error(cli_size("1GB", "-m", 0, UINT64_MAX, &n));
	assert_int_equal(n, 1 << 30);
	assert_error(cli_size("1T", "-m", 0, UINT64_MAX, &n),
		"-m: '1T' is not a number");
	assert_error(cli_size("1KiB", "-m", 0, UINT64_MAX, &n),
		"-m: '1KiB' is not a number");
	assert_error(cli_size("K", "-m", 0, UINT64_MAX, &n),
		"-m: 'K' is not a number");
}

static void sizes_that_overflow_are_refused(void **state _unused_)
{
	uint64_t n = 99;

	assert_error(cli_size("18014398509481984K", "-m", 0, UINT64_MAX, &n),
		"-m: '18014398509481984K' is not a number");
	assert_error(cli_size("8K", "-m", 0, 8191, &n),
		"-m: 8K is not between 0 and 8191");
	assert_int_equal(n, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_cluster),
		cmocka_unit_test(values_may_be_glued_on),
		cmocka_unit_test(an_optional_value_is_only_ever_glued_on),
		cmocka_unit_test(
			a_last_option_takes_the_next_word_that_is_no_option),
		cmocka_unit_test(a_last_option_behind_words_takes_its_own),
		cmocka_unit_test(switches_have_their_opposites),
		cmocka_unit_test(the_opposite_of_a_last_option_takes_no_word),
		cmocka_unit_test(unique_prefixes_are_enough),
		cmocka_unit_test(a_command_ends_the_options),
		cmocka_unit_test(a_double_dash_ends_the_options),
		cmocka_unit_test(what_is_unknown_is_named),
		cmocka_unit_test(what_perf_alone_has_is_explained),
		cmocka_unit_test(a_missing_value_is_told),
		cmocka_unit_test(a_value_too_many_is_told),
		cmocka_unit_test(an_empty_name_of_a_file_is_told),
		cmocka_unit_test(an_options_own_error_ends_the_parsing),
		cmocka_unit_test(two_command_lines_can_be_parsed),
		cmocka_unit_test(numbers_are_whole_and_in_range),
		cmocka_unit_test(what_is_no_number_is_refused),
		cmocka_unit_test(a_number_out_of_range_names_the_range),
		cmocka_unit_test(sizes_may_have_a_unit),
		cmocka_unit_test(sizes_that_overflow_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
