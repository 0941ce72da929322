/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>
#undef columns
#undef lines

/*
 * Time to wait for bytes after ESC: on a slow line, the bytes of an arrow key
 * can arrive one by one.
 */
#define ESCAPE_MS 100

static SCREEN *screen;
static bool is_coloured;

/*
 * For each style: its colour, and its attributes on terminals with and without
 * colours.
 */
static const struct style_look {
	short colour; /* -1: the default of the terminal */
	attr_t coloured, plain;
} looks[GRID_STYLES] = {
	[GRID_PLAIN] = { -1, A_NORMAL, A_NORMAL },
	[GRID_HOT] = { COLOR_RED, A_NORMAL, A_BOLD },
	[GRID_WARM] = { COLOR_GREEN, A_NORMAL, A_NORMAL },
	[GRID_DIM] = { -1, A_DIM, A_DIM },
	[GRID_TITLE] = { -1, A_BOLD, A_BOLD },
	[GRID_CRUMB] = { COLOR_CYAN, A_NORMAL, A_UNDERLINE },
	[GRID_HEAD] = { -1, A_BOLD | A_UNDERLINE, A_BOLD | A_UNDERLINE },
	[GRID_MATCH] = { COLOR_YELLOW, A_BOLD, A_BOLD | A_UNDERLINE },
};

/* A resize that came during a redraw is seen after this time in milliseconds. */
#define RESIZE_CHECK_MS 200

static const struct {
	wint_t code;
	enum terminal_key key;
} codes[] = {
	{ KEY_RESIZE, TERMINAL_RESIZED },
	{ KEY_UP, TERMINAL_UP },
	{ KEY_DOWN, TERMINAL_DOWN },
	{ KEY_LEFT, TERMINAL_LEFT },
	{ KEY_RIGHT, TERMINAL_RIGHT },
	{ KEY_PPAGE, TERMINAL_PAGE_UP },
	{ KEY_NPAGE, TERMINAL_PAGE_DOWN },
	{ KEY_HOME, TERMINAL_HOME },
	{ KEY_END, TERMINAL_END },
	{ KEY_A1, TERMINAL_HOME },
	{ KEY_C1, TERMINAL_END },
	{ KEY_ENTER, TERMINAL_ENTER },
	{ KEY_BACKSPACE, TERMINAL_BACKSPACE },
	{ KEY_DC, TERMINAL_DELETE },
	{ KEY_BTAB, TERMINAL_BACK_TAB },
	{ KEY_F(1), TERMINAL_HELP },
};

static const struct {
	wint_t character;
	enum terminal_key key;
} characters[] = {
	{ '\r', TERMINAL_ENTER },
	{ '\n', TERMINAL_ENTER },
	{ '\b', TERMINAL_BACKSPACE },
	{ 0x7f, TERMINAL_BACKSPACE },
	{ 0x1b, TERMINAL_ESCAPE },
	{ '\t', TERMINAL_TAB },
};

bool terminal_is_interactive(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

struct error *terminal_check(void)
{
	const char *term = getenv("TERM");
	bool has_cursor;
	int status;

	if (!terminal_is_interactive())
		return error_usage("standard input and output are not a "
				   "terminal; for text, use --stdio");
	if (!term || !*term)
		return error_new("TERM is not set");
	if (setupterm(term, STDOUT_FILENO, &status) != OK)
		return error_new("unknown terminal type TERM=%s", term);
	has_cursor = cursor_address && strcmp(term, "dumb");
	/* newterm() creates another terminal description (cur_term). */
	del_curterm(cur_term);
	if (!has_cursor)
		return error_new(
			"terminal type TERM=%s cannot move the cursor", term);
	struct winsize size = { 0 };
	/* The size of a serial line is unknown; terminfo has a default. */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row ||
		!size.ws_col)
		return NULL;
	if (size.ws_row >= TERMINAL_LINES_MIN &&
		size.ws_col >= TERMINAL_COLUMNS_MIN)
		return NULL;
	return error_new(
		"the terminal has %ux%u characters; %ux%u are required",
		size.ws_col, size.ws_row, TERMINAL_COLUMNS_MIN,
		TERMINAL_LINES_MIN);
}

struct error *terminal_open(bool has_colour)
{
	setlocale(LC_CTYPE, "");
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return error_new("cannot initialize the terminal, TERM=%s",
			getenv("TERM") ?: "");
	atexit(terminal_close);
	set_escdelay(ESCAPE_MS);
	short style;
	is_coloured = has_colour && has_colors() && start_color() == OK;
	if (is_coloured) {
		use_default_colors();
		for (style = 1; style < GRID_STYLES; style++)
			init_pair(style, looks[style].colour, -1);
	}
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	/*
	 * Also define the cursor key codes of terminals without application
	 * mode. After ^Z and fg, ncurses enables application mode too late for
	 * the first key.
	 */
	static const struct {
		const char *code;
		int key;
	} plain[] = {
		{ "\033[A", KEY_UP },
		{ "\033[B", KEY_DOWN },
		{ "\033[C", KEY_RIGHT },
		{ "\033[D", KEY_LEFT },
		{ "\033[H", KEY_HOME },
		{ "\033[F", KEY_END },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(plain); i++)
		define_key(plain[i].code, plain[i].key);
	curs_set(0);
	return NULL;
}

void terminal_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

void terminal_resize_grid(struct grid *grid)
{
	grid->has_utf8 = string_is(nl_langinfo(CODESET), "UTF-8");
	grid_resize(grid, (size_t)LINES, (size_t)COLS);
}

static attr_t cell_attributes(const struct grid_cell *cell)
{
	const struct style_look *look = &looks[cell->style];
	attr_t cell_attributes = is_coloured ? look->coloured : look->plain;

	return cell->is_highlighted ? (cell_attributes & ~A_DIM) | A_REVERSE
				    : cell_attributes;
}

void terminal_show(const struct grid *grid)
{
	size_t line, column;

	for (line = 0; line < grid->lines; line++) {
		for (column = 0; column < grid->columns; column++) {
			const struct grid_cell *cell =
				&grid->at[line * grid->columns + column];
			wchar_t text[2] = { (wchar_t)cell->character };
			short pair = is_coloured && !cell->is_highlighted
				? (short)cell->style
				: 0;
			cchar_t character;

			if (!cell->character)
				continue;
			setcchar(&character, text, cell_attributes(cell), pair,
				NULL);
			mvadd_wch((int)line, (int)column, &character);
		}
	}
	refresh();
}

uint32_t terminal_key(int wait_ms)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	wint_t code;
	size_t i;
	int status;

	/*
	 * A wait without a limit is done in steps: ncurses reports a resize
	 * that came during a redraw only at the end of the next wait. It ends
	 * when the standard input has ended, or has an error.
	 */
	do {
		timeout(wait_ms < 0 ? RESIZE_CHECK_MS : wait_ms);
		errno = 0;
		status = get_wch(&code);
	} while (wait_ms < 0 && status == ERR && !errno &&
		!(poll(&input, 1, 0) > 0 &&
			input.revents & (POLLHUP | POLLERR | POLLNVAL)));
	if (status == ERR)
		return wait_ms < 0 && errno != EINTR ? TERMINAL_CLOSED
						     : TERMINAL_NONE;
	if (status == KEY_CODE_YES) {
		for (i = 0; i < ARRAY_SIZE(codes); i++)
			if (codes[i].code == code)
				return codes[i].key;
		return TERMINAL_NONE;
	}
	for (i = 0; i < ARRAY_SIZE(characters); i++)
		if (characters[i].character == code)
			return characters[i].key;
	return code;
}
