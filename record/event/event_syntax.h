/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the text of -e into events with their words, terms and modifiers, each
 * as a position in the text, so that errors can point at it. Does not check
 * whether the events exist.
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

/* A range of bytes of the text of -e. */
struct event_span {
	size_t at, n;
};

struct event_term {
	struct event_span name, value; /* without quotes */
	bool has_value;
};

enum event_kind {
	EVENT_WORDS,  /* one to three words separated by colons */
	EVENT_BREAK,  /* the words are address, length, access; the last two may
			 be empty */
	EVENT_UPROBE, /* the words are path, symbol */
	EVENT_KPROBE, /* the word is a symbol */
};

#define EVENT_WORDS_MAX 3u

struct event_text {
	enum event_kind kind;
	struct event_span
		whole; /* the event without the modifiers of its group */
	struct event_span words[EVENT_WORDS_MAX];
	size_t n_words;
	bool has_terms; /* there are slashes, possibly without terms */
	ARRAY(struct event_term) terms;
	struct event_span modifiers, group_modifiers; /* empty: none */
	uint32_t group; /* number of the group, from 1; 0: no group */
	bool leads;	/* the first event of its group */
};

struct event_texts {
	const char *source; /* borrowed */
	ARRAY(struct event_text) events;
};

/*
 * Parses SOURCE, which is borrowed by RET. Errors point into SOURCE. The caller
 * frees RET with event_texts_deinit(), also after an error.
 */
struct error *event_syntax_read(
	const char *source, struct event_texts *ret) _must_check_;
void event_texts_deinit(struct event_texts *texts);

/* Returns a copy of SPAN; owned by the caller. */
char *event_span_copy(const char *source, struct event_span span);
/* Makes ERR point at SPAN of SOURCE. */
struct error *event_span_point(struct error *err, const char *source,
	struct event_span span) _must_check_;

#endif
