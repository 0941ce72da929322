/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/string_table.h"

#include "common/util/alloc.h"

void texts_deinit(struct texts *texts)
{
	array_each(&texts->at, text)
		free(*text);
	array_free(&texts->at);
	hash_free(&texts->index);
}

uint32_t texts_number(struct texts *texts, const char *text)
{
	uint64_t hash = hash_string(text);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&texts->index, hash, &probe)) != HASH_NONE)
		if (string_is(texts->at.at[i], text))
			return i;
	i = (uint32_t)texts->at.n;
	hash_insert(&texts->index, hash, i);
	*array_push(&texts->at) = xstrdup(text);
	return i;
}
