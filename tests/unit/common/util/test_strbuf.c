/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/strbuf.h"
#include "tests/unit/testing.h"

static void a_zeroed_strbuf_is_empty_and_can_be_freed(void **state _unused_)
{
	struct strbuf buf = { 0 };

	strbuf_clear(&buf);
	strbuf_free(&buf);
	assert_null(buf.at);
	assert_int_equal(buf.n, 0);
}

static void text_is_appended_and_ends_with_a_nul(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_puts(&buf, "one");
	strbuf_putc(&buf, ' ');
	strbuf_printf(&buf, "%s %d", "two", 3);
	assert_string_equal(buf.at, "one two 3");
	assert_int_equal(buf.n, 9);
}

static void appending_nothing_makes_an_empty_text(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_put(&buf, NULL, 0);
	assert_string_equal(buf.at, "");
	strbuf_printf(&buf, "%s", "");
	assert_int_equal(buf.n, 0);
}

static void nul_bytes_are_appended(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_put(&buf, "a\0b", 3);
	assert_int_equal(buf.n, 3);
	assert_memory_equal(buf.at, "a\0b", 4);
}

static void check_size_text(uint64_t bytes, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_put_size(&buf, bytes);
	assert_string_equal(buf.at, wanted);
}

static void sizes_are_printed_in_units_of_powers_of_1024(void **state _unused_)
{
	check_size_text(0, "0 bytes");
	check_size_text(1023, "1023 bytes");
	check_size_text(1024, "1.0 KiB");
	check_size_text(7240, "7.1 KiB");
	check_size_text(10230, "10 KiB");
	check_size_text(KIB(118), "118 KiB");
	check_size_text(MIB(1) - 1, "1.0 MiB");
	check_size_text(MIB(1), "1.0 MiB");
	check_size_text(GIB(1), "1.0 GiB");
	check_size_text(GIB(5000), "5000 GiB");
}

static void check_duration_text(uint64_t ns, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_put_duration(&buf, ns);
	assert_string_equal(buf.at, wanted);
}

static void durations_are_printed_with_units(void **state _unused_)
{
	check_duration_text(0, "0 ns");
	check_duration_text(999, "999 ns");
	check_duration_text(2250, "2.25 us");
	check_duration_text(12000000, "12.00 ms");
	check_duration_text(1573920472, "1.57 s");
	check_duration_text(999994999, "999.99 ms");
	check_duration_text(999995000, "1.00 s");
	check_duration_text(UINT64_C(98765432109876), "98765.43 s");
}

static void integers_have_this_machines_byte_order(void **state _unused_)
{
	static const uint8_t wanted[15] = { 0x01, 0x03, 0x02, 0x07, 0x06, 0x05,
		0x04, 0x0f, 0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 0x09, 0x08 };
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_put_u8(&buf, 0x01);
	strbuf_put_u16(&buf, 0x0203);
	strbuf_put_u32(&buf, 0x04050607);
	strbuf_put_u64(&buf, UINT64_C(0x08090a0b0c0d0e0f));
	assert_int_equal(buf.n, 15);
	assert_memory_equal(buf.at, wanted, 15);
}

static void a_strbuf_grows_to_hold_any_text(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	char *long_text = malloc(100001);
	size_t i;

	memset(long_text, 'x', 100000);
	long_text[100000] = '\0';
	for (i = 0; i < 1000; i++)
		strbuf_putc(&buf, 'a');
	strbuf_printf(&buf, "%s", long_text);
	assert_int_equal(buf.n, 101000);
	assert_int_equal(strlen(buf.at), 101000);
	assert_string_equal(buf.at + 1000, long_text);
	free(long_text);
}

static void filling_repeats_a_byte(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_fill(&buf, '-', 3);
	strbuf_fill(&buf, '+', 0);
	assert_string_equal(buf.at, "---");
}

static void aligning_adds_zeros_up_to_the_next_multiple(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_align(&buf, 8);
	assert_int_equal(buf.n, 0);
	strbuf_puts(&buf, "abc");
	strbuf_align(&buf, 8);
	assert_int_equal(buf.n, 8);
	assert_memory_equal(buf.at, "abc\0\0\0\0\0", 8);
	strbuf_align(&buf, 8);
	assert_int_equal(buf.n, 8);
}

static void clearing_keeps_the_memory(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	const char *at;

	strbuf_puts(&buf, "some text");
	at = buf.at;
	strbuf_clear(&buf);
	assert_text(&buf, "");
	strbuf_puts(&buf, "another");
	assert_ptr_equal(buf.at, at);
	assert_text(&buf, "another");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_zeroed_strbuf_is_empty_and_can_be_freed),
		cmocka_unit_test(text_is_appended_and_ends_with_a_nul),
		cmocka_unit_test(appending_nothing_makes_an_empty_text),
		cmocka_unit_test(nul_bytes_are_appended),
		cmocka_unit_test(sizes_are_printed_in_units_of_powers_of_1024),
		cmocka_unit_test(durations_are_printed_with_units),
		cmocka_unit_test(integers_have_this_machines_byte_order),
		cmocka_unit_test(a_strbuf_grows_to_hold_any_text),
		cmocka_unit_test(filling_repeats_a_byte),
		cmocka_unit_test(aligning_adds_zeros_up_to_the_next_multiple),
		cmocka_unit_test(clearing_keeps_the_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
