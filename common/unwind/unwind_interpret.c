/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds by interpreting CFI with all registers: for CFI rows that do not fit
 * into rules of 32 bits, and for i386. One stack in thousands is unwound in
 * this way. libunwind is not an alternative: its evaluation of DWARF
 * expressions may run forever, and it supports one processor per library.
 */
#include "config.h"

#include "common/unwind/cfi_program.h"
#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"

/* Bitmaps of the callee-saved registers, by DWARF number. */
static const uint64_t preserved[] = {
	[UNWIND_X86_64] = 1 << 3 | 1 << 6 | 0xf000,
	[UNWIND_AARCH64] = 0x3ff80000,
	[UNWIND_I386] = 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7,
};

/* The frame that is being unwound to its caller. */
struct interpret_state {
	struct unwind_walk *walk;
	struct unwind_registers registers; /* at the frame's pc */
	const struct cfi_section *expressions;
	struct cfi_row row;
	uint64_t cfa;
};

static bool evaluate_place(struct interpret_state *frame,
	const struct cfi_place *place, const uint64_t *cfa, uint64_t *ret)
{
	struct bytes code = bytes_of(
		frame->expressions->at + place->offset, place->n, false);
	enum unwind_end before = frame->walk->chain->end;

	frame->walk->chain->end = UNWIND_ENDS;
	if (unwind_expression(frame->walk, &frame->registers, code, cfa, ret)) {
		frame->walk->chain->end = before;
		return true;
	}
	/* A failed unwind_load() has set chain->end already. */
	if (frame->walk->chain->end == UNWIND_ENDS)
		unwind_stop(frame->walk, UNWIND_REGISTER);
	return false;
}

static bool find_frame_cfa(struct interpret_state *frame)
{
	const struct cfi_place *cfa = &frame->row.cfa;

	if (cfa->where == CFI_IS_RESULT)
		return evaluate_place(frame, cfa, NULL, &frame->cfa);
	if (cfa->where != CFI_IN || cfa->n >= UNWIND_REGISTERS ||
		!(frame->registers.known >> cfa->n & 1))
		return unwind_stop(frame->walk, UNWIND_REGISTER);
	frame->cfa = frame->registers.value[cfa->n] + (uint64_t)cfa->offset;
	if (unwind_numbers[frame->walk->unwinder->arch].word_size == 4)
		frame->cfa = (uint32_t)frame->cfa;
	return true;
}

/*
 * Returns true if register N is known and the caller has the same value, for a
 * row that does not say where register N is saved.
 */
static bool is_register_kept(const struct interpret_state *frame, unsigned n)
{
	const struct cfi_place *place = &frame->row.at[n];

	if (!(frame->registers.known >> n & 1))
		return false;
	return place->where == CFI_SAME ||
		preserved[frame->walk->unwinder->arch] >> n & 1;
}

/* Returns true if register N was saved on the stack. */
static bool is_register_on_stack(
	const struct interpret_state *frame, unsigned n)
{
	const struct cfi_place *place = &frame->row.at[n];

	if (place->where == CFI_AT_CFA)
		return frame->cfa + (uint64_t)place->offset >= frame->walk->sp;
	return place->where == CFI_AT_RESULT;
}

/*
 * Sets *RET to the caller's register N, and *KNOWN_RET to true if the value is
 * known. Returns false if memory cannot be read.
 */
static bool find_caller_register(struct interpret_state *frame, unsigned n,
	uint64_t *ret, bool *known_ret)
{
	const struct cfi_place *place = &frame->row.at[n];
	uint64_t at;

	*known_ret = true;
	switch ((enum cfi_where)place->where) {
	case CFI_AT_CFA:
		at = frame->cfa + (uint64_t)place->offset;
		/*
		 * If the register's stack slot is below sp, the register was
		 * restored already (as in cfi_pack.c).
		 */
		if (at >= frame->walk->sp)
			return unwind_load(frame->walk, at, ret);
		break;
	case CFI_IS_CFA:
		*ret = frame->cfa + (uint64_t)place->offset;
		return true;
	case CFI_AT_RESULT: {
		struct unwind_walk *walk = frame->walk;
		unsigned fp = unwind_numbers[walk->unwinder->arch].fp;

		if (!evaluate_place(frame, place, &frame->cfa, &at))
			return false;
		/*
		 * The row can say that the caller's fp is saved where fp
		 * points, although the function has restored fp already.
		 */
		if (!(n == fp && !frame->row.is_signal &&
			    at == frame->registers.value[fp] &&
			    at - walk->sp >= frame->cfa - walk->sp))
			return unwind_load(walk, at, ret);
		break;
	}
	case CFI_IS_RESULT:
		return evaluate_place(frame, place, &frame->cfa, ret);
	case CFI_IN:
		*known_ret = place->n < UNWIND_REGISTERS &&
			frame->registers.known >> place->n & 1;
		*ret = *known_ret ? frame->registers.value[place->n] : 0;
		return true;
	case CFI_UNDEFINED: *known_ret = false; return true;
	case CFI_UNSPECIFIED:
	case CFI_SAME: break;
	}
	*ret = frame->registers.value[n];
	*known_ret = is_register_kept(frame, n);
	return true;
}

/* Copies the registers that struct unwind_walk has from REGISTERS to WALK. */
static void take_walk_registers(
	struct unwind_walk *walk, const struct unwind_registers *registers)
{
	const struct unwind_numbers *numbers =
		&unwind_numbers[walk->unwinder->arch];

	walk->pc = registers->pc;
	walk->sp = registers->value[numbers->sp];
	walk->fp = registers->value[numbers->fp];
	walk->lr = registers->value[numbers->ra];
	walk->has_lr = walk->unwinder->arch == UNWIND_AARCH64 &&
		registers->known >> numbers->ra & 1;
}

/*
 * Sets next->pc, the caller's pc, to the return address. Afterwards, the
 * caller's value of the return-address register is unknown, except after a
 * signal.
 */
static bool find_caller_pc(
	struct interpret_state *frame, struct unwind_registers *next)
{
	unsigned ra = unwind_numbers[frame->walk->unwinder->arch].ra;
	bool is_arm = frame->walk->unwinder->arch == UNWIND_AARCH64;

	if (is_arm && !is_register_on_stack(frame, ra) &&
		frame->registers.known >> ra & 1)
		next->pc = frame->registers.value[ra];
	else if (next->known >> ra & 1)
		next->pc = next->value[ra];
	else
		return unwind_stop(frame->walk, UNWIND_REGISTER);
	if (is_arm)
		next->pc &= UNWIND_ARM_ADDRESS;
	if (!frame->row.is_signal)
		next->known &= ~(UINT64_C(1) << ra);
	return true;
}

static bool step_by_row(struct interpret_state *frame)
{
	struct unwind_walk *walk = frame->walk;
	const struct unwind_numbers *numbers =
		&unwind_numbers[walk->unwinder->arch];
	struct unwind_registers next = { 0 };
	uint64_t sp = walk->sp;
	unsigned n;

	if (!find_frame_cfa(frame) ||
		(!frame->row.is_signal &&
			!unwind_accepts(walk, frame->cfa, walk->sp)))
		return false;
	for (n = 0; n < UNWIND_REGISTERS; n++) {
		bool is_known;

		if (!find_caller_register(
			    frame, n, &next.value[n], &is_known)) {
			/* Only sp and the return address are required. */
			if (n == numbers->sp || n == numbers->ra)
				return false;
			is_known = false;
		}
		next.known |= (uint64_t)is_known << n;
	}
	if (frame->row.at[numbers->sp].where <= CFI_SAME)
		next.value[numbers->sp] = frame->cfa;
	next.known |= UINT64_C(1) << numbers->sp;
	if (!find_caller_pc(frame, &next))
		return false;
	const struct cfi_place *place = &frame->row.at[numbers->ra];
	walk->slot = frame->cfa +
		(place->where == CFI_AT_CFA ? (uint64_t)place->offset : 0);
	walk->is_exact = false;
	take_walk_registers(walk, &next);
	if (frame->row.is_signal) {
		unwind_mark_exact(walk);
		unwind_note_interrupted(walk, sp);
	}
	frame->registers = next;
	return true;
}

/*
 * Updates frame->registers after a step without a CFI row: only the registers
 * in the bitmap KEPT and the registers that the step loaded into frame->walk
 * are known.
 */
static void forget_registers(struct interpret_state *frame, uint64_t kept)
{
	const struct unwind_walk *walk = frame->walk;
	const struct unwind_numbers *numbers =
		&unwind_numbers[walk->unwinder->arch];

	frame->registers.known &= kept;
	frame->registers.known |=
		UINT64_C(1) << numbers->sp | UINT64_C(1) << numbers->fp;
	frame->registers.value[numbers->sp] = walk->sp;
	frame->registers.value[numbers->fp] = walk->fp;
	if (walk->has_lr)
		frame->registers.known |= UINT64_C(1) << numbers->ra;
	frame->registers.value[numbers->ra] = walk->lr;
	frame->registers.pc = walk->pc;
}

static bool step_frame_signal(struct interpret_state *frame)
{
	if (!unwind_step_signal(frame->walk))
		return false;
	forget_registers(frame, 0);
	return true;
}

static bool step_frame(
	struct interpret_state *frame, const struct unwind_region *region)
{
	struct unwind_walk *walk = frame->walk;
	uint64_t address = unwind_place(walk) - region->bias;
	uint32_t rule = unwind_rule(region, walk->pc, walk->is_exact);

	if ((rule == CFI_NONE || rule == CFI_PADDING) &&
		unwind_is_sigreturn(walk))
		return step_frame_signal(frame);
	if (rule == CFI_ROOT || rule == CFI_PADDING)
		return unwind_stop(walk, UNWIND_ROOT);
	if (rule == CFI_NONE) {
		unsigned fp = unwind_numbers[frame->walk->unwinder->arch].fp;

		if (!(frame->registers.known >> fp & 1))
			return unwind_stop(frame->walk, UNWIND_REGISTER);
		if (!unwind_step_fp(frame->walk))
			return false;
		forget_registers(frame, preserved[frame->walk->unwinder->arch]);
		return true;
	}
	if (rule == CFI_CLONE) {
		uint64_t known = frame->registers.known;
		unsigned fp = unwind_numbers[frame->walk->unwinder->arch].fp;

		if (!unwind_step_clone(frame->walk))
			return false;
		forget_registers(frame, preserved[frame->walk->unwinder->arch]);
		/*
		 * fp is known only if it was known before, because the step
		 * did not load fp.
		 */
		frame->registers.known &= known | ~(UINT64_C(1) << fp);
		return true;
	}
	if (cfi_row(region->cfi, address, &frame->row, &frame->expressions)) {
		bool is_signal = rule == CFI_SIGNAL &&
			walk->unwinder->arch == UNWIND_AARCH64;

		/*
		 * On aarch64, the CFI of the signal trampoline in the vDSO
		 * leads to lr, and skips the interrupted code.
		 */
		if (!is_signal)
			return step_by_row(frame);
	}
	if (rule != CFI_SIGNAL)
		return unwind_stop(walk, UNWIND_NO_RULE);
	return step_frame_signal(frame);
}

void unwind_interpret(struct unwind_walk *walk)
{
	struct interpret_state frame = { .walk = walk,
		.registers = *walk->registers };

	walk->chain->is_slow = true;
	walk->chain->n = 0;
	walk->chain->n_guessed = 0;
	walk->chain->is_refused = false;
	walk->n_by_fp = 0;
	walk->is_exact = true;
	walk->chain->n_exact = 0;
	walk->chain->interrupted_at = 0;
	take_walk_registers(walk, &frame.registers);
	walk->lr &= UNWIND_ARM_ADDRESS;
	walk->slot = walk->sp;
	for (;;) {
		const struct unwind_region *region;

		if (!walk->pc && walk->chain->n) {
			unwind_stop_at_zero(walk);
			return;
		}
		region = unwind_find(
			walk->unwinder, walk->space, unwind_place(walk));
		if (!region) {
			unwind_stop(walk, UNWIND_NO_CODE);
			return;
		}
		if (!unwind_push(walk) || !step_frame(&frame, region))
			return;
	}
}
