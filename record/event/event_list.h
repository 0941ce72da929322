/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be behind -e on this machine, by kind, with a description each: for
 * `dwell list`, and for completion.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_LIST_H
#define DWELL_RECORD_EVENT_EVENT_LIST_H

#include "common/util/array.h"
#include "record/event/open_fallback.h"

struct offered {
	const char *kind;  /* "hardware", "cache", ...: a word */
	char *name;
	char *description;
	bool is_usable;    /* this machine and user can sample it */
	bool is_syntax;    /* NAME has parts to be filled in */
};

struct catalog {
	ARRAY(struct offered) list; /* by kind, then as the machine has them */
	char *trouble; /* why there are no tracepoints; NULL: there are */
};

struct catalog_request {
	const struct opener *opener; /* tries hardware and software events */
	const char *pmus;            /* where sysfs has them; NULL: there */
	const char *tracefs;         /* NULL: where it is mounted */
	bool wants_descriptions;     /* those of tracepoints take a moment */
};

/* RET is to be freed. */
void catalog_read(
	const struct catalog_request *request, struct catalog *ret);
void catalog_deinit(struct catalog *catalog);

/*
 * WORD is in the name or the description, whatever its case; with *, ? or [ it
 * is a glob for the whole of either.
 */
bool offered_matches(const struct offered *offered, const char *word);

/* Appends the names of the fields that a tracepoint's format describes. */
void catalog_fields(const char *format, struct strbuf *out);

#endif
