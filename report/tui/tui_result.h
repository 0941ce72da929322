/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A result of a query of the interactive view. A thread computes it while the
 * user works with the previous result.
 */
#ifndef DWELL_REPORT_TUI_TUI_RESULT_H
#define DWELL_REPORT_TUI_TUI_RESULT_H

#include <pthread.h>

#include "report/result/result.h"
#include "report/tui/tui_query.h"

/* result_make(), or a function that computes a part of it. */
typedef struct error *tui_result_make(
	const struct options *options, struct result *ret);

struct tui_result {
	/* To be read only after tui_result_is_ready() returned true. */
	struct tui_query query;
	struct options options; /* of .query */
	struct result result;
	struct error *err;   /* why there is no result, or NULL; owned */
	struct strbuf notes; /* messages, one per line */
	/* Private: */
	tui_result_make *make;
	pthread_t thread;
	bool has_thread, is_ready;
	pthread_mutex_t lock; /* of .is_ready, .step and .percent */
	pthread_cond_t became_ready;
	char step[24];
	double percent; /* of .step */
};

/* Starts to compute a copy of QUERY. Only one computation runs at a time. */
struct tui_result *tui_result_begin(
	const struct tui_query *query, tui_result_make *make_result);
/* Returns a ready result whose error says that it was cancelled. */
struct tui_result *tui_result_cancelled(const struct tui_query *query);
/* Waits at most WAIT_MS milliseconds for the result. */
bool tui_result_is_ready(struct tui_result *computed, int wait_ms);
/* Ends the computation soon, with an error that says so. */
void tui_result_cancel(struct tui_result *computed);
/* Appends the progress to OUT: "counting 45 %". */
void tui_result_put_progress(struct tui_result *computed, struct strbuf *out);
/* Cancels a computation that is running. NULL is ignored. */
void tui_result_destroy(struct tui_result *computed);

#endif
