/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/truncated_stacks.h"

bool truncated_stacks_add(struct truncated_stacks *truncated,
	struct reader *reader, const struct sample *sample, uint32_t context,
	struct unwinding_cut cut)
{
	uint64_t i;

	if (!reader_reserve(reader,
		    2 *
			    (sizeof(struct truncated_stack) +
				    sample->n_chain * sizeof(uint64_t))))
		return false;
	*array_push(&truncated->list) = (struct truncated_stack){
		.sample = stack_sample_of(sample, true),
		.at = truncated->entries.n,
		.context = context,
		.cut = cut,
	};
	for (i = 0; i < sample->n_chain; i++)
		*array_push(&truncated->entries) =
			sample_chain_entry(sample, i);
	return true;
}

void truncated_stacks_count(struct truncated_stacks *truncated,
	const struct unwinding_thread *thread, struct stacks *stacks)
{
	_cleanup_free_ uint64_t *chain =
		xcalloc(UNWINDING_CHAIN_MAX, sizeof(*chain));

	array_each(&truncated->list, cut) {
		struct stack_sample *sample = &cut->sample;
		size_t n = sample->n_chain, own = cut->cut.n_own, more;

		memcpy(chain, truncated->entries.at + cut->at,
			n * sizeof(*chain));
		more = unwinding_complete(thread, cut->cut.number, chain + own,
			UNWINDING_CHAIN_MAX - own);
		sample->chain = (const uint8_t *)chain;
		if (more)
			sample->n_chain = own + more;
		else
			stack_sample_skip_mark(sample);
		stacks_add(stacks, cut->context, sample);
	}
	array_free(&truncated->list);
	array_free(&truncated->entries);
}
