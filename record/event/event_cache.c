/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/event_cache.h"

#include "common/perf/abi.h"
#include "common/util/alloc.h"

#define ALIASES_MAX 5u

enum {
	OP_READ = 1u << PERF_COUNT_HW_CACHE_OP_READ,
	OP_WRITE = 1u << PERF_COUNT_HW_CACHE_OP_WRITE,
	OP_PREFETCH = 1u << PERF_COUNT_HW_CACHE_OP_PREFETCH,
	OP_ALL = OP_READ | OP_WRITE | OP_PREFETCH,
};

/* The first alias is the canonical name. Names are case-sensitive. */
struct cache_word {
	const char *aliases[ALIASES_MAX];
	const char *with_misses; /* an operation before "-misses": "load" */
	unsigned ops;		 /* operations that a cache can count */
};

static const struct cache_word caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = { .aliases = { "L1-dcache", "l1-d", "l1d",
					      "L1-data" },
		.ops = OP_ALL },
	[PERF_COUNT_HW_CACHE_L1I] = { .aliases = { "L1-icache", "l1-i", "l1i",
					      "L1-instruction" },
		.ops = OP_READ | OP_PREFETCH },
	[PERF_COUNT_HW_CACHE_LL] = { .aliases = { "LLC", "L2" },
		.ops = OP_ALL },
	[PERF_COUNT_HW_CACHE_DTLB] = { .aliases = { "dTLB", "d-tlb",
					       "Data-TLB" },
		.ops = OP_ALL },
	[PERF_COUNT_HW_CACHE_ITLB] = { .aliases = { "iTLB", "i-tlb",
					       "Instruction-TLB" },
		.ops = OP_READ },
	[PERF_COUNT_HW_CACHE_BPU] = { .aliases = { "branch", "branches", "bpu",
					      "btb", "bpc" },
		.ops = OP_READ },
	[PERF_COUNT_HW_CACHE_NODE] = { .aliases = { "node" }, .ops = OP_ALL },
};

static const struct cache_word ops[] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { .aliases = { "loads", "load",
						  "read" },
		.with_misses = "load" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { .aliases = { "stores", "store",
						   "write" },
		.with_misses = "store" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { .aliases = { "prefetches",
						      "prefetch",
						      "speculative-read",
						      "speculative-load" },
		.with_misses = "prefetch" },
};

static const struct cache_word results[] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { .aliases = { "refs",
							"Reference", "ops",
							"access" } },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { .aliases = { "misses", "miss" } },
};

/*
 * Returns the index in TABLE of the word that *NAME begins with, up to its end
 * or a '-', and moves *NAME behind both. Returns -1 if there is none.
 */
static int take_cache_word(
	const struct cache_word *table, size_t n, const char **name)
{
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < ALIASES_MAX && table[i].aliases[j]; j++) {
			size_t length = strlen(table[i].aliases[j]);
			const char *end = *name + length;

			if (!string_starts(*name, table[i].aliases[j]) ||
				(*end && *end != '-'))
				continue;
			*name = *end ? end + 1 : end;
			return (int)i;
		}
	return -1;
}

static uint64_t cache_config(int cache, int op, int result)
{
	return (uint64_t)cache | (uint64_t)op << 8 | (uint64_t)result << 16;
}

bool event_cache_find(const char *name, uint64_t *config_ret)
{
	bool ends_in_dash = *name && name[strlen(name) - 1] == '-';
	int cache = take_cache_word(caches, ARRAY_SIZE(caches), &name);
	int op = -1, result = -1, i;

	if (cache < 0 || ends_in_dash)
		return false;
	/* Both are optional and can be in either order. */
	for (i = 0; i < 2; i++) {
		if (op < 0)
			op = take_cache_word(ops, ARRAY_SIZE(ops), &name);
		if (result < 0)
			result = take_cache_word(
				results, ARRAY_SIZE(results), &name);
	}
	op = MAX(op, PERF_COUNT_HW_CACHE_OP_READ);
	if (*name || !(caches[cache].ops >> op & 1))
		return false;
	*config_ret = cache_config(
		cache, op, MAX(result, PERF_COUNT_HW_CACHE_RESULT_ACCESS));
	return true;
}

void event_cache_each(
	void (*visit)(void *data, const char *name, uint64_t config),
	void *data)
{
	int cache, op, result;

	for (cache = 0; cache < (int)ARRAY_SIZE(caches); cache++)
		for (op = 0; op < (int)ARRAY_SIZE(ops); op++)
			for (result = 0; result < 2; result++) {
				_cleanup_free_ char *name = NULL;

				if (!(caches[cache].ops >> op & 1))
					continue;
				name = xasprintf("%s-%s%s",
					caches[cache].aliases[0],
					result ? ops[op].with_misses
					       : ops[op].aliases[0],
					result ? "-misses" : "");
				visit(data, name,
					cache_config(cache, op, result));
			}
}
