/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An unwind rule, packed into 32 bits: the CFA, the caller's frame pointer, and
 * the return address. A row of CFI that does not fit is CFI_COMPLEX and is
 * interpreted. The meaning of the bits depends on the processor.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_RULE_H
#define DWELL_COMMON_UNWIND_CFI_RULE_H

#include "common/util/base.h"

enum cfi_kind {
	CFI_SPECIAL,  /* one of enum cfi_special */
	CFI_SP,       /* CFA = sp + offset */
	CFI_FP,       /* CFA = fp + offset */
	CFI_DEREF_FP, /* CFA = *(fp + offset), x86-64: realigned stacks */
	CFI_REGISTER, /* x86-64: CFA = another register + offset */
};

/* Rules without further bits. */
enum cfi_special {
	CFI_NONE = 0 << 3,    /* no CFI for this address */
	/* outermost frame: the return address is undefined */
	CFI_ROOT = 1 << 3,
	CFI_COMPLEX = 2 << 3, /* does not fit into 32 bits: interpret the row */
	CFI_SIGNAL = 3 << 3,  /* a signal frame of the kernel */
	/* CFA = sp + 8, or sp + 16 in the last bytes of an entry */
	CFI_PLT = 4 << 3,
	CFI_PADDING = 5 << 3, /* no CFI; padding between functions */
	/*
	 * No CFI: where clone(2) returns to its caller and to the new thread.
	 */
	CFI_CLONE = 6 << 3,
};
/* CFI_PLT | N << CFI_PLT_SHIFT: sp + 16 where (pc & 15) >= N. */
#define CFI_PLT_SHIFT 8

static inline enum cfi_kind cfi_kind(uint32_t rule)
{
	return (enum cfi_kind)(rule & 7);
}

/*
 * x86-64: the return address is at CFA - 8. Bits 3 to 19: signed offset in
 * words. Bits 20 to 31: the caller's fp is this many words below the CFA; 0: fp
 * is unchanged; CFI_FP_HERE: it is where fp points. CFI_REGISTER has the
 * register in bits 20 to 23 and the fp in bits 24 to 31.
 */
#define CFI_X86_OFFSET_BITS 17
#define CFI_X86_FP_SHIFT 20
#define CFI_X86_FP_MAX 0xffeu
#define CFI_FP_HERE 0xfffu
#define CFI_REGISTER_SHIFT 20
#define CFI_REGISTER_FP_SHIFT 24
#define CFI_REGISTER_FP_MAX 0xfeu
#define CFI_REGISTER_FP_HERE 0xffu

static inline int64_t cfi_x86_offset(uint32_t rule)
{
	return (int64_t)((int32_t)(rule << 12) >> 15) * 8;
}

/* Returns bytes below the CFA. */
static inline uint64_t cfi_x86_fp(uint32_t rule)
{
	return (uint64_t)(rule >> CFI_X86_FP_SHIFT) * 8;
}

/*
 * aarch64: bits 3 to 15: signed offset in units of 16 bytes. Bits 16 to 28: the
 * caller's fp is this many words below the CFA; 0: fp is unchanged. Bits 29 to
 * 31: place of the return address, enum cfi_arm_ra.
 */
#define CFI_ARM_OFFSET_BITS 13
#define CFI_ARM_FP_SHIFT 16
#define CFI_ARM_FP_MAX 0x1fffu
#define CFI_ARM_RA_SHIFT 29

enum cfi_arm_ra {
	CFI_RA_IN_LR,
	CFI_RA_ABOVE_FP, /* 8 bytes above the caller's fp */
	CFI_RA_8,        /* 8 bytes below the CFA, and so on */
	CFI_RA_16,
	CFI_RA_32,
	CFI_RA_48,
	CFI_RA_64,
	CFI_RA_80,
};

static inline int64_t cfi_arm_offset(uint32_t rule)
{
	return (int64_t)((int32_t)(rule << 16) >> 19) * 16;
}

static inline uint64_t cfi_arm_fp(uint32_t rule)
{
	return (uint64_t)(rule >> CFI_ARM_FP_SHIFT & CFI_ARM_FP_MAX) * 8;
}

#endif
