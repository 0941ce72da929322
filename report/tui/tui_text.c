/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows a text on the whole screen, with scrolling and search. */
#include "config.h"

#include "common/util/alloc.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_cursor.h"
#include "report/tui/tui_screen.h"

#define LINES_AROUND 2u
#define NO_LINE SIZE_MAX
/* Percentages of a line that is marked in the last column, and of a hot one. */
#define MARKED_LEAST 0.5
#define MARKED_HOT 5.0

struct tui_text {
	struct tui_screen *screen;
	const char *title;
	const char
		*source; /* text of the source files; NULL: this is that text */
	const struct tui_key *keys;
	ARRAY(const char *) lines; /* borrowed from a copy of the text */
	ARRAY(struct hot_line {
		size_t line;
		double share;
	})
	hot;	       /* lines with a percentage, the hottest first */
	size_t at_hot; /* index in .hot */
	/* headings of the columns of code, which stay above the lines */
	ARRAY(size_t) heads;
	size_t top, shift;
	size_t chosen;		/* the highlighted line, or NO_LINE */
	struct strbuf searched; /* search text */
	bool is_over;
};

/* --- drawing ------------------------------------------------------------- */

/* Names in TEXT are escaped, so each ESC begins a colour code of dwell. */
static void put_coloured_line(
	struct grid_pen *pen, const char *text, const char *searched)
{
	static const struct {
		const char *code;
		enum grid_style style;
	} codes[] = {
		{ "\033[31m", GRID_HOT },
		{ "\033[32m", GRID_WARM },
		{ "\033[m", GRID_PLAIN },
		{ "\033", GRID_PLAIN },
	};
	enum grid_style style = GRID_PLAIN;
	size_t i;

	for (;;) {
		size_t size = strcspn(text, "\033");
		_cleanup_free_ char *part = xstrndup(text, size);

		if (style == GRID_PLAIN)
			tui_put_match(pen, part, searched);
		else
			grid_put(pen, style, part);
		text += size;
		if (!*text)
			break;
		for (i = 0; !string_starts(text, codes[i].code);)
			i++;
		style = codes[i].style;
		text += strlen(codes[i].code);
	}
}

/* Returns the number of lines above the text: the title and the headings. */
static size_t text_start(const struct tui_text *text)
{
	return text->heads.n ? 2 : 1;
}

static size_t text_height(const struct tui_text *text)
{
	size_t lines = text->screen->grid.lines;
	size_t others = LINES_AROUND - 1 + text_start(text);

	return lines > others ? lines - others : 1;
}

static void draw_text(void *view)
{
	const struct tui_text *text = view;
	struct grid *grid = &text->screen->grid;
	struct grid_pen pen = grid_pen(grid, 0);
	size_t end = MIN(text->top + text_height(text), text->lines.n), i;

	grid_clear(grid);
	grid_put(&pen, GRID_TITLE, text->title);
	/* the heading of the code at the top of the screen */
	pen = grid_pen(grid, 1);
	i = 0;
	if (text->heads.n) {
		while (i + 1 < text->heads.n &&
			text->heads.at[i + 1] <= text->top)
			i++;
		pen.skip = text->shift;
		grid_put(&pen, GRID_HEAD, text->lines.at[text->heads.at[i]]);
	}
	for (i = text->top; i < end; i++) {
		size_t line = text_start(text) + i - text->top;

		pen = grid_pen(grid, line);
		pen.skip = text->shift;
		put_coloured_line(&pen, text->lines.at[i],
			text->searched.n ? text->searched.at : NULL);
		if (i == text->chosen)
			grid_highlight(grid, line);
	}
	/*
	 * Mark the places of the hot lines of a text that is longer than the
	 * screen in the last column, which then stands for the whole text.
	 */
	size_t height = text_height(text), n = text->lines.n;
	for (i = text->hot.n; i-- > 0 && n > height;) {
		double share = text->hot.at[i].share;

		if (share < MARKED_LEAST)
			continue;
		pen = grid_pen(grid,
			text_start(text) + text->hot.at[i].line * height / n);
		pen.column = pen.end - 1;
		grid_put(&pen, share < MARKED_HOT ? GRID_WARM : GRID_HOT,
			grid->has_utf8 ? "▐" : "#");
	}
	_cleanup_strbuf_ struct strbuf hints = { 0 };
	size_t last = MIN(text->top + text_height(text), text->lines.n);
	tui_keys_put_hints(text->keys, &hints);
	(text->screen->message.n ? tui_put_long_message : tui_put_message)(
		text->screen->message.n ? text->screen->message.at : hints.at,
		last ? last - 1 : 0, text->lines.n, grid);
	terminal_show(grid);
}

static void scroll_text_to(struct tui_text *text, size_t top)
{
	size_t height = text_height(text), n = text->lines.n;

	text->top = MIN(top, n > height ? n - height : 0);
}

/* Highlights LINE, and scrolls it to the middle if it was not on the screen. */
static void highlight_text_line(struct tui_text *text, size_t line)
{
	size_t half = text_height(text) / 2;

	text->chosen = line;
	if (line < text->top || line >= text->top + text_height(text))
		scroll_text_to(text, line - MIN(line, half));
}

static bool text_line_matches(const struct tui_text *text, const char *line)
{
	_cleanup_strbuf_ struct strbuf plain = { 0 };

	strbuf_puts(&plain, "");
	while (*line) {
		size_t size = strcspn(line, "\033");

		strbuf_printf(&plain, "%.*s", (int)size, line);
		line += size;
		if (*line)
			line += strcspn(line, "m") + 1;
	}
	return tui_cursor_match(plain.at, text->searched.at);
}

/*
 * Highlights the next or previous line that matches the search text. Starts at
 * the highlighted line, otherwise at the top, and continues around the end.
 */
static void find_text_line(struct tui_text *text, bool forwards)
{
	size_t n = text->lines.n, line = text->chosen, i;

	if (line == NO_LINE)
		line = forwards ? text->top + n - 1 : text->top;
	for (i = 0; i < n; i++) {
		line = (line + (forwards ? 1 : n - 1)) % n;
		if (text_line_matches(text, text->lines.at[line])) {
			highlight_text_line(text, line);
			return;
		}
	}
	tui_screen_message(text->screen, "'%s' not found", text->searched.at);
}

static void highlight_hot_line(struct tui_text *text, size_t number)
{
	if (!text->hot.n) {
		tui_screen_message(text->screen, "no line has samples");
		return;
	}
	text->at_hot = number % text->hot.n;
	highlight_text_line(text, text->hot.at[text->at_hot].line);
}

static int compare_hot_lines(const void *a, const void *b)
{
	const struct hot_line *left = a, *right = b;
	int order = COMPARE(right->share, left->share);

	return order ? order : COMPARE(left->line, right->line);
}

/* The headings of the columns of code end with " |". */
static bool is_code_head(const char *line)
{
	line += strspn(line, " ");
	return (string_starts(line, "Total ") ||
		       string_starts(line, "Percent")) &&
		line[strlen(line) - 1] == '|';
}

/* Finds the lines that begin with percentages, possibly with colour codes, then AFTER. */
static void find_lines_with_shares(struct tui_text *text, const char *after)
{
	size_t i;

	for (i = 0; i < text->lines.n; i++) {
		const char *line = text->lines.at[i];
		double share;

		if (!string_starts(
			    line + strspn(line, " .0123456789\033[m"), after))
			continue;
		if (*line == '\033')
			line += strcspn(line, "m") + 1;
		share = *line == ' ' ? strtod(line, NULL) : 0;
		if (share > 0)
			*array_push(&text->hot) =
				(struct hot_line){ .line = i, .share = share };
	}
	array_sort(&text->hot, compare_hot_lines);
}

static void show_lines(struct tui_text *text, const char *all);

/*
 * The number of keys at the start of text_bindings that apply to annotated code
 * only.
 */
#define KEYS_OF_CODE 4
static const struct tui_key text_bindings[] = {
	{ KEYS('H'), "H", "move to the hottest instruction", "hottest",
		TUI_DO_HOTTEST },
	{ KEYS(TERMINAL_TAB), "Tab", "move to the next hottest instruction",
		"next hot", TUI_DO_NEXT_HOT },
	{ KEYS(TERMINAL_BACK_TAB), "Shift-Tab",
		"move to the previous hottest instruction", NULL,
		TUI_DO_PREVIOUS_HOT },
	{ KEYS('s'), "s", "show the whole source file, and again the code",
		"source", TUI_DO_SOURCE },
	{ KEYS(TERMINAL_UP), "Up", "scroll up by one line", NULL, TUI_DO_UP },
	{ KEYS(TERMINAL_DOWN), "Down", "scroll down by one line", NULL,
		TUI_DO_DOWN },
	TUI_PAGE_KEYS,
	{ KEYS(TERMINAL_HOME, 'g'), "Home, g", "move to the first line", NULL,
		TUI_DO_FIRST },
	{ KEYS(TERMINAL_END, 'G'), "End, G", "move to the last line", NULL,
		TUI_DO_LAST },
	{ KEYS(TERMINAL_LEFT), "Left", "scroll long lines to their beginning",
		NULL, TUI_DO_LEFT },
	{ KEYS(TERMINAL_RIGHT), "Right", "scroll long lines to their end", NULL,
		TUI_DO_RIGHT },
	{ KEYS('/'), "/", "search", "search", TUI_DO_SEARCH },
	TUI_MATCH_KEYS,
	{ KEYS('h', '?', TERMINAL_HELP), "h, ?, F1", "show this help", "help",
		TUI_DO_HELP },
	{ KEYS('q', TERMINAL_ESCAPE, TERMINAL_ENTER, TERMINAL_BACKSPACE),
		"q, Esc, Enter", "back", "back", TUI_DO_QUIT },
	{ .name = NULL },
};

static void press_text_key(struct tui_text *text, enum tui_action action)
{
	struct tui_text source = { .screen = text->screen,
		.title = text->title,
		.keys = text_bindings };
	size_t line = text->top;

	if (tui_keys_move(action, text_height(text), &line, &text->shift)) {
		scroll_text_to(text, line);
		return;
	}
	switch (action) {
	case TUI_DO_SEARCH:
	case TUI_DO_FIND_NEXT:
	case TUI_DO_FIND_PREVIOUS:
		if (tui_prompt_search(text->screen, action, &text->searched))
			find_text_line(text, action != TUI_DO_FIND_PREVIOUS);
		break;
	case TUI_DO_HELP: tui_show_help(text->screen, text->keys); break;
	case TUI_DO_HOTTEST: highlight_hot_line(text, 0); break;
	case TUI_DO_NEXT_HOT: highlight_hot_line(text, text->at_hot + 1); break;
	case TUI_DO_PREVIOUS_HOT:
		highlight_hot_line(text, text->at_hot + text->hot.n - 1);
		break;
	case TUI_DO_SOURCE:
		/* Show the source files, or return from them. */
		if (!text->source) {
			text->is_over = true;
		} else if (*text->source) {
			show_lines(&source, text->source);
			draw_text(text);
		} else {
			tui_screen_message(
				text->screen, "no source file has text");
		}
		break;
	default: break;
	}
}

static void show_lines(struct tui_text *text, const char *all)
{
	_cleanup_free_ char *copy = xstrdup(all);
	char *rest = copy, *line;

	text->chosen = NO_LINE;
	while ((line = strsep(&rest, "\n")))
		if (*line || rest)
			*array_push(&text->lines) = line;
	if (text->keys == text_bindings) {
		size_t i;
		for (i = 0; i < text->lines.n; i++)
			if (is_code_head(text->lines.at[i]))
				*array_push(&text->heads) = i;
		/*
		 * The hot lines are those of instructions, which have " |  "
		 * and an address, or, if there are none, the source lines of
		 * the summary.
		 */
		find_lines_with_shares(text, "|  ");
		if (!text->hot.n)
			find_lines_with_shares(text, "");
	}
	/*
	 * Run the text until the user goes back. It replaces .draw of the
	 * screen meanwhile, so that a prompt redraws the text and not the view.
	 */
	struct tui_screen *screen = text->screen;
	void (*below)(void *view) = screen->draw;
	void *view_below = screen->view;
	bool has_first_result = false;

	screen->draw = draw_text;
	screen->view = text;
	strbuf_clear(&screen->message);
	while (!text->is_over) {
		if (tui_screen_resize(screen)) {
			if (!has_first_result && text->hot.n)
				highlight_hot_line(text, 0);
			has_first_result = true;
			scroll_text_to(text, text->top);
			draw_text(text);
		}
		press_text_key(text,
			tui_keys_press(text->keys, tui_screen_key(screen, -1),
				screen, &text->is_over));
	}
	strbuf_clear(&screen->message);
	screen->draw = below;
	screen->view = view_below;
	array_free(&text->lines);
	array_free(&text->hot);
	array_free(&text->heads);
	strbuf_free(&text->searched);
}

void tui_show_text(
	struct tui_screen *screen, const char *title, const char *text)
{
	struct tui_text shown = { .screen = screen,
		.title = title,
		.keys = text_bindings + KEYS_OF_CODE };

	show_lines(&shown, text);
}

void tui_show_help(struct tui_screen *screen, const struct tui_key *table)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	for (; table->name; table++)
		strbuf_printf(&text, "  %-14s %s\n", table->name, table->help);
	tui_show_text(screen, "Keys", text.at);
}

void tui_show_code(struct tui_screen *screen, const char *title,
	const char *text, const char *source)
{
	struct tui_text shown = { .screen = screen,
		.title = title,
		.source = source ?: "",
		.keys = text_bindings };

	show_lines(&shown, text);
}
