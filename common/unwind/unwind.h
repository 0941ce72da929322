/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds a stack: from registers and a stack copy to return addresses. The
 * caller provides registers, memory and the rules of the code. The result is a
 * list of addresses and the reason why the list ends. Does no I/O, except in
 * cfi_row(). Supports x86-64, aarch64 and i386; the recording determines the
 * processor, not the host.
 */
#ifndef DWELL_COMMON_UNWIND_UNWIND_H
#define DWELL_COMMON_UNWIND_UNWIND_H

#include "common/unwind/cfi.h"
#include "common/unwind/runtime_frame.h"
#include "common/unwind/unwind_arch.h"

/* Limit of frames per chain; a longer chain ends with UNWIND_LIMIT. */
#define UNWIND_FRAMES_MAX 16384u

/* Registers by DWARF number (see unwind_arch.h), and the pc. */
struct unwind_registers {
	uint64_t value[UNWIND_REGISTERS];
	uint64_t known; /* bitmap: bit N is set if value[N] is known */
	uint64_t pc;
};
/*
 * Reads REGISTERS, the regs_user of a sample record, into RET. MASK is the
 * event's sample_regs_user (linux, arch/ARCH/include/uapi/asm/perf_regs.h).
 * Returns false if pc or sp is missing.
 */
bool unwind_registers_read(enum unwind_arch arch, uint64_t mask,
	const void *registers, struct unwind_registers *ret);
/*
 * Returns the sample_regs_user mask with the registers that unwinding on ARCH
 * needs, or 0 if ARCH is unknown.
 */
uint64_t unwind_registers_mask(enum unwind_arch arch);

/* A mapped piece of code with its rules. */
struct unwind_code {
	uint64_t start, end; /* address range of the mapping */
	uint64_t bias;	     /* address - bias is the link-time address */
	/*
	 * Unwind rules of the code, borrowed as long as the struct unwind_space
	 * is used. NULL: no rules.
	 */
	struct cfi *cfi;
};

/* An address space, in which .find finds the code. */
struct unwind_space {
	/*
	 * Number of the address space, from 1. Results of .find are cached
	 * under this number. If .find can return other results, the address
	 * space needs another number.
	 */
	uint64_t id;
	/*
	 * Finds the executable mapping that contains PC; returns false if there
	 * is none.
	 */
	bool (*find)(void *data, uint64_t pc, struct unwind_code *ret);
	void *data;
	/*
	 * Copies up to SIZE bytes of code at ADDRESS to BYTES. Returns the
	 * number of bytes copied. .code is NULL if code cannot be read.
	 */
	size_t (*code)(
		void *data, uint64_t address, uint8_t *bytes, size_t size);
	/*
	 * Steps out of FRAME, of code without rules. NULL: no runtime is known. The
	 * addresses in RET replace the frame's pc in the chain; they may be the same
	 * for different pcs.
	 */
	enum runtime_result (*runtime)(void *data,
		const struct runtime_frame *frame, struct runtime_step *ret);
};

/* A stack copy; .read reads memory outside of the copy. */
struct unwind_memory {
	uint64_t start;	      /* address of the first byte: the sampled sp */
	const uint8_t *bytes; /* any alignment; borrowed for the call */
	size_t size;
	/*
	 * Reads the word, of the architecture's size, at ADDRESS; the word may
	 * begin in the copy. Returns false if the word cannot be read. NULL:
	 * only the copy is readable.
	 */
	bool (*read)(void *data, uint64_t address, uint64_t *word_ret);
	void *data;
	/*
	 * Number of the thread, or 0. Outer frames that are the same as in the
	 * last stack with this number are not unwound again; only the words
	 * from which these frames were unwound are compared. If several threads
	 * have the same number, results are correct, but slow.
	 */
	uint32_t thread;
};

/*
 * Why a chain ends. The chain is complete (UNWIND_ROOT) in these cases: a rule
 * marks the outermost frame (undefined return address); the pc is at the file's
 * entry point; the return address is a thread's start routine and does not
 * follow a call instruction; or a frame pointer that was followed is 0, by
 * which the processors' ABIs mark the outermost frame. The chain is not
 * complete if another return address is found nearer on the stack, or if the
 * return address is 0, which no ABI defines.
 */
enum unwind_end {
	UNWIND_ROOT,
	UNWIND_TRUNCATED, /* the stack continues beyond its copy */
	/* no CFI, and instructions and frame pointer lead to no caller */
	UNWIND_NO_RULE,
	UNWIND_NO_CODE,	 /* the return address is not mapped */
	UNWIND_DAMAGED,	 /* the CFA does not grow, or values are not valid */
	UNWIND_REGISTER, /* a needed register is unknown */
	/* too many frames for UNWIND_FRAMES_MAX or for the chain's room */
	UNWIND_LIMIT,
	/* the chain continues on another stack, which a signal interrupted */
	UNWIND_ELSEWHERE,
	/* the return address is 0, stored by the creator of the stack */
	UNWIND_ZERO,
	UNWIND_ENDS
};
/* Returns the name of END for messages: "root", "truncated", ... */
const char *unwind_end_name(enum unwind_end end);

/*
 * Registers in the outermost frame of a chain, to which another sample's chain
 * can be joined.
 */
struct unwind_state {
	/* .sp: the CFA of the frame that this frame called */
	uint64_t pc, sp, fp;
};

/* Limit of .exact in struct unwind_chain: two elements per signal handler. */
#define UNWIND_EXACT_MAX 64u

struct unwind_chain {
	uint64_t *pcs; /* .room elements, owned by the caller */
	/* stack addresses of the return addresses, slots[0] is sp; or NULL */
	uint64_t *slots;
	size_t n, room;
	size_t n_copied; /* number of frames before the first memory->read() */
	/*
	 * Ascending indexes of .pcs that do not follow a call instruction: the
	 * pc that a signal interrupted, and before it the address to which the
	 * signal handler returns.
	 */
	uint32_t exact[UNWIND_EXACT_MAX];
	uint32_t n_exact;
	/*
	 * If the signal handler that was unwound last ran on a stack of its
	 * own: the address on that stack of the interrupted sp, followed by the
	 * interrupted pc. 0 if the interrupted stack is in the copy.
	 */
	uint64_t interrupted_at;
	enum unwind_end end;
	struct unwind_state oldest;
	/* a frame pointer was not followed: it would skip a caller */
	bool is_refused;
	bool is_slow; /* some CFI rows were interpreted */
	/* frames unwound without CFI: by instructions or fp */
	uint32_t n_guessed;
};

struct unwind_counts {
	uint64_t n_chains, n_frames;
	uint64_t n_reused; /* frames taken from the thread's last stack */
	uint64_t n_misses; /* frames of which the rule was not in the cache */
	uint64_t n_slow;   /* chains with interpreted CFI rows */
	uint64_t n_guessed;
	uint64_t n_ends[UNWIND_ENDS];
};

/*
 * An unwinder contains a cache of rules, the last stacks of some threads, and
 * counters. Each thread that unwinds needs an unwinder of its own.
 */
struct unwinder;
/* Returns NULL if ARCH is unknown. */
struct unwinder *unwinder_create(enum unwind_arch arch);
void unwinder_destroy(struct unwinder *unwinder);
/* Returns the counters of UNWINDER, borrowed. */
const struct unwind_counts *unwinder_counts(const struct unwinder *unwinder);

/*
 * Unwinds one stack into RET. The caller sets ret->room, which is at least 1,
 * and the arrays of RET. ret->pcs[0] is the sampled pc and may be unmapped. The
 * other elements of ret->pcs are mapped return addresses, or pcs that a signal
 * interrupted. Return addresses are not moved to the call instruction.
 */
void unwind(struct unwinder *unwinder, const struct unwind_space *space,
	const struct unwind_registers *registers,
	const struct unwind_memory *memory, struct unwind_chain *ret);
/*
 * Returns true if the kernel's chain by frame pointers may have callers behind the end of
 * CHAIN. A return address of 0 is an intended end, and the kernel's chain skips the same caller
 * as a frame pointer that was refused.
 */
static inline bool unwind_may_continue(const struct unwind_chain *chain)
{
	return chain->end != UNWIND_ROOT && chain->end != UNWIND_ZERO &&
		!(chain->end == UNWIND_NO_RULE && chain->is_refused);
}

/*
 * Returns true if chain->exact contains I, an index of chain->pcs. Call for
 * each I in ascending order; *NEXT is 0 at the first call.
 */
static inline bool unwind_is_exact(
	const struct unwind_chain *chain, size_t i, uint32_t *next)
{
	while (*next < chain->n_exact && chain->exact[*next] < i)
		++*next;
	return *next < chain->n_exact && chain->exact[*next] == i;
}

/* The arguments of unwind(). */
struct unwind_task {
	const struct unwind_space *space;
	const struct unwind_registers *registers;
	const struct unwind_memory *memory;
	struct unwind_chain *chain;
};
/*
 * Unwinds the stacks of N TASKS like unwind(), but in turns: while a word of
 * one stack is loaded from memory, other stacks are unwound. Faster if the
 * stacks are not in the processor's cache. N is at most UNWIND_TASKS_MAX.
 * Frames that the stacks have in common are unwound once per stack.
 */
#define UNWIND_TASKS_MAX 8u
void unwind_several(
	struct unwinder *unwinder, const struct unwind_task *tasks, size_t n);

#endif
