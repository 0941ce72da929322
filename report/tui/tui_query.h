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
	TUI_FILTER_NAME, /* text that the function name of a row contains */
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
	uint32_t number; /* value of a thread filter: the TID */
	bool is_initial; /* from the command line; .value only describes the
			  * filter */
};

/* Initialized by tui_query_init() or tui_query_copy(). */
struct tui_query {
	struct options options; /* options without .filters; lists in it are
				 * borrowed */
	struct filter initial;	/* filter of the command line; borrowed */
	char *sort;		/* sort keys if they were changed; owned */
	/*
	 * A stack. If several filters have the same kind, only the last one is
	 * used.
	 */
	ARRAY(struct tui_filter) filters;
};

/*
 * Makes a query of OPTIONS. The filters in OPTIONS become the bottom of the
 * stack, so the user can remove them, too.
 */
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
/* Removes the last filter. Returns false if QUERY has no filter. */
bool tui_query_pop(struct tui_query *query);
/* Sets the sort keys, in the syntax of -s; NULL: the default keys. */
void tui_query_sort(struct tui_query *query, const char *keys);
/*
 * Sets RET to the preview of QUERY: a query without symbols and call chains,
 * which is computed faster and shown first. Returns false, and leaves RET
 * unset, if QUERY needs no preview.
 */
bool tui_query_preview(const struct tui_query *query, struct tui_query *ret);

/*
 * Appends the filters of QUERY that are used, escaped and each after MARK, to
 * OUT, and a note if percentages are relative: " > comm x > DSO y".
 */
void tui_query_put_crumbs(
	const struct tui_query *query, const char *mark, struct strbuf *out);

/* --- results ------------------------------------------------------------- */

/* Type of result_make(), and of functions that compute a part of a result. */
typedef struct error *tui_result_make(
	const struct options *options, struct result *ret);

struct tui_result {
	/*
	 * Read the following members only after tui_result_is_ready() returned
	 * true.
	 */
	struct tui_query query;
	struct options options; /* options of .query */
	struct result result;
	struct error *err;   /* why there is no result, or NULL; owned */
	struct strbuf notes; /* messages, one per line */
	/* Private: */
	tui_result_make *make;
	pthread_t thread;
	bool has_thread, is_ready;
	pthread_mutex_t lock; /* protects .is_ready, .step and .percent */
	pthread_cond_t became_ready;
	char step[24];
	double percent; /* progress of .step */
};

/*
 * Starts a thread that computes a copy of QUERY with MAKE_RESULT. Call it only
 * when no other computation is running.
 */
struct tui_result *tui_result_begin(
	const struct tui_query *query, tui_result_make *make_result);
/* Returns a ready result of QUERY with the error "cancelled". */
struct tui_result *tui_result_cancelled(const struct tui_query *query);
/*
 * Waits at most WAIT_MS milliseconds for COMPUTED. Returns whether COMPUTED is
 * ready.
 */
bool tui_result_is_ready(struct tui_result *computed, int wait_ms);
/* Requests that COMPUTED ends soon with the error "cancelled". */
void tui_result_cancel(struct tui_result *computed);
/* Appends the progress of COMPUTED to OUT: "counting 45 %". */
void tui_result_put_progress(struct tui_result *computed, struct strbuf *out);
/*
 * Frees COMPUTED, after cancelling its computation if still running. NULL is
 * ignored.
 */
void tui_result_destroy(struct tui_result *computed);

#endif
