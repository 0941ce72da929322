/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts by number, each once: where several inputs have names and numbers of
 * their own, these numbers are the same for all of them.
 */
#ifndef DWELL_REPORT_UTIL_STRING_TABLE_H
#define DWELL_REPORT_UTIL_STRING_TABLE_H

#include "common/util/array.h"
#include "common/util/hash.h"

/* A zeroed one is empty. */
struct texts {
	ARRAY(char *) at; /* owned */
	struct hash_index index;
};

void texts_deinit(struct texts *texts);

/* The number of TEXT, from 0; it is copied. */
uint32_t texts_number(struct texts *texts, const char *text);
/* Borrowed. */
static inline const char *texts_at(const struct texts *texts, uint32_t number)
{
	return texts->at.at[number];
}

#endif
