/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packs rows of CFI into rules of 32 bits. */
#include "config.h"

#include "common/unwind/cfi.h"
#include "common/unwind/cfi_private.h"
#include "common/util/bytes.h"

/* DW_OP_*: DWARF 5, 7.7.1. */
#define OP_DEREF 0x06
#define OP_LIT0 0x30
#define OP_BREG0 0x70

static bool is_unchanged_place(const struct cfi_place *place)
{
	return place->where == CFI_UNSPECIFIED || place->where == CFI_SAME;
}

/*
 * Reads the DWARF expression at PLACE if it is "register N + offset".
 * *IS_DEREF_RET is true if the expression then loads the word at that address.
 * Returns false for other expressions.
 */
static bool read_register_offset(const struct cfi_section *section,
	const struct cfi_place *place, unsigned n, int64_t *offset_ret,
	bool *is_deref_ret)
{
	struct bytes b = bytes_of(section->at + place->offset, place->n, false);

	if (bytes_u8(&b) != OP_BREG0 + n)
		return false;
	*offset_ret = bytes_sleb(&b);
	*is_deref_ret = b.ok && bytes_left(&b) == 1 && *b.at == OP_DEREF;
	return b.ok && (*is_deref_ret || !bytes_left(&b));
}

/* Returns true if PLACE is the memory at register N plus OFFSET. */
static bool is_memory_at(const struct cfi_section *section,
	const struct cfi_place *place, unsigned n, int64_t offset)
{
	int64_t found;
	bool is_deref;

	return place->where == CFI_AT_RESULT &&
		read_register_offset(section, place, n, &found, &is_deref) &&
		!is_deref && found == offset;
}

/*
 * Reads the CFA expression that linkers write for .plt: rsp + 8 + ((rip & 15)
 * >= N) * 8. A PLT entry has pushed a word if the pc is at byte N of the entry
 * or later.
 */
static bool read_plt_rule(const struct cfi_section *section,
	const struct cfi_place *place, uint32_t *rule_ret)
{
	static const uint8_t wanted[] = { 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a,
		OP_LIT0, 0x2a, 0x33, 0x24, 0x22 };
	const uint8_t *at = section->at + place->offset;
	unsigned n;

	if (place->n != sizeof(wanted))
		return false;
	n = at[6] - OP_LIT0;
	if (n > 15 || memcmp(at, wanted, 6) || memcmp(at + 7, wanted + 7, 4))
		return false;
	*rule_ret = CFI_PLT | n << CFI_PLT_SHIFT;
	return true;
}

/*
 * Converts PLACE, where the caller's fp is saved, to *RET: the number of words
 * below the CFA; 0: fp is unchanged; MAX + 1: fp points to the saved fp.
 * Returns false if PLACE is none of these.
 */
static bool read_fp_place(const struct cfi_section *section,
	const struct cfi_place *place, unsigned fp, uint32_t max, uint32_t *ret)
{
	if (is_unchanged_place(place) || place->where == CFI_UNDEFINED) {
		*ret = 0;
		return true;
	}
	if (place->where == CFI_AT_CFA && place->offset < 0 &&
		place->offset >= -(int64_t)max * 8 && !(place->offset & 7)) {
		*ret = (uint32_t)(-place->offset / 8);
		return true;
	}
	*ret = max + 1;
	return is_memory_at(section, place, fp, 0);
}

static bool fits_signed_bits(int64_t value, unsigned bits)
{
	return value >= -(INT64_C(1) << (bits - 1)) &&
		value < INT64_C(1) << (bits - 1);
}

/* Packs a row with an expression as CFA. */
static uint32_t x86_expression_rule(const struct cfi_section *section,
	const struct cfi_row *row, const struct unwind_numbers *numbers)
{
	const struct cfi_place *fp = &row->at[numbers->fp];
	bool is_deref;
	int64_t offset;
	uint32_t rule;

	if (read_plt_rule(section, &row->cfa, &rule))
		return is_unchanged_place(fp) ? rule : CFI_COMPLEX;
	if (!read_register_offset(
		    section, &row->cfa, numbers->fp, &offset, &is_deref) ||
		!is_deref || offset & 7 ||
		!fits_signed_bits(offset / 8, CFI_X86_OFFSET_BITS) ||
		!is_memory_at(section, fp, numbers->fp, 0))
		return CFI_COMPLEX;
	rule = (uint32_t)(offset / 8) & ((1u << CFI_X86_OFFSET_BITS) - 1);
	return CFI_DEREF_FP | rule << 3 | CFI_FP_HERE << CFI_X86_FP_SHIFT;
}

static bool is_x86_signal_row(const struct cfi_section *section,
	const struct cfi_row *row, const struct unwind_numbers *numbers)
{
	int64_t offset;
	bool is_deref;

	return row->cfa.where == CFI_IS_RESULT &&
		read_register_offset(
			section, &row->cfa, numbers->sp, &offset, &is_deref) &&
		is_deref && offset == X86_SIGNAL_SP &&
		is_memory_at(section, &row->at[numbers->ra], numbers->sp,
			X86_SIGNAL_PC) &&
		is_memory_at(section, &row->at[numbers->fp], numbers->sp,
			X86_SIGNAL_FP);
}

/*
 * Converts RA, the place of the return address, to *RET, an enum cfi_arm_ra. FP
 * is the number of words below the CFA at which the caller's fp is saved.
 * Returns false if no enum cfi_arm_ra describes RA.
 */
static bool read_arm_ra_place(
	const struct cfi_place *ra, uint32_t fp, uint32_t *ret)
{
	static const uint8_t below[] = { [CFI_RA_8] = 8,
		[CFI_RA_16] = 16,
		[CFI_RA_32] = 32,
		[CFI_RA_48] = 48,
		[CFI_RA_64] = 64,
		[CFI_RA_80] = 80 };
	uint32_t i;

	*ret = CFI_RA_IN_LR;
	if (is_unchanged_place(ra))
		return true;
	if (ra->where != CFI_AT_CFA)
		return false;
	*ret = CFI_RA_ABOVE_FP;
	if (fp && ra->offset == 8 - (int64_t)fp * 8)
		return true;
	for (i = CFI_RA_8; i < ARRAY_SIZE(below); i++) {
		*ret = i;
		if (ra->offset == -(int64_t)below[i])
			return true;
	}
	return false;
}

static uint32_t pack_arm_row(
	const struct cfi_section *section, const struct cfi_row *row)
{
	const struct unwind_numbers *numbers = &unwind_numbers[UNWIND_AARCH64];
	const struct cfi_place *ra = &row->at[numbers->ra];
	int64_t offset = row->cfa.offset;
	uint32_t kind, fp, where;

	if (ra->where == CFI_UNDEFINED)
		return CFI_ROOT;
	/*
	 * A signal frame: the frame of the kernel's trampoline in the vDSO has
	 * a fixed layout.
	 */
	if (row->is_signal)
		return CFI_SIGNAL;
	if (row->cfa.where != CFI_IN ||
		!is_unchanged_place(&row->at[numbers->sp]))
		return CFI_COMPLEX;
	if (row->cfa.n == numbers->sp)
		kind = CFI_SP;
	else if (row->cfa.n == numbers->fp)
		kind = CFI_FP;
	else
		return CFI_COMPLEX;
	if (offset & 15 ||
		!fits_signed_bits(offset / 16, CFI_ARM_OFFSET_BITS) ||
		!read_fp_place(section, &row->at[numbers->fp], numbers->fp,
			CFI_ARM_FP_MAX, &fp) ||
		fp > CFI_ARM_FP_MAX || !read_arm_ra_place(ra, fp, &where))
		return CFI_COMPLEX;
	/* fp and lr were popped already: their stack slots are below sp. */
	if (kind == CFI_SP && offset < (int64_t)fp * 8) {
		where = CFI_RA_IN_LR;
		fp = 0;
	}
	kind |= ((uint32_t)(offset / 16) & ((1u << CFI_ARM_OFFSET_BITS) - 1))
		<< 3;
	return kind | fp << CFI_ARM_FP_SHIFT | where << CFI_ARM_RA_SHIFT;
}

uint32_t cfi_pack(enum unwind_arch arch, const struct cfi_section *expressions,
	const struct cfi_row *row)
{
	switch (arch) {
	case UNWIND_X86_64: {
		const struct unwind_numbers *numbers =
			&unwind_numbers[UNWIND_X86_64];
		const struct cfi_place *ra = &row->at[numbers->ra];

		if (ra->where == CFI_UNDEFINED)
			return CFI_ROOT;
		if (row->is_signal)
			return is_x86_signal_row(expressions, row, numbers)
				? CFI_SIGNAL
				: CFI_COMPLEX;
		if (ra->where != CFI_AT_CFA || ra->offset != -8 ||
			!is_unchanged_place(&row->at[numbers->sp]))
			return CFI_COMPLEX;
		if (row->cfa.where == CFI_IN) {
			int64_t offset = row->cfa.offset;
			uint32_t kind = CFI_REGISTER, fp, max = CFI_X86_FP_MAX;

			if (row->cfa.n == numbers->sp)
				kind = CFI_SP;
			else if (row->cfa.n == numbers->fp)
				kind = CFI_FP;
			else if (row->cfa.n < numbers->ra)
				max = CFI_REGISTER_FP_MAX;
			else
				return CFI_COMPLEX;
			if (offset & 7 ||
				!fits_signed_bits(
					offset / 8, CFI_X86_OFFSET_BITS) ||
				!read_fp_place(expressions,
					&row->at[numbers->fp], numbers->fp, max,
					&fp))
				return CFI_COMPLEX;
			/*
			 * The caller's fp was popped already: its stack slot is
			 * below sp.
			 */
			if (kind == CFI_SP && fp && fp <= max &&
				offset < (int64_t)fp * 8)
				fp = 0;
			kind |= ((uint32_t)(offset / 8) &
					((1u << CFI_X86_OFFSET_BITS) - 1))
				<< 3;
			if (max == CFI_X86_FP_MAX)
				return kind | fp << CFI_X86_FP_SHIFT;
			return kind | row->cfa.n << CFI_REGISTER_SHIFT |
				fp << CFI_REGISTER_FP_SHIFT;
		}
		if (row->cfa.where == CFI_IS_RESULT)
			return x86_expression_rule(expressions, row, numbers);
		return CFI_COMPLEX;
	}
	case UNWIND_AARCH64: return pack_arm_row(expressions, row);
	case UNWIND_I386: /* rare: always interpreted */
		if (row->at[unwind_numbers[arch].ra].where == CFI_UNDEFINED)
			return CFI_ROOT;
		return CFI_COMPLEX;
	case UNWIND_NONE: break;
	}
	return CFI_NONE;
}
