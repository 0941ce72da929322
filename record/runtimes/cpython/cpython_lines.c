/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/cpython/cpython_lines.h"

/* Bytes of an instruction since 3.6. */
#define UNIT 2

/* --- until 3.9: pairs of byte increment and line increment
 * ----------------------- */

static uint32_t find_in_increments(
	const struct cpython_lines *lines, int64_t at, bool is_signed)
{
	int64_t line = lines->first_line, address = 0;
	size_t i;

	for (i = 0; i + 1 < lines->n; i += 2) {
		address += lines->table[i];
		if (address > at)
			break;
		line += is_signed ? (int8_t)lines->table[i + 1]
				  : lines->table[i + 1];
	}
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

/* --- 3.10: pairs of range length and line increment
 * ------------------------------- */

#define NO_LINE (-128)

/* --- since 3.11: entries of variable size
 * ------------------------------------------ */

/* Codes of an entry. The codes below have no change of the line. */
enum {
	ONE_LINE_0 = 10,
	ONE_LINE_2 = 12,
	NO_COLUMNS = 13,
	LONG = 14,
	NONE = 15
};
#define NUMBER_BYTES_MAX 6u

struct location_reader {
	const struct cpython_lines *lines;
	size_t at;
	bool is_damaged;
};

static uint32_t read_number(struct location_reader *reader)
{
	uint32_t value = 0, i, byte = 0x40;

	for (i = 0; i < NUMBER_BYTES_MAX && byte & 0x40; i++) {
		if (reader->at >= reader->lines->n) {
			reader->is_damaged = true;
			return 0;
		}
		byte = reader->lines->table[reader->at++];
		value |= (byte & 0x3f) << 6 * i;
	}
	return value;
}

/* Returns the change of the line of an entry with CODE, and skips the entry. */
static int64_t read_entry(struct location_reader *reader, unsigned code)
{
	int64_t change = 0;
	unsigned i;

	if (code == NONE)
		return 0;
	if (code < ONE_LINE_0) {
		reader->at++;
	} else if (code <= ONE_LINE_2) {
		reader->at += 2;
		change = (int64_t)code - ONE_LINE_0;
	} else {
		uint32_t value = read_number(reader);
		change = value & 1 ? -(int64_t)(value >> 1)
				   : (int64_t)(value >> 1);
		for (i = 0; code == LONG && i < 3; i++)
			read_number(reader);
	}
	return change;
}

/* ---------------------------------------------------------------------------------- */

uint32_t cpython_lines_find(const struct cpython_layout *layout,
	const struct cpython_lines *lines, int64_t at)
{
	struct location_reader reader = { .lines = lines };
	int64_t line = lines->first_line, end = 0;

	if (at < 0)
		return lines->first_line;
	if (layout->major < 3)
		return find_in_increments(lines, at, false);
	if (layout->minor < 10)
		return find_in_increments(lines, at, true);
	if (layout->minor == 10) {
		size_t i;

		for (i = 0; i + 1 < lines->n; i += 2) {
			int8_t change = (int8_t)lines->table[i + 1];

			end += lines->table[i];
			if (change != NO_LINE)
				line += change;
			if (at < end)
				return change != NO_LINE && line > 0 &&
						line <= INT32_MAX
					? (uint32_t)line
					: 0;
		}
		return 0;
	}
	while (reader.at < lines->n && !reader.is_damaged) {
		uint8_t head = lines->table[reader.at++];
		unsigned code = head >> 3 & 15;

		end += UNIT * ((head & 7) + 1);
		line += read_entry(&reader, code);
		if (at < end)
			return !reader.is_damaged && code != NONE && line > 0 &&
					line <= INT32_MAX
				? (uint32_t)line
				: 0;
	}
	return 0;
}
