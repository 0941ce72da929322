/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assigns a number to each different string, and stores each string once. A
 * string to which several inputs assign different numbers gets one common
 * number.
 */
#ifndef DWELL_REPORT_UTIL_STRING_TABLE_H
#define DWELL_REPORT_UTIL_STRING_TABLE_H

#include "common/util/array.h"
#include "common/util/hash.h"

/* A zero-initialized struct is empty. */
struct string_table {
	ARRAY(char *) at; /* owned */
	struct hash_index index;
};

void string_table_deinit(struct string_table *table);

/* Returns the number of TEXT, from 0; TEXT is copied. */
uint32_t string_table_intern(struct string_table *table, const char *text);
/* Returns the string with NUMBER; borrowed. */
static inline const char *string_table_at(
	const struct string_table *table, uint32_t number)
{
	return table->at.at[number];
}

#endif
