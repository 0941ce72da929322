/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers on their way, and what becomes of them: shown, refused, or given up
 * because something else is wanted by now.
 */
#include "config.h"

#include "report/tui/terminal.h"
#include "report/tui/tui_private.h"

/* So often it is looked for what is on its way. */
#define STEP_MS 20

/* --- an answer is there --------------------------------------------------- */

/* A wish that can't be fulfilled is given up. */
static void refuse_answer(struct tui *tui, struct tui_answer *answer)
{
	if (answer->err)
		tui_say(&tui->screen, "%s", answer->err->text);
	else
		tui_say(&tui->screen, "no sample passes these filters");
	tui_answer_destroy(answer);
	tui_wish_deinit(&tui->wish);
}

/* One that is on its way already is of no use any more. */
static void begin_next(struct tui *tui)
{
	tui->is_outdated = tui->next;
	if (!tui->next)
		tui->next = tui_answer_begin(&tui->wish, result_make);
	else if (!tui->is_preview)
		tui_answer_give_up(tui->next);
}

/* What it was called for: its notes are told when the screen is gone. */
static void take_first(struct tui *tui, struct tui_answer *answer)
{
	tui->has_begun = true;
	if (answer->notes.n)
		tui_note(&tui->screen, answer->notes.at);
	if (!answer->err && answer->result.hists.n) {
		tui_show_answer(tui, answer);
		return;
	}
	tui->is_over = true;
	tui->err = take_pointer(answer->err);
	tui_answer_destroy(answer);
}

/* The preview isn't what was asked for: that is still to come. */
static void refuse_first(struct tui *tui, struct tui_answer *answer)
{
	refuse_answer(tui, answer);
	tui_wish_init(tui->asked, &tui->wish);
	tui->has_changed = false;
	begin_next(tui);
}

/* What is wrong with it will be told by what comes next. */
static void take_preview(struct tui *tui, struct tui_answer *answer)
{
	tui->is_preview = false;
	if (!answer->err && answer->result.hists.n) {
		strbuf_clear(&answer->notes);
		tui_show_answer(tui, answer);
	} else {
		tui_answer_destroy(answer);
	}
	begin_next(tui);
}

static void take_answer(struct tui *tui)
{
	struct tui_answer *answer = take_pointer(tui->next);
	bool is_good = !answer->err && answer->result.hists.n;

	if (tui->is_preview) {
		take_preview(tui, answer);
	} else if (tui->is_outdated) {
		tui_answer_destroy(answer);
		begin_next(tui);
	} else if (!tui->has_begun && tui->has_changed && !is_good) {
		refuse_first(tui, answer);
	} else if (!tui->has_begun) {
		take_first(tui, answer);
	} else if (is_good) {
		tui_show_answer(tui, answer);
	} else {
		refuse_answer(tui, answer);
		tui_wish_copy(&tui->answer->wish, &tui->wish);
	}
}

void tui_take(struct tui *tui, int wait_ms)
{
	if (tui->next && tui_answer_is_there(tui->next, wait_ms))
		take_answer(tui);
}

/* --- an answer is asked for ----------------------------------------------- */

void tui_pass_begin(struct tui *tui)
{
	struct tui_wish preview;

	tui->is_preview = tui_preview(&tui->wish, &preview);
	if (!tui->is_preview) {
		begin_next(tui);
		return;
	}
	tui->next = tui_answer_begin(&preview, result_make);
	tui_wish_deinit(&preview);
}

void tui_change(struct tui *tui)
{
	tui->has_changed = true;
	begin_next(tui);
}

void tui_give_up(struct tui *tui)
{
	if (tui->next && tui->has_begun)
		tui_answer_give_up(tui->next);
	else
		tui_filter_back(tui);
}

/*
 * What is typed meanwhile is for what comes then. False: the user waits no
 * longer.
 */
static bool waits_on(struct tui *tui)
{
	uint32_t key;

	tui_draw(tui);
	key = terminal_key(0);
	if (key == TERMINAL_ESCAPE || key == 'q')
		return false;
	tui_hold(&tui->screen, key);
	return true;
}

struct tui_answer *tui_ask(
	struct tui *tui, const struct tui_wish *wish, tui_answer_make *make)
{
	struct tui_answer *answer;

	while (tui->next) {
		tui_take(tui, STEP_MS);
		if (tui->next && !waits_on(tui))
			return tui_answer_refused(wish);
	}
	answer = tui_answer_begin(wish, make);
	while (!tui_answer_is_there(answer, STEP_MS)) {
		strbuf_clear(&tui->screen.message);
		tui_answer_put_progress(answer, &tui->screen.message);
		if (!waits_on(tui))
			tui_answer_give_up(answer);
	}
	strbuf_clear(&tui->screen.message);
	return answer;
}
