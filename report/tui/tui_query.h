/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the user of the interactive view wants to see: the report's options, and
 * the filters, first those of the command line, then what was stacked on them.
 * For tui_answer, which has it counted.
 */
#ifndef DWELL_REPORT_TUI_TUI_QUERY_H
#define DWELL_REPORT_TUI_TUI_QUERY_H

#include "report/options/options.h"

enum tui_filter_kind {
	TUI_FILTER_COMM,
	TUI_FILTER_DSO,
	TUI_FILTER_THREAD,
	TUI_FILTER_TIME,
	TUI_FILTER_NAME, /* a part of a row's function */
	/* These are the command line's only. */
	TUI_FILTER_PROCESS,
	TUI_FILTER_SYMBOL,
	TUI_FILTER_CPU,
	TUI_FILTER_CGROUP,
	TUI_FILTER_HOST,
};

struct tui_filter {
	enum tui_filter_kind kind;
	char *value;     /* owned */
	uint32_t number; /* the same, of a thread */
	bool is_given;   /* by the command line: the value only tells of it */
};

/* A zeroed one is to be given to tui_wish_init() or tui_wish_copy(). */
struct tui_wish {
	struct options options; /* without .filters; its lists are borrowed */
	struct filter given;    /* by the command line; borrowed */
	char *sort; /* what .options have, if that was changed; owned */
	ARRAY(struct tui_filter) filters; /* of one kind the last one counts */
};

/* What OPTIONS ask for: their filters can be taken back, too. */
void tui_wish_init(const struct options *options, struct tui_wish *ret);
/*
 * The options that all of it means, to RET: they are borrowed from WISH, which
 * is not to be changed while they are used.
 */
void tui_wish_apply(const struct tui_wish *wish, struct options *ret);
void tui_wish_copy(const struct tui_wish *wish, struct tui_wish *ret);
void tui_wish_deinit(struct tui_wish *wish);

void tui_wish_push(
	struct tui_wish *wish, enum tui_filter_kind kind, const char *value);
/* Takes the last filter back. False: there is none. */
bool tui_wish_pop(struct tui_wish *wish);
/* Keys as -s has them. */
void tui_wish_sort(struct tui_wish *wish, const char *keys);

/*
 * " > comm x > DSO y": the filters that count, escaped, and whether shares are of
 * what passes them.
 */
void tui_wish_put_crumbs(
	const struct tui_wish *wish, const char *mark, struct strbuf *out);

#endif
