/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists the events that this machine offers for -e, by kind and with
 * descriptions, for `dwell list` and for shell completion.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_LIST_H
#define DWELL_RECORD_EVENT_EVENT_LIST_H

#include "common/util/array.h"
#include "common/util/completion.h"
#include "record/event/open_fallback.h"

struct event_listed {
	const char *kind; /* "hardware", "cache", ...; one word */
	char *name;
	char *description;
	bool is_usable; /* this machine and user can sample it */
	bool is_syntax; /* NAME contains placeholders */
};

struct event_list {
	ARRAY(struct event_listed)
	list;	       /* sorted by kind */
	char *trouble; /* why there are no tracepoints, or NULL */
};

struct event_list_request {
	const struct opener
		*opener;  /* opens hardware and software events on trial */
	const char *pmus; /* the folder of the PMUs; NULL: the sysfs default */
	const char *tracefs;	 /* tracefs mount point; NULL: search for it */
	const char *groups;	 /* glob of groups of tracepoints; NULL: all */
	bool wants_descriptions; /* descriptions of tracepoints take time */
};

/* Reads the events. The caller frees RET with event_list_deinit(). */
void event_list_read(
	const struct event_list_request *request, struct event_list *ret);
void event_list_deinit(struct event_list *catalog);

/*
 * Returns whether WORD is a part of the name or the description of the event,
 * ignoring case, or its kind. If WORD contains *, ? or [, it is a glob that
 * must match the whole name or the whole description.
 */
bool event_list_matches(const struct event_listed *offered, const char *word);

/*
 * Offers events as in `dwell list --names`. Of tracepoints, it offers the
 * groups, and for a word with a colon the tracepoints of the group.
 */
COMPLETER(event_list_complete);
/* Offers the kinds of events. */
COMPLETER(event_list_complete_kinds);

/* Appends the names of the fields in FORMAT, the format of a tracepoint. */
void event_list_fields(const char *format, struct strbuf *out);

#endif
