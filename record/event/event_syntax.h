/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands behind one -e, taken apart: events, their words, terms and
 * modifiers, each as a place in the text, so that an error can point at it.
 * Nothing here knows which events there are.
 *
 *	name[:modifiers]                  name/term[=value],.../[modifiers]
 *	group:name[:modifiers]            group:name/term,.../[modifiers]
 *	mem:ADDRESS[/LENGTH][:ACCESS]     uprobe:PATH:SYMBOL, kprobe:SYMBOL
 *	{event,event}:modifiers
 */
#ifndef DWELL_RECORD_EVENT_EVENT_SYNTAX_H
#define DWELL_RECORD_EVENT_EVENT_SYNTAX_H

#include "common/util/array.h"
#include "common/util/error.h"

/* Bytes of the source, by offset. */
struct span {
	size_t at, n;
};

struct event_term {
	struct span name, value; /* the value without its quotes */
	bool has_value;
};

enum event_kind {
	EVENT_WORDS,  /* one to three words with colons between */
	EVENT_BREAK,  /* address, length, access; the last two may be empty */
	EVENT_UPROBE, /* path, symbol */
	EVENT_KPROBE, /* symbol */
};

#define EVENT_WORDS_MAX 3u

struct event_text {
	enum event_kind kind;
	struct span whole; /* without a group's modifiers */
	struct span words[EVENT_WORDS_MAX];
	size_t n_words;
	bool has_terms; /* there are slashes, maybe nothing between them */
	ARRAY(struct event_term) terms;
	struct span modifiers, group_modifiers; /* empty: none */
	uint32_t group; /* the braces it stands in, from 1; 0: none */
	bool leads;     /* the first one of its group */
};

struct event_texts {
	const char *source; /* borrowed */
	ARRAY(struct event_text) events;
};

/* An error points at SOURCE. RET is to be freed in either case. */
struct error *event_syntax_read(
	const char *source, struct event_texts *ret) _must_check_;
void event_texts_deinit(struct event_texts *texts);

/* A copy; owned by the caller. */
char *span_copy(const char *source, struct span span);
/* Makes ERR point at SPAN. */
struct error *span_point(
	struct error *err, const char *source, struct span span) _must_check_;

#endif
