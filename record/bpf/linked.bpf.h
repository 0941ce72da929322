/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the frames of an interpreter from a linked list, from a stack that is not the native
 * one, or from arrays of contexts, in the memory of the process.
 */
#ifndef DWELL_RECORD_BPF_LINKED_BPF_H
#define DWELL_RECORD_BPF_LINKED_BPF_H

#include "record/bpf/lua.bpf.h"

/* Pointers in the list can have tags in their lowest bits. */
#define WITHOUT_TAG(pointer) ((pointer) & ~7ull)
#define FRAME_BYTES(frame, offset) \
	((frame)->bytes + ((offset) & (CHAIN_LINKED_SIZE - 1)))

static __always_inline u64 frame_word(
	const struct linked_frame *frame, u32 offset)
{
	return *(u64 *)FRAME_BYTES(frame, offset);
}

/* Takes the code object of FRAME, to which POINTER leads. */
static __always_inline void take_code(
	struct linked_walk *walk, const struct linked_frame *frame, u64 pointer)
{
	u64 code = pointer;

	walk->pointer = pointer;
	if (frame->runtime.is_code_far && pointer &&
		bpf_probe_read_user(
			&code, 8, (void *)(pointer + frame->runtime.code_hop)))
		code = 0;
	walk->code = code;
	walk->cookie = cookie_of(&frame->runtime, code);
}

static __always_inline u8 mark_of(const struct linked_frame *frame)
{
	u8 mark = 0;

	if (!frame->runtime.is_mark_far)
		return *FRAME_BYTES(frame, frame->runtime.mark);
	bpf_probe_read_user(
		&mark, 1, (void *)frame_word(frame, frame->runtime.mark));
	return mark;
}

static __always_inline u64 where_of(const struct linked_frame *frame)
{
	return frame->runtime.where_size == 4
		? *(u32 *)FRAME_BYTES(frame, frame->runtime.where)
		: frame_word(frame, frame->runtime.where);
}

/* Returns the address of the first frame of THREAD; 0: none. */
static __always_inline u64 first_of_thread(
	const struct chain_runtime *runtime, u64 thread)
{
	u64 at = thread;
	u32 i;

	for (i = 1; i < CHAIN_HOPS; i++)
		if (i < runtime->n_hops &&
			bpf_probe_read_user(&at, sizeof(at),
				(void *)(at + runtime->hops[i])))
			return 0;
	return WITHOUT_TAG(at);
}

/*
 * Goes to the next thread of an interpreter, or to the next interpreter. Sets .at of WALK if
 * the thread is the current one. Returns 1 if there is no other thread.
 */
static __always_inline long search_list(
	struct linked_walk *walk, const struct chain_runtime *runtime)
{
	u64 next = walk->thread ? walk->thread + runtime->next_thread
				: walk->interpreter + runtime->threads;
	u64 pointer = 0;

	if (!walk->interpreter)
		return 1;
	if (bpf_probe_read_user(
		    &walk->thread, sizeof(walk->thread), (void *)next))
		walk->thread = 0;
	if (!walk->thread)
		return bpf_probe_read_user(&walk->interpreter,
			       sizeof(walk->interpreter),
			       (void *)(walk->interpreter +
				       runtime->next_interpreter)) != 0;
	if (!bpf_probe_read_user(&pointer, sizeof(pointer),
		    (void *)(walk->thread + runtime->thread_id)) &&
		pointer == walk->thread_pointer)
		walk->at = first_of_thread(runtime, walk->thread);
	return 0;
}

/* Begins the search for the lists of TASK, if there is more than one interpreter. */
static __always_inline int begin_search(struct linked_walk *walk,
	const struct chain_runtime *runtime, struct task_struct *task)
{
	u64 first = 0, second = 0;

	if (!runtime->interpreters ||
		bpf_probe_read_user(
			&first, sizeof(first), (void *)runtime->interpreters) ||
		!first ||
		bpf_probe_read_user(&second, sizeof(second),
			(void *)(first + runtime->next_interpreter)) ||
		!second)
		return 0;
	walk->interpreter = first;
	walk->thread_pointer = thread_pointer(task);
	return 1;
}

static long add_linked(u32 index, u32 *set)
{
	struct chain_record *record = bpf_map_lookup_elem(&records, set);
	struct linked_frame *frame = bpf_map_lookup_elem(&linked_frames, set);
	struct linked_walk *walk;
	u64 pointer;
	u32 at, size;

	(void)index;
	if (!record || !frame)
		return 1;
	walk = &frame->walk;
	at = walk->first + CHAIN_LINKED_WORDS * walk->n;
	if (!walk->at) {
		walk->end = CHAIN_LINKED_ROOT;
		return search_list(walk, &frame->runtime);
	}
	walk->end = CHAIN_LINKED_UNREADABLE;
	size = frame->runtime.size;
	if (at > CHAIN_WORDS_MAX - CHAIN_LINKED_WORDS ||
		size > CHAIN_LINKED_SIZE ||
		bpf_probe_read_user(frame->bytes, size, (void *)walk->at))
		return 1;
	pointer = WITHOUT_TAG(frame_word(frame, frame->runtime.code));
	if (pointer != walk->pointer)
		take_code(walk, frame, pointer);
	put_frame(walk, record, where_of(frame), mark_of(frame));
	if (frame->runtime.step) {
		walk->at += frame->runtime.step;
		if (walk->at >= walk->end_at)
			walk->at = 0;
	} else {
		walk->at = WITHOUT_TAG(frame_word(frame, frame->runtime.link));
	}
	walk->end = walk->at || walk->interpreter ? CHAIN_LINKED_LIMIT
						  : CHAIN_LINKED_ROOT;
	return walk->n >= CHAIN_LINKED_MAX;
}

/* Begins with the innermost context of the next outer array. Returns 1 if it is unreadable. */
static __always_inline long begin_array(
	struct linked_walk *walk, const struct chain_runtime *runtime)
{
	u64 element = walk->outer;
	int top = -1;

	if (bpf_probe_read_user(&walk->array, sizeof(walk->array),
		    (void *)(element + runtime->array)) ||
		bpf_probe_read_user(
			&top, sizeof(top), (void *)(element + runtime->top)) ||
		bpf_probe_read_user(&walk->outer, sizeof(walk->outer),
			(void *)(element + runtime->outer)))
		return 1;
	walk->at = top < 0 ? 0 : walk->array + (u64)top * runtime->size;
	return 0;
}

/* Takes the next outer context, or begins an array. */
static long add_context(u32 index, u32 *set)
{
	struct chain_record *record = bpf_map_lookup_elem(&records, set);
	struct linked_frame *frame = bpf_map_lookup_elem(&linked_frames, set);
	struct linked_walk *walk;
	u64 pointer;
	u32 size;
	u8 mark;

	(void)index;
	if (!record || !frame)
		return 1;
	walk = &frame->walk;
	walk->end = CHAIN_LINKED_UNREADABLE;
	size = frame->runtime.size;
	if (!walk->at && walk->outer) {
		if (begin_array(walk, &frame->runtime))
			return 1;
		walk->end = CHAIN_LINKED_LIMIT;
		return 0;
	}
	if (!walk->at) {
		walk->code = walk->where;
		walk->cookie = cookie_of(&frame->runtime, walk->code);
		put_frame(walk, record, walk->where, CHAIN_MARK_ENTRY);
		walk->end = CHAIN_LINKED_ROOT;
		return 1;
	}
	if (size > CHAIN_LINKED_SIZE ||
		bpf_probe_read_user(frame->bytes, size, (void *)walk->at))
		return 1;
	walk->at = walk->at - walk->array >= size ? walk->at - size : 0;
	walk->end = CHAIN_LINKED_LIMIT;
	mark = *FRAME_BYTES(frame, frame->runtime.mark);
	if ((mark & frame->runtime.kind_mask) != frame->runtime.kind)
		return 0;
	if (!frame_word(frame, frame->runtime.entry))
		mark |= CHAIN_MARK_ENTRY;
	else
		mark &= ~CHAIN_MARK_ENTRY;
	pointer = WITHOUT_TAG(frame_word(frame, frame->runtime.code));
	if (pointer != walk->pointer)
		take_code(walk, frame, pointer);
	put_frame(walk, record, walk->where, mark);
	walk->where = where_of(frame);
	return walk->n >= CHAIN_LINKED_MAX;
}

/*
 * Returns the address of the first frame of TASK, or that of the first element of the list
 * of arrays; 0: none. Sets .end_at or .where of WALK.
 */
static __always_inline u64 first_linked(const struct chain_runtime *runtime,
	struct task_struct *task, struct linked_walk *walk)
{
	u64 pointer = thread_pointer(task), owner = 0;
	u64 at = runtime->base ? runtime->base : pointer, stack[2];
	u32 i;

	for (i = 0; i < CHAIN_HOPS; i++) {
		if (i + 1 == runtime->n_hops && runtime->step) {
			if (bpf_probe_read_user(stack, sizeof(stack),
				    (void *)(at + runtime->stack)))
				return 0;
			walk->end_at = stack[0] + 8 * stack[1] - runtime->rest;
		}
		if (i + 1 == runtime->n_hops && runtime->array &&
			bpf_probe_read_user(&walk->where, sizeof(walk->where),
				(void *)(at + runtime->inner)))
			return 0;
		if (i < runtime->n_hops &&
			bpf_probe_read_user(&at, sizeof(at),
				(void *)(at + runtime->hops[i])))
			return 0;
		if (!i && runtime->owner &&
			(bpf_probe_read_user(&owner, sizeof(owner),
				 (void *)(at + runtime->owner)) ||
				owner != pointer))
			return 0;
	}
	return WITHOUT_TAG(at);
}

/*
 * Appends the linked frames of TASK to the FIRST words of the record of SET, and mixes
 * them to HASH. HAS_LUA is that of walk_stack(). Sets the members of the record. Returns the
 * number of all words.
 */
static __noinline u32 add_linked_frames(
	u32 set, u32 first, struct task_struct *task, u32 has_lua, u64 *hash)
{
	u64 ids = current_task_ids();
	u32 pid = ids >> 32, zero = 0;
	struct chain_record *record = bpf_map_lookup_elem(&records, &set);
	struct linked_frame *frame = bpf_map_lookup_elem(&linked_frames, &set);
	struct chain_counts *count = bpf_map_lookup_elem(&counts, &zero);
	const struct chain_runtime *runtime;
	struct linked_walk *walk;
	u64 began;

	if (!record || !frame || !count)
		return first;
	record->n_linked = 0;
	runtime = bpf_map_lookup_elem(&runtimes, &pid);
	if (!runtime || (!runtime->n_hops && !has_lua) ||
		(runtime->is_of_main_thread && pid != (u32)ids))
		return first;
	began = bpf_ktime_get_ns();
	frame->runtime = *runtime;
	walk = &frame->walk;
	__builtin_memset(walk, 0, sizeof(*walk));
	walk->first = first;
	walk->hash = *hash;
	if (has_lua) {
		__builtin_memset(&frame->lua, 0, sizeof(frame->lua));
		bpf_loop(CONTEXTS_MAX, add_lua_frame, &set, 0);
	} else if (frame->runtime.array) {
		walk->outer = first_linked(&frame->runtime, task, walk);
		if (walk->outer)
			bpf_loop(CONTEXTS_MAX, add_context, &set, 0);
	} else {
		if (!begin_search(walk, &frame->runtime, task))
			walk->at = first_linked(&frame->runtime, task, walk);
		bpf_loop(CONTEXTS_MAX, add_linked, &set, 0);
	}
	record->n_linked = walk->n;
	*hash = walk->hash;
	count->linked_stacks++;
	count->linked += walk->n;
	count->linked_cut += walk->end == CHAIN_LINKED_LIMIT;
	count->linked_damaged += walk->end == CHAIN_LINKED_UNREADABLE;
	count->linked_ns += bpf_ktime_get_ns() - began;
	return first + CHAIN_LINKED_WORDS * walk->n;
}

#endif
