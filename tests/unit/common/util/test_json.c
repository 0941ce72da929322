/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/json.h"

#include <math.h>

#include "tests/unit/testing.h"

static void assert_json(struct strbuf *out, const char *wanted)
{
	assert_string_equal(out->at, wanted);
	strbuf_free(out);
}

static void an_object_has_members_of_every_type(void **state _unused_)
{
	struct strbuf out = { 0 };
	struct json json = { .out = &out };

	json_begin_object(&json, NULL);
	json_unsigned(&json, "most", UINT64_MAX);
	json_unsigned(&json, "zero", 0);
	json_signed(&json, "least", INT64_MIN);
	json_fixed(&json, "percent", 12.34567, 4);
	json_double(&json, "ratio", 1.0 / 3);
	json_address(&json, "address", 0xffffffff81000000);
	json_bool(&json, "yes", true);
	json_bool(&json, "no", false);
	json_null(&json, "none");
	json_string(&json, "text", "a");
	json_string(&json, "no text", NULL);
	json_end_object(&json);
	assert_json(&out,
		"{\"most\": 18446744073709551615, \"zero\": 0, "
		"\"least\": -9223372036854775808, \"percent\": 12.3457, "
		"\"ratio\": 0.333333333, \"address\": \"0xffffffff81000000\", "
		"\"yes\": true, \"no\": false, \"none\": null, "
		"\"text\": \"a\", \"no text\": null}");
}

static void arrays_and_objects_nest(void **state _unused_)
{
	struct strbuf out = { 0 };
	struct json json = { .out = &out };

	json_begin_array(&json, NULL);
	json_begin_object(&json, NULL);
	json_end_object(&json);
	json_begin_object(&json, NULL);
	json_begin_array(&json, "empty");
	json_end_array(&json);
	json_begin_array(&json, "two");
	json_unsigned(&json, NULL, 1);
	json_unsigned(&json, NULL, 2);
	json_end_array(&json);
	json_unsigned(&json, "after", 3);
	json_end_object(&json);
	json_end_array(&json);
	assert_json(
		&out, "[{}, {\"empty\": [], \"two\": [1, 2], \"after\": 3}]");
}

static void a_compact_writer_puts_no_spaces(void **state _unused_)
{
	struct strbuf out = { 0 };
	struct json json = { .out = &out, .is_compact = true };

	json_begin_object(&json, NULL);
	json_begin_array(&json, "a");
	json_unsigned(&json, NULL, 1);
	json_unsigned(&json, NULL, 2);
	json_end_array(&json);
	json_string(&json, "b", "c");
	json_end_object(&json);
	assert_json(&out, "{\"a\":[1,2],\"b\":\"c\"}");
}

static void json_line_puts_a_line_break_in_place_of_a_space(
	void **state _unused_)
{
	struct strbuf out = { 0 };
	struct json json = { .out = &out };
	unsigned i;

	json_begin_array(&json, NULL);
	for (i = 0; i < 2; i++) {
		json_line(&json, "\n  ");
		json_begin_array(&json, NULL);
		json_unsigned(&json, NULL, i);
		json_unsigned(&json, NULL, i);
		json_end_array(&json);
	}
	json_line(&json, "\n");
	json_end_array(&json);
	assert_json(&out, "[\n  [0, 0],\n  [1, 1]\n]");
}

static void keys_and_strings_are_escaped(void **state _unused_)
{
	struct strbuf out = { 0 };
	struct json json = { .out = &out };

	json_begin_object(&json, NULL);
	json_string(&json, "\"", "\\\n\xff");
	json_string(&json, "hidden", "\xe2\x80\xae");
	json_visible(&json, "visible", "\xe2\x80\xae");
	json_end_object(&json);
	assert_json(&out,
		"{\"\\\"\": \"\\\\\\u000a\\ufffd\", "
		"\"hidden\": \"\\u202e\", "
		"\"visible\": \"\\\\xe2\\\\x80\\\\xae\"}");
}

static void infinity_and_nan_are_written_as_null(void **state _unused_)
{
	struct strbuf out = { 0 };
	struct json json = { .out = &out };

	json_begin_array(&json, NULL);
	json_double(&json, NULL, INFINITY);
	json_double(&json, NULL, -INFINITY);
	json_double(&json, NULL, NAN);
	json_end_array(&json);
	assert_json(&out, "[null, null, null]");
}

static void the_buffer_may_be_emptied_between_two_items(void **state _unused_)
{
	struct strbuf out = { 0 };
	struct json json = { .out = &out };

	json_begin_array(&json, NULL);
	json_unsigned(&json, NULL, 1);
	strbuf_clear(&out);
	strbuf_puts(json_value(&json, NULL), "1.5e3");
	json_end_array(&json);
	assert_json(&out, ", 1.5e3]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_has_members_of_every_type),
		cmocka_unit_test(arrays_and_objects_nest),
		cmocka_unit_test(a_compact_writer_puts_no_spaces),
		cmocka_unit_test(
			json_line_puts_a_line_break_in_place_of_a_space),
		cmocka_unit_test(keys_and_strings_are_escaped),
		cmocka_unit_test(infinity_and_nan_are_written_as_null),
		cmocka_unit_test(the_buffer_may_be_emptied_between_two_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
