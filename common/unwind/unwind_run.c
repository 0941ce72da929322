/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwinder's fast loops, for frames with plain rules: CFI_SP and CFI_FP. */
#include "config.h"

#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"

/*
 * Sets *RULE_RET to the rule for PC, from the cache or by a lookup. Returns
 * false if PC is not mapped.
 */
static inline bool find_cached_rule(struct unwind_walk *walk,
	struct unwind_region *region, uint64_t pc, bool is_exact,
	uint32_t *rule_ret)
{
	struct unwinder *unwinder = walk->unwinder;
	uint64_t at = pc - !is_exact;
	const struct unwind_entry *entry;

	if (unlikely(at - region->start >= region->size)) {
		const struct unwind_region *found =
			unwind_find(unwinder, walk->space, at);

		if (!found)
			return false;
		*region = *found;
	}
	at -= region->bias;
	entry = &unwinder->cache[unwind_hash(region->id, at)];
	if (likely(entry->address == at && entry->cfi == region->id))
		*rule_ret = entry->rule;
	else
		*rule_ret = unwind_miss(unwinder, region, pc, is_exact);
	return true;
}

/*
 * Returns the offset in the stack copy of the caller's fp, or AT, a valid
 * offset, if BELOW is 0, which means that fp is unchanged. AT is the offset of
 * the word at CFA - 8. The function is branch-free, because the branch is
 * unpredictable and compilers make a branch of "? :".
 */
static inline uint64_t fp_copy_offset(uint64_t at, uint64_t below)
{
	return at + 8 - (below | (uint64_t)!below << 3);
}

enum run_end {
	RUN_NO_RULE,
	RUN_ODD,  /* the rule is not plain, or memory is outside of the copy */
	RUN_SAME, /* an unchanged frame of the last stack is reached */
	RUN_TURN, /* turn is over; the next words are prefetched */
};

/*
 * Unwinds frames while rules are plain (CFI_SP or CFI_FP) and memory is in the
 * stack copy. The state is in local variables, and written back to WALK at the
 * end.
 */
static inline enum run_end run_x86_64_frames(
	struct unwind_walk *walk, uint32_t *rule_ret)
{
	const struct unwind_memory *memory = walk->memory;
	struct unwind_chain *chain = walk->chain;
	const uint8_t *bytes = memory->bytes;
	const uint64_t start = memory->start;
	const uint64_t words = memory->size < 8 ? 0 : memory->size - 7;
	uint64_t pc = walk->pc, sp = walk->sp, fp = walk->fp;
	uint64_t slot = walk->slot, *slots = chain->slots;
	struct unwind_region region = walk->region;
	size_t n = chain->n, room = chain->room, turn_end = n + walk->turn;
	struct unwind_known *known = walk->known;
	const size_t known_max = walk->known_max;
	const uint64_t same_sp = walk->same_sp;
	uint64_t cfa = walk->cfa, below = walk->below;
	uint64_t at = cfa - 8 - start, fp_at = fp_copy_offset(at, below);
	bool is_exact = walk->is_exact, has_left = walk->has_left;
	uint32_t rule = CFI_NONE;
	enum run_end end = RUN_ODD;

	for (;; has_left = true) {
		uint64_t word;

		if (likely(has_left)) {
			memcpy(&word, bytes + fp_at, sizeof(word));
			fp = below ? word : fp;
			memcpy(&pc, bytes + at, sizeof(pc));
			slot = cfa - 8;
			sp = cfa;
			is_exact = has_left = false;
			if (n < known_max)
				known[n] = (struct unwind_known){ pc, sp, fp, 8,
					(int32_t)below };
			if (unlikely(sp >= same_sp)) {
				end = RUN_SAME;
				break;
			}
		}
		if (unlikely(!pc || n >= room ||
			    !find_cached_rule(
				    walk, &region, pc, is_exact, &rule))) {
			end = RUN_NO_RULE;
			break;
		}
		chain->pcs[n] = pc;
		if (slots)
			slots[n] = slot;
		n++;
		if (unlikely((rule & 7) - CFI_SP > CFI_FP - CFI_SP))
			break;
		cfa = (cfi_kind(rule) == CFI_SP ? sp : fp) +
			(uint64_t)cfi_x86_offset(rule);
		at = cfa - 8 - start;
		below = cfi_x86_fp(rule);
		fp_at = fp_copy_offset(at, below);
		if (unlikely(at >= words || fp_at >= words || cfa <= sp ||
			    below == CFI_FP_HERE * 8))
			break;
		if (unlikely(n == turn_end)) {
			__builtin_prefetch(bytes + at);
			__builtin_prefetch(bytes + fp_at);
			has_left = true;
			end = RUN_TURN;
			break;
		}
	}
	chain->n = n;
	walk->pc = pc;
	walk->sp = sp;
	walk->fp = fp;
	walk->slot = slot;
	walk->is_exact = is_exact;
	walk->has_left = has_left;
	walk->cfa = cfa;
	walk->below = below;
	walk->region = region;
	*rule_ret = rule;
	return end;
}

/*
 * Unwinds frames on aarch64 while rules are plain (CFI_SP or CFI_FP), memory is
 * in the stack copy, and the return address is not in lr. Does not take turns
 * with other stacks.
 */
static inline enum run_end run_aarch64_frames(
	struct unwind_walk *walk, uint32_t *rule_ret)
{
	static const uint8_t below[] = { 0, 0, 8, 16, 32, 48, 64, 80 };
	const struct unwind_memory *memory = walk->memory;
	struct unwind_chain *chain = walk->chain;
	const uint64_t words = memory->size < 8 ? 0 : memory->size - 7;
	uint64_t cfa, fp_at, at;
	unsigned where;

	do {
		if (!walk->pc || chain->n >= chain->room ||
			!find_cached_rule(walk, &walk->region, walk->pc,
				walk->is_exact, rule_ret))
			return RUN_NO_RULE;
		unwind_push(walk);
		where = *rule_ret >> CFI_ARM_RA_SHIFT;
		if ((*rule_ret & 7) - CFI_SP > CFI_FP - CFI_SP ||
			where == CFI_RA_IN_LR)
			return RUN_ODD;
		cfa = (cfi_kind(*rule_ret) == CFI_SP ? walk->sp : walk->fp) +
			(uint64_t)cfi_arm_offset(*rule_ret);
		fp_at = cfa - cfi_arm_fp(*rule_ret);
		at = where == CFI_RA_ABOVE_FP ? fp_at + 8 : cfa - below[where];
		if (at - memory->start >= words || cfa <= walk->sp)
			return RUN_ODD;
		if (fp_at != cfa) {
			if (fp_at - memory->start >= words)
				return RUN_ODD;
			memcpy(&walk->fp,
				memory->bytes + (fp_at - memory->start),
				sizeof(walk->fp));
		}
		memcpy(&walk->pc, memory->bytes + (at - memory->start),
			sizeof(walk->pc));
		walk->pc &= UNWIND_ARM_ADDRESS;
		walk->slot = at;
		walk->sp = cfa;
		walk->is_exact = walk->has_lr = false;
		if (chain->n < walk->known_max)
			walk->known[chain->n] = (struct unwind_known){ walk->pc,
				cfa, walk->fp, (int32_t)(cfa - at),
				(int32_t)(cfa - fp_at) };
	} while (cfa < walk->same_sp);
	return RUN_SAME;
}

bool unwind_run(struct unwind_walk *walk)
{
	bool is_arm = walk->unwinder->arch == UNWIND_AARCH64;
	uint32_t rule;

	for (;;) {
		switch (is_arm ? run_aarch64_frames(walk, &rule)
			       : run_x86_64_frames(walk, &rule)) {
		case RUN_NO_RULE:
			if (!walk->pc && walk->chain->n)
				unwind_stop_at_zero(walk);
			else if (walk->chain->n == walk->chain->room)
				unwind_stop(walk, UNWIND_LIMIT);
			else
				unwind_stop(walk, UNWIND_NO_CODE);
			return false;
		case RUN_SAME: unwind_memo_join(walk); break;
		case RUN_ODD:
			if (!unwind_step(walk, rule))
				return false;
			unwind_memo_break(walk);
			break;
		case RUN_TURN: return true;
		}
	}
}
