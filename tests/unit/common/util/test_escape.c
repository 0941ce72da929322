/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/escape.h"

#include "tests/unit/testing.h"

#define assert_escaped(function, text, wanted)                       \
	({                                                           \
		_cleanup_strbuf_ struct strbuf escaped = { 0 };      \
		char *copy = (char *)exact_copy(text, sizeof(text)); \
		function(&escaped, copy);                            \
		assert_text(&escaped, wanted);                       \
		free(copy);                                          \
	})
#define assert_lines(text, wanted)                                       \
	({                                                               \
		_cleanup_strbuf_ struct strbuf escaped = { 0 };          \
		char *copy = (char *)exact_copy(text, sizeof(text) - 1); \
		escape_lines(&escaped, copy, sizeof(text) - 1);          \
		assert_text(&escaped, wanted);                           \
		free(copy);                                              \
	})

static void plain_text_is_not_changed(void **state _unused_)
{
	assert_escaped(escape_text, "", "");
	assert_escaped(escape_text, "std::map<int>::find ~!\"\\",
		"std::map<int>::find ~!\"\\");
}

static void escape_lines_accepts_null_for_empty_text(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf escaped = { 0 };

	escape_lines(&escaped, NULL, 0);
	assert_int_equal(escaped.n, 0);
}

static void control_bytes_are_escaped(void **state _unused_)
{
	assert_escaped(
		escape_text, "a\x1b[2Jb\n\t\x7f", "a\\x1b[2Jb\\x0a\\x09\\x7f");
}

static void c1_control_characters_are_escaped(void **state _unused_)
{
	/* U+009B is CSI; U+00A0 is the first one behind the C1 controls. */
	assert_escaped(escape_text,
		"\xc2\x9b"
		"2J",
		"\\xc2\\x9b2J");
	assert_escaped(escape_text, "\xc2\x80\xc2\xa0", "\\xc2\\x80\xc2\xa0");
}

/* Appends U+C as UTF-8. */
static void put_character(struct strbuf *out, uint32_t c)
{
	if (c < 0x800) {
		strbuf_putc(out, (char)(0xc0 | c >> 6));
	} else if (c < 0x10000) {
		strbuf_putc(out, (char)(0xe0 | c >> 12));
		strbuf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
	} else {
		strbuf_putc(out, (char)(0xf0 | c >> 18));
		strbuf_putc(out, (char)(0x80 | (c >> 12 & 0x3f)));
		strbuf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	strbuf_putc(out, (char)(0x80 | (c & 0x3f)));
}

static bool is_shown(uint32_t c)
{
	_cleanup_strbuf_ struct strbuf text = { 0 }, escaped = { 0 };

	put_character(&text, c);
	escape_text(&escaped, text.at);
	return string_is(escaped.at, text.at);
}

static void text_direction_characters_are_escaped(void **state _unused_)
{
	uint32_t c;

	assert_escaped(escape_text,
		"a\xe2\x80\xae"
		"b",
		"a\\xe2\\x80\\xaeb");
	for (c = 0x202a; c <= 0x202e; c++)
		assert_false(is_shown(c));
	for (c = 0x2066; c <= 0x2069; c++)
		assert_false(is_shown(c));
	assert_false(is_shown(0x200e));
	assert_false(is_shown(0x200f));
	assert_false(is_shown(0x61c));
	assert_lines("if (a\xe2\x81\xa6)\n", "if (a\\xe2\\x81\\xa6)\n");
	assert_escaped(escape_csv, "\xe2\x80\xae", "\\xe2\\x80\\xae");
	assert_escaped(escape_xml, "\xe2\x80\xae", "\\xe2\\x80\\xae");
}

static void invisible_characters_are_escaped(void **state _unused_)
{
	static const uint32_t hidden[] = { 0x80, 0x9f, 0xad, 0x200b, 0x200d,
		0x2028, 0x2029, 0x2060, 0x206f, 0x3164, 0xfeff, 0xfff9, 0x1d173,
		0xe0001, 0xe007f };
	static const uint32_t shown[] = { 0xa0, 0xac, 0xae, 0x61b, 0x200a,
		0x2010, 0x2027, 0x202f, 0x205f, 0x2070, 0xfefe, 0xfffc, 0xfffd,
		0x1f525, 0xdffff, 0xe1000 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hidden); i++)
		assert_false(is_shown(hidden[i]));
	for (i = 0; i < ARRAY_SIZE(shown); i++)
		assert_true(is_shown(shown[i]));
}

/* Programs that read JSON get the same characters; a terminal shows them. */
static void json_escapes_invisible_characters(void **state _unused_)
{
	assert_escaped(escape_json,
		"a\xe2\x80\xae"
		"b",
		"\"a\\u202eb\"");
	assert_escaped(
		escape_json, "\xc2\xad\xef\xbb\xbf", "\"\\u00ad\\ufeff\"");
	/* Above U+FFFF, JSON needs two surrogates. */
	assert_escaped(escape_json, "\xf3\xa0\x80\x81\xf0\x9f\x94\xa5",
		"\"\\udb40\\udc01\xf0\x9f\x94\xa5\"");
	assert_escaped(escape_json_visible, "\xe2\x80\xae",
		"\"\\\\xe2\\\\x80\\\\xae\"");
}

static void valid_utf8_is_not_changed(void **state _unused_)
{
	assert_escaped(escape_text,
		"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\xa5",
		"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\xa5");
	/* The ends of the range of each length. */
	assert_escaped(escape_text, "\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf",
		"\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf");
	assert_escaped(escape_text, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
		"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

static void invalid_utf8_is_escaped(void **state _unused_)
{
	/* a stray byte; truncated by the end; truncated by a character */
	assert_escaped(escape_text, "\x80", "\\x80");
	assert_escaped(escape_text, "\xe2\x82", "\\xe2\\x82");
	assert_escaped(escape_text, "\xf0\x9f\x94z", "\\xf0\\x9f\\x94z");
	/* overlong forms of '/' */
	assert_escaped(escape_text, "\xc0\xaf", "\\xc0\\xaf");
	assert_escaped(escape_text, "\xe0\x80\xaf", "\\xe0\\x80\\xaf");
	assert_escaped(escape_text, "\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf");
	/* bytes that UTF-8 does not use */
	assert_escaped(escape_text, "\xf5\x80\x80\x80\xfe\xff",
		"\\xf5\\x80\\x80\\x80\\xfe\\xff");
}

static void surrogates_and_values_above_unicode_are_escaped(
	void **state _unused_)
{
	assert_escaped(escape_text, "\xed\xa0\x80", "\\xed\\xa0\\x80");
	assert_escaped(escape_text, "\xed\x9f\xbf", "\xed\x9f\xbf");
	assert_escaped(escape_text, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
}

static void escape_lines_keeps_newlines_and_tabs(void **state _unused_)
{
	assert_lines("a\tb\n\x1b\r\n", "a\tb\n\\x1b\\x0d\n");
	assert_lines("", "");
	assert_lines("a\0b", "a\\x00b");
}

static void escape_lines_reads_no_byte_behind_the_size(void **state _unused_)
{
	assert_lines("a\xe2\x82", "a\\xe2\\x82");
	assert_lines("\xf0\x9f\x94", "\\xf0\\x9f\\x94");
	assert_lines("x\xc3", "x\\xc3");
	assert_lines("x\xc3\xbc", "x\xc3\xbc");
}

static void escape_json_quotes_text(void **state _unused_)
{
	assert_escaped(escape_json, "", "\"\"");
	assert_escaped(escape_json, "a \"b\" \\ c", "\"a \\\"b\\\" \\\\ c\"");
	assert_escaped(escape_json, "\n\x1b\x7f", "\"\\u000a\\u001b\\u007f\"");
	assert_escaped(escape_json, "\xe2\x82\xac", "\"\xe2\x82\xac\"");
}

static void escape_json_replaces_invalid_utf8(void **state _unused_)
{
	assert_escaped(escape_json, "a\xffz", "\"a\\ufffdz\"");
	assert_escaped(
		escape_json_visible, "a\x1b\xff\"", "\"a\\\\x1b\\\\xff\\\"\"");
	assert_escaped(
		escape_json, "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
}

static void escape_csv_quotes_only_if_needed(void **state _unused_)
{
	assert_escaped(escape_csv, "", "");
	assert_escaped(escape_csv, "main", "main");
	assert_escaped(escape_csv, "operator, ", "\"operator, \"");
	assert_escaped(escape_csv, "a \"b\"", "\"a \"\"b\"\"\"");
	assert_escaped(escape_csv, "a\nb", "a\\x0ab");
}

static void escape_csv_field_quotes_its_separator(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	escape_csv_field(&out, "a;b", ";");
	escape_csv_field(&out, "a,b", ";");
	escape_csv_field(&out, "a::b:c", "::");
	escape_csv_field(&out, "=a;\"b\"", ";");
	assert_string_equal(out.at, "\"a;b\"a,b\"a::b:c\"\"'=a;\"\"b\"\"\"");
}

static void escape_shell_quotes_only_if_needed(void **state _unused_)
{
	assert_escaped(escape_shell, "", "''");
	assert_escaped(escape_shell, "/tmp/a-1.data", "/tmp/a-1.data");
	assert_escaped(escape_shell, "a b", "'a b'");
	assert_escaped(escape_shell, "$(id)", "'$(id)'");
	assert_escaped(escape_shell, "it's", "'it'\\''s'");
}

static void escape_csv_never_starts_a_formula(void **state _unused_)
{
	assert_escaped(escape_csv, "=1+1", "\"'=1+1\"");
	assert_escaped(escape_csv, "+1", "\"'+1\"");
	assert_escaped(escape_csv, "-1", "\"'-1\"");
	assert_escaped(escape_csv, "@SUM(\"A\")", "\"'@SUM(\"\"A\"\")\"");
	assert_escaped(escape_csv, "a=1", "a=1");
	/* Spreadsheets skip a leading tab or return, so these are escaped. */
	assert_escaped(escape_csv, "\t=1", "\\x09=1");
}

static void escape_xml_escapes_markup(void **state _unused_)
{
	assert_escaped(escape_xml, "", "");
	assert_escaped(escape_xml, "<b a='1' c=\"2\">&amp;",
		"&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;");
	assert_escaped(escape_xml, "\x1b[1m\xff\xe2\x82\xac",
		"\\x1b[1m\\xff\xe2\x82\xac");
}

static void escape_xml_escapes_characters_that_xml_forbids(
	void **state _unused_)
{
	assert_escaped(escape_xml, "\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf<",
		"\xef\xbf\xbd\\xef\\xbf\\xbe\\xef\\xbf\\xbf&lt;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_is_not_changed),
		cmocka_unit_test(escape_lines_accepts_null_for_empty_text),
		cmocka_unit_test(control_bytes_are_escaped),
		cmocka_unit_test(c1_control_characters_are_escaped),
		cmocka_unit_test(text_direction_characters_are_escaped),
		cmocka_unit_test(invisible_characters_are_escaped),
		cmocka_unit_test(json_escapes_invisible_characters),
		cmocka_unit_test(valid_utf8_is_not_changed),
		cmocka_unit_test(invalid_utf8_is_escaped),
		cmocka_unit_test(
			surrogates_and_values_above_unicode_are_escaped),
		cmocka_unit_test(escape_lines_keeps_newlines_and_tabs),
		cmocka_unit_test(escape_lines_reads_no_byte_behind_the_size),
		cmocka_unit_test(escape_json_quotes_text),
		cmocka_unit_test(escape_json_replaces_invalid_utf8),
		cmocka_unit_test(escape_csv_quotes_only_if_needed),
		cmocka_unit_test(escape_csv_field_quotes_its_separator),
		cmocka_unit_test(escape_shell_quotes_only_if_needed),
		cmocka_unit_test(escape_csv_never_starts_a_formula),
		cmocka_unit_test(escape_xml_escapes_markup),
		cmocka_unit_test(
			escape_xml_escapes_characters_that_xml_forbids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
