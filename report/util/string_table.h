/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers strings; each is stored once. Inputs with numbers of their own get
 * common numbers.
 */
#ifndef DWELL_REPORT_UTIL_STRING_TABLE_H
#define DWELL_REPORT_UTIL_STRING_TABLE_H

#include "common/util/array.h"
#include "common/util/hash.h"

/* Zero-initialized it is empty. */
struct string_table {
	ARRAY(char *) at; /* owned */
	struct hash_index index;
};

void string_table_deinit(struct string_table *table);

/* Returns the number of TEXT, from 0; TEXT is copied. */
uint32_t string_table_intern(struct string_table *table, const char *text);
/* Returns string NUMBER; borrowed. */
static inline const char *string_table_at(
	const struct string_table *table, uint32_t number)
{
	return table->at.at[number];
}

#endif
