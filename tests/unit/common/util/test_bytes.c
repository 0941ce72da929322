/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/bytes.h"
#include "tests/unit/testing.h"

static const uint8_t sixteen[16] = { 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
	0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10 };

static void numbers_are_read_as_little_endian(void **state _unused_)
{
	struct bytes b = bytes_of(sixteen, 15, false);

	assert_int_equal(bytes_u8(&b), 0x01);
	assert_int_equal(bytes_u16(&b), 0x0302);
	assert_int_equal(bytes_u32(&b), 0x07060504);
	assert_true(bytes_u64(&b) == UINT64_C(0x0f0e0d0c0b0a0908));
	assert_true(b.ok);
	assert_int_equal(bytes_left(&b), 0);
}

static void swapped_numbers_are_read_as_big_endian(void **state _unused_)
{
	struct bytes b = bytes_of(sixteen, 15, true);

	assert_int_equal(bytes_u8(&b), 0x01);
	assert_int_equal(bytes_u16(&b), 0x0203);
	assert_int_equal(bytes_u32(&b), 0x04050607);
	assert_true(bytes_u64(&b) == UINT64_C(0x08090a0b0c0d0e0f));
	assert_true(b.ok);
}

static void after_a_read_past_the_end_all_further_reads_fail(
	void **state _unused_)
{
	struct bytes b = bytes_of(sixteen, 7, false);

	assert_int_equal(bytes_u32(&b), 0x04030201);
	assert_int_equal(bytes_u32(&b), 0);
	assert_false(b.ok);
	/* These reads would fit, but the cursor has failed. */
	assert_int_equal(bytes_u8(&b), 0);
	assert_int_equal(bytes_u16(&b), 0);
	assert_null(bytes_take(&b, 0));
	assert_false(b.ok);
	assert_ptr_equal(b.at, sixteen + 4);
}

static void a_number_whose_last_byte_is_missing_fails(void **state _unused_)
{
	struct bytes b = bytes_of(sixteen, 0, false);

	assert_int_equal(bytes_u8(&b), 0);
	assert_false(b.ok);
	b = bytes_of(sixteen, 1, false);
	assert_int_equal(bytes_u16(&b), 0);
	assert_false(b.ok);
	b = bytes_of(sixteen, 3, true);
	assert_int_equal(bytes_u32(&b), 0);
	assert_false(b.ok);
	b = bytes_of(sixteen, 7, true);
	assert_true(bytes_u64(&b) == 0);
	assert_false(b.ok);
}

static void bytes_take_returns_pointers_into_the_data(void **state _unused_)
{
	struct bytes b = bytes_of(sixteen, 16, false);

	assert_ptr_equal(bytes_take(&b, 5), sixteen);
	assert_ptr_equal(bytes_take(&b, 11), sixteen + 5);
	assert_ptr_equal(bytes_take(&b, 0), sixteen + 16);
	assert_true(b.ok);
	assert_null(bytes_take(&b, 1));
	assert_false(b.ok);
}

static void taking_a_huge_number_of_bytes_fails(void **state _unused_)
{
	struct bytes b = bytes_of(sixteen, 16, false);

	assert_null(bytes_take(&b, SIZE_MAX));
	assert_false(b.ok);
}

static void text_needs_a_nul_within_its_size(void **state _unused_)
{
	struct bytes b = bytes_of("abc\0def\0", 8, false);

	assert_string_equal(bytes_text(&b, 4), "abc");
	assert_true(b.ok);
	assert_string_equal(bytes_text(&b, 3), "");
	assert_false(b.ok);
}

static void text_can_be_padded_with_nul_bytes(void **state _unused_)
{
	struct bytes b = bytes_of("abc\0\0\0\0\0x", 9, false);

	assert_string_equal(bytes_text(&b, 8), "abc");
	assert_int_equal(bytes_u8(&b), 'x');
	assert_true(b.ok);
}

static void text_of_size_0_fails(void **state _unused_)
{
	struct bytes b = bytes_of("abc", 4, false);

	assert_string_equal(bytes_text(&b, 0), "");
	assert_false(b.ok);
}

static void a_string_ends_at_its_nul(void **state _unused_)
{
	struct bytes b = bytes_of("abc\0\0de", 7, false);

	assert_string_equal(bytes_string(&b), "abc");
	assert_string_equal(bytes_string(&b), "");
	assert_true(b.ok);
	assert_string_equal(bytes_string(&b), "");
	assert_false(b.ok);
	assert_int_equal(bytes_left(&b), 2);
}

static void strings_are_not_read_behind_the_end_of_the_data(
	void **state _unused_)
{
	uint8_t *copy = exact_copy("abc", 3);
	struct bytes b = bytes_of(copy, 3, false);

	assert_string_equal(bytes_string(&b), "");
	b = bytes_of(copy, 3, false);
	assert_string_equal(bytes_text(&b, 3), "");
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_as_little_endian),
		cmocka_unit_test(swapped_numbers_are_read_as_big_endian),
		cmocka_unit_test(
			after_a_read_past_the_end_all_further_reads_fail),
		cmocka_unit_test(a_number_whose_last_byte_is_missing_fails),
		cmocka_unit_test(bytes_take_returns_pointers_into_the_data),
		cmocka_unit_test(taking_a_huge_number_of_bytes_fails),
		cmocka_unit_test(text_needs_a_nul_within_its_size),
		cmocka_unit_test(text_can_be_padded_with_nul_bytes),
		cmocka_unit_test(text_of_size_0_fails),
		cmocka_unit_test(a_string_ends_at_its_nul),
		cmocka_unit_test(
			strings_are_not_read_behind_the_end_of_the_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
