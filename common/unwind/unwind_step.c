/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the loops of unwind.c leave: misses, odd rules, memory elsewhere. */
#include "config.h"

#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"

/* linux, asm/sigcontext.h: from sp in the frame that calls sigreturn. */
#define X86_SIGNAL_FP 120
#define X86_SIGNAL_SP 160
#define X86_SIGNAL_PC 168
#define ARM_SIGNAL_FP 544
#define ARM_SIGNAL_LR 552
#define ARM_SIGNAL_SP 560
#define ARM_SIGNAL_PC 568

const struct unwind_here *unwind_find(struct unwinder *unwinder,
	const struct unwind_space *space, uint64_t pc)
{
	typeof(*unwinder->codes) *known = &unwinder->codes[
		((pc >> 20) ^ (pc >> 28) ^ space->id * 5) % UNWIND_CODES];
	struct unwind_code code;

	if (known->space == space->id && space->id &&
		pc - known->here.start < known->here.size)
		return &known->here;
	if (!space->find(space->data, pc, &code) || pc < code.start ||
		pc >= code.end)
		return NULL;
	known->space = space->id;
	known->here = (struct unwind_here){ code.start, code.end - code.start,
		code.bias, code.cfi, code.cfi ? cfi_id(code.cfi) : 0 };
	return &known->here;
}

/* .plt's rule says where its entries push; here the pc is known. */
static uint32_t resolve_plt(uint32_t rule, uint64_t address)
{
	uint32_t words = 1 + ((address & 15) >= rule >> CFI_PLT_SHIFT);

	return CFI_SP | words << 3;
}

uint32_t unwind_rule(
	const struct unwind_here *here, uint64_t pc, bool is_exact)
{
	uint64_t address = pc - here->bias, at = address - !is_exact;
	uint32_t rule = here->cfi ? cfi_rule(here->cfi, at) : CFI_NONE;

	if ((rule & 0xff) == CFI_PLT)
		return resolve_plt(rule, at);
	if (rule != CFI_PADDING && (rule != CFI_CLONE || is_exact))
		return rule;
	rule = is_exact ? CFI_NONE : cfi_rule(here->cfi, address);
	return rule == CFI_NONE || rule == CFI_PADDING || rule == CFI_CLONE
		? CFI_NONE
		: CFI_PADDING;
}

uint32_t unwind_miss(struct unwinder *unwinder, const struct unwind_here *here,
	uint64_t pc, bool is_exact)
{
	uint64_t at = pc - here->bias - !is_exact;
	uint32_t rule = unwind_rule(here, pc, is_exact);

	unwinder->counts.n_misses++;
	unwinder->cache[unwind_hash(here->id, at)] =
		(struct unwind_entry){ at, here->id, rule };
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

static void add_exact(struct unwind_chain *chain, size_t i)
{
	uint32_t n = chain->n_exact;

	if (n < UNWIND_EXACT_MAX && (!n || chain->exact[n - 1] < i))
		chain->exact[chain->n_exact++] = (uint32_t)i;
}

void unwind_mark_exact(struct unwind_walk *walk)
{
	struct unwind_chain *chain = walk->chain;

	walk->is_exact = true;
	add_exact(chain, chain->n - 1);
	add_exact(chain, chain->n);
}

static bool read_elsewhere(
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

/* AT: from the copy's beginning, in which it is not. */
static bool is_elsewhere(const struct unwind_walk *walk, uint64_t at)
{
	return walk->chain->interrupted_at &&
		at >= walk->memory->size + UNWIND_STACK_LIKELY;
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
	if (read_elsewhere(walk, address, ret))
		return true;
	if (is_elsewhere(walk, at))
		return unwind_stop(walk, UNWIND_ELSEWHERE);
	/* What is below sp belongs to nobody. */
	return unwind_stop(walk,
		at < UNWIND_STACK_MAX ? UNWIND_TRUNCATED : UNWIND_DAMAGED);
}

bool unwind_accepts(struct unwind_walk *walk, uint64_t cfa, uint64_t least)
{
	if (cfa >= least && cfa - walk->sp < UNWIND_STACK_MAX)
		return true;
	return unwind_stop(walk, UNWIND_DAMAGED);
}

static bool follow_fp(struct unwind_walk *walk)
{
	unsigned word = unwind_numbers[walk->unwinder->arch].word_size;
	uint64_t fp = walk->fp, pc, next;
	bool is_followed = unwind_is_followed(walk);

	/* So the deepest frame is marked: System V psABI x86-64, 3.4.1: "user code
	 * should mark the deepest stack frame by setting the frame pointer to
	 * zero"; aapcs64, 6.4.6: "the end of the frame record chain is
	 * indicated by the address zero". */
	if (!fp && is_followed && unwind_is_deepest(walk, walk->sp))
		return unwind_stop(walk, UNWIND_ROOT);
	if (unwind_step_code(walk))
		return true;
	if (fp < walk->sp || fp - walk->sp >= UNWIND_STACK_MAX ||
		fp & (word - 1))
		return unwind_stop(walk, UNWIND_NO_RULE);
	if (!unwind_load(walk, fp, &next) ||
		!unwind_load(walk, fp + word, &pc))
		return false;
	if (walk->unwinder->arch == UNWIND_AARCH64)
		pc &= UNWIND_ARM_ADDRESS;
	/* The mark, one frame earlier: its caller has no frame pointer, nor pc. */
	if (!pc && !next && is_followed &&
		unwind_is_deepest(walk, fp + word * 2))
		return unwind_stop(walk, UNWIND_ROOT);
	/* No caller at all may be one, where this isn't just any register. */
	if (pc ? !unwind_find(walk->unwinder, walk->space, pc - 1) ||
				unwind_skips_caller(walk, fp + word, pc, next)
	       : !is_followed)
		return unwind_stop(walk, UNWIND_NO_RULE);
	walk->pc = pc;
	walk->slot = fp + word;
	walk->sp = fp + word * 2;
	walk->fp = next;
	walk->is_exact = walk->has_lr = false;
	walk->chain->n_guessed++;
	walk->n_by_fp = walk->chain->n;
	return true;
}

bool unwind_step_fp(struct unwind_walk *walk)
{
	enum unwind_end end;

	if (unwind_is_sigreturn(walk))
		return unwind_step_signal(walk);
	if (follow_fp(walk))
		return true;
	end = unwind_is_begun(walk) ? UNWIND_ROOT : walk->chain->end;
	return (end != UNWIND_ROOT && unwind_step_begin(walk)) ||
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
	/* From a stack of its own to any other; room ends a circle. */
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

static bool step_special(struct unwind_walk *walk, uint32_t rule)
{
	switch ((enum cfi_special)(rule & 0xff)) {
	case CFI_NONE:
		return unwind_step_fp(walk);
	case CFI_ROOT:
		return unwind_stop(walk, UNWIND_ROOT);
	case CFI_SIGNAL:
		return unwind_step_signal(walk);
	case CFI_CLONE:
		return unwind_step_clone(walk);
	case CFI_PADDING:
		return unwind_step_put(walk);
	case CFI_COMPLEX:
	case CFI_PLT:
		break;
	}
	walk->chain->is_slow = true;
	return false;
}

/* Only the sample's own registers are known here. */
static bool cfa_of_register(
	struct unwind_walk *walk, uint32_t rule, uint64_t *cfa_ret)
{
	unsigned n = rule >> CFI_REGISTER_SHIFT & 15;

	if (walk->chain->n != 1 || !(walk->registers->known >> n & 1)) {
		walk->chain->is_slow = true;
		return false;
	}
	*cfa_ret = walk->registers->value[n] + (uint64_t)cfi_x86_offset(rule);
	return true;
}

static bool step_x86_64(struct unwind_walk *walk, uint32_t rule)
{
	uint64_t cfa, pc, offset = (uint64_t)cfi_x86_offset(rule);
	uint64_t fp = walk->fp, words = rule >> CFI_X86_FP_SHIFT;

	switch (cfi_kind(rule)) {
	case CFI_SP:
		cfa = walk->sp + offset;
		break;
	case CFI_FP:
		cfa = walk->fp + offset;
		break;
	case CFI_DEREF_FP:
		if (!unwind_load(walk, walk->fp + offset, &cfa))
			return false;
		break;
	case CFI_REGISTER:
		words = rule >> CFI_REGISTER_FP_SHIFT;
		if (words == CFI_REGISTER_FP_HERE)
			words = CFI_FP_HERE;
		if (!cfa_of_register(walk, rule, &cfa))
			return false;
		break;
	case CFI_SPECIAL:
	default:
		return step_special(walk, rule);
	}
	if (!unwind_accepts(walk, cfa, walk->sp + 8) ||
		!unwind_load(walk, cfa - 8, &pc))
		return false;
	/* After leave, rules still say "where fp points": it isn't there. */
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

static bool step_aarch64(struct unwind_walk *walk, uint32_t rule)
{
	static const uint8_t below[] = { 0, 0, 8, 16, 32, 48, 64, 80 };
	unsigned where = rule >> CFI_ARM_RA_SHIFT;
	uint64_t cfa, fp_at, at, pc = walk->lr, fp = walk->fp;

	if (cfi_kind(rule) != CFI_SP && cfi_kind(rule) != CFI_FP)
		return step_special(walk, rule);
	cfa = (cfi_kind(rule) == CFI_SP ? walk->sp : walk->fp) +
		(uint64_t)cfi_arm_offset(rule);
	fp_at = cfa - cfi_arm_fp(rule);
	at = where == CFI_RA_ABOVE_FP ? fp_at + 8 : cfa - below[where];
	if (where == CFI_RA_IN_LR && !walk->has_lr)
		return unwind_stop(walk, UNWIND_REGISTER);
	if (!unwind_accepts(walk, cfa,
		    walk->sp + (where == CFI_RA_IN_LR ? 0 : 8)) ||
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
		return step_aarch64(walk, rule);
	return step_x86_64(walk, rule);
}
