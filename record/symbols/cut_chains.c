/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/cut_chains.h"

#define FILES_SHOWN 3u
/* Samples that are all examined, and the distance of the others. */
#define EXAMINED_FIRST 1024u
#define EXAMINED_EVERY 16u
/*
 * Share of cut chains, in percent, from which a message is printed. The first
 * instructions of a program have no caller.
 */
#define CUT_PERCENT 5u
/* Share of the cut chains, in percent, from which a file is named. */
#define FILE_PERCENT 10u

void cut_chains_add(struct cut_chains *chains, const struct maps *maps,
	const struct sample *sample, uint32_t user)
{
	const struct mapping *innermost = NULL;
	bool is_user = false, is_cut = false;
	uint64_t n = 0, i;

	if (++chains->seen > EXAMINED_FIRST && chains->seen % EXAMINED_EVERY)
		return;
	for (i = 0; i < sample->n_chain; i++) {
		uint64_t ip = sample_chain_entry(sample, i);
		const struct mapping *mapping;

		if (ip >= ABI_CONTEXT_FIRST) {
			is_user = ip == (uint64_t)PERF_CONTEXT_USER;
			continue;
		}
		if (!is_user)
			continue;
		mapping = maps_find(maps, user, ip);
		if (!n++)
			innermost = mapping;
		is_cut |= !mapping;
	}
	/* A chain without any mapping is one of code that ended, or is new. */
	if (!innermost)
		return;
	chains->n++;
	if (!is_cut && n > 1)
		return;
	chains->cut++;
	while (chains->by_dso.n <= innermost->dso)
		array_push(&chains->by_dso);
	chains->by_dso.at[innermost->dso]++;
}

void cut_chains_put_files(const struct cut_chains *chains,
	const struct maps *maps, struct strbuf *out)
{
	size_t n = chains->by_dso.n, i;
	_cleanup_free_ uint64_t *counts =
		n ? xmemdup(chains->by_dso.at, n * sizeof(*counts)) : NULL;

	for (i = 0; i < FILES_SHOWN; i++) {
		size_t most = 0, k;

		for (k = 1; k < n; k++)
			if (counts[k] > counts[most])
				most = k;
		if (!n || counts[most] < chains->cut * FILE_PERCENT / 100 + 1)
			break;
		counts[most] = 0;
		strbuf_printf(out, "%s%s", i ? ", " : "",
			path_base(maps_dso(maps, (uint32_t)most)->path));
	}
}

bool cut_chains_are_many(const struct cut_chains *chains)
{
	return chains->cut && chains->cut * 100 >= chains->n * CUT_PERCENT;
}

void cut_chains_deinit(struct cut_chains *chains)
{
	array_free(&chains->by_dso);
}
