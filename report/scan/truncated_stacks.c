/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/truncated_stacks.h"

bool cuts_add(struct cuts *cuts, struct reader *reader,
	const struct sample *sample, uint32_t context, struct unwinding_cut cut)
{
	uint64_t i;

	if (!reader_affords(reader,
		    2 * (sizeof(struct cut) +
				sample->n_chain * sizeof(uint64_t))))
		return false;
	*array_push(&cuts->list) = (struct cut){
		.sample = stack_sample_of(sample, true),
		.at = cuts->entries.n,
		.context = context,
		.cut = cut,
	};
	for (i = 0; i < sample->n_chain; i++)
		*array_push(&cuts->entries) = sample_chain_entry(sample, i);
	return true;
}

void cuts_count(struct cuts *cuts, const struct unwinding_thread *thread,
	struct stacks *stacks)
{
	_cleanup_free_ uint64_t *chain =
		xcalloc(UNWINDING_CHAIN_MAX, sizeof(*chain));

	array_each(&cuts->list, cut) {
		struct stack_sample *sample = &cut->sample;
		size_t n = sample->n_chain, own = cut->cut.n_own, more;

		memcpy(chain, cuts->entries.at + cut->at, n * sizeof(*chain));
		more = unwinding_complete(thread, cut->cut.number, chain + own,
			UNWINDING_CHAIN_MAX - own);
		sample->chain = (const uint8_t *)chain;
		if (more)
			sample->n_chain = own + more;
		else
			stack_sample_skip_mark(sample);
		stacks_add(stacks, cut->context, sample);
	}
	array_free(&cuts->list);
	array_free(&cuts->entries);
}
