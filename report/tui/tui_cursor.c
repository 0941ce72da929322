/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_cursor.h"

#include <ctype.h>

#include "common/util/alloc.h"

/* Of a message: there is to be something else on the screen, too. */
#define WHOLE_LINES_MAX 4u
#define WIDTH_CUT 4u /* of what tells that it is longer */

void tui_scroll(
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

static bool has_capital(const char *text)
{
	while (*text)
		if (isupper((unsigned char)*text++))
			return true;
	return false;
}

const char *tui_match(const char *text, const char *wanted)
{
	return has_capital(wanted) ? strstr(text, wanted)
				   : strcasestr(text, wanted);
}

void tui_put_found(struct grid_pen *pen, const char *text, const char *wanted)
{
	size_t length = wanted ? strlen(wanted) : 0;
	const char *found;

	while (length && (found = tui_match(text, wanted))) {
		_cleanup_free_ char *before =
			xstrndup(text, (size_t)(found - text));
		_cleanup_free_ char *part = xstrndup(found, length);

		grid_put(pen, GRID_PLAIN, before);
		grid_put(pen, GRID_FOUND, part);
		text = found + length;
	}
	grid_put(pen, GRID_PLAIN, text);
}

/* Stands for what there is no room for. */
static const char *mark_of(const struct grid *grid)
{
	return grid->has_utf8 ? "\u2026" : "...";
}

void tui_put_head(struct grid_pen *pen, const char *text, size_t width,
	const char *wanted)
{
	const char *mark = mark_of(pen->grid);
	size_t end = pen->end, cut = MIN(end, pen->column + width);

	if (grid_width(text) <= width) {
		tui_put_found(pen, text, wanted);
		return;
	}
	pen->end = cut - MIN(cut, grid_width(mark));
	tui_put_found(pen, text, wanted);
	/* Half of a wide character had no room. */
	grid_fill(pen, GRID_PLAIN, pen->end - MIN(pen->end, pen->column));
	pen->end = end;
	grid_put(pen, GRID_QUIET, mark);
}

size_t tui_room(const struct grid_pen *pen)
{
	return pen->skip + pen->end - MIN(pen->end, pen->column);
}

void tui_put_tail(
	struct grid_pen *pen, enum grid_style style, const char *text)
{
	size_t width = grid_width(text), room = pen->end - pen->column;

	if (width > room) {
		grid_put(pen, style, mark_of(pen->grid));
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

void tui_put_nothing(const char *why, size_t line, struct grid *grid)
{
	struct grid_pen pen = grid_pen(grid, line);

	grid_fill(&pen, GRID_PLAIN, 2);
	grid_put(&pen, GRID_PLAIN, why);
}

static void put_place(size_t cursor, size_t n, struct strbuf *out)
{
	strbuf_printf(out, "%zu/%zu", n ? cursor + 1 : 0, n);
}

void tui_put_bottom(
	const char *message, size_t cursor, size_t n, struct grid *grid)
{
	_cleanup_strbuf_ struct strbuf place = { 0 };
	struct grid_pen pen = grid_pen(grid, grid->lines - 1);

	put_place(cursor, n, &place);
	pen.end -= MIN(pen.end, place.n + 2);
	grid_put(&pen, GRID_QUIET, message);
	pen.end = grid->columns;
	tui_put_at_end(&pen, GRID_QUIET, place.at);
}

/* So many bytes of TEXT have room, in whole words if there is a blank. */
static size_t line_size(const char *text, size_t room)
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

void tui_put_whole(
	const char *message, size_t cursor, size_t n, struct grid *grid)
{
	_cleanup_strbuf_ struct strbuf place = { 0 };
	ARRAY(char *) lines = { 0 };
	size_t room, i;

	put_place(cursor, n, &place);
	room = grid->columns - MIN(grid->columns, place.n + 2);
	while (lines.n < WHOLE_LINES_MAX && *message) {
		size_t size = line_size(message, room);
		bool is_cut = message[size] && lines.n + 1 == WHOLE_LINES_MAX;

		if (is_cut)
			size = line_size(message, room - MIN(room, WIDTH_CUT));
		if (!size)
			break;
		*array_push(&lines) = xasprintf("%.*s%s%s", (int)size, message,
			is_cut ? " " : "", is_cut ? mark_of(grid) : "");
		message += size;
		message += strspn(message, " ");
	}
	for (i = 0; i + 1 < lines.n; i++) {
		struct grid_pen pen =
			grid_pen(grid, grid->lines - lines.n + i);

		grid_fill(&pen, GRID_PLAIN, grid->columns);
		pen = grid_pen(grid, grid->lines - lines.n + i);
		grid_put(&pen, GRID_QUIET, lines.at[i]);
	}
	tui_put_bottom(lines.n ? lines.at[i] : "", cursor, n, grid);
	array_each(&lines, line)
		free(*line);
	array_free(&lines);
}
