/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/protobuf.h"

#include "tests/unit/testing.h"

static void numbers_are_written_with_seven_bits_per_byte(void **state _unused_)
{
	static const uint8_t wanted[] = { 0x08, 0x96, 0x01, 0x10, 0x7f };
	_cleanup_strbuf_ struct strbuf out = { 0 };

	protobuf_number(&out, 1, 150);
	protobuf_number(&out, 2, 127);
	assert_int_equal(out.n, sizeof(wanted));
	assert_memory_equal(out.at, wanted, sizeof(wanted));
}

static void the_largest_number_takes_ten_bytes(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	protobuf_varint(&out, UINT64_MAX);
	assert_int_equal(out.n, 10);
	assert_int_equal((uint8_t)out.at[8], 0xff);
	assert_int_equal((uint8_t)out.at[9], 0x01);
}

static void a_field_of_value_zero_is_left_out_unless_it_is_packed(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	protobuf_number(&out, 1, 0);
	assert_int_equal(out.n, 0);
	protobuf_varint(&out, 0);
	assert_int_equal(out.n, 1);
}

static void texts_and_submessages_begin_with_their_length(void **state _unused_)
{
	static const uint8_t wanted[] = { 0x12, 0x07, 't', 'e', 's', 't', 'i',
		'n', 'g', 0x1a, 0x03, 0x08, 0x96, 0x01, 0x22, 0x00 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	_cleanup_strbuf_ struct strbuf part = { 0 };

	protobuf_text(&out, 2, "testing");
	protobuf_number(&part, 1, 150);
	protobuf_part(&out, 3, &part);
	strbuf_clear(&part);
	protobuf_part(&out, 4, &part);
	assert_int_equal(out.n, sizeof(wanted));
	assert_memory_equal(out.at, wanted, sizeof(wanted));
}

static void field_numbers_above_15_take_two_bytes(void **state _unused_)
{
	static const uint8_t wanted[] = { 0x80, 0x01, 0x05 };
	_cleanup_strbuf_ struct strbuf out = { 0 };

	protobuf_number(&out, 16, 5);
	assert_int_equal(out.n, sizeof(wanted));
	assert_memory_equal(out.at, wanted, sizeof(wanted));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_written_with_seven_bits_per_byte),
		cmocka_unit_test(the_largest_number_takes_ten_bytes),
		cmocka_unit_test(
			a_field_of_value_zero_is_left_out_unless_it_is_packed),
		cmocka_unit_test(texts_and_submessages_begin_with_their_length),
		cmocka_unit_test(field_numbers_above_15_take_two_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
