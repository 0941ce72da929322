/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the name that is most similar to an unknown name. The caller offers all
 * names; the name with the fewest typing errors is kept. A typing error is an
 * added, missing or wrong letter, or two swapped letters. Case is ignored.
 */
#ifndef DWELL_COMMON_UTIL_SPELL_SUGGEST_H
#define DWELL_COMMON_UTIL_SPELL_SUGGEST_H

#include "common/util/error.h"

#define SPELL_SUGGEST_NAME_MAX 64u

struct spell_suggest {
	const char *wanted; /* borrowed */
	bool in_part;	    /* a part of .best is similar */
	size_t distance;    /* number of typing errors in .best */
	char best[SPELL_SUGGEST_NAME_MAX]; /* "": no name is similar */
};

void spell_suggest_init(struct spell_suggest *nearest, const char *wanted);
/*
 * Like spell_suggest_init(), for names a part of which is similar: "cmp_evex" in
 * "__memcmp_evex" for "cmp_evx". A WANTED shorter than 5 letters has no similar name.
 */
void spell_suggest_init_part(struct spell_suggest *nearest, const char *wanted);
/* Offers NAME; longer names than SPELL_SUGGEST_NAME_MAX - 1 are skipped. */
void spell_suggest_offer(struct spell_suggest *nearest, const char *name);
/*
 * Returns ERR, with "did you mean ...?" appended if a name is similar. Takes
 * ownership of ERR.
 */
struct error *spell_suggest_hint(
	const struct spell_suggest *nearest, struct error *err) _must_check_;

#endif
