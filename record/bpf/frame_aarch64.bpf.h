/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers and frames of aarch64. */
#ifndef DWELL_RECORD_BPF_FRAME_AARCH64_BPF_H
#define DWELL_RECORD_BPF_FRAME_AARCH64_BPF_H

#include "record/bpf/memory.bpf.h"

/* Words of struct user_pt_regs (arch/arm64/include/uapi/asm/ptrace.h). */
enum { X8 = 8, FP = 29, LR, SP, IP, PSTATE };
#define PSTATE_LEVEL 0xfu /* exception level; 0: user */

/*
 * The kernel's stack of a task, with pages of 4 KiB, ends with struct pt_regs, of which
 * user_pt_regs is the first part (arch/arm64/include/asm/ptrace.h of Linux 6.13).
 */
#define KERNEL_STACK (16u << 10)
#define KERNEL_CODE 0xffff800000000000ull
#define KERNEL_REGISTERS 42u
#define SYSTEM_CALL X8

/* As unwind_private.h: 48 bits; the others sign the address, or are a tag. */
#define ADDRESS_MASK ((1ull << 48) - 1)

/* Copies the registers of CTX to R. Returns 0 if they are those of the kernel. */
static __always_inline int copy_user_registers(void *ctx, u64 *r)
{
	if (REGISTER(PSTATE) & PSTATE_LEVEL)
		return 0;
	r[0] = REGISTER(0);
	r[1] = REGISTER(1);
	r[2] = REGISTER(2);
	r[3] = REGISTER(3);
	r[4] = REGISTER(4);
	r[5] = REGISTER(5);
	r[6] = REGISTER(6);
	r[7] = REGISTER(7);
	r[8] = REGISTER(8);
	r[9] = REGISTER(9);
	r[10] = REGISTER(10);
	r[11] = REGISTER(11);
	r[12] = REGISTER(12);
	r[13] = REGISTER(13);
	r[14] = REGISTER(14);
	r[15] = REGISTER(15);
	r[16] = REGISTER(16);
	r[17] = REGISTER(17);
	r[18] = REGISTER(18);
	r[19] = REGISTER(19);
	r[20] = REGISTER(20);
	r[21] = REGISTER(21);
	r[22] = REGISTER(22);
	r[23] = REGISTER(23);
	r[24] = REGISTER(24);
	r[25] = REGISTER(25);
	r[26] = REGISTER(26);
	r[27] = REGISTER(27);
	r[28] = REGISTER(28);
	r[FP] = REGISTER(FP);
	r[LR] = REGISTER(LR);
	r[SP] = REGISTER(SP);
	r[IP] = REGISTER(IP);
	r[PSTATE] = REGISTER(PSTATE);
	return 1;
}

/*
 * Returns the number of the address space of MM: its ASID with the generation, which is
 * never reused, and changes when a new generation begins (arch/arm64/mm/context.c).
 */
static __always_inline u64 space_of(struct mm_struct *mm)
{
	return BPF_CORE_READ(mm, context.id.counter);
}

/* Returns the thread pointer of TASK, the current task. */
static __always_inline u64 thread_pointer(struct task_struct *task)
{
	return BPF_CORE_READ(task, thread.uw.tp_value);
}

/* Returns PC without bits that are not of the address. */
static __always_inline u64 code_address(u64 pc)
{
	return pc & ADDRESS_MASK;
}

/*
 * Returns the frame pointer NEXT, which was read at FP, or 0 if the kernel does not
 * follow it: frames are aligned, and callers have higher addresses
 * (arch/arm64/kernel/perf_callchain.c).
 */
static __always_inline u64 next_frame_pointer(u64 fp, u64 next)
{
	return next > fp && !(next & 7) ? next : 0;
}

/* Returns the stack pointer of the registers R; r13 of 32-bit programs. */
static __always_inline u64 stack_pointer(const u64 *r)
{
	return CHAIN_IS_64_BIT(r) ? r[SP] : r[13];
}

/*
 * Returns the frame pointer of the registers R; 0: none is known, as in 32-bit programs,
 * of which neither the program nor the recorder knows the frames.
 */
static __always_inline u64 frame_pointer(const u64 *r)
{
	return CHAIN_IS_64_BIT(r) ? next_frame_pointer(0, r[FP]) : 0;
}

/* The recorder does not read LuaJIT on this processor. */
static __always_inline struct lua_registers lua_registers(const u64 *r)
{
	(void)r;
	return (struct lua_registers){};
}

static __always_inline void set_first_frame(
	struct walk *walk, struct window *window, const u64 *r)
{
	(void)window;
	walk->lr = r[LR];
	walk->has_lr = 1;
}

/*
 * Returns true if the code at walk->pc only calls rt_sigreturn(2), as unwind_is_sigreturn()
 * does: "mov x8, #139" and "svc #0".
 */
static __always_inline int is_sigreturn(const struct walk *walk)
{
	u64 code = 0;

	return !bpf_probe_read_user(&code, sizeof(code), (void *)walk->pc) &&
		code == 0xd4000001d2801168ull;
}

/* Goes to the frame that a signal interrupted. */
static __always_inline long step_signal(struct walk *walk)
{
	u64 sp = walk->sp, fp, pc, lr, cfa;

	if (load_to(walk, sp + ARM_SIGNAL_FP, &fp) ||
		load_to(walk, sp + ARM_SIGNAL_LR, &lr) ||
		load_to(walk, sp + ARM_SIGNAL_PC, &pc) ||
		load_to(walk, sp + ARM_SIGNAL_SP, &cfa))
		STOP(CHAIN_UNREADABLE);
	go_to_caller(walk, cfa, code_address(pc), fp);
	walk->lr = lr;
	walk->is_exact = walk->has_lr = 1;
	return 0;
}

/* Goes to the caller by RULE, which is not of the kind CFI_SPECIAL. */
static __always_inline long step_rule(
	struct walk *walk, struct window *window, u32 rule)
{
	u32 kind = cfi_kind(rule), where = rule >> CFI_ARM_RA_SHIFT;
	u64 sp = walk->sp, fp = walk->fp, ra = walk->lr, cfa, fp_at, at;

	(void)window;
	if (kind != CFI_SP && kind != CFI_FP)
		STOP(CHAIN_COMPLEX);
	cfa = (kind == CFI_SP ? sp : fp) + cfi_arm_offset(rule);
	fp_at = cfa - cfi_arm_fp(rule);
	at = where == CFI_RA_ABOVE_FP ? fp_at + 8
		: where == CFI_RA_8   ? cfa - 8
				      : cfa - (where - CFI_RA_8) * 16;
	if (where == CFI_RA_IN_LR && !walk->has_lr)
		STOP(CHAIN_REGISTER);
	if (cfa - sp >= STACK_MAX || (where != CFI_RA_IN_LR && cfa == sp))
		STOP(CHAIN_DAMAGED);
	if (fp_at != cfa && load_to(walk, fp_at, &fp))
		STOP(CHAIN_UNREADABLE);
	if (where != CFI_RA_IN_LR && load_to(walk, at, &ra))
		STOP(CHAIN_UNREADABLE);
	return go_to_caller(walk, cfa, code_address(ra), fp);
}

#endif
