/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One step out of a frame, by a rule of any kind or without a rule. */
#include "config.h"

#include "common/unwind/cfi_rule.h"
#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"

static bool follow_frame_pointer(struct unwind_walk *walk)
{
	unsigned word = unwind_numbers[walk->unwinder->arch].word_size;
	uint64_t fp = walk->fp, pc, next;
	bool is_followed = unwind_is_followed(walk);

	/*
	 * A frame pointer of 0 marks the outermost frame. System V psABI
	 * x86-64, 3.4.1: "user code should mark the deepest stack frame by
	 * setting the frame pointer to zero"; aapcs64, 6.4.6: "the end of the
	 * frame record chain is indicated by the address zero".
	 */
	if (!fp && is_followed && unwind_is_deepest(walk, walk->sp))
		return unwind_stop(walk, UNWIND_ROOT);
	if (unwind_step_code(walk))
		return true;
	if (fp < walk->sp || fp - walk->sp >= UNWIND_STACK_MAX ||
		fp & (word - 1))
		return unwind_stop(walk, UNWIND_NO_RULE);
	if (!unwind_load(walk, fp, &next) || !unwind_load(walk, fp + word, &pc))
		return false;
	if (walk->unwinder->arch == UNWIND_AARCH64)
		pc &= UNWIND_ARM_ADDRESS;
	/*
	 * The caller has neither frame pointer nor pc: the current frame is the
	 * outermost frame.
	 */
	if (!pc && !next && is_followed &&
		unwind_is_deepest(walk, fp + word * 2))
		return unwind_stop(walk, UNWIND_ROOT);
	/*
	 * A pc of 0 is accepted only if the frame pointer was followed to this
	 * frame; otherwise fp may be any value.
	 */
	if (pc ? !unwind_find(walk->unwinder, walk->space, pc - 1) ||
				unwind_skips_caller(walk, fp + word, pc, next)
	       : !is_followed)
		return unwind_stop(walk, UNWIND_NO_RULE);
	if (pc && unwind_lacks_fp(walk) &&
		unwind_fp_skips_caller(walk, fp + word)) {
		walk->chain->is_refused = true;
		return unwind_stop(walk, UNWIND_NO_RULE);
	}
	walk->pc = pc;
	walk->slot = fp + word;
	walk->sp = fp + word * 2;
	walk->fp = next;
	walk->is_exact = walk->has_lr = false;
	walk->chain->n_guessed++;
	walk->n_by_fp = walk->chain->n;
	return true;
}

/*
 * Replaces the current frame in the chain by the functions of STEP. If STEP has no
 * function, removes the frame from the chain, unless it is the sampled one. Returns
 * false if the chain is full.
 */
static bool show_runtime_functions(
	struct unwind_walk *walk, const struct runtime_step *step)
{
	struct unwind_chain *chain = walk->chain;
	size_t i;

	if (step->n)
		chain->pcs[chain->n - 1] = step->functions[0];
	else if (chain->n > 1) {
		/* Remove the last frame of the chain, and its state. */
		chain->n--;
		chain->n_copied = MIN(chain->n_copied, chain->n);
		if (chain->n_exact &&
			chain->exact[chain->n_exact - 1] >= chain->n)
			chain->n_exact--;
		walk->n_by_fp = 0;
	}
	for (i = 1; i < step->n; i++) {
		unwind_memo_break(walk);
		walk->pc = step->functions[i];
		if (!unwind_push(walk))
			return false;
	}
	return true;
}

static bool load_for_runtime(void *stack, uint64_t address, uint64_t *word_ret)
{
	return unwind_load(stack, address, word_ret);
}

/*
 * Steps out of a frame by the language runtime of its code. If the chain becomes full,
 * the result is RUNTIME_STEPPED, and *IS_FULL_RET is true. If the result is
 * RUNTIME_REJECTED, the reason for the end of the chain is set.
 */
static enum runtime_result step_runtime_frame(
	struct unwind_walk *walk, bool *is_full_ret)
{
	const struct unwind_space *space = walk->space;
	const struct runtime_frame frame = { walk->pc, walk->sp, walk->fp,
		walk->is_exact, walk->chain->n == 1 ? walk->registers : NULL,
		load_for_runtime, walk };
	enum runtime_result result;
	struct runtime_step step;

	*is_full_ret = false;
	if (!space->runtime)
		return RUNTIME_FOREIGN;
	/* If a word cannot be read, unwind_load() replaces this reason. */
	unwind_stop(walk, UNWIND_NO_RULE);
	result = space->runtime(space->data, &frame, &step);
	if (result != RUNTIME_STEPPED)
		return result;
	*is_full_ret = !show_runtime_functions(walk, &step);
	walk->pc = step.caller.pc;
	walk->sp = step.caller.sp;
	walk->fp = step.caller.fp;
	walk->slot = step.slot;
	walk->is_exact = walk->has_lr = false;
	return RUNTIME_STEPPED;
}

bool unwind_step_fp(struct unwind_walk *walk)
{
	enum unwind_end end;
	bool is_full;

	if (unwind_is_sigreturn(walk))
		return unwind_step_signal(walk);
	switch (step_runtime_frame(walk, &is_full)) {
	case RUNTIME_STEPPED: return !is_full;
	case RUNTIME_REJECTED: return false;
	case RUNTIME_FOREIGN: break;
	}
	if (follow_frame_pointer(walk))
		return true;
	end = unwind_is_thread_start(walk) ? UNWIND_ROOT : walk->chain->end;
	return (end != UNWIND_ROOT && unwind_step_to_start(walk)) ||
		unwind_stop(walk, end);
}

void unwind_note_interrupted(struct unwind_walk *walk, uint64_t frame)
{
	const struct unwind_memory *memory = walk->memory;
	bool is_arm = walk->unwinder->arch == UNWIND_AARCH64;

	walk->chain->interrupted_at = 0;
	if (walk->sp - memory->start > memory->size)
		walk->chain->interrupted_at =
			frame + (is_arm ? ARM_SIGNAL_SP : X86_SIGNAL_SP);
}

bool unwind_step_signal(struct unwind_walk *walk)
{
	bool is_arm = walk->unwinder->arch == UNWIND_AARCH64;
	uint64_t at = walk->sp, pc_at, fp, sp, pc;

	pc_at = at + (is_arm ? ARM_SIGNAL_PC : X86_SIGNAL_PC);
	if (!unwind_load(
		    walk, at + (is_arm ? ARM_SIGNAL_FP : X86_SIGNAL_FP), &fp) ||
		!unwind_load(walk,
			at + (is_arm ? ARM_SIGNAL_SP : X86_SIGNAL_SP), &sp) ||
		!unwind_load(walk, pc_at, &pc))
		return false;
	if (is_arm && !unwind_load(walk, at + ARM_SIGNAL_LR, &walk->lr))
		return false;
	/*
	 * The interrupted stack may be at any address; a cycle ends when the
	 * chain is full.
	 */
	walk->lr &= UNWIND_ARM_ADDRESS;
	walk->has_lr = is_arm;
	walk->fp = fp;
	walk->sp = sp;
	walk->pc = is_arm ? pc & UNWIND_ARM_ADDRESS : pc;
	walk->slot = pc_at;
	unwind_mark_exact(walk);
	unwind_note_interrupted(walk, at);
	return true;
}

/*
 * The creator of the stack, such as makecontext(), made the first function of
 * the stack return to the start of another function. The kernel lets a signal
 * handler return in the same way. If the frame was found by following the frame
 * pointer, walk->pc may be any pointer to a function.
 */
bool unwind_step_uncalled(struct unwind_walk *walk)
{
	if (unwind_is_sigreturn(walk))
		return unwind_step_signal(walk);
	return unwind_stop(walk,
		unwind_is_followed(walk) && !unwind_is_deepest(walk, walk->sp)
			? UNWIND_NO_RULE
			: UNWIND_ROOT);
}

static bool step_special_rule(struct unwind_walk *walk, uint32_t rule)
{
	switch ((enum cfi_special)(rule & 0xff)) {
	case CFI_NONE: return unwind_step_fp(walk);
	case CFI_ROOT: return unwind_stop(walk, UNWIND_ROOT);
	case CFI_SIGNAL: return unwind_step_signal(walk);
	case CFI_CLONE: return unwind_step_clone(walk);
	case CFI_PADDING: return unwind_step_uncalled(walk);
	case CFI_COMPLEX:
	case CFI_PLT: break;
	}
	walk->chain->is_slow = true;
	return false;
}

static bool step_aarch64_rule(struct unwind_walk *walk, uint32_t rule)
{
	static const uint8_t below[] = { 0, 0, 8, 16, 32, 48, 64, 80 };
	unsigned where = rule >> CFI_ARM_RA_SHIFT;
	uint64_t cfa, fp_at, at, pc = walk->lr, fp = walk->fp;

	if (cfi_kind(rule) != CFI_SP && cfi_kind(rule) != CFI_FP)
		return step_special_rule(walk, rule);
	cfa = (cfi_kind(rule) == CFI_SP ? walk->sp : walk->fp) +
		(uint64_t)cfi_arm_offset(rule);
	fp_at = cfa - cfi_arm_fp(rule);
	at = where == CFI_RA_ABOVE_FP ? fp_at + 8 : cfa - below[where];
	if (where == CFI_RA_IN_LR && !walk->has_lr)
		return unwind_stop(walk, UNWIND_REGISTER);
	if (!unwind_accepts(
		    walk, cfa, walk->sp + (where == CFI_RA_IN_LR ? 0 : 8)) ||
		(fp_at != cfa && !unwind_load(walk, fp_at, &fp)) ||
		(where != CFI_RA_IN_LR && !unwind_load(walk, at, &pc)))
		return false;
	walk->pc = pc & UNWIND_ARM_ADDRESS;
	walk->sp = cfa;
	walk->fp = fp;
	walk->slot = where == CFI_RA_IN_LR ? cfa : at;
	walk->is_exact = walk->has_lr = false;
	return true;
}

bool unwind_step(struct unwind_walk *walk, uint32_t rule)
{
	if (walk->unwinder->arch == UNWIND_AARCH64)
		return step_aarch64_rule(walk, rule);
	uint64_t cfa, pc, offset = (uint64_t)cfi_x86_offset(rule);
	uint64_t fp = walk->fp, words = rule >> CFI_X86_FP_SHIFT;

	switch (cfi_kind(rule)) {
	case CFI_SP: cfa = walk->sp + offset; break;
	case CFI_FP: cfa = walk->fp + offset; break;
	case CFI_DEREF_FP:
		if (!unwind_load(walk, walk->fp + offset, &cfa))
			return false;
		break;
	case CFI_REGISTER: {
		unsigned n = rule >> CFI_REGISTER_SHIFT & 15;

		words = rule >> CFI_REGISTER_FP_SHIFT;
		if (words == CFI_REGISTER_FP_HERE)
			words = CFI_FP_HERE;
		/*
		 * Registers other than sp and fp are known only in the sampled
		 * frame.
		 */
		if (walk->chain->n != 1 || !(walk->registers->known >> n & 1)) {
			walk->chain->is_slow = true;
			return false;
		}
		cfa = walk->registers->value[n] + offset;
		break;
	}
	case CFI_SPECIAL:
	default: return step_special_rule(walk, rule);
	}
	if (!unwind_accepts(walk, cfa, walk->sp + 8) ||
		!unwind_load(walk, cfa - 8, &pc))
		return false;
	/*
	 * After a leave instruction, the rule still says that the caller's fp
	 * is saved where fp points, but fp is restored already.
	 */
	if (words == CFI_FP_HERE) {
		if (fp - walk->sp < cfa - walk->sp &&
			!unwind_load(walk, walk->fp, &fp))
			return false;
	} else if (words && !unwind_load(walk, cfa - words * 8, &fp)) {
		return false;
	}
	walk->pc = pc;
	walk->sp = cfa;
	walk->fp = fp;
	walk->slot = cfa - 8;
	walk->is_exact = false;
	return true;
}
