/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui.h"

#include "report/survey/incomplete.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_private.h"

/* So long a report may take before there is a screen. */
#define FIRST_MS 50
/* Among so many rows that one is looked for which the cursor was on. */
#define NEAR_TOP ((size_t)1000)
/* So often it is looked whether there is something new to show. */
#define STEP_MS 20

/* --- what is shown -------------------------------------------------------- */

const struct row *tui_row(const struct tui *tui)
{
	return tui->lines.at.n
		? tui_lines_row(&tui->lines, tui->lines.cursor)
		: NULL;
}

uint32_t tui_location(const struct tui *tui)
{
	const struct tui_lines *lines = &tui->lines;
	const struct row *row = tui_row(tui);

	if (!row || row->is_rest)
		return HASH_NONE;
	if (lines->at.at[lines->cursor].node)
		return tui_lines_location(lines, lines->cursor);
	if (tui_column(tui->result, "dso") || tui_column(tui->result, "sym"))
		return row->location;
	return HASH_NONE;
}

const struct column *tui_column(const struct result *result, const char *name)
{
	const struct columns *columns = &result->request.columns;
	size_t i;

	for (i = 0; i < columns->n; i++)
		if (columns->at[i].field->kind == FIELD_KEY &&
			string_is(columns->at[i].field->name, name))
			return &columns->at[i];
	return NULL;
}

static void show_event(struct tui *tui, size_t number)
{
	tui->hist = number;
	tui_lines_deinit(&tui->lines);
	tui_lines_init(tui->result, &tui->result->hists.at[number],
		&tui->lines);
	tui_lines_fit(
		&tui->lines, tui_page_height(&tui->page, &tui->screen.grid));
	tui_page_begin(&tui->page, &tui->lines);
}

void tui_next_event(struct tui *tui)
{
	show_event(tui, (tui->hist + 1) % tui->result->hists.n);
}

void tui_last_event(struct tui *tui)
{
	size_t n = tui->result->hists.n;

	show_event(tui, (tui->hist + n - 1) % n);
}

/* --- answers -------------------------------------------------------------- */

/* Which histogram is of the event that is shown now. */
static size_t same_event(const struct tui *tui, const struct result *result)
{
	size_t i;

	for (i = 0; tui->result && i < result->hists.n; i++)
		if (result->hists.at[i].event ==
			tui->result->hists.at[tui->hist].event)
			return i;
	return 0;
}

static void say_note(struct tui *tui, const struct tui_answer *answer)
{
	if (answer->notes.n)
		tui_say(&tui->screen, "%.*s", (int)strcspn(answer->notes.at, "\n"),
			answer->notes.at);
}

/* The cursor stays on the row that it was on, if that is still near the top. */
static void go_back_to(struct tui_lines *lines, const char *text)
{
	size_t i;

	for (i = 0; i < MIN(lines->at.n, NEAR_TOP); i++) {
		_cleanup_strbuf_ struct strbuf other = { 0 };

		tui_lines_put_text(lines, i, &other);
		if (!string_is(other.at, text))
			continue;
		tui_lines_go(lines, i);
		return;
	}
}

void tui_show_answer(struct tui *tui, struct tui_answer *answer)
{
	size_t number = same_event(tui, &answer->result);
	_cleanup_strbuf_ struct strbuf text = { 0 };

	say_note(tui, answer);
	if (tui->lines.cursor)
		tui_lines_put_text(&tui->lines, tui->lines.cursor, &text);
	tui_lines_deinit(&tui->lines);
	tui->lines = (struct tui_lines){ 0 };
	tui_answer_destroy(tui->answer);
	tui->answer = answer;
	tui->result = &answer->result;
	show_event(tui, number);
	if (text.n)
		go_back_to(&tui->lines, text.at);
}

/* --- the loop ------------------------------------------------------------- */

static void press(struct tui *tui, uint32_t key)
{
	const struct tui_key *found = tui_keys_press(
		tui->keys, key, &tui->screen, &tui->is_over);

	if (found)
		found->press(tui);
}

/* What is typed before there is anything to see is for what comes. */
static void hold(struct tui *tui, uint32_t key)
{
	if (key == TERMINAL_GONE || key == 'q')
		tui->is_over = true;
	else
		tui_hold(&tui->screen, key);
}

static void loop(struct tui *tui)
{
	while (!tui->is_over) {
		tui_take(tui, 0);
		if (tui->is_over)
			break;
		tui_draw(tui);
		if (tui->answer)
			press(tui, tui_key(&tui->screen,
					   tui->next ? STEP_MS : -1));
		else
			hold(tui, terminal_key(STEP_MS));
	}
}

static void end(struct tui *tui)
{
	tui_answer_destroy(tui->next);
	tui_lines_deinit(&tui->lines);
	tui_answer_destroy(tui->answer);
	tui_wish_deinit(&tui->wish);
	strbuf_free(&tui->wanted);
	tui_screen_deinit(&tui->screen);
}

static void draw(void *view)
{
	tui_draw(view);
}

struct error *tui_run(const struct options *options)
{
	bool has_graphs = options->graph.style != GRAPH_NONE;
	struct tui tui = { .asked = options,
		.keys = tui_bindings + (has_graphs ? 0 : TUI_KEYS_OF_GRAPHS),
		.screen = { .draw = draw, .view = &tui } };

	tui_screen_begin(&tui.screen);
	tui_wish_init(options, &tui.wish);
	tui_pass_begin(&tui);
	/* What fails at once needs no screen. */
	tui_take(&tui, FIRST_MS);
	if (!tui.is_over)
		tui.err = terminal_open(options->has_colour);
	if (!tui.err)
		loop(&tui);
	terminal_close();
	tui_screen_tell(&tui.screen);
	/* Nobody waits for what nobody wants to see any more. */
	if (!tui.err && tui.next && !tui_answer_is_there(tui.next, 0))
		_exit(incomplete_is_reported() ? EXIT_INCOMPLETE : EXIT_SUCCESS);
	end(&tui);
	return tui.err;
}
