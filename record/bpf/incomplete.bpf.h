/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the program sends of stacks that the rules in the kernel cannot unwind:
 * the frames that frame pointers lead to, and a copy of the stack.
 */
#ifndef DWELL_RECORD_BPF_INCOMPLETE_BPF_H
#define DWELL_RECORD_BPF_INCOMPLETE_BPF_H

#include "record/bpf/walk.bpf.h"

struct fp_walk {
	u64 fp, hash;
	u32 n, is_64, set;
};

static long add_caller(u32 index, struct fp_walk *walk)
{
	u32 set = walk->set, frame_32[2], n = walk->n;
	struct chain_record *record = bpf_map_lookup_elem(&records, &set);
	u64 frame[2];

	(void)index;
	if (!record || n >= CHAIN_CALLERS_MAX)
		return 1;
	if (walk->is_64) {
		if (bpf_probe_read_user(frame, sizeof(frame), (void *)walk->fp))
			return 1;
	} else {
		if (bpf_probe_read_user(
			    frame_32, sizeof(frame_32), (void *)walk->fp))
			return 1;
		frame[0] = frame_32[0];
		frame[1] = frame_32[1];
	}
	record->pcs[n] = code_address(frame[1]);
	walk->hash = mix_hash(walk->hash, record->pcs[n]);
	walk->n = n + 1;
	walk->fp = next_frame_pointer(walk->fp, frame[0]);
	return 0;
}

/*
 * Replaces the frames of the record of SET by those that the kernel finds by frame
 * pointers (perf_callchain_user()). The recorder
 * continues with them where rules end. Returns the number of frames, and mixes them to
 * HASH.
 */
static __noinline u32 follow_frame_pointers(u32 set, u64 *hash)
{
	struct fp_walk walk = { .n = 1, .set = set, .hash = *hash };
	struct chain_record *record = bpf_map_lookup_elem(&records, &set);

	if (!record)
		return 0;
	walk.fp = frame_pointer(record->registers);
	walk.is_64 = CHAIN_IS_64_BIT(record->registers);
	record->pcs[0] = record->registers[IP];
	walk.hash = mix_hash(walk.hash, record->pcs[0]);
	bpf_loop(CHAIN_CALLERS_MAX, add_caller, &walk, 0);
	*hash = walk.hash;
	return walk.n;
}

struct copying {
	u64 at, end, root;
	u32 size, slot, set;
};

/* Returns the place of this CPU and SET in the map of copies. */
static __always_inline u32 slot_of_copy(u32 set)
{
	return bpf_get_smp_processor_id() + set * settings.n_cpus;
}

/*
 * Returns the end of the mapping of a stack at AT, 0 if it is no mapping of a stack: behind the
 * stack of a thread can be a mapping of a file.
 */
static __always_inline u64 end_of_stack_mapping(u64 root, u64 at, u32 set)
{
	struct vm_area_struct *vma = (void *)find_mapping(root, at, set);

	if (!vma || BPF_CORE_READ(vma, vm_file) ||
		at < BPF_CORE_READ(vma, vm_start))
		return 0;
	return BPF_CORE_READ(vma, vm_end);
}

static long copy_page(u32 index, struct copying *copying)
{
	u32 slot = copying->slot, part;
	struct chain_copy *copy = bpf_map_lookup_elem(&copies, &slot);

	(void)index;
	if (copying->end && copying->at >= copying->end) {
		copying->end = end_of_stack_mapping(
			copying->root, copying->at, copying->set);
		if (copying->at >= copying->end)
			return 1;
	}
	part = 4096 - (copying->at & 4095);
	if (!copy || part > 4096 || copying->size >= CHAIN_COPY_MAX)
		return 1;
	if (bpf_probe_read_user(
		    copy->bytes + copying->size, part, (void *)copying->at))
		return 1;
	copying->at += part;
	copying->size += part;
	return 0;
}

/*
 * Copies the stack from SP on for the stack with KEY, after walk_stack() of SET. Returns the
 * copy, and sets SIZE_RET to its size with its head; NULL on error.
 */
static __always_inline struct chain_copy *copy_stack(
	u32 set, u64 sp, u64 key, u32 *size_ret)
{
	struct copying copying = {
		.at = sp, .slot = slot_of_copy(set), .set = set
	};
	u32 slot = copying.slot, size;
	struct chain_copy *copy = bpf_map_lookup_elem(&copies, &slot);
	struct window *window = bpf_map_lookup_elem(&windows, &set);

	if (!copy || !window)
		return NULL;
	copying.root = window->walk.root;
	copying.end = end_of_stack_mapping(copying.root, sp, set);
	bpf_loop(CHAIN_COPY_MAX / 4096 + 1, copy_page, &copying, 0);
	size = copying.size;
	if (size > CHAIN_COPY_MAX)
		size = CHAIN_COPY_MAX;
	copy->kind = CHAIN_COPY;
	copy->start = sp;
	copy->size = size;
	copy->key = key;
	*size_ret = size + __builtin_offsetof(struct chain_copy, bytes);
	return copy;
}

#endif
