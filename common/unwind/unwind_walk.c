/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions for all kinds of steps: the rule at an address, words of the stack,
 * the check if an address follows a call instruction, and the end of the chain.
 */
#include "config.h"

#include "common/unwind/unwind.h"
#include "common/unwind/unwind_arch.h"
#include "common/unwind/unwind_private.h"

const struct unwind_region *unwind_find(struct unwinder *unwinder,
	const struct unwind_space *space, uint64_t pc)
{
	typeof(*unwinder->codes) *known =
		&unwinder->codes[((pc >> 20) ^ (pc >> 28) ^ space->id * 5) %
			UNWIND_CODES];
	struct unwind_code code;

	if (known->space == space->id && space->id &&
		pc - known->region.start < known->region.size)
		return &known->region;
	if (!space->find(space->data, pc, &code) || pc < code.start ||
		pc >= code.end)
		return NULL;
	known->space = space->id;
	known->region =
		(struct unwind_region){ code.start, code.end - code.start,
			code.bias, code.cfi, code.cfi ? cfi_id(code.cfi) : 0 };
	return &known->region;
}

uint32_t unwind_rule(
	const struct unwind_region *region, uint64_t pc, bool is_exact)
{
	uint64_t address = pc - region->bias, at = address - !is_exact;
	uint32_t rule = region->cfi ? cfi_rule(region->cfi, at) : CFI_NONE;

	if ((rule & 0xff) == CFI_PLT) {
		/* The CFA depends on the position of pc in the PLT entry. */
		uint32_t words = 1 + ((at & 15) >= rule >> CFI_PLT_SHIFT);

		return CFI_SP | words << 3;
	}
	if (rule != CFI_PADDING && (rule != CFI_CLONE || is_exact))
		return rule;
	rule = is_exact ? CFI_NONE : cfi_rule(region->cfi, address);
	return rule == CFI_NONE || rule == CFI_PADDING || rule == CFI_CLONE
		? CFI_NONE
		: CFI_PADDING;
}

uint32_t unwind_miss(struct unwinder *unwinder,
	const struct unwind_region *region, uint64_t pc, bool is_exact)
{
	uint64_t at = pc - region->bias - !is_exact;
	uint32_t rule = unwind_rule(region, pc, is_exact);

	unwinder->counts.n_misses++;
	unwinder->cache[unwind_hash(region->id, at)] =
		(struct unwind_entry){ at, region->id, rule };
	return rule;
}

bool unwind_stop(struct unwind_walk *walk, enum unwind_end end)
{
	walk->chain->end = end;
	walk->chain->oldest =
		(struct unwind_state){ walk->pc, walk->sp, walk->fp };
	return false;
}

bool unwind_push(struct unwind_walk *walk)
{
	struct unwind_chain *chain = walk->chain;

	if (chain->n == chain->room)
		return unwind_stop(walk, UNWIND_LIMIT);
	chain->pcs[chain->n] = walk->pc;
	if (chain->slots)
		chain->slots[chain->n] = walk->slot;
	chain->n++;
	return true;
}

static void add_exact_frame(struct unwind_chain *chain, size_t i)
{
	uint32_t n = chain->n_exact;

	if (n < UNWIND_EXACT_MAX && (!n || chain->exact[n - 1] < i))
		chain->exact[chain->n_exact++] = (uint32_t)i;
}

void unwind_mark_exact(struct unwind_walk *walk)
{
	struct unwind_chain *chain = walk->chain;

	walk->is_exact = true;
	add_exact_frame(chain, chain->n - 1);
	add_exact_frame(chain, chain->n);
}

static bool read_outside_copy(
	struct unwind_walk *walk, uint64_t address, uint64_t *ret)
{
	const struct unwind_memory *memory = walk->memory;

	if (!memory->read)
		return false;
	if (!walk->has_read)
		walk->chain->n_copied = walk->chain->n;
	walk->has_read = true;
	return memory->read(memory->data, address, ret);
}

bool unwind_load(struct unwind_walk *walk, uint64_t address, uint64_t *ret)
{
	const struct unwind_memory *memory = walk->memory;
	size_t size = unwind_numbers[walk->unwinder->arch].word_size;
	uint64_t at = address - memory->start;

	*ret = 0;
	if (memory->size >= size && at <= memory->size - size) {
		memcpy(ret, memory->bytes + at, size);
		return true;
	}
	if (read_outside_copy(walk, address, ret))
		return true;
	/* Far from the copy is another stack, which a signal interrupted. */
	if (walk->chain->interrupted_at &&
		at >= walk->memory->size + UNWIND_STACK_LIKELY)
		return unwind_stop(walk, UNWIND_ELSEWHERE);
	/*
	 * An address below sp is not part of the stack, so the chain is
	 * damaged.
	 */
	return unwind_stop(walk,
		at < UNWIND_STACK_MAX ? UNWIND_TRUNCATED : UNWIND_DAMAGED);
}

bool unwind_accepts(struct unwind_walk *walk, uint64_t cfa, uint64_t least)
{
	if (cfa >= least && cfa - walk->sp < UNWIND_STACK_MAX)
		return true;
	return unwind_stop(walk, UNWIND_DAMAGED);
}

bool unwind_is_after(struct unwind_walk *walk, uint64_t pc,
	bool (*ends_here)(enum unwind_arch, const uint8_t *, size_t))
{
	const struct unwind_space *space = walk->space;
	uint8_t bytes[UNWIND_CALLS_BYTES];

	return unwind_find(walk->unwinder, space, pc - 1) &&
		space->code(space->data, pc - sizeof(bytes), bytes,
			sizeof(bytes)) == sizeof(bytes) &&
		ends_here(walk->unwinder->arch, bytes, sizeof(bytes));
}

bool unwind_is_called(struct unwind_walk *walk, uint64_t pc)
{
	return unwind_is_after(walk, pc, unwind_ends_with_call);
}
