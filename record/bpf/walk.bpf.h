/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinds a user stack in the kernel, by the rules that dwell compiled from CFI. */
#ifndef DWELL_RECORD_BPF_WALK_BPF_H
#define DWELL_RECORD_BPF_WALK_BPF_H

#include "record/bpf/lua_state.bpf.h"

/*
 * Reads register I from the context CTX of a program. The verifier rejects an access by
 * a pointer that was changed.
 */
#define REGISTER(i)                                   \
	({                                            \
		u64 value_;                           \
		asm volatile("%0 = *(u64 *)(%1 + %2)" \
			     : "=r"(value_)           \
			     : "r"(ctx), "i"((i)*8)); \
		value_;                               \
	})

#ifdef CHAIN_AARCH64
#include "record/bpf/frame_aarch64.bpf.h"
#else
#include "record/bpf/frame_x86_64.bpf.h"
#endif

#ifdef CHAIN_AARCH64
/*
 * Goes to the caller by the frame pointer, which code without rules sets before its calls on
 * aarch64. The recorder reads the instructions at an exact pc.
 */
static __always_inline long step_without_rule(struct walk *walk)
{
	u64 fp = walk->fp, next, ra;
	u32 is_followed = walk->by_fp && walk->by_fp + 1 == walk->n;

	if (walk->is_exact)
		STOP(CHAIN_NO_RULE);
	if (fp < walk->sp || fp - walk->sp >= STACK_MAX || fp & 7)
		STOP(!fp && is_followed ? CHAIN_ROOT : CHAIN_NO_RULE);
	if (load_to(walk, fp, &next) || load_to(walk, fp + 8, &ra))
		STOP(CHAIN_UNREADABLE);
	walk->by_fp = walk->n;
	return go_to_caller(walk, fp + 16, code_address(ra), next);
}
#else
/*
 * Code without rules need not set the frame pointer on x86-64: it can be that of an outer
 * frame. The recorder reads the instructions.
 */
static __always_inline long step_without_rule(struct walk *walk)
{
	STOP(CHAIN_NO_RULE);
}
#endif

/*
 * Notes the frame of WALK, which is one of the interpreter of LuaJIT. Corrects its stack
 * pointer.
 */
static __always_inline void note_lua_call(struct walk *walk)
{
	u32 set = walk->set;
	struct linked_frame *frame = bpf_map_lookup_elem(&linked_frames, &set);
	struct lua_call *call;
	u64 outer = 0;

	go_to_lua_frame(walk);
	walk->has_lua = 1;
	if (load_to(walk, walk->sp + LUA_FRAME_OUTER, &outer))
		outer = 0;
	walk->lua_outer = LUA_FRAME(outer);

	if (!frame || frame->n_calls >= CHAIN_LUA_CALLS)
		return;
	call = &frame->calls[frame->n_calls++ & (CHAIN_LUA_CALLS - 1)];
	call->sp = walk->sp;
	call->fp = walk->fp;
	call->is_sampled = walk->n == 1;
}

/* Goes to the next outer frame of the walk of *SET. */
static long step(u32 index, u32 *set)
{
	struct chain_record *record = bpf_map_lookup_elem(&records, set);
	struct window *window = bpf_map_lookup_elem(&windows, set);
	struct walk *walk;
	u32 rule, n;
	u64 pc, at;
	int end;

	(void)index;
	if (!record || !window)
		return 1;
	walk = &window->walk;
	pc = walk->pc;
	n = walk->n;
	if (n >= CHAIN_FRAMES_MAX)
		STOP(CHAIN_LIMIT);
	at = pc - !walk->is_exact;
	if (at - walk->region.start >= walk->region.size) {
		end = pc ? find_region(walk, at) : CHAIN_NO_CODE;
		if (end) {
			if (!n) {
				record->pcs[0] = pc;
				walk->n = 1;
			}
			STOP(end);
		}
	}
	record->pcs[n] = pc;
	walk->n = n + 1;
	walk->hash = mix_hash(walk->hash, pc);
	if (walk->region.is_file && !walk->region.has_table)
		STOP(walk->region.space ? CHAIN_NO_RULE : CHAIN_NO_TABLE);
	if (walk->lua_size) {
		if (at - walk->lua_start < walk->lua_size)
			note_lua_call(walk);
		else if (!walk->region.is_file)
			return step_lua_trace(walk);
	}
	rule = walk->region.has_table ? rule_at(walk, at - walk->region.bias)
				      : 0;
	if (cfi_kind(rule) != CFI_SPECIAL)
		return step_rule(walk, window, rule);
	if ((rule & 0xff) == CFI_ROOT)
		STOP(CHAIN_ROOT);
	/* Some libcs have no rules for the code that their signal handlers return to. */
	if ((rule & 0xff) == CFI_SIGNAL ||
		((!rule || (rule & 0xff) == CFI_PADDING) && is_sigreturn(walk)))
		return step_signal(walk);
	if (rule)
		STOP(CHAIN_COMPLEX);
	return step_without_rule(walk);
}

/*
 * Unwinds the stack of the current task from the registers R of the record of SET.
 * Returns the result. The frames are in the record. HASH is the hash of what precedes the
 * frames. MODE is an enum chain_mode.
 */
static __always_inline struct walk *walk_stack(
	u32 set, u32 mode, struct mm_struct *mm, const u64 *r, u64 hash)
{
	struct window *window = bpf_map_lookup_elem(&windows, &set);
	struct linked_frame *frame = bpf_map_lookup_elem(&linked_frames, &set);
	u32 pid = current_task_ids() >> 32;
	const struct chain_runtime *runtime;
	struct walk *walk;

	if (!window || !frame)
		return NULL;
	walk = &window->walk;
	__builtin_memset(walk, 0, sizeof(*walk));
	walk->hash = hash;
	runtime = bpf_map_lookup_elem(&runtimes, &pid);
	walk->lua_size = runtime ? runtime->lua_size : 0;
	if (walk->lua_size) {
		walk->lua_start = runtime->lua_start;
		walk->lua_current = runtime->lua_current;
		frame->n_calls = frame->next_call = 0;
	}
	set_first_frame(walk, window, r);
	walk->set = set;
	walk->pc = r[IP];
	walk->sp = r[SP];
	walk->fp = r[FP];
	walk->is_exact = walk->is_first = 1;
	walk->window = 1;
	walk->end = CHAIN_LIMIT;
	walk->root = (u64)BPF_CORE_READ(mm, mm_mt.ma_root);
	walk->vdso = (u64)BPF_CORE_READ(mm, context.vdso);
	walk->space = space_of(mm);
	walk->changes = changes_of(mm);
	/* A walk reads words of 64 bits. */
	if (mode == CHAIN_WALK && CHAIN_IS_64_BIT(r))
		bpf_loop(CHAIN_FRAMES_MAX + 1, step, &set, 0);
	else
		walk->end = CHAIN_COMPLEX;
	return walk;
}

/* Sets the fields of RECORD that describe the end of WALK. */
static __always_inline void describe_end(
	struct chain_record *record, const struct walk *walk)
{
	record->kind = CHAIN_STACK;
	record->n = walk->n;
	record->end = walk->end;
	record->file = walk->file;
	record->at = walk->pc - !walk->is_exact;
}

#endif
