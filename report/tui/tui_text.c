/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text on the whole screen, which may be longer and wider than that. */
#include "config.h"

#include "common/util/alloc.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_cursor.h"
#include "report/tui/tui_keys.h"
#include "report/tui/tui_screen.h"

#define SHIFT 10u
#define LINES_AROUND 2u
#define NO_LINE SIZE_MAX

struct tui_text {
	struct tui_screen *screen;
	const char *title;
	const struct tui_key *keys;
	ARRAY(const char *) lines; /* borrowed from a copy of the text */
	ARRAY(struct hot_line {
		size_t line;
		double share;
	})
	hot; /* the hottest first */
	size_t at_hot; /* among these */
	size_t top, shift;
	size_t chosen; /* the line that was found or is hot; or NO_LINE */
	struct strbuf wanted; /* what is searched for */
	bool is_over;
};

/* --- how it looks ---------------------------------------------------------- */

/* TEXT up to its end, or to the next code for a colour. */
static const char *put_part(struct grid_pen *pen, enum grid_style style,
	const char *text, const char *wanted)
{
	size_t size = strcspn(text, "\033");
	_cleanup_free_ char *part = xstrndup(text, size);

	if (style == GRID_PLAIN)
		tui_put_found(pen, part, wanted);
	else
		grid_put(pen, style, part);
	return text + size;
}

/* Names in it were escaped: whatever begins so is a code of ours. */
static void put_line(struct grid_pen *pen, const char *text, const char *wanted)
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

	while (*(text = put_part(pen, style, text, wanted))) {
		for (i = 0; !string_starts(text, codes[i].code);)
			i++;
		style = codes[i].style;
		text += strlen(codes[i].code);
	}
}

static size_t height_of(const struct tui_text *text)
{
	return text->screen->grid.lines - LINES_AROUND;
}

static void draw_bottom(const struct tui_text *text, struct grid *grid)
{
	_cleanup_strbuf_ struct strbuf hints = { 0 };
	size_t last = MIN(text->top + height_of(text), text->lines.n);

	tui_keys_put_hints(text->keys, &hints);
	(text->screen->message.n ? tui_put_whole : tui_put_bottom)(
		text->screen->message.n ? text->screen->message.at : hints.at,
		last ? last - 1 : 0, text->lines.n, grid);
}

static void draw(void *view)
{
	const struct tui_text *text = view;
	struct grid *grid = &text->screen->grid;
	struct grid_pen pen = grid_pen(grid, 0);
	size_t end = MIN(text->top + height_of(text), text->lines.n), i;

	grid_clear(grid);
	grid_put(&pen, GRID_TITLE, text->title);
	for (i = text->top; i < end; i++) {
		size_t line = 1 + i - text->top;

		pen = grid_pen(grid, line);
		pen.skip = text->shift;
		put_line(&pen, text->lines.at[i],
			text->wanted.n ? text->wanted.at : NULL);
		if (i == text->chosen)
			grid_choose(grid, line);
	}
	draw_bottom(text, grid);
	terminal_show(grid);
}

static void scroll_to(struct tui_text *text, size_t top)
{
	size_t height = height_of(text), n = text->lines.n;

	text->top = MIN(top, n > height ? n - height : 0);
}

static void go_up(struct tui_text *text)
{
	scroll_to(text, text->top ? text->top - 1 : 0);
}

static void go_down(struct tui_text *text)
{
	scroll_to(text, text->top + 1);
}

static void go_page_up(struct tui_text *text)
{
	scroll_to(text, text->top - MIN(text->top, height_of(text)));
}

static void go_page_down(struct tui_text *text)
{
	scroll_to(text, text->top + height_of(text));
}

static void go_first(struct tui_text *text)
{
	scroll_to(text, 0);
}

static void go_last(struct tui_text *text)
{
	scroll_to(text, SIZE_MAX);
}

static void shift_left(struct tui_text *text)
{
	text->shift -= MIN(text->shift, (size_t)SHIFT);
}

static void shift_right(struct tui_text *text)
{
	text->shift += SHIFT;
}

/* LINE stands out, amid what is around it if it wasn't seen. */
static void choose(struct tui_text *text, size_t line)
{
	size_t half = height_of(text) / 2;

	text->chosen = line;
	if (line < text->top || line >= text->top + height_of(text))
		scroll_to(text, line - MIN(line, half));
}

static bool has_wanted(const struct tui_text *text, const char *line)
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
	return tui_match(plain.at, text->wanted.at);
}

/* From what was found last, or else from what is seen, around the end. */
static void find(struct tui_text *text, bool forwards)
{
	size_t n = text->lines.n, line = text->chosen, i;

	if (!text->wanted.n) {
		tui_say(text->screen, "nothing was searched for; / begins");
		return;
	}
	if (line == NO_LINE)
		line = forwards ? text->top + n - 1 : text->top;
	for (i = 0; i < n; i++) {
		line = (line + (forwards ? 1 : n - 1)) % n;
		if (has_wanted(text, text->lines.at[line])) {
			choose(text, line);
			return;
		}
	}
	tui_say(text->screen, "'%s' is nowhere", text->wanted.at);
}

static void search(struct tui_text *text)
{
	if (tui_prompt_anew(text->screen, "/", &text->wanted))
		find(text, true);
}

static void find_next(struct tui_text *text)
{
	find(text, true);
}

static void find_last(struct tui_text *text)
{
	find(text, false);
}

static void choose_hot(struct tui_text *text, size_t number)
{
	if (!text->hot.n) {
		tui_say(text->screen, "no line of it has a share");
		return;
	}
	text->at_hot = number % text->hot.n;
	choose(text, text->hot.at[text->at_hot].line);
}

static void go_hottest(struct tui_text *text)
{
	choose_hot(text, 0);
}

static void go_next_hot(struct tui_text *text)
{
	choose_hot(text, text->at_hot + 1);
}

static void go_last_hot(struct tui_text *text)
{
	choose_hot(text, text->at_hot + text->hot.n - 1);
}

static int compare_hot(const void *a, const void *b)
{
	const struct hot_line *left = a, *right = b;
	int order = COMPARE(right->share, left->share);

	return order ? order : COMPARE(left->line, right->line);
}

/* A line of code begins with its share, which may have a colour. */
static void find_hot(struct tui_text *text)
{
	size_t i;

	for (i = 0; i < text->lines.n; i++) {
		const char *line = text->lines.at[i];
		double share;

		if (*line == '\033')
			line += strcspn(line, "m") + 1;
		share = *line == ' ' ? strtod(line, NULL) : 0;
		if (share > 0)
			*array_push(&text->hot) =
				(struct hot_line){ .line = i, .share = share };
	}
	array_sort(&text->hot, compare_hot);
}

static void leave(struct tui_text *text)
{
	text->is_over = true;
}

static void show_help(struct tui_text *text)
{
	_cleanup_strbuf_ struct strbuf help = { 0 };

	tui_keys_put_help(text->keys, &help);
	tui_show_text(text->screen, "Keys", help.at);
}

#define KEY(keys, name, help, hint, press)                                     \
	{ keys, name, help, hint, NULL, NULL, press }

/* The first ones are of code only. */
#define KEYS_OF_CODE 3
static const struct tui_key bindings[] = {
	KEY(KEYS('H'), "H", "to the hottest instruction", "hottest",
		go_hottest),
	KEY(KEYS(TERMINAL_TAB), "Tab", "to the next hottest one", "next hot",
		go_next_hot),
	KEY(KEYS(TERMINAL_BACK_TAB), "Shift-Tab", "to the one before that",
		NULL, go_last_hot),
	KEY(KEYS(TERMINAL_UP), "Up", "a line up", NULL, go_up),
	KEY(KEYS(TERMINAL_DOWN), "Down", "a line down", NULL, go_down),
	KEY(KEYS(TERMINAL_PAGE_UP, CONTROL('b')), "PgUp", "a screen up", NULL,
		go_page_up),
	KEY(KEYS(TERMINAL_PAGE_DOWN, ' ', CONTROL('f')), "PgDn, Space",
		"a screen down", NULL, go_page_down),
	KEY(KEYS(TERMINAL_HOME, 'g'), "Home, g", "to the first line", NULL,
		go_first),
	KEY(KEYS(TERMINAL_END, 'G'), "End, G", "to the last line", NULL,
		go_last),
	KEY(KEYS(TERMINAL_LEFT), "Left", "long lines: back to their beginning",
		NULL, shift_left),
	KEY(KEYS(TERMINAL_RIGHT), "Right", "long lines: on to their end", NULL,
		shift_right),
	KEY(KEYS('/'), "/", "search", "search", search),
	KEY(KEYS('n'), "n", "to what is found next", NULL, find_next),
	KEY(KEYS('N'), "N", "to what was found before", NULL, find_last),
	KEY(KEYS('h', '?', TERMINAL_HELP), "h, ?, F1", "this list", "help",
		show_help),
	KEY(KEYS('q', TERMINAL_ESCAPE, TERMINAL_ENTER, TERMINAL_BACKSPACE),
		"q, Esc, Enter", "back", "back",
		leave),
	{ NULL, NULL, NULL, NULL, NULL, NULL, NULL },
};

static void press(struct tui_text *text, uint32_t key)
{
	const struct tui_key *found = tui_keys_press(
		text->keys, key, text->screen, &text->is_over);

	if (found)
		found->press_text(text);
}

/* A line to type is at the bottom of this text, not of the view below it. */
static void run(struct tui_text *text)
{
	struct tui_screen *screen = text->screen;
	void (*below)(void *view) = screen->draw;
	void *view_below = screen->view;
	bool has_begun = false;

	screen->draw = draw;
	screen->view = text;
	strbuf_clear(&screen->message);
	while (!text->is_over) {
		if (tui_fits(screen)) {
			if (!has_begun && text->hot.n)
				go_hottest(text);
			has_begun = true;
			scroll_to(text, text->top);
			draw(text);
		}
		press(text, tui_key(screen, -1));
	}
	strbuf_clear(&screen->message);
	screen->draw = below;
	screen->view = view_below;
}

static void show(struct tui_screen *screen, const char *title, const char *all,
	bool is_code)
{
	_cleanup_free_ char *copy = xstrdup(all);
	char *rest = copy, *line;
	struct tui_text text = { .screen = screen,
		.title = title,
		.keys = is_code ? bindings : bindings + KEYS_OF_CODE,
		.chosen = NO_LINE };

	while ((line = strsep(&rest, "\n")))
		if (*line || rest)
			*array_push(&text.lines) = line;
	if (is_code)
		find_hot(&text);
	run(&text);
	array_free(&text.lines);
	array_free(&text.hot);
	strbuf_free(&text.wanted);
}

void tui_show_text(
	struct tui_screen *screen, const char *title, const char *text)
{
	show(screen, title, text, false);
}

void tui_show_code(
	struct tui_screen *screen, const char *title, const char *text)
{
	show(screen, title, text, true);
}
