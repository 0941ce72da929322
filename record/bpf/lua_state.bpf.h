/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lua states of LuaJIT 2.1 with GC64 on x86-64, and the native stack frame of its
 * interpreter. Compiled code ("traces") runs in the frame of the interpreter, below which
 * it has only words of its own. The offsets are those of lj_obj.h and lj_frame.h.
 */
#ifndef DWELL_RECORD_BPF_LUA_STATE_BPF_H
#define DWELL_RECORD_BPF_LUA_STATE_BPF_H

#include "record/bpf/memory.bpf.h"

/* GCHeader: the type of an object (~LJ_TTHREAD, ~LJ_TFUNC), and lua_State. */
#define LUA_TYPES 8u
#define LUA_TYPE_SHIFT 8
#define LUA_IS_STATE 6u
#define LUA_IS_FUNCTION 8u
/* The type of a value with the address of an object. */
#define LUA_TAG(value) (~(u32)((value) >> 47) & 0x1ffff)
#define LUA_GLOBAL 16u
#define LUA_BASE 32u
#define LUA_STACK 56u
#define LUA_NATIVE_FRAME 80u
#define LUA_STACK_SIZE 88u
/* CFRAME_OFS_L and CFRAME_OFS_PC of the frame of the interpreter */
#define LUA_FRAME_STATE 16u
#define LUA_FRAME_PC 24u
/* jit_base in struct global_State, from cur_L */
#define LUA_TRACE_BASE 8u
/* In the frame, the next outer one of the same state (CFRAME_OFS_PREV); 0: none. */
#define LUA_FRAME_OUTER 32u
/* Addresses of frames have flags in their lowest bits. */
#define LUA_FRAME(word) ((word) & ~3ull)
/* User addresses, to which LuaJIT adds tags. */
#define LUA_ADDRESS(word) ((word) & ((1ull << 47) - 1))
/* Limit of the words of a trace in the stack. */
#define TRACE_WORDS 128
/* Limit of helper functions of the interpreter that call each other. */
#define HELPER_CALLS 2

/* Returns the global state of the Lua state STATE, or 0 if STATE is no Lua state. */
static __always_inline u64 lua_global(u64 state)
{
	u64 words[2] = {};

	if (!state || state & 7 || state != LUA_ADDRESS(state) ||
		bpf_probe_read_user(
			words, sizeof(words), (void *)(state + LUA_TYPES)) ||
		(words[0] >> LUA_TYPE_SHIFT & 0xff) != LUA_IS_STATE)
		return 0;
	return words[1];
}

/* Returns whether STATE is the current Lua state of its global state. */
static __always_inline int is_current_lua_state(u64 state, u32 current)
{
	u64 global = lua_global(state), found = 0;

	return global && !(global & 7) &&
		!bpf_probe_read_user(
			&found, sizeof(found), (void *)(global + current)) &&
		found == state;
}

/*
 * Returns the base of the innermost frame of the current Lua state of GLOBAL, if a trace
 * runs or exits; else 0.
 */
static __always_inline u64 lua_trace_base(u64 global, u32 current)
{
	u64 base = 0;

	bpf_probe_read_user(&base, sizeof(base),
		(void *)(global + current + LUA_TRACE_BASE));
	return base;
}

/*
 * Returns the stack pointer in the innermost frame of the interpreter, or 0. One of the
 * words at the stack pointer of WALK is the address of the current Lua state: the frame
 * contains it. The state has the address of the frame. Below the frame are the words of a
 * trace, or return addresses of helper functions of the interpreter. The sampled code can
 * also be an entry of the interpreter, which has no frame yet.
 */
__noinline u64 find_lua_frame(struct walk *walk)
{
	u64 frame = 0, sp, state = 0;
	u32 i;

	if (!walk)
		return 0;
	sp = walk->sp;
	for (i = LUA_FRAME_STATE / 8; i < TRACE_WORDS; i++) {
		if (load_to(walk, sp + 8 * i, &state))
			return 0;
		if (is_current_lua_state(state, walk->lua_current))
			break;
	}
	if (i >= TRACE_WORDS ||
		bpf_probe_read_user(&frame, sizeof(frame),
			(void *)(state + LUA_NATIVE_FRAME)))
		return 0;
	frame = LUA_FRAME(frame);
	return !walk->is_exact || frame - sp <= 8 * HELPER_CALLS ||
			lua_trace_base(lua_global(state), walk->lua_current)
		? frame
		: 0;
}

/*
 * Sets the stack pointer of WALK to that in the frame of the interpreter, where a trace or
 * the interpreter runs. The rules of the interpreter are wrong in its helper functions, and
 * while a trace exits. Returns whether the frame is known.
 */
static __always_inline int go_to_lua_frame(struct walk *walk)
{
	u64 frame = walk->has_lua ? walk->lua_outer : find_lua_frame(walk);

	if (frame - walk->sp >= 8 * TRACE_WORDS || frame & 7)
		return 0;
	walk->sp = frame;
	return 1;
}

/*
 * Goes from a trace, code without a file, to the frame of the interpreter. The frame of the
 * trace is not kept. Stops if there is no such frame.
 */
static __always_inline long step_lua_trace(struct walk *walk)
{
	if (!go_to_lua_frame(walk))
		STOP(CHAIN_NO_RULE);
	walk->n--;
	/* Any return address in the interpreter has its rule. */
	return go_to_caller(walk, walk->sp, walk->lua_start + 1, 0);
}

#endif
