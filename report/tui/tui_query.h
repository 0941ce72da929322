/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The query of the interactive view: the options of the report, and a stack of
 * filters. Filters of the command line are at the bottom of the stack. A thread
 * computes the result of a query while the user works with the previous result.
 */
#ifndef DWELL_REPORT_TUI_TUI_QUERY_H
#define DWELL_REPORT_TUI_TUI_QUERY_H

#include <pthread.h>

#include "report/options/options.h"
#include "report/result/result.h"

enum tui_filter_kind {
	TUI_FILTER_COMM,
	TUI_FILTER_DSO,
	TUI_FILTER_THREAD,
	TUI_FILTER_TIME,
	TUI_FILTER_NAME, /* a part of the function of a row */
	/* Only options of the command line add the following kinds. */
	TUI_FILTER_PROCESS,
	TUI_FILTER_SYMBOL,
	TUI_FILTER_CPU,
	TUI_FILTER_CGROUP,
	TUI_FILTER_HOST,
};

struct tui_filter {
	enum tui_filter_kind kind;
	char *value;	 /* owned */
	uint32_t number; /* the value of a thread filter */
	bool is_initial; /* of the command line; .value is only a description */
};

/* tui_query_init() or tui_query_copy() initializes it. */
struct tui_query {
	struct options options; /* without .filters; its lists are borrowed */
	struct filter initial;	/* of the command line; borrowed */
	char *sort;		/* sort keys if they were changed; owned */
	/* Of several filters of a kind, the last one is used. */
	ARRAY(struct tui_filter) filters;
};

/* Makes a query of OPTIONS, whose filters can be removed, too. */
void tui_query_init(const struct options *options, struct tui_query *ret);
/*
 * Sets RET to the options of QUERY with its filters. RET borrows from QUERY,
 * which must not change while RET is used.
 */
void tui_query_apply(const struct tui_query *query, struct options *ret);
void tui_query_copy(const struct tui_query *query, struct tui_query *ret);
void tui_query_deinit(struct tui_query *query);

void tui_query_push(
	struct tui_query *query, enum tui_filter_kind kind, const char *value);
/* Removes the last filter. Returns false if there is none. */
bool tui_query_pop(struct tui_query *query);
/* Sets the sort keys, in the syntax of -s. */
void tui_query_sort(struct tui_query *query, const char *keys);
/*
 * Sets RET to a query without symbols and call chains, which is faster, to show
 * before QUERY. Returns false, and leaves RET unset, if QUERY needs no preview.
 */
bool tui_query_preview(const struct tui_query *query, struct tui_query *ret);

/*
 * Appends the filters in use, escaped and separated by MARK, to OUT, and
 * whether percentages are relative: " > comm x > DSO y".
 */
void tui_query_put_crumbs(
	const struct tui_query *query, const char *mark, struct strbuf *out);

/* --- results ------------------------------------------------------------- */

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
