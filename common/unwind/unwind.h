/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From registers and a copy of a stack to return addresses. Does no I/O (but
 * see cfi_row()): who asks gives registers, memory and the code's rules, and
 * gets addresses and a reason why there are no more. For x86-64, aarch64 and
 * i386, chosen by the recording and not by the host.
 */
#ifndef DWELL_COMMON_UNWIND_UNWIND_H
#define DWELL_COMMON_UNWIND_UNWIND_H

#include "common/unwind/cfi.h"
#include "common/unwind/unwind_arch.h"

/* Steps, too: a walk of more frames ends with UNWIND_LIMIT. */
#define UNWIND_FRAMES_MAX 16384u

/* Registers by their DWARF numbers, see unwind_arch.h; and the pc. */
struct unwind_registers {
	uint64_t value[UNWIND_REGISTERS];
	uint64_t known; /* bits of VALUE */
	uint64_t pc;
};
/*
 * From a sample's regs_user as it lies in the record, by sample_regs_user's
 * MASK (linux, arch/ARCH/include/uapi/asm/perf_regs.h). False: pc or sp is not
 * among them.
 */
bool unwind_registers_read(enum unwind_arch arch, uint64_t mask,
	const void *registers, struct unwind_registers *ret);
/* The MASK to ask the kernel for; 0: ARCH isn't known. */
uint64_t unwind_registers_mask(enum unwind_arch arch);

/* One piece of code that is mapped, with its rules. */
struct unwind_code {
	uint64_t start, end; /* addresses */
	uint64_t bias;       /* address - bias is what CFI knows */
	/* Borrowed as long as the space; NULL: none, the frame pointer is tried. */
	struct cfi *cfi;
};

/* Where code is. */
struct unwind_space {
	/*
	 * Answers of FIND are kept under this number: never give it to a space
	 * of which any answer differs. Counts from 1.
	 */
	uint64_t id;
	/* The executable mapping at PC; false: there is none. */
	bool (*find)(void *data, uint64_t pc, struct unwind_code *ret);
	void *data;
	/*
	 * Up to SIZE bytes of the code at ADDRESS; how many there are. NULL:
	 * nobody can tell.
	 */
	size_t (*code)(
		void *data, uint64_t address, uint8_t *bytes, size_t size);
};

/* Memory: a copy, and what READ can tell about all other places. */
struct unwind_memory {
	uint64_t start;       /* address of the first byte: sp */
	const uint8_t *bytes; /* of any alignment, borrowed for the call */
	size_t size;
	/*
	 * The word of ARCH's size at ADDRESS, which may begin in the copy and
	 * end behind it. NULL: there is nothing else.
	 */
	bool (*read)(void *data, uint64_t address, uint64_t *word_ret);
	void *data;
	/*
	 * Whose stack it is. What is as it was in the last one of the same
	 * number isn't unwound again: each word that it was read from is
	 * compared. 0: nobody's. Any number is right, but slow if many share it.
	 */
	uint32_t thread;
};

/*
 * A root is where rules say that nobody called (the return address is undefined),
 * where the file's entry point is, or where a thread's start has been put, behind
 * no call; and where a frame pointer that was followed is 0, as processors' ABIs
 * mark the deepest frame. None is behind a nearer caller, nor is a return address
 * that is 0: no ABI says so.
 */
enum unwind_end {
	UNWIND_ROOT,
	UNWIND_TRUNCATED, /* goes on behind the copy's end */
	UNWIND_NO_RULE,   /* code without CFI, and no frame pointer that holds */
	UNWIND_NO_CODE,   /* the next pc is in nothing that is mapped */
	UNWIND_DAMAGED,   /* CFA that doesn't grow, absurd values */
	UNWIND_REGISTER,  /* a register that is needed isn't known */
	UNWIND_LIMIT,     /* of frames, or the caller's room is used up */
	UNWIND_ELSEWHERE, /* a signal interrupted another stack; not copied */
	UNWIND_ZERO,      /* the next pc is 0: who made the stack has put it there */
	UNWIND_ENDS
};
/* A word for messages: "root", "truncated", ... */
const char *unwind_end_name(enum unwind_end end);

/* What is known in the oldest frame: to join another sample's chain at. */
struct unwind_state {
	uint64_t pc, sp, fp; /* SP: the CFA of the frame that it called */
};

/* Of more signals, each in the handler of another one, nobody has heard. */
#define UNWIND_EXACT_MAX 64u

struct unwind_chain {
	uint64_t *pcs;   /* the caller's room, of ROOM elements */
	uint64_t *slots; /* where each return address lay, [0] is sp; or NULL */
	size_t n, room;
	size_t n_copied; /* how many there were before READ was first asked */
	/*
	 * Numbers of PCS that aren't behind calls, in order: what a signal
	 * interrupted, and before it where its handler returns to.
	 */
	uint32_t exact[UNWIND_EXACT_MAX];
	uint32_t n_exact;
	/*
	 * The last signal's handler has a stack of its own: where that has the
	 * sp of the other, pc behind it. 0: there is none outside of the copy.
	 */
	uint64_t interrupted_at;
	enum unwind_end end;
	struct unwind_state oldest;
	bool is_slow;       /* has rules that had to be interpreted */
	uint32_t n_guessed; /* frames left without CFI: by code or fp */
};

struct unwind_counts {
	uint64_t n_chains, n_frames;
	uint64_t n_reused; /* frames that were as in the thread's last stack */
	uint64_t n_misses; /* others, whose rule wasn't in the cache */
	uint64_t n_slow;   /* chains with rules that had to be interpreted */
	uint64_t n_guessed;
	uint64_t n_ends[UNWIND_ENDS];
};

/*
 * Cache of rules, the last stacks of some threads, and counters. One per thread
 * that unwinds.
 */
struct unwinder;
/* NULL: ARCH isn't known. */
struct unwinder *unwinder_create(enum unwind_arch arch);
void unwinder_destroy(struct unwinder *unwinder);
/* Borrowed. */
const struct unwind_counts *unwinder_counts(const struct unwinder *unwinder);

/*
 * Fills in RET but for its room, of at least 1. PCS[0] is the sampled pc, the
 * others are return addresses as they are (a signal's pc, too); each is in a
 * mapping of SPACE, only PCS[0] may be anywhere.
 */
void unwind(struct unwinder *unwinder, const struct unwind_space *space,
	const struct unwind_registers *registers,
	const struct unwind_memory *memory, struct unwind_chain *ret);
/* Whether chain->exact has I, if all numbers before it were asked; NEXT is 0 then. */
static inline bool unwind_is_exact(
	const struct unwind_chain *chain, size_t i, uint32_t *next)
{
	while (*next < chain->n_exact && chain->exact[*next] < i)
		++*next;
	return *next < chain->n_exact && chain->exact[*next] == i;
}

/* What unwind() is given. */
struct unwind_task {
	const struct unwind_space *space;
	const struct unwind_registers *registers;
	const struct unwind_memory *memory;
	struct unwind_chain *chain;
};
/*
 * The same for N of them, by turns: while a word of one comes from memory, the
 * others go on. Worth it where stacks are not in the processor's cache; what
 * they have in common with each other is unwound for each.
 */
#define UNWIND_TASKS_MAX 8u
void unwind_several(
	struct unwinder *unwinder, const struct unwind_task *tasks, size_t n);

#endif
