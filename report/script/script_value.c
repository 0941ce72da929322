/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script_value.h"

#include <inttypes.h>

#include "common/perf/abi.h"
#include "report/util/script_field.h"

/*
 * Size of a decimal number: UINT64_MAX has 20 digits, and a negative number has
 * a sign.
 */
#define DIGITS_MAX 21u

/*
 * Writes the decimal digits of VALUE before END. Returns the position of the
 * first digit.
 */
static char *write_decimal_digits(char *end, uint64_t value)
{
	do
		*--end = (char)('0' + value % 10);
	while (value /= 10);
	return end;
}

static void put_right_aligned(struct strbuf *out, const char *digits,
	const char *end, char before, size_t width)
{
	size_t n = (size_t)(end - digits);

	if (n < width)
		strbuf_fill(out, before, width - n);
	strbuf_put(out, digits, n);
}

void script_number_put(struct strbuf *out, uint64_t value, size_t width)
{
	char digits[DIGITS_MAX], *end = digits + sizeof(digits);

	put_right_aligned(
		out, write_decimal_digits(end, value), end, ' ', width);
}

void script_number_put_zeros(struct strbuf *out, uint64_t value, size_t width)
{
	char digits[DIGITS_MAX], *end = digits + sizeof(digits);

	put_right_aligned(
		out, write_decimal_digits(end, value), end, '0', width);
}

void script_number_put_id(struct strbuf *out, uint32_t id, size_t width)
{
	char digits[DIGITS_MAX], *end = digits + sizeof(digits);

	int32_t value = (int32_t)id;
	char *at = write_decimal_digits(
		end, value < 0 ? -(uint64_t)value : (uint64_t)value);
	if (value < 0)
		*--at = '-';
	put_right_aligned(out, at, end, ' ', width);
}

void script_number_put_id_left(struct strbuf *out, uint32_t id, size_t width)
{
	size_t before = out->n;

	script_number_put_id(out, id, 0);
	if (out->n - before < width)
		strbuf_fill(out, ' ', width - (out->n - before));
}

void script_number_put_hex(struct strbuf *out, uint64_t value)
{
	char digits[SCRIPT_NUMBER_HEX_WIDTH];
	size_t at = sizeof(digits);

	do
		digits[--at] = "0123456789abcdef"[value & 15];
	while (value >>= 4);
	memset(digits, ' ', at);
	strbuf_put(out, digits, sizeof(digits));
}

const char *script_value_mode(uint8_t cpumode)
{
	static const char *const letters[] = { [MISC_KERNEL] = "K",
		[MISC_USER] = "U",
		[MISC_HYPERVISOR] = "H",
		[MISC_GUEST_KERNEL] = "G",
		[MISC_GUEST_USER] = "g" };

	return cpumode < ARRAY_SIZE(letters) && letters[cpumode]
		? letters[cpumode]
		: "";
}

void script_value_weight(
	uint32_t fields, bool is_struct, uint64_t weight, struct strbuf *out)
{
	/*
	 * The values are var1_dw, var2_w and var3_w of union
	 * perf_sample_weight.
	 */
	if (script_has(fields, SCRIPT_WEIGHT))
		script_number_put(
			out, is_struct ? (uint32_t)weight : weight, 16);
	if (script_has(fields, SCRIPT_INS_LAT))
		script_number_put(out, weight >> 32 & UINT16_MAX, 16);
	if (script_has(fields, SCRIPT_RETIRE_LAT))
		script_number_put(out, weight >> 48, 16);
}

void script_value_page_size(uint64_t size, struct strbuf *out)
{
	static const char units[] = "BKMGTPE";
	size_t unit = 0;

	if (!size) {
		strbuf_puts(out, " N/A");
		return;
	}
	while (size >= 1024 && size % 1024 == 0) {
		size /= 1024;
		unit++;
	}
	strbuf_printf(out, " %" PRIu64 "%c", size, units[unit]);
}

void script_value_registers(const struct registers *registers,
	const struct script_registers *set, struct strbuf *out)
{
	const uint8_t *values = set->values;
	unsigned bit;

	if (!values)
		return;
	strbuf_printf(out, " ABI:%" PRIu64 " ", set->abi);
	for (bit = 0; bit < 64; bit++) {
		const char *name = registers_name(registers, bit);
		uint64_t value;

		if (!(set->mask >> bit & 1))
			continue;
		memcpy(&value, values, sizeof(value));
		values += sizeof(value);
		strbuf_printf(out, "%5s:0x%" PRIx64 " ",
			name ? name : "unknown", value);
	}
}
