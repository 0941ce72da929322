/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/cuts.h"

bool cuts_add(struct cuts *cuts, struct reader *reader,
	const struct sample *sample, uint32_t context, uint32_t number)
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
		.number = number,
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
		size_t n = sample->n_chain;

		memcpy(chain, cuts->entries.at + cut->at, n * sizeof(*chain));
		sample->chain = (const uint8_t *)chain;
		sample->n_chain += unwinding_complete(thread, cut->number,
			chain + n, UNWINDING_CHAIN_MAX - n);
		stacks_add(stacks, cut->context, sample);
	}
	cuts_deinit(cuts);
}

void cuts_deinit(struct cuts *cuts)
{
	array_free(&cuts->list);
	array_free(&cuts->entries);
}
