/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script_chain.h"

void script_chains_deinit(struct script_chains *chains)
{
	strbuf_free(&chains->texts);
	array_free(&chains->kept);
	hash_free(&chains->by_hash);
}

/* Appends the functions at FRAME, inlined ones first, one per line. */
static void put_chain_frame(struct script_chains *chains,
	const struct frame *frame, bool is_sampled, uint32_t fields,
	struct strbuf *out)
{
	struct resolver *resolver = chains->code->resolver;
	uint32_t numbers[LINE_DEPTH_MAX];
	size_t n = resolver_expand(resolver, frame, is_sampled, numbers), i;
	struct resolved at = resolver_find(resolver, frame);

	for (i = 0; i < n; i++) {
		strbuf_putc(out, '\t');
		at.location = numbers[i];
		script_code_put_place(chains->code, at, fields, out);
		strbuf_putc(out, '\n');
	}
}

/* Frames of a chain have their offsets in the file, as in perf. */
static void put_chain_frames(struct script_chains *chains,
	const struct sample *sample, uint32_t space, uint32_t fields,
	struct strbuf *out)
{
	struct chain_walk walk = { sample->cpumode, false };
	uint64_t i, left = chains->max_frames;
	bool is_sampled = true;
	struct frame frame;

	if (!stacks_chain_is_valid(sample->chain, sample->n_chain))
		return;
	for (i = 0; left && i < sample->n_chain; i++) {
		uint64_t entry = sample_chain_entry(sample, i);

		if (!stacks_walk(&walk, space, entry, &frame))
			continue;
		left--;
		put_chain_frame(chains, &frame, is_sampled, fields, out);
		is_sampled = false;
	}
}

static void remember_chain_text(struct script_chains *chains, uint64_t hash,
	const char *text, size_t size)
{
	if (chains->texts.n + size > SCRIPT_CHAIN_KEPT_MAX) {
		strbuf_clear(&chains->texts);
		array_clear(&chains->kept);
		hash_free(&chains->by_hash);
	}
	hash_insert(&chains->by_hash, hash, (uint32_t)chains->kept.n);
	*array_push(&chains->kept) =
		(struct script_chain){ hash, chains->texts.n, size };
	strbuf_put(&chains->texts, text, size);
}

static const struct script_chain *find_chain_text(
	const struct script_chains *chains, uint64_t hash)
{
	hash_each_match(&chains->by_hash, hash, i)
		if (chains->kept.at[i].hash == hash)
			return &chains->kept.at[i];
	return NULL;
}

void script_chains_put(struct script_chains *chains,
	const struct sample *sample, uint32_t space, uint32_t fields,
	struct strbuf *out)
{
	size_t size = sample->n_chain * sizeof(uint64_t), before = out->n;
	uint64_t hash = hash_words(hash_bytes(sample->chain, size),
		hash_words((uint64_t)space << 8 | sample->cpumode, fields));
	const struct script_chain *known = find_chain_text(chains, hash);

	if (known) {
		strbuf_put(out, chains->texts.at + known->at, known->size);
		return;
	}
	put_chain_frames(chains, sample, space, fields, out);
	if (out->n > before)
		remember_chain_text(
			chains, hash, out->at + before, out->n - before);
}
