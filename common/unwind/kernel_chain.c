/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/kernel_chain.h"

static bool is_entry_at(
	const struct kernel_chain *chain, uint64_t i, uint64_t pc)
{
	return sample_chain_entry(chain->sample, chain->first + i) - pc <=
		chain->slack;
}

/* Returns true if entries I - 1 and I of CHAIN are LAST[-1] and LAST[0]. */
static bool ends_at_entry(
	const struct kernel_chain *chain, uint64_t i, const uint64_t *last)
{
	return i && i < chain->n && is_entry_at(chain, i, last[0]) &&
		is_entry_at(chain, i - 1, last[-1]);
}

uint64_t kernel_chain_find(
	const struct kernel_chain *chain, const uint64_t *pcs, size_t n)
{
	const uint64_t *last = pcs + n - 1;
	uint64_t i = chain->n;

	if (ends_at_entry(chain, n - 1, last))
		return n - 1;
	if (ends_at_entry(chain, n - 2, last))
		return n - 2;
	while (i-- > 1)
		if (ends_at_entry(chain, i, last))
			return i;
	return 0;
}
