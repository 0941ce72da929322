/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The "code" section: lookups by place, and damaged sections. */
#include "config.h"

#include <elf.h>

#include "common/maps/maps.h"
#include "report/symbols/code_bytes.h"

#include "tests/unit/testing.h"

static const struct build_id no_id;
static const struct dso program = { .path = (char *)"/bin/a" };

/* Appends a unit of two functions; the second has 4 bytes at 0x1010. */
static void put_unit(struct strbuf *out)
{
	struct code_builder builder = { .kind = { EM_X86_64, ELFCLASS64,
						ELFDATA2LSB } };

	code_builder_add(&builder, 0x1000, 0x401000, "first", 5);
	code_builder_add(&builder, 0x1010, 0x401010, "more", 4);
	code_builder_finish(&builder, out);
	assert_int_equal(builder.ranges.n, 0);
}

static void put_section(struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf unit = { 0 };

	put_unit(&unit);
	packed_dsos_begin(1, out);
	packed_dsos_put(&program, &no_id, unit.at, unit.n, out);
}

/* Returns "ADDRESS: bytes": UNIT's code at PLACE. */
static const char *at(const struct code_unit *unit, uint64_t place)
{
	struct code_found found = code_unit_find(unit, place);
	static char text[64];

	snprintf(text, sizeof(text), "%x: %.*s", (unsigned)found.address,
		(int)found.size, (const char *)found.bytes);
	return text;
}

static void packed_code_is_found_by_place(void **state _unused_)
{
	struct strbuf section = { 0 };
	struct packed_dsos *packed;
	const struct code_unit *unit;

	put_section(&section);
	packed = code_packed_read(&section);
	unit = packed_dsos_find(packed, &program, &no_id);
	assert_non_null(unit);
	assert_int_equal(unit->kind.machine, EM_X86_64);
	assert_string_equal(at(unit, 0xfff), "0: ");
	assert_string_equal(at(unit, 0x1000), "401000: first");
	assert_string_equal(at(unit, 0x1004), "401004: t");
	assert_string_equal(at(unit, 0x1005), "0: ");
	assert_string_equal(at(unit, 0x100f), "0: ");
	assert_string_equal(at(unit, 0x1011), "401011: ore");
	assert_string_equal(at(unit, 0x1014), "0: ");
	assert_string_equal(at(unit, UINT64_MAX), "0: ");
	packed_dsos_destroy(packed);
}

/* Whether a unit is valid after VALUE is written at OFFSET. */
static bool is_valid_with(size_t offset, uint32_t value)
{
	_cleanup_strbuf_ struct strbuf unit = { 0 };

	put_unit(&unit);
	memcpy(unit.at + offset, &value, sizeof(value));
	return code_unit_is_valid((const struct code_unit *)unit.at, unit.n);
}

static void packed_code_ranges_outside_of_the_bytes_are_invalid(
	void **state _unused_)
{
	assert_true(is_valid_with(4, 2));
	assert_false(is_valid_with(4, 3));
	assert_false(is_valid_with(4, UINT32_MAX));
	/* Start, size and place of the second range. */
	assert_true(is_valid_with(32, 0x1005));
	assert_false(is_valid_with(32, 0x1004));
	assert_true(is_valid_with(48, 3));
	assert_false(is_valid_with(48, 5));
	assert_false(is_valid_with(48, 0));
	assert_true(is_valid_with(52, 0));
	assert_false(is_valid_with(52, 6));
	assert_false(is_valid_with(52, UINT32_MAX));
}

static void look_up_damaged(
	const struct strbuf *whole, size_t size, size_t place, uint8_t change)
{
	struct strbuf section = { 0 };
	struct packed_dsos *packed;
	const struct code_unit *unit;
	struct code_found found;
	uint64_t i, sum = 0;

	strbuf_put(&section, whole->at, size);
	if (place < size)
		section.at[place] = (char)(section.at[place] ^ change);
	packed = code_packed_read(&section);
	unit = packed_dsos_find(packed, &program, &no_id);
	for (i = 0xff0; unit && i < 0x1020; i++) {
		found = code_unit_find(unit, i);
		while (found.size)
			sum += found.bytes[--found.size];
	}
	assert_true(sum < UINT64_MAX);
	packed_dsos_destroy(packed);
}

static void damaged_code_sections_are_safe_to_read(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf whole = { 0 };

	put_section(&whole);
	check_each_damage(&whole, look_up_damaged);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_code_is_found_by_place),
		cmocka_unit_test(
			packed_code_ranges_outside_of_the_bytes_are_invalid),
		cmocka_unit_test(damaged_code_sections_are_safe_to_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
