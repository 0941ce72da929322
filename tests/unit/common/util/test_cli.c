/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/cli.h"

#include <stdio.h>

#include "tests/unit/testing.h"

/* Appends the option to the text at SLOT: "all=on level=3 ". */
static CLI_PARSER(note_option)
{
	const char *name = option->name ?: "guest";

	if (value && string_is(value, "bad"))
		return error_usage("--%s: '%s' is bad", name, value);
	strbuf_printf(slot, "%s=%s ", name,
		value		? value
			: is_on ? "on"
				: "off");
	return NULL;
}

static const struct cli_option options[] = {
	{ 'a', "all", CLI_NONE, NULL, "", 0, note_option },
	{ 'g', "graph", CLI_LAST, "STYLE", "", 0, note_option },
	{ 'F', "frequency", CLI_VALUE, "N", "", 0, note_option },
	{ 'z', "level", CLI_OPTIONAL, "LEVEL", "", 0, note_option },
	{ 0, "children", CLI_NONE, NULL, "", 0, note_option },
	{ 0, "comm", CLI_VALUE, "NAMES", "", 0, note_option },
	{ 'G', NULL, CLI_NONE, NULL, "", 0, note_option },
	{ 'x', "hidden", CLI_NONE, NULL, "", 0, note_option },
	{ 'o', "output", CLI_VALUE, "FILE", "", 0, note_option },
};

struct parsed {
	struct strbuf taken;
	struct error *err;
	const char *first; /* first word that is not an option, or NULL */
};

#define parse(stops_at_word, ...)  \
	parse_words(stops_at_word, \
		(char *[]){ (char *)"dwell", __VA_ARGS__, NULL })

static struct parsed parse_words(bool stops_at_word, char **words)
{
	const struct cli cli = { "usage", "summary", options,
		ARRAY_SIZE(options), stops_at_word, "diff" };
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

#define assert_taken(wanted, ...)                                    \
	({                                                           \
		struct parsed all_taken = parse(false, __VA_ARGS__); \
		assert_no_error(all_taken.err);                      \
		assert_text(&all_taken.taken, wanted);               \
		assert_null(all_taken.first);                        \
		strbuf_free(&all_taken.taken);                       \
	})
#define assert_refused(wanted, ...)                               \
	({                                                        \
		struct parsed parsed = parse(false, __VA_ARGS__); \
		assert_non_null(parsed.err);                      \
		assert_int_equal(parsed.err->kind, ERROR_USAGE);  \
		assert_error(parsed.err, wanted);                 \
		strbuf_free(&parsed.taken);                       \
	})

static void option_letters_can_be_combined_in_one_word(void **state _unused_)
{
	assert_taken("all=on graph=on ", W("-ag"));
	assert_taken("all=on guest=on hidden=on ", W("-aGx"));
}

static void a_value_is_attached_to_its_option_or_follows_it(
	void **state _unused_)
{
	assert_taken("frequency=99 ", W("-F99"));
	assert_taken("all=on frequency=99 ", W("-aF99"));
	assert_taken("frequency=99 ", W("-F"), W("99"));
	assert_taken("frequency=99 ", W("--frequency=99"));
	assert_taken("frequency=99 ", W("--frequency"), W("99"));
	assert_taken("frequency=-a ", W("-F"), W("-a"));
}

static void an_optional_value_must_be_attached_to_its_option(
	void **state _unused_)
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

static void an_option_can_take_the_next_word_unless_it_begins_with_a_dash(
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

static void an_option_behind_other_words_takes_the_next_word(
	void **state _unused_)
{
	struct parsed parsed =
		parse(false, W("one"), W("-g"), W("folded"), W("two"), W("-a"));

	assert_no_error(parsed.err);
	assert_text(&parsed.taken, "graph=folded all=on ");
	assert_string_equal(parsed.first, "one");
	strbuf_free(&parsed.taken);
}

static void options_without_a_required_value_have_a_negative_form(
	void **state _unused_)
{
	assert_taken("children=on ", W("--children"));
	assert_taken("children=off ", W("--no-children"));
	assert_taken("graph=off ", W("--no-graph"));
	assert_taken("level=off ", W("--no-level"));
	/* Options that need a value have no negative form. */
	assert_refused("unknown or ambiguous option '--no-comm'; see --help",
		W("--no-comm"));
}

static void a_negated_option_does_not_take_the_next_word(void **state _unused_)
{
	struct parsed parsed = parse(false, W("--no-graph"), W("folded"));

	assert_no_error(parsed.err);
	assert_text(&parsed.taken, "graph=off ");
	assert_string_equal(parsed.first, "folded");
	strbuf_free(&parsed.taken);
}

static void unique_prefixes_of_option_names_are_accepted(void **state _unused_)
{
	assert_taken("children=on ", W("--chi"));
	assert_taken("children=off ", W("--no-c"));
	assert_taken("comm=ls ", W("--com=ls"));
	assert_refused(
		"unknown or ambiguous option '--c'; see --help", W("--c"));
	assert_refused(
		"unknown or ambiguous option '--no-'; see --help", W("--no-"));
}

static void the_first_word_of_a_command_ends_the_options(void **state _unused_)
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

static void an_unknown_option_is_refused_with_its_name(void **state _unused_)
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
	assert_refused("unknown or ambiguous option '--levels-of-zstd'; "
		       "did you mean '--level'?",
		W("--levels-of-zstd=3"));
	assert_refused("unknown or ambiguous option '--no-graph-at-all'; "
		       "did you mean '--no-graph'?",
		W("--no-graph-at-all"));
}

static void an_unsupported_option_of_perf_is_explained(void **state _unused_)
{
	assert_refused("perf's -m is not available: symbols of kernel modules "
		       "are always used",
		W("-m"));
	assert_refused("perf's --modules is not available: symbols of kernel "
		       "modules are always used",
		W("--modules=3"));
	assert_refused("unknown or ambiguous option '--quux'; see --help",
		W("--quux"));
}

static void an_option_without_its_required_value_is_an_error(
	void **state _unused_)
{
	assert_refused("option '-F' needs a value", W("-F"));
	assert_refused("option '-F' needs a value", W("-aF"));
	assert_refused("option '--frequency' needs a value", W("--frequency"));
}

static void a_switch_with_a_value_is_an_error(void **state _unused_)
{
	assert_refused("option '--all=3' takes no value", W("--all=3"));
	assert_refused(
		"option '--no-level=3' takes no value", W("--no-level=3"));
}

static void an_empty_file_name_is_an_error(void **state _unused_)
{
	assert_taken("output=out comm= ", W("-oout"), W("--comm="));
	assert_refused("--output: the name is empty", W("-o"), W(""));
	assert_refused("--output: the name is empty", W("--output="));
}

static void parsing_ends_at_the_first_option_with_an_error(
	void **state _unused_)
{
	struct parsed parsed = parse(false, W("-a"), W("-Fbad"), W("-x"));

	assert_error(parsed.err, "--frequency: 'bad' is bad");
	assert_text(&parsed.taken, "all=on ");
	strbuf_free(&parsed.taken);
}

static void two_command_lines_can_be_parsed_one_after_the_other(
	void **state _unused_)
{
	assert_taken("all=on ", W("-a"));
	assert_taken("hidden=on ", W("-x"));
}

struct slots {
	bool is_on, is_intel;
	const char *text;
	uint64_t number, size;
};

/* Parses the two words WORD and VALUE (NULL: none) into RET. */
static struct error *parse_slots(
	const char *word, const char *value, struct slots *ret)
{
	static const char *const syntaxes[] = { "att", "intel" };
	static const struct cli_option table[] = {
		{ 0, "on", CLI_NONE, NULL, "", offsetof(struct slots, is_on) },
		{ 0, "text", CLI_OPTIONAL, "TEXT", "",
			offsetof(struct slots, text) },
		{ 0, "number", CLI_VALUE, "N", "",
			offsetof(struct slots, number), cli_parse_number, 1,
			10 },
		{ 0, "size", CLI_VALUE, "SIZE", "",
			offsetof(struct slots, size), cli_parse_size, 1,
			KIB(1) },
		{ 0, "syntax", CLI_VALUE, "SYNTAX", "",
			offsetof(struct slots, is_intel), cli_parse_either,
			.words = syntaxes },
	};
	static const struct cli cli = { "usage", "summary", table,
		ARRAY_SIZE(table), false, NULL };
	char *words[] = { W("dwell"), W(word), W(value), NULL };
	int first;

	return cli_parse(&cli, value ? 3 : 2, words, ret, &first);
}

static void option_values_are_stored_in_variables_of_their_type(
	void **state _unused_)
{
	struct slots slots = { 0 };

	assert_no_error(parse_slots("--on", NULL, &slots));
	assert_true(slots.is_on);
	assert_no_error(parse_slots("--no-on", NULL, &slots));
	assert_false(slots.is_on);
	assert_no_error(parse_slots("--text=word", NULL, &slots));
	assert_string_equal(slots.text, "word");
	assert_no_error(parse_slots("--no-text", NULL, &slots));
	assert_null(slots.text);
	assert_no_error(parse_slots("--number", "10", &slots));
	assert_int_equal(slots.number, 10);
	assert_no_error(parse_slots("--size", "1K", &slots));
	assert_int_equal(slots.size, 1024);
	assert_no_error(parse_slots("--syntax", "intel", &slots));
	assert_true(slots.is_intel);
	assert_no_error(parse_slots("--syntax", "att", &slots));
	assert_false(slots.is_intel);
}

static void a_wrong_value_is_reported_with_the_option(void **state _unused_)
{
	struct slots slots = { .number = 5 };

	assert_error(parse_slots("--number", "11", &slots),
		"--number: 11 is not between 1 and 10");
	assert_error(parse_slots("--size", "2K", &slots),
		"--size: 2K is not between 1 and 1024");
	assert_error(parse_slots("--syntax", "masm", &slots),
		"--syntax: unknown value 'masm'; use att or intel");
	assert_int_equal(slots.number, 5);
}

static void cli_number_accepts_whole_numbers_within_its_limits(
	void **state _unused_)
{
	uint64_t n = 99;

	assert_no_error(cli_number("0", "-m", 0, 10, &n));
	assert_int_equal(n, 0);
	assert_no_error(cli_number("10", "-m", 0, 10, &n));
	assert_int_equal(n, 10);
	assert_no_error(cli_number("0x1f", "-m", 0, 100, &n));
	assert_int_equal(n, 31);
	assert_no_error(
		cli_number("18446744073709551615", "-m", 0, UINT64_MAX, &n));
	assert_true(n == UINT64_MAX);
}

static void cli_number_refuses_text_that_is_not_a_number(void **state _unused_)
{
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "1x",
		"x", "1.5", "1K", "18446744073709551616", "0x" };
	uint64_t n = 99;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error *err = cli_number(bad[i], "-m", 0, UINT64_MAX, &n);
		char wanted[64];

		snprintf(wanted, sizeof(wanted), "-m: '%s' is not a number",
			bad[i]);
		assert_error(err, wanted);
	}
	assert_int_equal(n, 99);
}

static void the_error_for_a_number_out_of_range_names_the_range(
	void **state _unused_)
{
	uint64_t n = 99;

	assert_error(cli_number("11", "-m", 1, 10, &n),
		"-m: 11 is not between 1 and 10");
	assert_error(cli_number("0", "-m", 1, 10, &n),
		"-m: 0 is not between 1 and 10");
	assert_int_equal(n, 99);
}

static void sizes_can_have_a_unit_such_as_k_or_gb(void **state _unused_)
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
		cmocka_unit_test(option_letters_can_be_combined_in_one_word),
		cmocka_unit_test(
			a_value_is_attached_to_its_option_or_follows_it),
		cmocka_unit_test(
			an_optional_value_must_be_attached_to_its_option),
		cmocka_unit_test(
			an_option_can_take_the_next_word_unless_it_begins_with_a_dash),
		cmocka_unit_test(
			an_option_behind_other_words_takes_the_next_word),
		cmocka_unit_test(
			options_without_a_required_value_have_a_negative_form),
		cmocka_unit_test(a_negated_option_does_not_take_the_next_word),
		cmocka_unit_test(unique_prefixes_of_option_names_are_accepted),
		cmocka_unit_test(the_first_word_of_a_command_ends_the_options),
		cmocka_unit_test(a_double_dash_ends_the_options),
		cmocka_unit_test(an_unknown_option_is_refused_with_its_name),
		cmocka_unit_test(an_unsupported_option_of_perf_is_explained),
		cmocka_unit_test(
			an_option_without_its_required_value_is_an_error),
		cmocka_unit_test(a_switch_with_a_value_is_an_error),
		cmocka_unit_test(an_empty_file_name_is_an_error),
		cmocka_unit_test(
			parsing_ends_at_the_first_option_with_an_error),
		cmocka_unit_test(
			two_command_lines_can_be_parsed_one_after_the_other),
		cmocka_unit_test(
			option_values_are_stored_in_variables_of_their_type),
		cmocka_unit_test(a_wrong_value_is_reported_with_the_option),
		cmocka_unit_test(
			cli_number_accepts_whole_numbers_within_its_limits),
		cmocka_unit_test(cli_number_refuses_text_that_is_not_a_number),
		cmocka_unit_test(
			the_error_for_a_number_out_of_range_names_the_range),
		cmocka_unit_test(sizes_can_have_a_unit_such_as_k_or_gb),
		cmocka_unit_test(sizes_that_overflow_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
