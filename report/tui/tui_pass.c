/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts to compute results, and handles those that are ready: a result is
 * shown, rejected, or dropped because the query has changed.
 */
#include "config.h"

#include "report/tui/terminal.h"
#include "report/tui/tui_private.h"

/* Interval between redraws while waiting. */
#define STEP_MS 20

/* --- results that are ready ---------------------------------------------- */

/* Reports the error of COMPUTED, or that it has no samples. */
static void reject_result(struct tui *tui, struct tui_result *computed)
{
	if (computed->err)
		tui_screen_message(&tui->screen, "%s", computed->err->text);
	else
		tui_screen_message(
			&tui->screen, "no sample matches these filters");
	tui_result_destroy(computed);
	tui_query_deinit(&tui->query);
}

/* Cancels a computation that is running, unless it is a preview. */
static void begin_next_result(struct tui *tui)
{
	tui->is_outdated = tui->next;
	if (!tui->next)
		tui->next = tui_result_begin(&tui->query, result_make);
	else if (!tui->is_preview)
		tui_result_cancel(tui->next);
}

/* Shows the result of the command line. Its notes are printed at the end. */
static void take_first_result(struct tui *tui, struct tui_result *computed)
{
	tui->has_first_result = true;
	if (computed->notes.n)
		tui_screen_note(&tui->screen, computed->notes.at);
	if (!computed->err && computed->result.hists.n) {
		tui_show_result(tui, computed);
		return;
	}
	tui->is_over = true;
	tui->err = take_pointer(computed->err);
	tui_result_destroy(computed);
}

/* A query changed during the preview failed: return to the command line's. */
static void reject_first_result(struct tui *tui, struct tui_result *computed)
{
	reject_result(tui, computed);
	tui_query_init(tui->options, &tui->query);
	tui->has_new_query = false;
	begin_next_result(tui);
}

/* Errors and messages of a preview are dropped: the next result repeats them.
 */
static void take_preview_result(struct tui *tui, struct tui_result *computed)
{
	tui->is_preview = false;
	if (!computed->err && computed->result.hists.n) {
		strbuf_clear(&computed->notes);
		tui_show_result(tui, computed);
	} else {
		tui_result_destroy(computed);
	}
	begin_next_result(tui);
}

static void take_next_result(struct tui *tui)
{
	struct tui_result *computed = take_pointer(tui->next);
	bool is_good = !computed->err && computed->result.hists.n;

	if (tui->is_preview) {
		take_preview_result(tui, computed);
	} else if (tui->is_outdated) {
		tui_result_destroy(computed);
		begin_next_result(tui);
	} else if (!tui->has_first_result && tui->has_new_query && !is_good) {
		reject_first_result(tui, computed);
	} else if (!tui->has_first_result) {
		take_first_result(tui, computed);
	} else if (is_good) {
		tui_show_result(tui, computed);
	} else {
		reject_result(tui, computed);
		tui_query_copy(&tui->shown->query, &tui->query);
	}
}

void tui_pass_poll(struct tui *tui, int wait_ms)
{
	if (tui->next && tui_result_is_ready(tui->next, wait_ms))
		take_next_result(tui);
}

/* --- starting computations ----------------------------------------------- */

void tui_pass_begin(struct tui *tui)
{
	struct tui_query preview;

	tui->is_preview = tui_query_preview(&tui->query, &preview);
	if (!tui->is_preview) {
		begin_next_result(tui);
		return;
	}
	tui->next = tui_result_begin(&preview, result_make);
	tui_query_deinit(&preview);
}

void tui_pass_update(struct tui *tui)
{
	tui->has_new_query = true;
	begin_next_result(tui);
}

/* Holds keys typed meanwhile. Returns false if the user cancels. */
static bool draw_while_waiting(struct tui *tui)
{
	uint32_t key;

	tui_draw(tui);
	key = terminal_key(0);
	if (key == TERMINAL_ESCAPE || key == 'q')
		return false;
	tui_screen_hold_key(&tui->screen, key);
	return true;
}

struct tui_result *tui_pass_wait(
	struct tui *tui, const struct tui_query *query, tui_result_make *make)
{
	struct tui_result *computed;

	while (tui->next) {
		tui_pass_poll(tui, STEP_MS);
		if (tui->next && !draw_while_waiting(tui))
			return tui_result_cancelled(query);
	}
	computed = tui_result_begin(query, make);
	while (!tui_result_is_ready(computed, STEP_MS)) {
		strbuf_clear(&tui->screen.message);
		tui_result_put_progress(computed, &tui->screen.message);
		if (!draw_while_waiting(tui))
			tui_result_cancel(computed);
	}
	strbuf_clear(&tui->screen.message);
	return computed;
}
