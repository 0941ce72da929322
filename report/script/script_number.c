/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script_number.h"

/* UINT64_MAX has 20 digits; 1 for a sign. */
#define DIGITS_MAX 21u

/* Writes VALUE before END. Returns the position of its first digit. */
static char *write_decimal_digits(char *end, uint64_t value)
{
	do
		*--end = (char)('0' + value % 10);
	while (value /= 10);
	return end;
}

static char *write_signed_id(char *end, uint32_t id)
{
	int32_t value = (int32_t)id;

	end = write_decimal_digits(
		end, value < 0 ? -(uint64_t)value : (uint64_t)value);
	if (value < 0)
		*--end = '-';
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

	put_right_aligned(out, write_signed_id(end, id), end, ' ', width);
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
