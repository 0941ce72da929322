/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Suggests existing names for a misspelled one, up to SUGGESTIONS_MAX: first
 * the name with the fewest typing errors, then names that contain the given
 * one.
 */
#ifndef DWELL_REPORT_UTIL_SUGGESTIONS_H
#define DWELL_REPORT_UTIL_SUGGESTIONS_H

#include "common/util/spell_suggest.h"

#define SUGGESTIONS_MAX 3u

struct suggestions {
	const char *wanted; /* borrowed */
	struct spell_suggest nearest;
	char *names[SUGGESTIONS_MAX]; /* owned */
	size_t n;
};

void suggestions_begin(struct suggestions *suggestions, const char *wanted);
/*
 * Suggests the existing name NAME if it is near the wanted one or contains it.
 */
void suggestions_offer(struct suggestions *suggestions, const char *name);
/* Suggests NAME, which is copied, in any case. */
void suggestions_add(struct suggestions *suggestions, const char *name);
/*
 * Returns "'a', 'b' or 'c'", owned by the caller, or NULL. Frees SUGGESTIONS.
 */
char *suggestions_end(struct suggestions *suggestions);

#endif
