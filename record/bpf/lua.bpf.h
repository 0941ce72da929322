/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the frames of LuaJIT from the stacks of its Lua states. */
#ifndef DWELL_RECORD_BPF_LUA_BPF_H
#define DWELL_RECORD_BPF_LUA_BPF_H

#include "record/bpf/linked_frame.bpf.h"

/*
 * A frame begins two words below its base: the function, and the link to the caller. The
 * lowest bits of the link are its type (lj_frame.h).
 */
#define LINK_TYPE 3u
#define LINK_SIZE(link) ((link) & ~7ull)
#define FROM_LUA 0u /* the link is the return address in the bytecode */
#define FROM_C 1u
#define LINK_OF(link) ((link)&7)
#define FROM_METAMETHOD 2u
#define OF_ARGUMENTS 3u
/* From the base of a frame FROM_METAMETHOD: the kind of the call, and the return address. */
#define METAMETHOD_KIND 32
#define IS_CALLBACK \
	1u /* a function of C called a callback (LJ_CONT_FFI_CALLBACK) */
/*
 * Words of GCfunc. The first one, at LUA_TYPES, has its type and number; the last one is the
 * address of the bytecode, which is behind GCproto.
 */
#define FUNCTION_WORDS 4u
#define FUNCTION_NUMBER_SHIFT 16 /* 0: a function of Lua */
#define PROTOTYPE_SIZE 104u
/* The function and the link, below the base. */
#define LINKED_BYTES 16u
#define PROTOTYPE_N_INSTRUCTIONS 12u /* offset; 4 bytes */

static __always_inline int is_in_stack(const struct lua_stack *lua, u64 base)
{
	return base - lua->start < lua->size && !(base & 7);
}

/* Returns whether WHERE is a return address in the bytecode of FUNCTION. */
static __always_inline int is_in_bytecode(
	const struct lua_function *function, u64 where)
{
	return where - function->start - 1 < function->size && !(where & 3);
}

/*
 * Sets the base of the innermost frame of LUA, and .pc. A trace has its own base. While the
 * interpreter runs, both are in registers. The base is the frame pointer around calls of
 * mathematical functions of the C library. Around other calls, the state has the base, and
 * the native frame the instruction.
 */
static __always_inline void find_base(struct lua_stack *lua,
	const struct lua_call *call, u64 global, u32 current, const u64 *r)
{
	u64 base = lua_trace_base(global, current);
	struct lua_registers registers = {};

	lua->where = lua->pc = lua->saved_pc = 0;
	lua->is_innermost = lua->is_from_lua = lua->n_found = 0;
	if (is_in_stack(lua, base)) {
		lua->base = base;
		return;
	}
	bpf_probe_read_user(&lua->saved_pc, sizeof(lua->saved_pc),
		(void *)(call->sp + LUA_FRAME_PC));
	lua->pc = lua->saved_pc;
	lua->is_innermost = 1;
	if (call->is_sampled)
		registers = lua_registers(r);
	lua->is_in_register = is_in_stack(lua, registers.base);
	lua->sets_link = lua->is_in_register && registers.sets_link;
	base = 0;
	if (lua->is_in_register) {
		base = registers.base;
		lua->pc = registers.pc;
	} else if (call->fp != lua->state && is_in_stack(lua, call->fp)) {
		base = call->fp;
	} else {
		bpf_probe_read_user(
			&base, sizeof(base), (void *)(lua->state + LUA_BASE));
	}
	lua->base = is_in_stack(lua, base) ? base : 0;
}

/* Begins with the Lua state of the next outer call of the interpreter. */
static __always_inline void begin_call(struct linked_frame *frame, const u64 *r)
{
	struct lua_stack *lua = &frame->lua;
	const struct lua_call *call =
		&frame->calls[frame->next_call++ & (CHAIN_LUA_CALLS - 1)];
	u64 state = 0, global;
	u32 n = 0;

	bpf_probe_read_user(
		&state, sizeof(state), (void *)(call->sp + LUA_FRAME_STATE));
	if (state == lua->state)
		return;
	global = lua_global(state);
	if (!global ||
		bpf_probe_read_user(&lua->start, sizeof(lua->start),
			(void *)(state + LUA_STACK)) ||
		bpf_probe_read_user(
			&n, sizeof(n), (void *)(state + LUA_STACK_SIZE)))
		return;
	lua->state = state;
	lua->size = 8ull * n;
	find_base(lua, call, global, frame->runtime.lua_current, r);
}

/* Reads the function that VALUE is the address of. Returns 1 if it is no function. */
static __always_inline long read_lua_function(
	u64 value, struct lua_function *ret)
{
	u64 words[FUNCTION_WORDS], address = LUA_ADDRESS(value);
	u32 n = 0;

	if (LUA_TAG(value) != LUA_IS_FUNCTION ||
		bpf_probe_read_user(
			words, sizeof(words), (void *)(address + LUA_TYPES)) ||
		(words[0] >> LUA_TYPE_SHIFT & 0xff) != LUA_IS_FUNCTION)
		return 1;
	ret->at = address;
	ret->start = ret->size = 0;
	if (words[0] >> FUNCTION_NUMBER_SHIFT & 0xff)
		return 0;
	ret->start = words[FUNCTION_WORDS - 1];
	bpf_probe_read_user(&n, sizeof(n),
		(void *)(ret->start - PROTOTYPE_SIZE +
			PROTOTYPE_N_INSTRUCTIONS));
	ret->size = 4ull * n;
	return 0;
}

/* Appends the frame that waits. */
static __always_inline void put_waiting_frame(struct linked_walk *walk,
	struct linked_frame *frame, struct chain_record *record)
{
	struct lua_stack *lua = &frame->lua;
	u64 code = lua->waiting.at;

	if (!lua->is_waiting)
		return;
	lua->is_waiting = 0;
	if (lua->waiting.start)
		code = lua->waiting.start - PROTOTYPE_SIZE;
	if (code != walk->code) {
		walk->code = code;
		walk->cookie = lua->waiting.start
			? cookie_of(&frame->runtime, code)
			: 0;
	}
	put_frame(walk, record, lua->waiting_where, lua->waiting_mark);
}

/* Goes to the frame below that of LUA, by its LINK. Returns 1 if that is damaged. */
static __always_inline long follow_link(struct lua_stack *lua, u64 link)
{
	u64 size = LINK_SIZE(link);
	u8 a = 0;

	lua->is_from_lua = (link & LINK_TYPE) == FROM_LUA;
	lua->where = 0;
	if (lua->is_from_lua) {
		/* The operand A of the instruction before: the base of the call. */
		if (bpf_probe_read_user(&a, sizeof(a), (void *)(link - 3)))
			return 1;
		size = 8 * (2 + (u64)a);
		lua->where = link;
	}
	if (!size || size > lua->base - lua->start)
		return 1;
	lua->base -= size;
	return 0;
}

/*
 * Lets the frame of LUA wait, which FUNCTION has, and goes to the frame below it, by LINK.
 * Returns 1 if that is damaged. If IS_AT_LINK, the function has not begun or is over, and
 * the frame only marks a call of the interpreter.
 */
static __always_inline long take_lua_frame(struct lua_stack *lua,
	const struct lua_function *function, u64 link, int is_at_link)
{
	u64 call[2] = {}; /* kind and return address */
	u8 mark = (link & LINK_TYPE) == FROM_C ? CHAIN_MARK_ENTRY : 0;

	if (LINK_OF(link) == FROM_METAMETHOD)
		bpf_probe_read_user(call, sizeof(call),
			(void *)(lua->base - METAMETHOD_KIND));
	if (call[0] == IS_CALLBACK) {
		mark = CHAIN_MARK_ENTRY;
		call[1] = 0;
	}
	lua->is_waiting = mark || !is_at_link;
	lua->waiting = *function;
	if (is_at_link)
		lua->waiting.start = 0;
	if (!lua->waiting.start)
		mark |= CHAIN_MARK_LUA_C;
	lua->waiting_mark = mark;
	lua->waiting_where = lua->where;
	if (follow_link(lua, link))
		return 1;
	if (call[1])
		lua->where = call[1];
	return 0;
}

/*
 * A function with variable arguments has a second frame below that of LUA. Sets *LINK to the
 * link of the second frame. Returns 1 if the frame is damaged.
 */
static __always_inline long skip_arguments(struct lua_stack *lua, u64 *link)
{
	if (LINK_OF(*link) != OF_ARGUMENTS)
		return 0;
	lua->base -= LINK_SIZE(*link);
	return !is_in_stack(lua, lua->base) ||
		bpf_probe_read_user(
			link, sizeof(*link), (void *)(lua->base - 8));
}

/* Reads the function in the frame at BASE. Returns 1 if there is none. */
static __always_inline long read_frame_function(
	const struct lua_stack *lua, u64 base, struct lua_function *ret)
{
	u64 value = 0;

	return !is_in_stack(lua, base) ||
		bpf_probe_read_user(
			&value, sizeof(value), (void *)(base - LINKED_BYTES)) ||
		read_lua_function(value, ret);
}

/*
 * Returns whether PC is behind the instruction by which a function of Lua called that of the
 * frame of LUA.
 */
static __always_inline int is_call_of(const struct lua_stack *lua, u64 pc)
{
	struct lua_function caller = {};
	u8 a = 0;

	return !(pc & LINK_TYPE) &&
		!bpf_probe_read_user(&a, sizeof(a), (void *)(pc - 3)) &&
		!read_frame_function(
			lua, lua->base - 8 * (2 + (u64)a), &caller) &&
		is_in_bytecode(&caller, pc);
}

/*
 * Begins again with the base that the state of LUA has: the interpreter uses its register of
 * the base otherwise before it calls a function of C. Returns 1 if the function there does not
 * have the instruction.
 */
static __always_inline long begin_again(struct lua_stack *lua)
{
	struct lua_function function = {};
	u64 base = 0, pc = lua->pc;

	lua->pc = 0;
	if (!pc ||
		bpf_probe_read_user(
			&base, sizeof(base), (void *)(lua->state + LUA_BASE)) ||
		read_frame_function(lua, base, &function))
		return 1;
	if (function.start && !is_in_bytecode(&function, pc))
		pc = lua->saved_pc;
	if (function.start && !is_in_bytecode(&function, pc))
		return 1;
	lua->base = base;
	lua->where = pc;
	lua->is_from_lua = lua->is_waiting = 0;
	return 0;
}

/*
 * Takes the innermost frame of LUA, with the function and the link in WORDS. The interpreter
 * can be between the instructions of the function and those of its caller: then, .pc is that
 * of the caller, the link may not be stored yet, and results can be in the place of both.
 * Returns 1 if the frame is damaged.
 */
static __always_inline long take_innermost_frame(
	struct lua_stack *lua, u64 *words)
{
	const struct lua_function none = {};
	struct lua_function function = {};
	u64 pc = lua->pc;

	lua->is_innermost = 0;
	if (lua->sets_link)
		words[1] = pc;
	if (pc == words[1])
		return take_lua_frame(lua, &none, words[1], 1);
	/* The interpreter returns to C, and has the base of the frame below. */
	if (lua->is_in_register && is_in_stack(lua, pc) && pc < lua->base) {
		lua->base = pc;
		lua->waiting = none;
		lua->waiting_mark = CHAIN_MARK_ENTRY | CHAIN_MARK_LUA_C;
		lua->is_waiting = 1;
		return 0;
	}
	if (read_lua_function(words[0], &function)) {
		if (is_call_of(lua, pc))
			return take_lua_frame(lua, &none, pc, 1);
		return LUA_TAG(words[0]) != LUA_IS_STATE ||
			take_lua_frame(lua, &none, words[1], 1);
	}
	if (function.start && pc == function.start)
		lua->where = pc + 4; /* the function begins */
	else if (is_in_bytecode(&function, pc))
		lua->where = pc;
	else if (lua->is_in_register && is_call_of(lua, pc))
		return take_lua_frame(lua, &none, pc, 1);
	else if (function.start && !begin_again(lua))
		return 0;
	else if (is_in_bytecode(&function, lua->saved_pc))
		lua->where = lua->saved_pc;
	return skip_arguments(lua, &words[1]) ||
		take_lua_frame(lua, &function, words[1], 0);
}

/* Takes the frame of LUA. Returns 1 if it is damaged. */
static __always_inline long next_lua_frame(struct linked_walk *walk,
	struct linked_frame *frame, struct chain_record *record)
{
	struct lua_stack *lua = &frame->lua;
	struct lua_function function = {};
	u64 words[2]; /* function and link */

	if (bpf_probe_read_user(
		    words, sizeof(words), (void *)(lua->base - LINKED_BYTES)))
		return 1;
	/* The outermost frame is of the state itself, and that of a callback can be. */
	if (LUA_TAG(words[0]) == LUA_IS_STATE &&
		lua->base - lua->start <= LINKED_BYTES) {
		put_waiting_frame(walk, frame, record);
		lua->base = 0;
		return 0;
	}
	if (lua->is_innermost)
		return take_innermost_frame(lua, words);
	if (LUA_TAG(words[0]) != LUA_IS_STATE &&
		(read_lua_function(words[0], &function) ||
			(lua->is_from_lua &&
				!is_in_bytecode(&function, lua->where))))
		return 1;
	put_waiting_frame(walk, frame, record);
	lua->n_found++;
	return skip_arguments(lua, &words[1]) ||
		take_lua_frame(lua, &function, words[1], !function.at);
}

static long add_lua_frame(u32 index, u32 *set)
{
	struct chain_record *record = bpf_map_lookup_elem(&records, set);
	struct linked_frame *frame = bpf_map_lookup_elem(&linked_frames, set);
	struct linked_walk *walk;

	(void)index;
	if (!record || !frame)
		return 1;
	walk = &frame->walk;
	if (!frame->lua.base) {
		walk->end = CHAIN_LINKED_ROOT;
		if (frame->next_call >= frame->n_calls)
			return 1;
		begin_call(frame, record->registers);
		return 0;
	}
	walk->end = CHAIN_LINKED_UNREADABLE;
	if (next_lua_frame(walk, frame, record) &&
		(frame->lua.n_found || begin_again(&frame->lua)))
		return 1;
	walk->end = CHAIN_LINKED_LIMIT;
	return walk->n >= CHAIN_LINKED_MAX;
}

#endif
