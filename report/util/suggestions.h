/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the names that exist did the user mean? Up to SUGGESTIONS_MAX: the one
 * with the fewest typing errors first, then names that contain the given one.
 */
#ifndef DWELL_REPORT_UTIL_SUGGESTIONS_H
#define DWELL_REPORT_UTIL_SUGGESTIONS_H

#include "common/util/spell_suggest.h"

#define SUGGESTIONS_MAX 3u

struct suggestions {
	const char *wanted; /* borrowed */
	struct nearest nearest;
	char *names[SUGGESTIONS_MAX]; /* owned */
	size_t n;
};

void suggestions_begin(struct suggestions *suggestions, const char *wanted);
/* A name that exists: NAME is suggested if it is near the wanted one or contains it. */
void suggestions_offer(struct suggestions *suggestions, const char *name);
/* NAME is suggested, whatever it is. Copies it. */
void suggestions_add(struct suggestions *suggestions, const char *name);
/* "'a', 'b' or 'c'", owned by the caller; NULL: there is none. Frees SUGGESTIONS. */
char *suggestions_end(struct suggestions *suggestions);

#endif
