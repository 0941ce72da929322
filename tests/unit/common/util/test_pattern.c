/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/pattern.h"

#include <string.h>

#include "common/util/strbuf.h"
#include "tests/unit/testing.h"

static void assert_refused(const char *text, const char *why)
{
	regex_t regex;
	struct error *err = pattern_compile("--parent", text, &regex);

	assert_non_null(err);
	assert_int_equal(err->kind, ERROR_USAGE);
	assert_string_equal(err->text, why);
	error_free(err);
}

static void assert_matches(const char *text, const char *name, bool matches)
{
	regex_t regex;

	assert_no_error(pattern_compile("--parent", text, &regex));
	assert_int_equal(regexec(&regex, name, 0, NULL, 0) == 0, matches);
	regfree(&regex);
}

static void pattern_compile_takes_extended_expressions(void **state _unused_)
{
	assert_matches("^(a|b+)?c{2,3}$", "bbcc", true);
	assert_matches("^(a|b+)?c{2,3}$", "bbc", false);
	assert_matches("[]{}[:digit:]*]+\\(x", "]{7(x", true);
	assert_matches("operator[(][)]", "operator()", true);
	assert_matches("(a{1,255}){1,10}", "a", true);
	assert_matches("x{1500}", "x", false);
	assert_matches("^f()g$", "fg", true);
	assert_refused("(a", "--parent: '(a': Unmatched ( or \\(");
	assert_refused("[a", "--parent: '[a': Unmatched [, [^, [:, [., or [=");
}

static void pattern_compile_refuses_large_repetitions(void **state _unused_)
{
	static const char why[] =
		"--parent: the regular expression has too many repetitions; "
		"use smaller numbers in { }, or fewer groups";
	_cleanup_strbuf_ struct strbuf deep = { 0 }, plus = { 0 },
				       stars = { 0 };
	int i;

	assert_refused("((((a{1,255}){1,255}){1,255}){1,255})", why);
	assert_refused("a{255}{255}{255}", why);
	assert_refused("(a{30000})", why);
	assert_refused("(a{,30000}", why);
	assert_refused("((){1000}){1000}", why);
	assert_refused("([[:alpha:]]{100}){100,}", why);
	assert_refused(
		"(a{1,99999999999999999999}){1,99999999999999999999}", why);
	strbuf_fill(&plus, '(', 30);
	strbuf_putc(&plus, 'a');
	for (i = 0; i < 30; i++)
		strbuf_puts(&plus, "+)");
	assert_refused(plus.at, why);
	strbuf_fill(&deep, '(', 60000);
	assert_refused(deep.at, why);
	for (i = 0; i < 60000; i++)
		strbuf_puts(&stars, ".*");
	assert_refused(stars.at, why);
}

static void pattern_compile_takes_a_long_list_of_names(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf names = { 0 };
	int i;

	for (i = 0; i < 1000; i++)
		strbuf_printf(&names, "%sfunction_%d", i ? "|" : "^(", i);
	strbuf_puts(&names, ")?x$");
	assert_matches(names.at, "function_999x", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pattern_compile_takes_extended_expressions),
		cmocka_unit_test(pattern_compile_refuses_large_repetitions),
		cmocka_unit_test(pattern_compile_takes_a_long_list_of_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
