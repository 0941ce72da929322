/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_functions.h"

static int compare_pack_functions(const void *a, const void *b)
{
	const struct pack_function *left = a, *right = b;

	if (left->symbol->start != right->symbol->start)
		return COMPARE(left->symbol->start, right->symbol->start);
	return COMPARE(left->symbol->end, right->symbol->end);
}

static void sort_unique_functions(struct pack_functions *functions)
{
	size_t kept = 0;

	array_sort(&functions->at, compare_pack_functions);
	array_each(&functions->at, function)
		if (!kept ||
			compare_pack_functions(
				function, &functions->at.at[kept - 1]))
			functions->at.at[kept++] = *function;
	functions->at.n = kept;
}

/*
 * Also looks up the place before each hit: a return address after the last call
 * of a function is the start of the next function.
 */
void pack_functions_find(const struct pack_hit *hits, size_t n,
	struct symbols *symbols, struct pack_functions *ret)
{
	const struct symbol *last = NULL;
	size_t i;
	int back;

	for (i = 0; i < n; i++)
		for (back = hits[i].place ? 1 : 0; back >= 0; back--) {
			struct pack_function found;

			found.symbol = symbols_find_any(symbols, hits[i].dso,
				hits[i].place - (uint64_t)back, &found.name);
			if (found.symbol && found.symbol != last)
				*array_push(&ret->at) = found;
			last = found.symbol ?: last;
		}
	sort_unique_functions(ret);
}

void pack_functions_deinit(struct pack_functions *functions)
{
	array_free(&functions->at);
}
