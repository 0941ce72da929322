/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal data and functions of the unwinder. Include after unwind.h. */
#ifndef DWELL_COMMON_UNWIND_UNWIND_PRIVATE_H
#define DWELL_COMMON_UNWIND_UNWIND_PRIVATE_H

#include "common/util/base.h"
#include "common/util/bytes.h"

/*
 * Limit of the distance between a CFA and sp: the largest stacks. A CFA beyond
 * it is not valid.
 */
#define UNWIND_STACK_MAX (UINT64_C(1) << 30)
/* Memory this far behind a copy is probably not the same stack. */
#define UNWIND_STACK_LIKELY (UINT64_C(1) << 23)
/* Mask without the bits in which aarch64 signs pointers; 48-bit addresses. */
#define UNWIND_ARM_ADDRESS ((UINT64_C(1) << 48) - 1)

/* A cached rule, of 16 bytes: four fill a cache line. */
struct unwind_entry {
	uint64_t address; /* link-time address */
	uint32_t cfi, rule; /* CFI: cfi_id(), or 0 */
};
#define UNWIND_CACHE_BITS 13
/* Returns the index of the entry for ADDRESS. */
static inline size_t unwind_hash(uint32_t cfi, uint64_t address)
{
	return ((address ^ (uint64_t)cfi << 40) *
		       UINT64_C(0x9e3779b97f4a7c15)) >>
		(64 - UNWIND_CACHE_BITS);
}

/* Size of the cache of find() results, by megabyte of address. */
#define UNWIND_CODES 256u

/* How to unwind a frame without rules, by its instructions. */
enum unwind_leave_kind {
	UNWIND_LEAVE_UNKNOWN,
	UNWIND_LEAVE_FP, /* by the frame pointer */
	UNWIND_LEAVE_SP,
};
struct unwind_leave {
	bool has_fp;     /* the caller's fp is at sp + FP_AT; else in fp */
	uint32_t offset; /* of the return address from sp */
	uint32_t fp_at;
};
#define UNWIND_LEAVES 1024u
struct unwind_known_leave {
	uint64_t space, pc; /* SPACE 0: empty */
	bool is_exact;
	bool is_sure; /* valid even if the frame pointer is valid */
	bool is_sigreturn; /* return address of a signal handler */
	uint8_t n;    /* number of guesses, better one first */
	struct unwind_leave leaves[2];
};

/* A cached result: does a thread begin with the call before PC? */
#define UNWIND_STARTS 1024u
struct unwind_known_start {
	uint64_t space, pc; /* SPACE 0: empty */
	bool is_start;
};

/* Mapped code, as found for a pc. */
struct unwind_region {
	uint64_t start, size, bias;
	struct cfi *cfi;
	uint32_t id; /* of CFI, or 0 */
};

/*
 * A frame of the last stack. In the same space, an equal frame has equal
 * callers. The addresses of pc and fp are stored relative to sp, the CFA of the
 * frame before, so that two entries fill a cache line.
 */
struct unwind_known {
	uint64_t pc, sp, fp; /* SP 0: not reached by a plain rule */
	int32_t pc_below;
	int32_t fp_below; /* 0: fp was unchanged */
};
/* Youngest frames kept per thread. */
#define UNWIND_KNOWN_MAX 1024u
/*
 * Number of stacks that are kept; threads with the same slot replace each
 * other.
 */
#define UNWIND_MEMOS 256u

/* The last stack of a thread, youngest frame first. */
struct unwind_memo {
	uint64_t space;
	size_t n;
	struct unwind_known *at; /* UNWIND_KNOWN_MAX frames; NULL: none yet */
};

struct unwinder {
	enum unwind_arch arch;
	struct unwind_counts counts;
	struct unwind_entry *cache; /* of 1 << UNWIND_CACHE_BITS */
	struct unwind_memo memos[UNWIND_MEMOS];
	/* Buffers for the next memos; NULL: not allocated yet. */
	struct unwind_known *spares[UNWIND_TASKS_MAX];
	struct {
		uint64_t space; /* 0: empty */
		struct unwind_region region;
	} codes[UNWIND_CODES];
	struct unwind_known_leave leaves[UNWIND_LEAVES];
	struct unwind_known_start starts[UNWIND_STARTS];
};

/* State of one walk, at the last frame of the chain. */
struct unwind_walk {
	struct unwinder *unwinder;
	const struct unwind_space *space;
	const struct unwind_registers *registers; /* of the sample */
	const struct unwind_memory *memory;
	struct unwind_chain *chain;
	struct unwind_region region; /* code at the last pc */
	uint64_t pc, sp, fp;
	uint64_t slot; /* address of the return address PC */
	/* aarch64: known at the sampled frame and above a signal */
	uint64_t lr;
	bool has_lr;
	/* PC is a sampled or interrupted pc, not a return address */
	bool is_exact;
	bool has_read; /* memory->read() was called */
	size_t turn;   /* frames until another walk's turn */
	/* The turn ended after CFA and BELOW of the next step were computed. */
	bool has_left;
	uint64_t cfa, below; /* BELOW: distance from CFA to fp, 0: unchanged */
	struct unwind_memo *memo; /* NULL: no thread number */
	struct unwind_known *known; /* *SPARE, by frame number */
	struct unwind_known **spare;
	size_t known_max;
	/* Frames of MEMO that are unchanged in this stack. */
	const struct unwind_known *same, *same_end;
	uint64_t same_sp; /* sp of SAME; UINT64_MAX: none */
	size_t n_by_fp; /* frames when the frame pointer was last followed */
};

/*
 * Returns the address to look up: a return address belongs to the call before
 * it.
 */
static inline uint64_t unwind_place(const struct unwind_walk *walk)
{
	return walk->pc - !walk->is_exact;
}

/* Returns true if the frame pointer led to this frame. */
static inline bool unwind_is_followed(const struct unwind_walk *walk)
{
	return walk->n_by_fp && walk->n_by_fp + 1 == walk->chain->n;
}

/* Returns true if instructions can be read where rules are missing. */
static inline bool unwind_has_code(const struct unwind_walk *walk)
{
	return walk->space->code && walk->unwinder->arch == UNWIND_X86_64;
}

/*
 * Returns the mapped code that contains PC, from the cache or find(), or NULL.
 */
const struct unwind_region *unwind_find(struct unwinder *unwinder,
	const struct unwind_space *space, uint64_t pc);
/*
 * Returns the rule at PC in REGION. On x86-64, CFI_PLT is resolved for this pc,
 * and CFI_CLONE is returned only if PC is exact. CFI_PADDING means that no call
 * ends before PC, but a function begins there.
 */
uint32_t unwind_rule(
	const struct unwind_region *region, uint64_t pc, bool is_exact);
/* As unwind_rule(); puts the rule into the cache. */
uint32_t unwind_miss(struct unwinder *unwinder,
	const struct unwind_region *region, uint64_t pc, bool is_exact);
/* Ends the chain; returns false, for callers that return that. */
bool unwind_stop(struct unwind_walk *walk, enum unwind_end end);
/*
 * Ends the chain at a return address of 0: as a root if a call cannot have
 * pushed the return address before it.
 */
bool unwind_stop_at_zero(struct unwind_walk *walk);
/*
 * Marks the next frame as interrupted by a signal, and the current one (where
 * the handler returns to) as not behind a call.
 */
void unwind_mark_exact(struct unwind_walk *walk);
/* Appends the frame (pc, slot). Returns false if the chain is full. */
bool unwind_push(struct unwind_walk *walk);
/*
 * Reads a word from the copy or by read(). Ends the chain and returns false if
 * neither has it.
 */
bool unwind_load(struct unwind_walk *walk, uint64_t address, uint64_t *ret);
/*
 * Returns true if CFA, at least LEAST, can be the caller's sp; else ends the
 * chain. LEAST is the current sp if the return address is in a register.
 */
bool unwind_accepts(struct unwind_walk *walk, uint64_t cfa, uint64_t least);
/* Fills KNOWN from the instructions at the walk's pc. */
void unwind_read_code(
	const struct unwind_walk *walk, struct unwind_known_leave *known);
/*
 * Returns true if the code at pc only calls rt_sigreturn(2), so that a signal
 * frame is at sp; not every libc has rules for it. Returns false if the code
 * cannot be read.
 */
bool unwind_is_sigreturn(struct unwind_walk *walk);
/*
 * Unwinds by the instructions at pc. Returns false, without a change, if they
 * do not determine the caller.
 */
bool unwind_step_code(struct unwind_walk *walk);
/*
 * Returns true if the N bytes of x86-64 CODE are a PLT stub that jumps with
 * nothing pushed; lld writes no rules for its stubs. Lazy binding stubs, which
 * push an index first, are not recognized.
 */
bool unwind_is_stub(const uint8_t *code, size_t n);
/*
 * Returns true if ENDS_HERE() accepts the CALLS_BYTES bytes before PC, which
 * space->code() reads.
 */
bool unwind_is_after(struct unwind_walk *walk, uint64_t pc,
	bool (*ends_here)(enum unwind_arch, const uint8_t *, size_t));
/* Returns true if space->code() shows a call before PC. */
bool unwind_is_called(struct unwind_walk *walk, uint64_t pc);
/*
 * Unwinds from the system call of clone(2) on x86-64: the caller's return
 * address is at sp. On the stack of a new thread, no call is before that
 * address, and the chain ends.
 */
bool unwind_step_clone(struct unwind_walk *walk);
/*
 * Unwinds from a return address that no call pushed: the outermost frame, or
 * the end of a signal handler.
 */
bool unwind_step_uncalled(struct unwind_walk *walk);
/*
 * Returns true if a frame pointer of 0 marks the outermost frame: no word near
 * FROM is behind a call. Without that check, 0 could be the value of any
 * register.
 */
bool unwind_is_deepest(struct unwind_walk *walk, uint64_t from);
/*
 * Returns true if the stack begins at PC, read from SLOT, with frame pointer
 * FP, but a nearer word is a return address, so that a caller would be skipped.
 */
bool unwind_skips_caller(struct unwind_walk *walk, uint64_t slot, uint64_t pc,
	uint64_t fp);
/*
 * Returns true if a thread begins with the call before pc, though no rule marks
 * it.
 */
bool unwind_is_thread_start(struct unwind_walk *walk);
/*
 * Steps to the outermost frame, if it is near and no other caller can be before
 * it. Returns false if not. Only x86-64.
 */
bool unwind_step_to_start(struct unwind_walk *walk);
/*
 * Unwinds without rules: by instructions, by the frame pointer, or to a near
 * outermost frame. Ends the chain and returns false if none is valid. The end
 * is a root if the frame pointer was followed to this frame and is 0 now.
 */
bool unwind_step_fp(struct unwind_walk *walk);
/*
 * Notes an interrupted stack after a step out of the signal frame at FRAME: the
 * handler may have a stack of its own (sigaltstack(2)).
 */
void unwind_note_interrupted(struct unwind_walk *walk, uint64_t frame);
/*
 * Steps out of a signal frame of the kernel. Returns false if the chain ends.
 */
bool unwind_step_signal(struct unwind_walk *walk);
/*
 * Steps by RULE, of any kind, with memory in the copy or not. Returns false if
 * the chain ended, or if chain->is_slow was set: then the walk needs all
 * registers.
 */
bool unwind_step(struct unwind_walk *walk, uint32_t rule);
/* Repeats the walk from its beginning with all registers, by cfi_row(). */
void unwind_interpret(struct unwind_walk *walk);

/* Returns true if the turn has ended, false if the walk has. */
bool unwind_run(struct unwind_walk *walk);

/* Prefetches the words that unwind_memo_begin() compares. */
void unwind_memo_fetch(
	const struct unwinder *unwinder, const struct unwind_memory *memory);
/*
 * Finds the frames that are unchanged since the last stack. Call before the
 * first step. Concurrent walks have different NUMBERs.
 */
void unwind_memo_begin(struct unwind_walk *walk, size_t number);
/*
 * Appends the unchanged frames if the walk has reached one of them. Call when
 * sp has reached same_sp.
 */
void unwind_memo_join(struct unwind_walk *walk);
/* Notes that the next frame is not reached by a plain rule. */
void unwind_memo_break(struct unwind_walk *walk);
/* Keeps the chain's frames as the last stack of the thread. */
void unwind_memo_end(struct unwind_walk *walk);

/* Limit of operations per expression; compilers write about a dozen. */
#define EXPRESSION_STEPS_MAX 1000u

/*
 * Evaluates CODE with the frame's REGISTERS. *CFA, if CFA is not NULL, is the
 * initial stack. Returns false if CODE is damaged or needs an unknown value.
 */
bool unwind_expression(struct unwind_walk *walk,
	const struct unwind_registers *registers, struct bytes code,
	const uint64_t *cfa, uint64_t *ret);

#endif
