/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/string_table.h"

#include "common/util/alloc.h"

void string_table_deinit(struct string_table *table)
{
	array_each(&table->at, text)
		free(*text);
	array_free(&table->at);
	hash_free(&table->index);
}

uint32_t string_table_intern(struct string_table *table, const char *text)
{
	uint64_t hash = hash_string(text);
	uint32_t n = (uint32_t)table->at.n;

	hash_each_match(&table->index, hash, i)
		if (string_is(table->at.at[i], text))
			return i;
	hash_insert(&table->index, hash, n);
	*array_push(&table->at) = xstrdup(text);
	return n;
}
