/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers and frames of x86-64. */
#ifndef DWELL_RECORD_BPF_FRAME_X86_64_BPF_H
#define DWELL_RECORD_BPF_FRAME_X86_64_BPF_H

#include "record/bpf/memory.bpf.h"

/* Words of struct pt_regs (arch/x86/include/asm/ptrace.h). */
enum {
	R15,
	R14,
	R13,
	R12,
	BP,
	BX,
	R11,
	R10,
	R9,
	R8,
	AX,
	CX,
	DX,
	SI,
	DI,
	ORIG_AX,
	IP,
	CS,
	FLAGS,
	SP,
	SS
};
#define FP BP

/* The kernel's stack of a task ends with struct pt_regs. */
#define KERNEL_STACK (16u << 10)
#define KERNEL_CODE 0xffffffff80000000ull
#define KERNEL_REGISTERS CHAIN_REGISTERS
#define SYSTEM_CALL ORIG_AX

/* Copies the registers of CTX to R. Returns 0 if they are those of the kernel. */
static __always_inline int copy_user_registers(void *ctx, u64 *r)
{
	if ((REGISTER(CS) & 3) != 3)
		return 0;
	r[R15] = REGISTER(R15);
	r[R14] = REGISTER(R14);
	r[R13] = REGISTER(R13);
	r[R12] = REGISTER(R12);
	r[BP] = REGISTER(BP);
	r[BX] = REGISTER(BX);
	r[R11] = REGISTER(R11);
	r[R10] = REGISTER(R10);
	r[R9] = REGISTER(R9);
	r[R8] = REGISTER(R8);
	r[AX] = REGISTER(AX);
	r[CX] = REGISTER(CX);
	r[DX] = REGISTER(DX);
	r[SI] = REGISTER(SI);
	r[DI] = REGISTER(DI);
	r[ORIG_AX] = REGISTER(ORIG_AX);
	r[IP] = REGISTER(IP);
	r[CS] = REGISTER(CS);
	r[FLAGS] = REGISTER(FLAGS);
	r[SP] = REGISTER(SP);
	r[SS] = REGISTER(SS);
	return 1;
}

/* Returns the number of the address space of MM, which is never reused. */
static __always_inline u64 space_of(struct mm_struct *mm)
{
	return BPF_CORE_READ(mm, context.ctx_id);
}

/* Returns the thread pointer of TASK, the current task. */
static __always_inline u64 thread_pointer(struct task_struct *task)
{
	return BPF_CORE_READ(task, thread.fsbase);
}

/* Returns PC without bits that are not of the address. */
static __always_inline u64 code_address(u64 pc)
{
	return pc;
}

/* Returns the stack pointer of the registers R, of 64 or 32 bits. */
static __always_inline u64 stack_pointer(const u64 *r)
{
	return r[SP];
}

/*
 * Reads the registers of the interpreter of LuaJIT. .pc is the address behind the instruction
 * that runs. Between two instructions, these four fetch the next one, and the last of them
 * sets the register behind it:
 *         mov eax, [rbx]
 *         movzx ecx, ah
 *         movzx ebp, al
 *         add rbx, 4
 * The link of a new frame is its caller's instruction:
 *         mov [rdx - 8], rbx
 */
static __always_inline struct lua_registers lua_registers(const u64 *r)
{
	const u64 begin = 0xe8b60fccb60f038b;
	const u32 end = 0x04c38348, set_link = 0xf85a8948;
	struct lua_registers ret = { r[DX], r[BX], 0 };
	u64 c[3] = {}; /* the code; c[1] begins with the sampled instruction */

	if (bpf_probe_read_user(c, sizeof(c), (void *)(r[IP] - 8)))
		return ret;
	ret.sets_link = (u32)c[1] == set_link;
	if ((c[1] == begin && (u32)c[2] == end) ||
		((c[0] >> 48 | c[1] << 16) == begin &&
			(u32)(c[1] >> 48 | c[2] << 16) == end) ||
		((c[0] >> 24 | c[1] << 40) == begin &&
			(u32)(c[1] >> 24) == end) ||
		(c[0] == begin && (u32)c[1] == end))
		ret.pc += 4;
	return ret;
}

/* Returns the frame pointer of the registers R; 0: none is known. */
static __always_inline u64 frame_pointer(const u64 *r)
{
	return r[FP];
}

/*
 * Returns the frame pointer NEXT, which was read at FP, or 0 if the kernel does not
 * follow it.
 */
static __always_inline u64 next_frame_pointer(u64 fp, u64 next)
{
	(void)fp;
	return next;
}

static __always_inline void set_first_frame(
	struct walk *walk, struct window *window, const u64 *r)
{
	(void)walk;
	/* By DWARF numbers (psABI x86-64, 3.6.2). */
	window->registers[0] = r[AX];
	window->registers[3] = r[BX];
	window->registers[10] = r[R10];
	window->registers[11] = r[R11];
	window->registers[12] = r[R12];
	window->registers[13] = r[R13];
}

/*
 * Returns true if the code at walk->pc only calls rt_sigreturn(2), as unwind_is_sigreturn()
 * does: "mov $15, %eax" or "mov $15, %rax", and "syscall".
 */
static __always_inline int is_sigreturn(const struct walk *walk)
{
	u64 code[2] = {};

	return !bpf_probe_read_user(code, 9, (void *)walk->pc) &&
		(code[0] << 8 == 0x050f0000000fb8ull << 8 ||
			(code[0] == 0x0f0000000fc0c748ull && code[1] == 0x05));
}

/* Goes to the frame that a signal interrupted. */
static __always_inline long step_signal(struct walk *walk)
{
	u64 sp = walk->sp, fp, pc, cfa;

	if (load_to(walk, sp + X86_SIGNAL_FP, &fp) ||
		load_to(walk, sp + X86_SIGNAL_PC, &pc) ||
		load_to(walk, sp + X86_SIGNAL_SP, &cfa))
		STOP(CHAIN_UNREADABLE);
	go_to_caller(walk, cfa, pc, fp);
	walk->is_exact = 1;
	return 0;
}

/* Goes to the caller by RULE, which is not of the kind CFI_SPECIAL. */
static __always_inline long step_rule(
	struct walk *walk, struct window *window, u32 rule)
{
	u32 kind = cfi_kind(rule), below = rule >> CFI_X86_FP_SHIFT;
	u32 here = CFI_FP_HERE;
	u64 sp = walk->sp, fp = walk->fp, cfa, ra;
	s64 offset = cfi_x86_offset(rule);

	if (kind == CFI_SP || kind == CFI_FP) {
		cfa = (kind == CFI_SP ? sp : fp) + offset;
	} else if (kind == CFI_DEREF_FP) {
		if (load_to(walk, fp + offset, &cfa))
			STOP(CHAIN_UNREADABLE);
	} else if (kind == CFI_REGISTER) {
		if (!walk->is_first)
			STOP(CHAIN_REGISTER);
		cfa = window->registers[(rule >> CFI_REGISTER_SHIFT) & 15] +
			offset;
		below = rule >> CFI_REGISTER_FP_SHIFT;
		here = CFI_REGISTER_FP_HERE;
	} else {
		STOP(CHAIN_COMPLEX);
	}
	if (cfa <= sp || cfa - sp >= STACK_MAX)
		STOP(CHAIN_DAMAGED);
	/* After a leave instruction, fp is restored, but the rule is the same. */
	if (below == here && fp - sp >= cfa - sp)
		below = 0;
	if (below && load_to(walk, below == here ? fp : cfa - below * 8, &fp))
		STOP(CHAIN_UNREADABLE);
	if (load_to(walk, cfa - 8, &ra))
		STOP(CHAIN_UNREADABLE);
	return go_to_caller(walk, cfa, ra, fp);
}

#endif
