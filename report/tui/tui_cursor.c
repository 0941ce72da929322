/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_cursor.h"

#include <ctype.h>

#include "common/util/alloc.h"

/* Maximum number of screen lines of a message. */
#define WHOLE_LINES_MAX 4u
#define WIDTH_CUT 4u /* columns of a blank and the ellipsis */

void tui_cursor_scroll(
	size_t n, size_t height, size_t line, size_t *cursor, size_t *top)
{
	height = MAX(height, (size_t)1);
	*cursor = n ? MIN(line, n - 1) : 0;
	if (*top > *cursor)
		*top = *cursor;
	if (*top + height <= *cursor)
		*top = *cursor - height + 1;
	if (*top + height > n)
		*top = n > height ? n - height : 0;
}

static bool has_upper_case(const char *text)
{
	while (*text)
		if (isupper((unsigned char)*text++))
			return true;
	return false;
}

const char *tui_cursor_match(const char *text, const char *searched)
{
	return has_upper_case(searched) ? strstr(text, searched)
					: strcasestr(text, searched);
}

void tui_put_match(struct grid_pen *pen, const char *text, const char *searched)
{
	size_t length = searched ? strlen(searched) : 0;
	const char *found;

	while (length && (found = tui_cursor_match(text, searched))) {
		_cleanup_free_ char *before =
			xstrndup(text, (size_t)(found - text));
		_cleanup_free_ char *part = xstrndup(found, length);

		grid_put(pen, GRID_PLAIN, before);
		grid_put(pen, GRID_MATCH, part);
		text = found + length;
	}
	grid_put(pen, GRID_PLAIN, text);
}

static const char *ellipsis_text(const struct grid *grid)
{
	return grid->has_utf8 ? "\u2026" : "...";
}

void tui_shorten_name(struct strbuf *name, size_t width)
{
	const char *end = name->n ? strstr(name->at, ".kallsyms]") : NULL;

	if (!end || *name->at != '[' || grid_width(name->at) <= width)
		return;
	name->n = (size_t)(end - name->at);
	strbuf_putc(name, ']');
}

void tui_put_head(struct grid_pen *pen, const char *text, size_t width,
	const char *searched)
{
	const char *mark = ellipsis_text(pen->grid);
	size_t end = pen->end, cut = MIN(end, pen->column + width);

	if (grid_width(text) <= width) {
		tui_put_match(pen, text, searched);
		return;
	}
	pen->end = cut - MIN(cut, grid_width(mark));
	tui_put_match(pen, text, searched);
	/* A wide (two-column) character without room leaves a blank column. */
	grid_fill(pen, GRID_PLAIN, pen->end - MIN(pen->end, pen->column));
	pen->end = end;
	grid_put(pen, GRID_DIM, mark);
}

size_t tui_pen_room(const struct grid_pen *pen)
{
	return pen->skip + pen->end - MIN(pen->end, pen->column);
}

void tui_put_tail(struct grid_pen *pen, enum grid_style style, const char *text)
{
	size_t width = grid_width(text), room = pen->end - pen->column;

	if (width > room) {
		grid_put(pen, style, ellipsis_text(pen->grid));
		pen->skip = width - MIN(width, pen->end - pen->column);
	}
	grid_put(pen, style, text);
}

void tui_put_at_end(
	struct grid_pen *pen, enum grid_style style, const char *text)
{
	size_t width = grid_width(text);

	if (pen->column + 2 + width > pen->end)
		return;
	grid_fill(pen, GRID_PLAIN, pen->end - width - pen->column);
	grid_put(pen, style, text);
}

void tui_put_reason(const char *why, size_t line, struct grid *grid)
{
	struct grid_pen pen = grid_pen(grid, line);

	grid_fill(&pen, GRID_PLAIN, 2);
	grid_put(&pen, GRID_PLAIN, why);
}

static void put_cursor_position(size_t cursor, size_t n, struct strbuf *out)
{
	strbuf_printf(out, "%zu/%zu", n ? cursor + 1 : 0, n);
}

void tui_put_message(
	const char *message, size_t cursor, size_t n, struct grid *grid)
{
	_cleanup_strbuf_ struct strbuf place = { 0 };
	struct grid_pen pen = grid_pen(grid, grid->lines - 1);

	put_cursor_position(cursor, n, &place);
	pen.end -= MIN(pen.end, place.n + 2);
	grid_put(&pen, GRID_DIM, message);
	pen.end = grid->columns;
	tui_put_at_end(&pen, GRID_DIM, place.at);
}

/*
 * Returns the number of bytes at the start of TEXT that fit in ROOM columns,
 * whole words if possible.
 */
static size_t fitting_text_size(const char *text, size_t room)
{
	size_t fits = 0, blank = 0, i;

	for (i = 0;; i++) {
		_cleanup_free_ char *part = NULL;

		if ((text[i] & 0xc0) == 0x80)
			continue;
		part = xstrndup(text, i);
		if (grid_width(part) > room)
			return blank ? blank : fits;
		fits = i;
		if (text[i] == ' ')
			blank = i;
		if (!text[i])
			break;
	}
	return fits;
}

void tui_put_long_message(
	const char *message, size_t cursor, size_t n, struct grid *grid)
{
	_cleanup_strbuf_ struct strbuf place = { 0 };
	ARRAY(char *) lines = { 0 };
	size_t room, i;

	put_cursor_position(cursor, n, &place);
	room = grid->columns - MIN(grid->columns, place.n + 2);
	while (lines.n < WHOLE_LINES_MAX && *message) {
		size_t size = fitting_text_size(message, room);
		bool is_cut = message[size] && lines.n + 1 == WHOLE_LINES_MAX;

		if (is_cut)
			size = fitting_text_size(
				message, room - MIN(room, WIDTH_CUT));
		if (!size)
			break;
		*array_push(&lines) = xasprintf("%.*s%s%s", (int)size, message,
			is_cut ? " " : "", is_cut ? ellipsis_text(grid) : "");
		message += size;
		message += strspn(message, " ");
	}
	for (i = 0; i + 1 < lines.n; i++) {
		struct grid_pen pen = grid_pen(grid, grid->lines - lines.n + i);

		grid_fill(&pen, GRID_PLAIN, grid->columns);
		pen = grid_pen(grid, grid->lines - lines.n + i);
		grid_put(&pen, GRID_DIM, lines.at[i]);
	}
	tui_put_message(lines.n ? lines.at[i] : "", cursor, n, grid);
	array_each(&lines, line)
		free(*line);
	array_free(&lines);
}
