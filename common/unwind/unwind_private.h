/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the unwinder share; comes behind unwind.h. */
#ifndef DWELL_COMMON_UNWIND_UNWIND_PRIVATE_H
#define DWELL_COMMON_UNWIND_UNWIND_PRIVATE_H

#include "common/util/base.h"

/*
 * A CFA is never further away from sp than this: stacks are at most as large.
 * Beyond it somebody took something else for a stack.
 */
#define UNWIND_STACK_MAX (UINT64_C(1) << 30)
/* Further behind a copy nothing is likely to be of the same stack. */
#define UNWIND_STACK_LIKELY (UINT64_C(1) << 23)
/* Without the bits in which aarch64 signs pointers; of 48-bit addresses. */
#define UNWIND_ARM_ADDRESS ((UINT64_C(1) << 48) - 1)

/* 16 bytes, so that four of them are a line of the processor's cache. */
struct unwind_entry {
	uint64_t address; /* as linked, that was looked up */
	uint32_t cfi, rule; /* CFI: cfi_id(), 0: there is none */
};
#define UNWIND_CACHE_BITS 13
/* Which entry is asked. */
static inline size_t unwind_hash(uint32_t cfi, uint64_t address)
{
	return ((address ^ (uint64_t)cfi << 40) *
		       UINT64_C(0x9e3779b97f4a7c15)) >>
		(64 - UNWIND_CACHE_BITS);
}

/* Answers of find(), by megabyte of address. */
#define UNWIND_CODES 256u

/* How a frame without rules is left, by what its instructions say. */
enum unwind_leave_kind {
	UNWIND_LEAVE_UNKNOWN,
	UNWIND_LEAVE_FP, /* by the frame pointer */
	UNWIND_LEAVE_SP,
};
struct unwind_leave {
	bool has_fp;     /* the caller's fp lies at sp + FP_AT; else in fp */
	uint32_t offset; /* from sp to the return address */
	uint32_t fp_at;
};
#define UNWIND_LEAVES 1024u
struct unwind_known_leave {
	uint64_t space, pc; /* SPACE 0: empty */
	bool is_exact;
	bool is_sure; /* whatever the frame pointer says */
	bool is_sigreturn; /* a signal's handler returns to here */
	uint8_t n;    /* guesses, the better one first */
	struct unwind_leave leaves[2];
};

/* Whether a thread begins with the call behind which PC is. */
#define UNWIND_STARTS 1024u
struct unwind_known_start {
	uint64_t space, pc; /* SPACE 0: empty */
	bool is_start;
};

/* The code that a walk is in. */
struct unwind_here {
	uint64_t start, size, bias;
	struct cfi *cfi;
	uint32_t id; /* of CFI, 0: there is none */
};

/*
 * What is known when a frame is reached: in the same space the same is done
 * then. Where its pc and fp lay is told from sp, which is the CFA of the frame
 * before: so that two of them are a line of the processor's cache.
 */
struct unwind_known {
	uint64_t pc, sp, fp; /* SP 0: it was no plain step that led here */
	int32_t pc_below;
	int32_t fp_below; /* 0: it was as in the frame before */
};
/* Of each thread, the youngest. */
#define UNWIND_KNOWN_MAX 1024u
/* Threads; two that share a place have the last stack of the other. */
#define UNWIND_MEMOS 256u

/* The last stack of a thread, its youngest frame first. */
struct unwind_memo {
	uint64_t space;
	size_t n;
	struct unwind_known *at; /* of UNWIND_KNOWN_MAX; NULL: none yet */
};

struct unwinder {
	enum unwind_arch arch;
	struct unwind_counts counts;
	struct unwind_entry *cache; /* of 1 << UNWIND_CACHE_BITS */
	struct unwind_memo memos[UNWIND_MEMOS];
	/* Where the next memos are written; NULL: not needed yet. */
	struct unwind_known *spares[UNWIND_TASKS_MAX];
	struct {
		uint64_t space; /* 0: empty */
		struct unwind_here here;
	} codes[UNWIND_CODES];
	struct unwind_known_leave leaves[UNWIND_LEAVES];
	struct unwind_known_start starts[UNWIND_STARTS];
};

/* One walk. What is known of the frame that the chain ends with. */
struct unwind_walk {
	struct unwinder *unwinder;
	const struct unwind_space *space;
	const struct unwind_registers *registers; /* in the sample */
	const struct unwind_memory *memory;
	struct unwind_chain *chain;
	struct unwind_here here; /* where the last pc was */
	uint64_t pc, sp, fp;
	uint64_t slot; /* where pc lay */
	uint64_t lr;   /* aarch64: known at the top and above a signal */
	bool has_lr;
	bool is_exact; /* pc is where it was, not behind a call */
	bool has_read; /* memory->read() was asked */
	size_t turn;   /* frames until other walks have theirs */
	/* Its turn ended where the words that it needs next are known. */
	bool has_left;
	uint64_t cfa, below; /* then; BELOW as of struct unwind_known */
	struct unwind_memo *memo; /* NULL: of no thread */
	struct unwind_known *known; /* by number of frame; SPARE's */
	struct unwind_known **spare;
	size_t known_max;
	/* Of MEMO: what is the same in this stack. */
	const struct unwind_known *same, *same_end;
	uint64_t same_sp; /* of SAME; UINT64_MAX: there is nothing */
	size_t n_by_fp; /* frames when the frame pointer was followed last */
};

/* What is behind a call belongs to the line that calls. */
static inline uint64_t unwind_place(const struct unwind_walk *walk)
{
	return walk->pc - !walk->is_exact;
}

/* Whether the frame pointer led to this frame. */
static inline bool unwind_is_followed(const struct unwind_walk *walk)
{
	return walk->n_by_fp && walk->n_by_fp + 1 == walk->chain->n;
}

/* Whether instructions may tell what rules don't. */
static inline bool unwind_has_code(const struct unwind_walk *walk)
{
	return walk->space->code && walk->unwinder->arch == UNWIND_X86_64;
}

/* The code at PC, through the cache; NULL: nothing is mapped there. */
const struct unwind_here *unwind_find(struct unwinder *unwinder,
	const struct unwind_space *space, uint64_t pc);
/*
 * The rule at PC in HERE; on x86-64 without CFI_PLT, as the pc is known, and with
 * CFI_CLONE only where it is exact. CFI_PADDING: no call ends there, but a
 * function begins.
 */
uint32_t unwind_rule(
	const struct unwind_here *here, uint64_t pc, bool is_exact);
/* The same, and puts it into the cache. */
uint32_t unwind_miss(struct unwinder *unwinder, const struct unwind_here *here,
	uint64_t pc, bool is_exact);
/* Ends the chain; false, for those who return that. */
bool unwind_stop(struct unwind_walk *walk, enum unwind_end end);
/*
 * The return address is 0: a root if the last one can't have been put on the stack
 * by a call.
 */
bool unwind_stop_at_zero(struct unwind_walk *walk);
/*
 * The frame that comes next was interrupted by a signal, not left by a call. Nor
 * did this one call: the kernel put it there.
 */
void unwind_mark_exact(struct unwind_walk *walk);
/* Appends the frame at (pc, slot); false: there is no room. */
bool unwind_push(struct unwind_walk *walk);
/* A word of the copy, or what read() says; false: neither, and it is the end. */
bool unwind_load(struct unwind_walk *walk, uint64_t address, uint64_t *ret);
/*
 * Whether CFA, not below LEAST, can be the caller's sp; else it is the end. A
 * call that left nothing on the stack has its return address in a register.
 */
bool unwind_accepts(struct unwind_walk *walk, uint64_t cfa, uint64_t least);
/* What the instructions at pc say. */
void unwind_read_code(
	const struct unwind_walk *walk, struct unwind_known_leave *known);
/*
 * Whether they do nothing but rt_sigreturn(2), so that a signal's frame is at sp
 * (not every libc's rules tell that); false also where that isn't known.
 */
bool unwind_is_sigreturn(struct unwind_walk *walk);
/* By the instructions at pc; false: they don't tell, and nothing has changed. */
bool unwind_step_code(struct unwind_walk *walk);
/*
 * Whether the N bytes of CODE, of x86-64, go elsewhere with nothing on the stack
 * yet: linkers (lld) write no rules for their stubs. Not if one has pushed its
 * number, as it does before its function was found.
 */
bool unwind_is_stub(const uint8_t *code, size_t n);
/* Whether PC stands behind a call, as the space's code() tells. */
bool unwind_is_called(struct unwind_walk *walk, uint64_t pc);
/*
 * Where clone(2) returns to, on x86-64: who called it has its return address at
 * sp. What a new thread's stack begins with leads behind no call, and it is the
 * end.
 */
bool unwind_step_clone(struct unwind_walk *walk);
/* From where nobody has called: a root, or the end of a signal's handler. */
bool unwind_step_put(struct unwind_walk *walk);
/*
 * Whether the frame may be the deepest one that its frame pointer, 0, says it is:
 * unless that is any register's value, no caller lies near behind FROM.
 */
bool unwind_is_deepest(struct unwind_walk *walk, uint64_t from);
/*
 * Whether a stack that begins behind PC, which lies at SLOT, and with the frame
 * pointer FP would lack the caller whose return address is nearer.
 */
bool unwind_skips_caller(struct unwind_walk *walk, uint64_t slot, uint64_t pc,
	uint64_t fp);
/* Whether a thread begins with the call behind which pc is, though no rule says so. */
bool unwind_is_begun(struct unwind_walk *walk);
/*
 * To where the stack begins, if no other caller can lie before it; false: it isn't
 * near, or it isn't known. Only x86-64's.
 */
bool unwind_step_begin(struct unwind_walk *walk);
/*
 * By them, or by the frame pointer, or to the near beginning; false: neither
 * holds, and it is the end. A root if it was followed to here and is 0 now.
 */
bool unwind_step_fp(struct unwind_walk *walk);
/*
 * Once a signal's frame was left, which was at FRAME: the handler may have a
 * stack of its own (sigaltstack(2)).
 */
void unwind_note_interrupted(struct unwind_walk *walk, uint64_t frame);
/* Out of a signal's frame as the kernel lays it out; false: it is the end. */
bool unwind_step_signal(struct unwind_walk *walk);
/*
 * By RULE, of any kind, wherever memory is. False: the chain has its end, or
 * chain->is_slow says that the whole walk needs all registers.
 */
bool unwind_step(struct unwind_walk *walk, uint32_t rule);
/* The same walk from its beginning, with all registers, by cfi_row(). */
void unwind_slowly(struct unwind_walk *walk);

/* False: the walk has ended; true: its turn has. */
bool unwind_run(struct unwind_walk *walk);

/* Has the words on their way that unwind_memo_begin() compares. */
void unwind_memo_fetch(
	const struct unwinder *unwinder, const struct unwind_memory *memory);
/*
 * Before the first step: finds out what is the same as in the last stack. Of
 * walks at the same time each has a NUMBER.
 */
void unwind_memo_begin(struct unwind_walk *walk, size_t number);
/* Once sp has come to SAME_SP: takes its frames over if this is one of them. */
void unwind_memo_join(struct unwind_walk *walk);
/* The next frame was reached by other means than a plain step. */
void unwind_memo_break(struct unwind_walk *walk);
/* Remembers the frames of the chain. */
void unwind_memo_end(struct unwind_walk *walk);

#endif
