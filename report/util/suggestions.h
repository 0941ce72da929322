/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Suggests existing names for a misspelled one, up to SUGGESTIONS_MAX: first
 * the name with the fewest typing errors, then names that contain the
 * misspelled name. If there is no such name, the name that contains it with the
 * fewest typing errors: "__memcmp_evex_movbe" for "memcmp_evx".
 */
#ifndef DWELL_REPORT_UTIL_SUGGESTIONS_H
#define DWELL_REPORT_UTIL_SUGGESTIONS_H

#include "common/util/spell_suggest.h"

#define SUGGESTIONS_MAX 3u

struct suggestions {
	const char *wanted; /* the misspelled name; borrowed */
	struct spell_suggest nearest, nearest_part;
	char *names[SUGGESTIONS_MAX]; /* owned */
	size_t n;
};

void suggestions_begin(struct suggestions *suggestions, const char *wanted);
/*
 * Suggests the existing name NAME if it is similar to the misspelled name or
 * contains the misspelled name.
 */
void suggestions_offer(struct suggestions *suggestions, const char *name);
/*
 * Suggests NAME, which is copied, even if it is not similar to the misspelled
 * name.
 */
void suggestions_add(struct suggestions *suggestions, const char *name);
/*
 * Returns the suggested names as "'a', 'b' or 'c'", owned by the caller, or
 * NULL if there are none. Frees SUGGESTIONS.
 */
char *suggestions_end(struct suggestions *suggestions);

#endif
