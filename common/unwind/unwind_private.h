/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal data and functions of the unwinder. Include after unwind.h. */
#ifndef DWELL_COMMON_UNWIND_UNWIND_PRIVATE_H
#define DWELL_COMMON_UNWIND_UNWIND_PRIVATE_H

#include "common/util/base.h"
#include "common/util/bytes.h"

/*
 * Maximum distance between sp and a CFA, larger than any stack. A CFA that is
 * farther away is not valid.
 */
#define UNWIND_STACK_MAX (UINT64_C(1) << 30)
/*
 * Memory that is farther than this from the end of a stack copy is probably not
 * the same stack.
 */
#define UNWIND_STACK_LIKELY (UINT64_C(1) << 23)
/* Mask without the bits in which aarch64 signs pointers; 48-bit addresses. */
#define UNWIND_ARM_ADDRESS ((UINT64_C(1) << 48) - 1)

/*
 * An element of the cache of rules. Four elements of 16 bytes fill a cache
 * line.
 */
struct unwind_entry {
	uint64_t address;   /* link-time address */
	uint32_t cfi, rule; /* .cfi: cfi_id() of the code, or 0 */
};
#define UNWIND_CACHE_BITS 13
/*
 * Returns the index in unwinder->cache for ADDRESS in the code with the ID CFI.
 */
static inline size_t unwind_hash(uint32_t cfi, uint64_t address)
{
	return ((address ^ (uint64_t)cfi << 40) *
		       UINT64_C(0x9e3779b97f4a7c15)) >>
		(64 - UNWIND_CACHE_BITS);
}

/*
 * Elements in the cache of space->find() results, indexed by megabyte of
 * address.
 */
#define UNWIND_CODES 256u

/*
 * A guess how to unwind a frame without rules, from the instructions of its
 * function.
 */
enum unwind_guess_kind {
	UNWIND_GUESS_UNKNOWN,
	UNWIND_GUESS_FP, /* the frame pointer leads to the caller */
	UNWIND_GUESS_SP,
};
struct unwind_guess {
	bool has_fp;	 /* the caller's fp is at sp + .fp_at, else in fp */
	uint32_t offset; /* distance of the return address from sp */
	uint32_t fp_at;
};
#define UNWIND_GUESSES 1024u
struct unwind_known_guess {
	uint64_t space, pc; /* the element is empty if .space is 0 */
	bool is_exact;
	bool is_sure;	   /* use .guesses even if the frame pointer is valid */
	bool is_sigreturn; /* the code at .pc calls rt_sigreturn(2) */
	bool lacks_fp;	   /* the function does not set the frame pointer */
	bool is_refused;   /* the guesses led nowhere: read the code again */
	uint8_t n;	   /* number of .guesses, more likely first */
	struct unwind_guess guesses[3]; /* no frame, epilogue, prologue */
	/* the last start of a function that was checked, or 0 */
	uint64_t start;
	bool is_inside; /* the function at .start contains .pc */
};

/*
 * An element of a cache: whether a thread begins with the call instruction
 * before .pc.
 */
#define UNWIND_STARTS 1024u
struct unwind_known_start {
	uint64_t space, pc; /* the element is empty if .space is 0 */
	bool is_start;
};

/* Mapped code that contains a pc, as returned by space->find(). */
struct unwind_region {
	uint64_t start, size, bias;
	struct cfi *cfi;
	uint32_t id; /* cfi_id() of .cfi, or 0 */
};

/*
 * A frame of the last stack of a thread. In the same address space, an equal
 * frame has equal callers. The words from which pc and fp were read are
 * pc_below and fp_below bytes below sp, which is the CFA of the frame that this
 * frame called. Distances instead of addresses let two elements fill a cache
 * line.
 */
struct unwind_known {
	uint64_t pc, sp, fp; /* .sp is 0 if no plain rule led to the frame */
	int32_t pc_below;
	int32_t fp_below; /* 0: fp was not read, but unchanged */
};
/* Number of frames, from the leaf frame on, that are kept per thread. */
#define UNWIND_KNOWN_MAX 1024u
/*
 * Number of last stacks that are kept. Threads with the same number modulo
 * UNWIND_MEMOS replace each other's stack.
 */
#define UNWIND_MEMOS 256u

/* The last stack of a thread, leaf frame first. */
struct unwind_memo {
	uint64_t space;
	size_t n;
	struct unwind_known *at; /* UNWIND_KNOWN_MAX frames; NULL: no stack */
};

struct unwinder {
	enum unwind_arch arch;
	struct unwind_counts counts;
	struct unwind_entry *cache; /* 1 << UNWIND_CACHE_BITS elements */
	struct unwind_memo memos[UNWIND_MEMOS];
	/*
	 * Frames of the stacks that are being unwound; NULL: not allocated yet.
	 */
	struct unwind_known *spares[UNWIND_TASKS_MAX];
	struct {
		uint64_t space; /* 0: the element is empty */
		struct unwind_region region;
	} codes[UNWIND_CODES];
	struct unwind_known_guess guesses[UNWIND_GUESSES];
	struct unwind_known_start starts[UNWIND_STARTS];
};

/* State of the unwinding of one stack, at the last frame of .chain. */
struct unwind_walk {
	struct unwinder *unwinder;
	const struct unwind_space *space;
	const struct unwind_registers *registers; /* registers of the sample */
	const struct unwind_memory *memory;
	struct unwind_chain *chain;
	/* mapped code in which a rule was last found */
	struct unwind_region region;
	uint64_t pc, sp, fp;
	uint64_t slot; /* stack address from which .pc was read */
	/* aarch64: value of lr, known in sampled and interrupted frames */
	uint64_t lr;
	bool has_lr;
	/* .pc is a sampled or interrupted pc, not a return address */
	bool is_exact;
	bool has_read; /* memory->read() was called */
	size_t turn;   /* frames until the next stack's turn */
	/*
	 * The turn ended after .cfa and .below of the next step were computed.
	 */
	bool has_left;
	/*
	 * .below: distance from .cfa down to the saved fp; 0: fp is unchanged
	 */
	uint64_t cfa, below;
	struct unwind_memo *memo;   /* last stack of the thread, or NULL */
	struct unwind_known *known; /* frames of this stack, equal to *.spare */
	struct unwind_known **spare;
	size_t known_max;
	/*
	 * Frames of .memo, from .same to .same_end, that are unchanged in this
	 * stack.
	 */
	const struct unwind_known *same, *same_end;
	uint64_t same_sp; /* sp of the frame .same; UINT64_MAX: no frame */
	size_t n_by_fp; /* chain->n when the frame pointer was last followed */
};

/*
 * Returns the address at which code and rules are looked up. For a return
 * address, this is the last byte of the call instruction before.
 */
static inline uint64_t unwind_place(const struct unwind_walk *walk)
{
	return walk->pc - !walk->is_exact;
}

/*
 * Returns true if the current frame was found by following the frame pointer.
 */
static inline bool unwind_is_followed(const struct unwind_walk *walk)
{
	return walk->n_by_fp && walk->n_by_fp + 1 == walk->chain->n;
}

/* Returns true if frames without rules can be unwound by their instructions. */
static inline bool unwind_has_code(const struct unwind_walk *walk)
{
	return walk->space->code && walk->unwinder->arch == UNWIND_X86_64;
}

/*
 * Returns the mapped code that contains PC, from the cache or space->find(), or
 * NULL.
 */
const struct unwind_region *unwind_find(struct unwinder *unwinder,
	const struct unwind_space *space, uint64_t pc);
/*
 * Returns the unwind rule for PC in REGION. IS_EXACT is false if PC is a return
 * address; then the rule is that of the call instruction before PC. CFI_PLT is
 * replaced by the rule that it describes for PC. CFI_CLONE is returned only if
 * IS_EXACT is true. CFI_PADDING means that PC is the start of a function, with
 * padding before, so no call ends at PC.
 */
uint32_t unwind_rule(
	const struct unwind_region *region, uint64_t pc, bool is_exact);
/* Returns the rule for PC like unwind_rule(), and stores it in the cache. */
uint32_t unwind_miss(struct unwinder *unwinder,
	const struct unwind_region *region, uint64_t pc, bool is_exact);
/*
 * Ends the chain with the reason END. Always returns false, so that callers can
 * return the result.
 */
bool unwind_stop(struct unwind_walk *walk, enum unwind_end end);
/*
 * Ends the chain at a return address of 0. The reason is UNWIND_ROOT if no call
 * can have pushed the return address of the last frame, else UNWIND_ZERO.
 * Returns false.
 */
bool unwind_stop_at_zero(struct unwind_walk *walk);
/*
 * Adds two frames to chain->exact, because their pcs do not follow a call: the
 * current frame, to which the signal handler returns, and the next frame, which
 * the signal interrupted.
 */
void unwind_mark_exact(struct unwind_walk *walk);
/*
 * Appends walk->pc and walk->slot to the chain. If the chain is full, ends the
 * chain and returns false.
 */
bool unwind_push(struct unwind_walk *walk);
/*
 * Reads the word at ADDRESS, from the stack copy or by memory->read(). If the
 * word cannot be read, ends the chain and returns false.
 */
bool unwind_load(struct unwind_walk *walk, uint64_t address, uint64_t *ret);
/*
 * Returns true if CFA is at least LEAST and can be the caller's sp; else ends
 * the chain. LEAST is the current sp if the return address is in a register.
 */
bool unwind_accepts(struct unwind_walk *walk, uint64_t cfa, uint64_t least);
/* Fills KNOWN from the instructions around walk->pc. */
void unwind_read_code(
	const struct unwind_walk *walk, struct unwind_known_guess *known);
/*
 * Returns true if the code at walk->pc only calls rt_sigreturn(2), so that a
 * signal frame is at walk->sp. The check is needed because some libcs have no
 * rules for this code. Returns false if the code cannot be read.
 */
bool unwind_is_sigreturn(struct unwind_walk *walk);
/*
 * Unwinds one frame by the instructions around walk->pc. Returns false, without
 * a change of WALK, if the instructions do not determine the caller.
 */
bool unwind_step_code(struct unwind_walk *walk);
/*
 * Returns true if the N bytes of x86-64 CODE are a PLT stub that jumps with
 * nothing pushed. The linker lld writes no rules for such stubs. Stubs for lazy
 * binding, which push an index first, are not recognized.
 */
bool unwind_is_stub(const uint8_t *code, size_t n);
/*
 * Returns true if a function may end with the second byte of CODE, behind which is the
 * address NEXT: it is a return instruction before padding or an aligned address.
 */
bool unwind_ends_function(const uint8_t code[5], uint64_t next);
/*
 * Returns true if ENDS_HERE() accepts the UNWIND_CALLS_BYTES bytes before PC,
 * which space->code() reads.
 */
bool unwind_is_after(struct unwind_walk *walk, uint64_t pc,
	bool (*ends_here)(enum unwind_arch, const uint8_t *, size_t));
/* Returns true if space->code() shows a call instruction that ends at PC. */
bool unwind_is_called(struct unwind_walk *walk, uint64_t pc);
/*
 * Unwinds from the system call of clone(2) on x86-64: the caller's return
 * address is at sp. On the stack of a new thread, the word at sp does not
 * follow a call instruction, and the chain ends.
 */
bool unwind_step_clone(struct unwind_walk *walk);
/*
 * Unwinds from a return address that no call pushed: the outermost frame, or
 * the end of a signal handler.
 */
bool unwind_step_uncalled(struct unwind_walk *walk);
/*
 * Returns true if a frame pointer of 0 marks the outermost frame: no stack word
 * near the address FROM follows a call instruction. Without the check, 0 could
 * be any value, because code may use the register for other data.
 */
bool unwind_is_deepest(struct unwind_walk *walk, uint64_t from);
/*
 * Returns true if a step to PC and FP would skip a caller: PC, which was read
 * from the address SLOT, or FP belongs to the outermost frame, but a stack word
 * before SLOT is a return address.
 */
bool unwind_skips_caller(
	struct unwind_walk *walk, uint64_t slot, uint64_t pc, uint64_t fp);
/*
 * Returns true if the frame pointer, whose frame has the return address at SLOT, may be that
 * of an outer frame, because a stack word before SLOT is a return address. Call if
 * unwind_lacks_fp().
 */
bool unwind_fp_skips_caller(struct unwind_walk *walk, uint64_t slot);
/*
 * Returns true if the instructions near walk->pc show a function that does not set the frame
 * pointer. Call in the step in which unwind_step_code() was called.
 */
bool unwind_lacks_fp(struct unwind_walk *walk);
/*
 * Returns true if a thread begins with the call instruction before walk->pc,
 * although no rule marks the outermost frame there.
 */
bool unwind_is_thread_start(struct unwind_walk *walk);
/*
 * Steps to the outermost frame if its return address is near sp and no other
 * return address is before. Else returns false. Only x86-64.
 */
bool unwind_step_to_start(struct unwind_walk *walk);
/*
 * Unwinds a frame without rules: by its instructions, by the frame pointer, or
 * to an outermost frame near sp. If none of the three results is valid, ends
 * the chain and returns false. The reason is UNWIND_ROOT if the frame was found
 * by following the frame pointer and the frame pointer is 0.
 */
bool unwind_step_fp(struct unwind_walk *walk);
/*
 * Sets chain->interrupted_at after a step out of the signal frame at the
 * address FRAME. The signal handler may have run on a stack of its own
 * (sigaltstack(2)).
 */
void unwind_note_interrupted(struct unwind_walk *walk, uint64_t frame);
/*
 * Steps out of a signal frame of the kernel. Returns false if the chain ends.
 */
bool unwind_step_signal(struct unwind_walk *walk);
/*
 * Unwinds one frame by RULE, of any kind; words may be outside of the stack
 * copy. Returns false if the chain ended. Also returns false, and sets
 * chain->is_slow, if the stack can only be unwound with all registers.
 */
bool unwind_step(struct unwind_walk *walk, uint32_t rule);
/*
 * Unwinds the stack again from the sampled frame, with all registers and with
 * the full CFI rows of cfi_row().
 */
void unwind_interpret(struct unwind_walk *walk);

/*
 * Unwinds frames. Returns true if the stack's turn ended, or false if the chain
 * ended.
 */
bool unwind_run(struct unwind_walk *walk);

/* Prefetches the words in MEMORY that unwind_memo_begin() will compare. */
void unwind_memo_fetch(
	const struct unwinder *unwinder, const struct unwind_memory *memory);
/*
 * Finds the frames of the thread's last stack that are unchanged in this stack.
 * Call before the first step. Stacks that are unwound at the same time need
 * different NUMBERs.
 */
void unwind_memo_begin(struct unwind_walk *walk, size_t number);
/*
 * If the walk has reached one of the unchanged frames of the thread's last
 * stack, appends these frames to the chain. Call when walk->sp has reached
 * walk->same_sp.
 */
void unwind_memo_join(struct unwind_walk *walk);
/* Records in walk->known that no plain rule leads to the next frame. */
void unwind_memo_break(struct unwind_walk *walk);
/* Keeps the chain's frames as the last stack of the thread. */
void unwind_memo_end(struct unwind_walk *walk);

/*
 * Limit of executed operations per DWARF expression; compilers write about a
 * dozen.
 */
#define EXPRESSION_STEPS_MAX 1000u

/*
 * Evaluates the DWARF expression CODE with the frame's REGISTERS. If CFA is not
 * NULL, *CFA is the initial stack of the expression. Sets *RET to the result.
 * Returns false if CODE is damaged or needs an unknown value.
 */
bool unwind_expression(struct unwind_walk *walk,
	const struct unwind_registers *registers, struct bytes code,
	const uint64_t *cfa, uint64_t *ret);

#endif
