/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of many names did the user mean? Offer them one by one; the one with
 * the fewest typing errors stays: a letter too many, too few or another one, or
 * two in the wrong order. Capitals are as good as small letters.
 */
#ifndef DWELL_COMMON_UTIL_SPELL_SUGGEST_H
#define DWELL_COMMON_UTIL_SPELL_SUGGEST_H

#include "common/util/error.h"

#define NEAREST_NAME_MAX 64u

struct nearest {
	const char *wanted; /* borrowed */
	size_t distance;    /* of best */
	char best[NEAREST_NAME_MAX]; /* "": nothing is near */
};

void nearest_init(struct nearest *nearest, const char *wanted);
/* Names longer than NEAREST_NAME_MAX - 1 are passed over. */
void nearest_offer(struct nearest *nearest, const char *name);
/* Adds "did you mean ...?" if something is near; takes ownership of ERR. */
struct error *nearest_hint(
	const struct nearest *nearest, struct error *err) _must_check_;

#endif
