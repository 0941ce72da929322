/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/cfi_program.h"

#include "common/util/leb.h"

/* DW_CFA_*: DWARF 5, 7.24; GNU's in LSB 5, 10.2. */
enum operation {
	OP_ADVANCE = 0x40, /* in the upper two bits */
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
	OP_NEGATE_RA_STATE = 0x2d, /* aarch64; ignored: see unwind.c */
	OP_ARGS_SIZE = 0x2e,
	OP_NEGATIVE_OFFSET = 0x2f,
};

/* Registers that nobody unwinds (vectors) land in a place that nobody reads. */
static struct cfi_place *place(struct cfi_walk *walk, uint64_t n)
{
	static _Thread_local struct cfi_place nobody;

	return n < UNWIND_REGISTERS ? &walk->row.at[n] : &nobody;
}

/* Offsets of 2 GiB are absurd. */
static int32_t checked(struct cfi_walk *walk, int64_t offset)
{
	if ((int32_t)offset != offset)
		walk->program.ok = false;
	return (int32_t)offset;
}

static int64_t aligned(const struct cfi_walk *walk, int64_t factored)
{
	return (int64_t)((uint64_t)factored * (uint64_t)walk->cie->data_align);
}

static void put_offset(struct cfi_walk *walk, uint64_t n, enum cfi_where where,
	int64_t factored)
{
	struct cfi_place *at = place(walk, n);

	at->where = where;
	at->offset = checked(walk, aligned(walk, factored));
}

static void put_expression(struct cfi_walk *walk, struct cfi_place *at,
	enum cfi_where where)
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

static void put_cfa(struct cfi_walk *walk, uint64_t n, int64_t offset)
{
	walk->row.cfa.where = CFI_IN;
	walk->row.cfa.n = (uint32_t)MIN(n, (uint64_t)CFI_PLACE_N_MAX);
	walk->row.cfa.offset = checked(walk, offset);
}

static void restore(struct cfi_walk *walk, uint64_t n)
{
	if (walk->is_initial)
		walk->program.ok = false;
	else if (n < UNWIND_REGISTERS)
		walk->row.at[n] = walk->cie->initial.at[n];
}

static void remember(struct cfi_walk *walk)
{
	if (walk->n_remembered < CFI_REMEMBERED_MAX)
		walk->remembered[walk->n_remembered++] = walk->row;
	else
		walk->program.ok = false;
}

static void restore_state(struct cfi_walk *walk)
{
	uint64_t start = walk->row.start;

	if (!walk->n_remembered) {
		walk->program.ok = false;
		return;
	}
	walk->row = walk->remembered[--walk->n_remembered];
	walk->row.start = start;
}

/* Gives what LOCATION advances by. */
static uint64_t read_set_loc(struct cfi_walk *walk)
{
	/* Compilers don't write it; addresses of other forms aren't read. */
	uint64_t to = walk->cie->address_size == 4 ? bytes_u32(&walk->program) :
						     bytes_u64(&walk->program);

	if (walk->cie->encoding || to < walk->location) {
		walk->program.ok = false;
		return 0;
	}
	return to - walk->location;
}

/* What isn't about the CFA or the location. */
static void run_register(struct cfi_walk *walk, unsigned op)
{
	struct bytes *b = &walk->program;
	uint64_t n;

	switch (op) {
	case OP_OFFSET_EXTENDED:
		n = bytes_uleb(b);
		put_offset(walk, n, CFI_AT_CFA, (int64_t)bytes_uleb(b));
		break;
	case OP_OFFSET_EXTENDED_SF:
		n = bytes_uleb(b);
		put_offset(walk, n, CFI_AT_CFA, bytes_sleb(b));
		break;
	case OP_NEGATIVE_OFFSET:
		n = bytes_uleb(b);
		put_offset(walk, n, CFI_AT_CFA, (int64_t)-bytes_uleb(b));
		break;
	case OP_VAL_OFFSET:
		n = bytes_uleb(b);
		put_offset(walk, n, CFI_IS_CFA, (int64_t)bytes_uleb(b));
		break;
	case OP_VAL_OFFSET_SF:
		n = bytes_uleb(b);
		put_offset(walk, n, CFI_IS_CFA, bytes_sleb(b));
		break;
	case OP_RESTORE_EXTENDED:
		restore(walk, bytes_uleb(b));
		break;
	case OP_UNDEFINED:
		place(walk, bytes_uleb(b))->where = CFI_UNDEFINED;
		break;
	case OP_SAME_VALUE:
		place(walk, bytes_uleb(b))->where = CFI_SAME;
		break;
	case OP_REGISTER:
		n = bytes_uleb(b);
		*place(walk, n) = (struct cfi_place){ CFI_IN,
			(uint32_t)MIN(bytes_uleb(b), (uint64_t)CFI_PLACE_N_MAX),
			0 };
		break;
	case OP_EXPRESSION:
		n = bytes_uleb(b);
		put_expression(walk, place(walk, n), CFI_AT_RESULT);
		break;
	case OP_VAL_EXPRESSION:
		n = bytes_uleb(b);
		put_expression(walk, place(walk, n), CFI_IS_RESULT);
		break;
	case OP_REMEMBER:
		remember(walk);
		break;
	case OP_RESTORE_STATE:
		restore_state(walk);
		break;
	case OP_ARGS_SIZE:
		bytes_uleb(b);
		break;
	case OP_NEGATE_RA_STATE:
		if (walk->arch == UNWIND_AARCH64)
			break;
		__attribute__((fallthrough));
	default:
		b->ok = false;
	}
}

/* True: it was about the CFA. */
static bool run_cfa(struct cfi_walk *walk, unsigned op)
{
	struct bytes *b = &walk->program;
	struct cfi_place *cfa = &walk->row.cfa;
	uint64_t n;

	switch (op) {
	case OP_DEF_CFA:
		n = bytes_uleb(b);
		put_cfa(walk, n, (int64_t)bytes_uleb(b));
		return true;
	case OP_DEF_CFA_SF:
		n = bytes_uleb(b);
		put_cfa(walk, n, aligned(walk, bytes_sleb(b)));
		return true;
	case OP_DEF_CFA_REGISTER:
		b->ok = b->ok && cfa->where == CFI_IN;
		put_cfa(walk, bytes_uleb(b), cfa->offset);
		return true;
	case OP_DEF_CFA_OFFSET:
		b->ok = b->ok && cfa->where == CFI_IN;
		put_cfa(walk, cfa->n, (int64_t)bytes_uleb(b));
		return true;
	case OP_DEF_CFA_OFFSET_SF:
		b->ok = b->ok && cfa->where == CFI_IN;
		put_cfa(walk, cfa->n, aligned(walk, bytes_sleb(b)));
		return true;
	case OP_DEF_CFA_EXPRESSION:
		put_expression(walk, cfa, CFI_IS_RESULT);
		return true;
	}
	return false;
}

/*
 * Runs what nearly all of them are, one byte each, with the cursor in AT. False
 * at the first other one, and after one that advances, by BY_RET.
 */
static inline bool run_short(
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

/* Runs one; gives what LOCATION advances by. */
static inline uint64_t run(struct cfi_walk *walk)
{
	struct bytes *b = &walk->program;
	unsigned op = bytes_u8(b), low = op & 0x3f;
	uint64_t factored;

	switch (op & 0xc0) {
	case OP_ADVANCE:
		return low * walk->cie->code_align;
	case OP_OFFSET:
		factored = bytes_uleb(b);
		put_offset(walk, low, CFI_AT_CFA, (int64_t)factored);
		return 0;
	case OP_RESTORE:
		restore(walk, low);
		return 0;
	}
	switch (op) {
	case OP_NOP:
		return 0;
	case OP_SET_LOC:
		return read_set_loc(walk);
	case OP_ADVANCE1:
		return bytes_u8(b) * walk->cie->code_align;
	case OP_ADVANCE2:
		return bytes_u16(b) * walk->cie->code_align;
	case OP_ADVANCE4:
		return bytes_u32(b) * walk->cie->code_align;
	}
	if (!run_cfa(walk, op))
		run_register(walk, op);
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
		run(&walk);
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

		while (at < last && run_short(walk, &at, &by))
			;
		walk->program.at = at;
		if (!by && at <= last)
			by = run(walk);
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
