/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A result that is being made by a thread of its own, while the user goes on
 * with the one before: what a wish of the interactive view comes to.
 */
#ifndef DWELL_REPORT_TUI_TUI_RESULT_H
#define DWELL_REPORT_TUI_TUI_RESULT_H

#include <pthread.h>

#include "report/result/result.h"
#include "report/tui/tui_query.h"

/* How one is made: result_make(), or less than that. */
typedef struct error *tui_answer_make(
	const struct options *options, struct result *ret);

struct tui_answer {
	/* Whoever began it may look at these once tui_answer_is_there(). */
	struct tui_wish wish;
	struct options options; /* what it means */
	struct result result;
	struct error *err;   /* why there is none; owned */
	struct strbuf notes; /* what was told meanwhile, a line each */
	/* Its own. */
	tui_answer_make *make;
	pthread_t thread;
	bool has_thread, is_there;
	pthread_mutex_t lock; /* of these three */
	pthread_cond_t arrived;
	char what[24];	/* is being done, */
	double percent; /* so much of it */
};

/* One at a time. Copies WISH. */
struct tui_answer *tui_answer_begin(
	const struct tui_wish *wish, tui_answer_make *make_result);
/* One that nobody waited for: it is there, and its error says so. */
struct tui_answer *tui_answer_refused(const struct tui_wish *wish);
/* Waits so long at most. */
bool tui_answer_is_there(struct tui_answer *answer, int wait_ms);
/* It will soon be there, if it isn't, with an error that says so. */
void tui_answer_give_up(struct tui_answer *answer);
/* "counting 45 %", until it is there. */
void tui_answer_put_progress(struct tui_answer *answer, struct strbuf *out);
/* One that isn't there yet is given up. NULL is fine. */
void tui_answer_destroy(struct tui_answer *answer);

#endif
