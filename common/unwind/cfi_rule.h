/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An unwind rule: the places of the CFA, of the caller's frame pointer and of
 * the return address, packed into 32 bits. A CFI row that does not fit becomes
 * the rule CFI_COMPLEX, and the row is interpreted. The meaning of the bits
 * depends on the processor.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_RULE_H
#define DWELL_COMMON_UNWIND_CFI_RULE_H

#include <stdint.h>

enum cfi_kind {
	CFI_SPECIAL,  /* the rule is one of enum cfi_special */
	CFI_SP,	      /* CFA = sp + offset */
	CFI_FP,	      /* CFA = fp + offset */
	CFI_DEREF_FP, /* CFA = *(fp + offset), x86-64: realigned stacks */
	CFI_REGISTER, /* x86-64: CFA = another register + offset */
};

/* Rules of the kind CFI_SPECIAL. */
enum cfi_special {
	CFI_NONE = 0 << 3, /* no CFI for this address */
	/* outermost frame: the return address is undefined */
	CFI_ROOT = 1 << 3,
	CFI_COMPLEX = 2 << 3, /* the CFI row does not fit: interpret the row */
	CFI_SIGNAL = 3 << 3,  /* a signal frame of the kernel */
	/* CFA = sp + 8, or sp + 16 in the last bytes of a PLT entry */
	CFI_PLT = 4 << 3,
	CFI_PADDING = 5 << 3, /* no CFI; padding between functions */
	/*
	 * No CFI: the code after clone(2), which runs in the caller and in the
	 * new thread.
	 */
	CFI_CLONE = 6 << 3,
};
/*
 * CFI_PLT | N << CFI_PLT_SHIFT: CFA = sp + 16 if (pc & 15) >= N, else sp + 8.
 */
#define CFI_PLT_SHIFT 8

static inline enum cfi_kind cfi_kind(uint32_t rule)
{
	return (enum cfi_kind)(rule & 7);
}

/*
 * Rules on x86-64. The return address is at CFA - 8. Bits 0 to 2: enum
 * cfi_kind. Bits 3 to 19: signed offset in words. Bits 20 to 31: the caller's
 * fp is saved this many words below the CFA; 0: fp is unchanged; CFI_FP_HERE:
 * the caller's fp is saved where fp points. A rule of kind CFI_REGISTER has the
 * register in bits 20 to 23 and the words to the caller's fp in bits 24 to 31.
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

/*
 * Returns how many bytes below the CFA the caller's fp is saved; 0: unchanged.
 */
static inline uint64_t cfi_x86_fp(uint32_t rule)
{
	return (uint64_t)(rule >> CFI_X86_FP_SHIFT) * 8;
}

/*
 * Rules on aarch64. Bits 0 to 2: enum cfi_kind. Bits 3 to 15: signed offset in
 * units of 16 bytes. Bits 16 to 28: the caller's fp is saved this many words
 * below the CFA; 0: fp is unchanged. Bits 29 to 31: place of the return
 * address, enum cfi_arm_ra.
 */
#define CFI_ARM_OFFSET_BITS 13
#define CFI_ARM_FP_SHIFT 16
#define CFI_ARM_FP_MAX 0x1fffu
#define CFI_ARM_RA_SHIFT 29

enum cfi_arm_ra {
	CFI_RA_IN_LR,
	CFI_RA_ABOVE_FP, /* 8 bytes above the saved fp of the caller */
	CFI_RA_8,	 /* CFI_RA_N: N bytes below the CFA */
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

/*
 * CFI_SIGNAL: offsets of the interrupted registers from sp in the frame that
 * calls sigreturn (linux, asm/sigcontext.h).
 */
#define X86_SIGNAL_FP 120
#define X86_SIGNAL_SP 160
#define X86_SIGNAL_PC 168
#define ARM_SIGNAL_FP 544
#define ARM_SIGNAL_LR 552
#define ARM_SIGNAL_SP 560
#define ARM_SIGNAL_PC 568

#endif
