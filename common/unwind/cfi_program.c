/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/cfi_program.h"

#include "common/util/bytes.h"

/* DW_CFA_*: DWARF 5, 7.24; GNU extensions: LSB 5, 10.2. */
enum operation {
	OP_ADVANCE = 0x40, /* up to OP_RESTORE: in the upper two bits */
	OP_OFFSET = 0x80,
	OP_RESTORE = 0xc0,
	OP_NOP = 0x00,
	OP_SET_LOC = 0x01,
	OP_ADVANCE1 = 0x02,
	OP_ADVANCE2 = 0x03,
	OP_ADVANCE4 = 0x04,
	OP_OFFSET_EXTENDED = 0x05,
	OP_RESTORE_EXTENDED = 0x06,
	OP_UNDEFINED = 0x07,
	OP_SAME_VALUE = 0x08,
	OP_REGISTER = 0x09,
	OP_REMEMBER = 0x0a,
	OP_RESTORE_STATE = 0x0b,
	OP_DEF_CFA = 0x0c,
	OP_DEF_CFA_REGISTER = 0x0d,
	OP_DEF_CFA_OFFSET = 0x0e,
	OP_DEF_CFA_EXPRESSION = 0x0f,
	OP_EXPRESSION = 0x10,
	OP_OFFSET_EXTENDED_SF = 0x11,
	OP_DEF_CFA_SF = 0x12,
	OP_DEF_CFA_OFFSET_SF = 0x13,
	OP_VAL_OFFSET = 0x14,
	OP_VAL_OFFSET_SF = 0x15,
	OP_VAL_EXPRESSION = 0x16,
	/* aarch64: ignored, because pcs are masked */
	OP_NEGATE_RA_STATE = 0x2d,
	OP_ARGS_SIZE = 0x2e,
	OP_NEGATIVE_OFFSET = 0x2f,
};

/*
 * Returns the place of register N in the current row, or, for registers that
 * are not unwound (vectors), an unused place.
 */
static struct cfi_place *register_place(struct cfi_walk *walk, uint64_t n)
{
	static _Thread_local struct cfi_place unused;

	return n < UNWIND_REGISTERS ? &walk->row.at[n] : &unused;
}

/*
 * Returns OFFSET as 32 bits. Marks the program as damaged if OFFSET does not
 * fit.
 */
static int32_t check_cfi_offset(struct cfi_walk *walk, int64_t offset)
{
	if ((int32_t)offset != offset)
		walk->program.ok = false;
	return (int32_t)offset;
}

static int64_t scale_cfi_offset(const struct cfi_walk *walk, int64_t factored)
{
	return (int64_t)((uint64_t)factored * (uint64_t)walk->cie->data_align);
}

static void set_offset_place(struct cfi_walk *walk, uint64_t n,
	enum cfi_where where, int64_t factored)
{
	struct cfi_place *at = register_place(walk, n);

	at->where = where;
	at->offset = check_cfi_offset(walk, scale_cfi_offset(walk, factored));
}

static void set_expression_place(
	struct cfi_walk *walk, struct cfi_place *at, enum cfi_where where)
{
	struct bytes *b = &walk->program;
	uint64_t size = bytes_uleb(b);

	if (size > bytes_left(b)) {
		b->ok = false;
		return;
	}
	at->where = where;
	at->n = (uint32_t)size;
	at->offset = (int32_t)(b->at - walk->section->at);
	bytes_take(b, (size_t)size);
}

static void set_cfa_place(struct cfi_walk *walk, uint64_t n, int64_t offset)
{
	walk->row.cfa.where = CFI_IN;
	walk->row.cfa.n = (uint32_t)MIN(n, (uint64_t)CFI_PLACE_N_MAX);
	walk->row.cfa.offset = check_cfi_offset(walk, offset);
}

static void restore_cfi_register(struct cfi_walk *walk, uint64_t n)
{
	if (walk->is_initial)
		walk->program.ok = false;
	else if (n < UNWIND_REGISTERS)
		walk->row.at[n] = walk->cie->initial.at[n];
}

/* Runs OP, an operation that does not set the CFA or the location. */
static void run_register_op(struct cfi_walk *walk, unsigned op)
{
	struct bytes *b = &walk->program;
	uint64_t n;

	switch (op) {
	case OP_OFFSET_EXTENDED:
		n = bytes_uleb(b);
		set_offset_place(walk, n, CFI_AT_CFA, (int64_t)bytes_uleb(b));
		break;
	case OP_OFFSET_EXTENDED_SF:
		n = bytes_uleb(b);
		set_offset_place(walk, n, CFI_AT_CFA, bytes_sleb(b));
		break;
	case OP_NEGATIVE_OFFSET:
		n = bytes_uleb(b);
		set_offset_place(walk, n, CFI_AT_CFA, (int64_t)-bytes_uleb(b));
		break;
	case OP_VAL_OFFSET:
		n = bytes_uleb(b);
		set_offset_place(walk, n, CFI_IS_CFA, (int64_t)bytes_uleb(b));
		break;
	case OP_VAL_OFFSET_SF:
		n = bytes_uleb(b);
		set_offset_place(walk, n, CFI_IS_CFA, bytes_sleb(b));
		break;
	case OP_RESTORE_EXTENDED:
		restore_cfi_register(walk, bytes_uleb(b));
		break;
	case OP_UNDEFINED:
		register_place(walk, bytes_uleb(b))->where = CFI_UNDEFINED;
		break;
	case OP_SAME_VALUE:
		register_place(walk, bytes_uleb(b))->where = CFI_SAME;
		break;
	case OP_REGISTER:
		n = bytes_uleb(b);
		*register_place(walk, n) = (struct cfi_place){ CFI_IN,
			(uint32_t)MIN(bytes_uleb(b), (uint64_t)CFI_PLACE_N_MAX),
			0 };
		break;
	case OP_EXPRESSION:
		n = bytes_uleb(b);
		set_expression_place(
			walk, register_place(walk, n), CFI_AT_RESULT);
		break;
	case OP_VAL_EXPRESSION:
		n = bytes_uleb(b);
		set_expression_place(
			walk, register_place(walk, n), CFI_IS_RESULT);
		break;
	case OP_REMEMBER:
		if (walk->n_remembered < CFI_REMEMBERED_MAX)
			walk->remembered[walk->n_remembered++] = walk->row;
		else
			walk->program.ok = false;
		break;
	case OP_RESTORE_STATE:
		if (walk->n_remembered) {
			uint64_t start = walk->row.start;

			walk->row = walk->remembered[--walk->n_remembered];
			walk->row.start = start;
		} else
			walk->program.ok = false;
		break;
	case OP_ARGS_SIZE: bytes_uleb(b); break;
	case OP_NEGATE_RA_STATE:
		if (walk->arch == UNWIND_AARCH64)
			break;
		__attribute__((fallthrough));
	default: b->ok = false;
	}
}

/* Runs OP and returns true if OP sets the CFA. */
static bool run_cfa_op(struct cfi_walk *walk, unsigned op)
{
	struct bytes *b = &walk->program;
	struct cfi_place *cfa = &walk->row.cfa;
	uint64_t n;

	switch (op) {
	case OP_DEF_CFA:
		n = bytes_uleb(b);
		set_cfa_place(walk, n, (int64_t)bytes_uleb(b));
		return true;
	case OP_DEF_CFA_SF:
		n = bytes_uleb(b);
		set_cfa_place(walk, n, scale_cfi_offset(walk, bytes_sleb(b)));
		return true;
	case OP_DEF_CFA_REGISTER:
		b->ok = b->ok && cfa->where == CFI_IN;
		set_cfa_place(walk, bytes_uleb(b), cfa->offset);
		return true;
	case OP_DEF_CFA_OFFSET:
		b->ok = b->ok && cfa->where == CFI_IN;
		set_cfa_place(walk, cfa->n, (int64_t)bytes_uleb(b));
		return true;
	case OP_DEF_CFA_OFFSET_SF:
		b->ok = b->ok && cfa->where == CFI_IN;
		set_cfa_place(
			walk, cfa->n, scale_cfi_offset(walk, bytes_sleb(b)));
		return true;
	case OP_DEF_CFA_EXPRESSION:
		set_expression_place(walk, cfa, CFI_IS_RESULT);
		return true;
	}
	return false;
}

/*
 * Runs the operation at *AT if it is one of the most frequent operations and
 * its operand has one byte. Returns false, without running it, at any other
 * operation. Also returns false after an operation that advances the location,
 * and sets *BY_RET to the number of bytes.
 */
static inline bool run_short_op(
	struct cfi_walk *walk, const uint8_t **at, uint64_t *by_ret)
{
	struct cfi_row *row = &walk->row;
	unsigned op = (*at)[0], low = op & 0x3f, value = (*at)[1];

	switch (op & 0xc0) {
	case OP_ADVANCE:
		*at += 1;
		*by_ret = low * walk->cie->code_align;
		return !*by_ret;
	case OP_OFFSET:
		if (value & 0x80 || low >= UNWIND_REGISTERS)
			return false;
		*at += 2;
		row->at[low].where = CFI_AT_CFA;
		row->at[low].offset =
			(int32_t)(value * (int32_t)walk->cie->data_align);
		return true;
	}
	if (op != OP_DEF_CFA_OFFSET || value & 0x80 || row->cfa.where != CFI_IN)
		return false;
	*at += 2;
	row->cfa.offset = (int32_t)value;
	return true;
}

/*
 * Runs the next operation of walk->program. Returns the number of bytes by
 * which the location advances.
 */
static inline uint64_t run_cfi_op(struct cfi_walk *walk)
{
	struct bytes *b = &walk->program;
	unsigned op = bytes_u8(b), low = op & 0x3f;
	uint64_t factored;

	switch (op & 0xc0) {
	case OP_ADVANCE: return low * walk->cie->code_align;
	case OP_OFFSET:
		factored = bytes_uleb(b);
		set_offset_place(walk, low, CFI_AT_CFA, (int64_t)factored);
		return 0;
	case OP_RESTORE: restore_cfi_register(walk, low); return 0;
	}
	switch (op) {
	case OP_NOP: return 0;
	case OP_SET_LOC: {
		/*
		 * Compilers do not write DW_CFA_set_loc; only absolute
		 * addresses are supported.
		 */
		uint64_t to = walk->cie->address_size == 4
			? bytes_u32(&walk->program)
			: bytes_u64(&walk->program);

		if (walk->cie->encoding || to < walk->location) {
			walk->program.ok = false;
			return 0;
		}
		return to - walk->location;
	}
	case OP_ADVANCE1: return bytes_u8(b) * walk->cie->code_align;
	case OP_ADVANCE2: return bytes_u16(b) * walk->cie->code_align;
	case OP_ADVANCE4: return bytes_u32(b) * walk->cie->code_align;
	}
	if (!run_cfa_op(walk, op))
		run_register_op(walk, op);
	return 0;
}

bool cfi_run_initial(const struct cfi_section *section, enum unwind_arch arch,
	struct cfi_cie *cie)
{
	struct cfi_walk walk;

	walk.section = section;
	walk.arch = arch;
	walk.cie = cie;
	walk.program = cie->program;
	walk.location = 0;
	walk.n_remembered = 0;
	walk.is_initial = true;
	memset(&walk.row, 0, sizeof(walk.row));
	while (walk.program.ok && bytes_left(&walk.program))
		run_cfi_op(&walk);
	cie->initial = walk.row;
	return walk.program.ok;
}

void cfi_walk_start(struct cfi_walk *walk, const struct cfi_section *section,
	enum unwind_arch arch, const struct cfi_cie *cie,
	const struct cfi_fde *fde, struct bytes program)
{
	walk->section = section;
	walk->arch = arch;
	walk->cie = cie;
	walk->program = program;
	walk->location = fde->start;
	walk->end = fde->end;
	walk->n_remembered = 0;
	walk->is_initial = walk->is_over = walk->is_damaged = false;
	walk->row = cie->initial;
	walk->row.is_signal = cie->is_signal;
}

bool cfi_walk_next(struct cfi_walk *walk)
{
	uint64_t by = 0;

	if (walk->is_over || walk->location >= walk->end)
		return false;
	walk->row.start = walk->location;
	while (!by && walk->program.ok && bytes_left(&walk->program)) {
		const uint8_t *at = walk->program.at;
		const uint8_t *last = walk->program.end - 1;

		while (at < last && run_short_op(walk, &at, &by))
			;
		walk->program.at = at;
		if (!by && at <= last)
			by = run_cfi_op(walk);
	}
	if (!walk->program.ok) {
		walk->is_over = walk->is_damaged = true;
		return false;
	}
	if (by && by < walk->end - walk->location) {
		walk->location += by;
	} else {
		walk->location = walk->end;
		walk->is_over = true;
	}
	walk->row.end = walk->location;
	return true;
}
