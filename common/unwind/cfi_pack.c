/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/cfi_pack.h"

#include "common/util/leb.h"

/* DW_OP_*: DWARF 5, 7.7.1. */
#define OP_DEREF 0x06
#define OP_LIT0 0x30
#define OP_BREG0 0x70

/* Offsets of the registers in a signal's frame (linux, asm/sigcontext.h). */
#define SIGNAL_RBP 120
#define SIGNAL_RSP 160
#define SIGNAL_RIP 168

static bool is_plain(const struct cfi_place *place)
{
	return place->where == CFI_UNSPECIFIED || place->where == CFI_SAME;
}

/* "Register N plus offset", and *(that) if there is a deref behind it. */
static bool read_based(const struct cfi_section *section,
	const struct cfi_place *place, unsigned n, int64_t *offset_ret,
	bool *is_deref_ret)
{
	struct bytes b = bytes_of(
		section->at + place->offset, place->n, false);

	if (bytes_u8(&b) != OP_BREG0 + n)
		return false;
	*offset_ret = bytes_sleb(&b);
	*is_deref_ret = b.ok && bytes_left(&b) == 1 && *b.at == OP_DEREF;
	return b.ok && (*is_deref_ret || !bytes_left(&b));
}

/* Whether PLACE is the memory at register N plus OFFSET. */
static bool lies_at(const struct cfi_section *section,
	const struct cfi_place *place, unsigned n, int64_t offset)
{
	int64_t found;
	bool is_deref;

	return place->where == CFI_AT_RESULT &&
		read_based(section, place, n, &found, &is_deref) &&
		!is_deref && found == offset;
}

/*
 * What linkers write for .plt: rsp + 8 + ((rip & 15) >= N) * 8. The push of an
 * entry ends before its byte N.
 */
static bool read_plt(const struct cfi_section *section,
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

/* In words below the CFA; 0: as it was; MAX + 1: where fp points. */
static bool read_fp(const struct cfi_section *section,
	const struct cfi_place *place, unsigned fp, uint32_t max,
	uint32_t *ret)
{
	if (is_plain(place) || place->where == CFI_UNDEFINED) {
		*ret = 0;
		return true;
	}
	if (place->where == CFI_AT_CFA && place->offset < 0 &&
		place->offset >= -(int64_t)max * 8 && !(place->offset & 7)) {
		*ret = (uint32_t)(-place->offset / 8);
		return true;
	}
	*ret = max + 1;
	return lies_at(section, place, fp, 0);
}

static bool fits(int64_t value, unsigned bits)
{
	return value >= -(INT64_C(1) << (bits - 1)) &&
		value < INT64_C(1) << (bits - 1);
}

static uint32_t x86_registers(const struct cfi_section *section,
	const struct cfi_row *row, const struct unwind_numbers *numbers)
{
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
	if (offset & 7 || !fits(offset / 8, CFI_X86_OFFSET_BITS) ||
		!read_fp(section, &row->at[numbers->fp], numbers->fp, max, &fp))
		return CFI_COMPLEX;
	/* Popped already: it is below the stack, and in the register again. */
	if (kind == CFI_SP && fp && fp <= max && offset < (int64_t)fp * 8)
		fp = 0;
	kind |= ((uint32_t)(offset / 8) & ((1u << CFI_X86_OFFSET_BITS) - 1))
		<< 3;
	if (max == CFI_X86_FP_MAX)
		return kind | fp << CFI_X86_FP_SHIFT;
	return kind | row->cfa.n << CFI_REGISTER_SHIFT |
		fp << CFI_REGISTER_FP_SHIFT;
}

/* The CFA is what an expression gives. */
static uint32_t x86_expression(const struct cfi_section *section,
	const struct cfi_row *row, const struct unwind_numbers *numbers)
{
	const struct cfi_place *fp = &row->at[numbers->fp];
	bool is_deref;
	int64_t offset;
	uint32_t rule;

	if (read_plt(section, &row->cfa, &rule))
		return is_plain(fp) ? rule : CFI_COMPLEX;
	if (!read_based(section, &row->cfa, numbers->fp, &offset, &is_deref) ||
		!is_deref || offset & 7 ||
		!fits(offset / 8, CFI_X86_OFFSET_BITS) ||
		!lies_at(section, fp, numbers->fp, 0))
		return CFI_COMPLEX;
	rule = (uint32_t)(offset / 8) & ((1u << CFI_X86_OFFSET_BITS) - 1);
	return CFI_DEREF_FP | rule << 3 | CFI_FP_HERE << CFI_X86_FP_SHIFT;
}

static bool is_x86_signal(const struct cfi_section *section,
	const struct cfi_row *row, const struct unwind_numbers *numbers)
{
	int64_t offset;
	bool is_deref;

	return row->cfa.where == CFI_IS_RESULT &&
		read_based(section, &row->cfa, numbers->sp, &offset,
			&is_deref) &&
		is_deref && offset == SIGNAL_RSP &&
		lies_at(section, &row->at[numbers->ra], numbers->sp,
			SIGNAL_RIP) &&
		lies_at(section, &row->at[numbers->fp], numbers->sp,
			SIGNAL_RBP);
}

static uint32_t pack_x86(
	const struct cfi_section *section, const struct cfi_row *row)
{
	const struct unwind_numbers *numbers = &unwind_numbers[UNWIND_X86_64];
	const struct cfi_place *ra = &row->at[numbers->ra];

	if (ra->where == CFI_UNDEFINED)
		return CFI_ROOT;
	if (row->is_signal)
		return is_x86_signal(section, row, numbers) ? CFI_SIGNAL :
							      CFI_COMPLEX;
	if (ra->where != CFI_AT_CFA || ra->offset != -8 ||
		!is_plain(&row->at[numbers->sp]))
		return CFI_COMPLEX;
	if (row->cfa.where == CFI_IN)
		return x86_registers(section, row, numbers);
	if (row->cfa.where == CFI_IS_RESULT)
		return x86_expression(section, row, numbers);
	return CFI_COMPLEX;
}

/* False: it lies where the bits can't say. FP is in words below the CFA. */
static bool read_arm_ra(
	const struct cfi_place *ra, uint32_t fp, uint32_t *ret)
{
	static const uint8_t below[] = {
		[CFI_RA_8] = 8, [CFI_RA_16] = 16, [CFI_RA_32] = 32,
		[CFI_RA_48] = 48, [CFI_RA_64] = 64, [CFI_RA_80] = 80 };
	uint32_t i;

	*ret = CFI_RA_IN_LR;
	if (is_plain(ra))
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

static uint32_t pack_arm(
	const struct cfi_section *section, const struct cfi_row *row)
{
	const struct unwind_numbers *numbers = &unwind_numbers[UNWIND_AARCH64];
	const struct cfi_place *ra = &row->at[numbers->ra];
	int64_t offset = row->cfa.offset;
	uint32_t kind, fp, where;

	if (ra->where == CFI_UNDEFINED)
		return CFI_ROOT;
	/* The kernel's trampoline in the vdso; its frame is always the same. */
	if (row->is_signal)
		return CFI_SIGNAL;
	if (row->cfa.where != CFI_IN || !is_plain(&row->at[numbers->sp]))
		return CFI_COMPLEX;
	if (row->cfa.n == numbers->sp)
		kind = CFI_SP;
	else if (row->cfa.n == numbers->fp)
		kind = CFI_FP;
	else
		return CFI_COMPLEX;
	if (offset & 15 || !fits(offset / 16, CFI_ARM_OFFSET_BITS) ||
		!read_fp(section, &row->at[numbers->fp], numbers->fp,
			CFI_ARM_FP_MAX, &fp) ||
		fp > CFI_ARM_FP_MAX || !read_arm_ra(ra, fp, &where))
		return CFI_COMPLEX;
	/* Both restored already, as on x86-64. */
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
	case UNWIND_X86_64:
		return pack_x86(expressions, row);
	case UNWIND_AARCH64:
		return pack_arm(expressions, row);
	case UNWIND_I386: /* rare: all of it is interpreted */
		if (row->at[unwind_numbers[arch].ra].where == CFI_UNDEFINED)
			return CFI_ROOT;
		return CFI_COMPLEX;
	case UNWIND_NONE:
		break;
	}
	return CFI_NONE;
}
