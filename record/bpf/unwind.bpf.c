/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs of the recorder: one unwinds the user stack of each sample and
 * writes the return addresses to the ring buffer directly before the sample; the
 * others (waits.bpf.h) measure how long threads are off-CPU.
 */
#include "record/bpf/incomplete.bpf.h"
#include "record/bpf/linked.bpf.h"
#include "record/bpf/waits.bpf.h"

static __noinline int send_copy(struct bpf_perf_event_data *ctx, u64 sp)
{
	struct chain_copy *copy;
	u32 size = 0;

	copy = copy_stack(OF_SAMPLES, sp, 0, &size);
	if (!copy || size > sizeof(*copy))
		return 0;
	return bpf_perf_event_output(
		       ctx, &output, BPF_F_CURRENT_CPU, copy, size) != 0;
}

SEC("perf_event")
int unwind_sample(struct bpf_perf_event_data *ctx)
{
	u32 zero = 0, set = OF_SAMPLES, size;
	struct chain_record *record = bpf_map_lookup_elem(&records, &set);
	struct chain_counts *count = bpf_map_lookup_elem(&counts, &zero);
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct walk *walk;
	struct mm_struct *mm;
	u64 began = bpf_ktime_get_ns(), linked_ns, *r;

	if (!record || !count)
		return 1;
	count->runs++;
	mm = BPF_CORE_READ(task, mm);
	if (!mm || BPF_CORE_READ(task, flags) & TASK_NO_USER)
		return 1;
	count->stacks++;
	r = (u64 *)record->registers;
	if (!copy_user_registers(ctx, r) &&
		bpf_probe_read_kernel(r, sizeof(record->registers),
			(void *)bpf_task_pt_regs((void *)task)))
		return 1;
	walk = walk_stack(set, settings.mode, mm, r, 0);
	if (!walk)
		return 1;
	record->key = 0;
	record->n_kernel = 0;
	describe_end(record, walk);
	if (walk->end < CHAIN_ENDS)
		count->ends[walk->end]++;
	size = walk->n;
	if (walk->end != CHAIN_ROOT) {
		count->unsent += send_copy(ctx, stack_pointer(r));
		size = follow_frame_pointers(set, &walk->hash);
	}
	if (size > CHAIN_FRAMES_MAX)
		size = CHAIN_FRAMES_MAX;
	record->n = size;
	linked_ns = count->linked_ns;
	size = add_linked_frames(set, size, task, walk->has_lua, &walk->hash);
	if (size > CHAIN_WORDS_MAX)
		size = CHAIN_WORDS_MAX;
	size = __builtin_offsetof(struct chain_record, pcs) + size * 8;
	count->unsent += bpf_perf_event_output(ctx, &output, BPF_F_CURRENT_CPU,
				 record, size) != 0;
	count->ns +=
		bpf_ktime_get_ns() - began - (count->linked_ns - linked_ns);
	return 1;
}

char program_license[] SEC("license") = "GPL";
