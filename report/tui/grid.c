/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/grid.h"

#include <stdarg.h>
#include <wchar.h>

#include "common/util/alloc.h"

#define TAB 8u

void grid_clear(struct grid *grid)
{
	size_t i;

	for (i = 0; i < grid->lines * grid->columns; i++)
		grid->at[i] = (struct grid_cell){ .character = ' ' };
}

void grid_resize(struct grid *grid, size_t lines, size_t columns)
{
	if (lines != grid->lines || columns != grid->columns) {
		free(grid->at);
		grid->at = xcalloc(lines * columns, sizeof(*grid->at));
		grid->lines = lines;
		grid->columns = columns;
	}
	grid_clear(grid);
}

void grid_deinit(struct grid *grid)
{
	free(grid->at);
	*grid = (struct grid){ 0 };
}

struct grid_pen grid_pen(struct grid *grid, size_t line)
{
	return (struct grid_pen){
		.grid = grid, .line = line, .end = grid->columns
	};
}

/*
 * Returns the next character of TEXT, which is valid UTF-8, and moves TEXT
 * behind the character.
 */
static uint32_t next_utf8_character(const char **text)
{
	const unsigned char *at = (const unsigned char *)*text;
	uint32_t character = *at++;
	size_t more = character >= 0xf0 ? 3
		: character >= 0xe0	? 2
		: character >= 0xc0	? 1
					: 0;

	character &= more ? 0x3fu >> more : 0x7fu;
	for (; more && (*at & 0xc0) == 0x80; more--)
		character = character << 6 | (*at++ & 0x3f);
	*text = (const char *)at;
	return character;
}

/*
 * Returns the number of columns of CHARACTER. Characters without a width (0 or
 * less), such as combining accents and marks of the direction of writing, are
 * not sent to a terminal.
 */
static int character_width(uint32_t character)
{
	if (character < 0x80)
		return character >= ' ' && character < 0x7f;
	return wcwidth((wchar_t)character);
}

static void put_grid_cell(
	struct grid_pen *pen, uint32_t character, uint8_t style)
{
	struct grid *grid = pen->grid;

	pen->n++;
	if (pen->skip) {
		pen->skip--;
		return;
	}
	if (pen->line >= grid->lines || pen->column >= pen->end)
		return;
	grid->at[pen->line * grid->columns + pen->column++] =
		(struct grid_cell){ .character = character, .style = style };
}

void grid_put(struct grid_pen *pen, enum grid_style style, const char *text)
{
	while (*text) {
		uint32_t character = next_utf8_character(&text);
		int width = character_width(character);

		if (character == '\t') {
			grid_fill(pen, style, TAB - pen->n % TAB);
		} else if (width <= 0 ||
			(character >= 0x80 && !pen->grid->has_utf8)) {
			put_grid_cell(pen, '?', (uint8_t)style);
		} else if (width == 1) {
			put_grid_cell(pen, character, (uint8_t)style);
		} else {
			/* A wide character without room for both halves becomes blanks. */
			bool is_cut = pen->skip || pen->column + 2 > pen->end;

			put_grid_cell(
				pen, is_cut ? ' ' : character, (uint8_t)style);
			put_grid_cell(pen, is_cut ? ' ' : 0, (uint8_t)style);
		}
	}
}

void grid_printf(
	struct grid_pen *pen, enum grid_style style, const char *format, ...)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	va_list args;

	va_start(args, format);
	strbuf_vprintf(&text, format, args);
	va_end(args);
	grid_put(pen, style, text.at);
}

void grid_fill(struct grid_pen *pen, enum grid_style style, size_t columns)
{
	while (columns--)
		put_grid_cell(pen, ' ', (uint8_t)style);
}

void grid_highlight(struct grid *grid, size_t line)
{
	size_t i;

	for (i = 0; line < grid->lines && i < grid->columns; i++)
		grid->at[line * grid->columns + i].is_highlighted = true;
}

size_t grid_width(const char *text)
{
	size_t width = 0;

	while (*text) {
		int one = character_width(next_utf8_character(&text));

		width += one > 0 ? (size_t)one : 1;
	}
	return width;
}

void grid_encode(struct strbuf *out, uint32_t character)
{
	static const uint8_t marks[] = { 0, 0xc0, 0xe0, 0xf0 };
	unsigned more = (character >= 0x80) + (character >= 0x800) +
		(character >= 0x10000);

	strbuf_putc(out, (char)(marks[more] | character >> 6 * more));
	while (more--)
		strbuf_putc(out, (char)(0x80 | (character >> 6 * more & 0x3f)));
}

void grid_line_text(const struct grid *grid, size_t line, struct strbuf *out)
{
	const struct grid_cell *at = grid->at + line * grid->columns;
	size_t n = grid->columns, i;

	while (n && at[n - 1].character == ' ')
		n--;
	strbuf_puts(out, "");
	for (i = 0; i < n; i++)
		if (at[i].character)
			grid_encode(out, at[i].character);
}
