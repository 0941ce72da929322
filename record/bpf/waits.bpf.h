/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures how long threads are off-CPU (wait_record.h): takes the stack of a thread
 * that leaves its CPU, the time of its wakeup, and the time at which it runs again.
 * Long waits are written to the ring buffer, short ones are added up.
 */
#ifndef DWELL_RECORD_BPF_WAITS_BPF_H
#define DWELL_RECORD_BPF_WAITS_BPF_H

#include "record/bpf/incomplete.bpf.h"
#include "record/bpf/linked.bpf.h"
#include "record/bpf/wait_record.h"

#define WAIT_MAP(name, n, from, to)              \
	struct {                                 \
		__uint(type, BPF_MAP_TYPE_HASH); \
		__uint(max_entries, n);          \
		__type(key, from);               \
		__type(value, to);               \
	} name SEC(".maps")

/* The loader reduces these maps to one entry if waits are not measured. */
WAIT_MAP(wait_threads, WAIT_THREADS_MAX, u32, struct wait_thread);
WAIT_MAP(wait_targets, WAIT_TARGETS_MAX, u32, u32);
WAIT_MAP(wait_sums_0, WAIT_SUMS_MAX, struct wait_key, struct wait_times);
WAIT_MAP(wait_sums_1, WAIT_SUMS_MAX, struct wait_key, struct wait_times);
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, WAIT_STACKS_MAX);
	__type(key, u64);
	__type(value, u32);
} wait_stacks SEC(".maps");
/* Frames of the kernel; those before .first are of this program. */
struct kernel_frames {
	u64 pcs[CHAIN_CALLERS_MAX + 1];
	u32 n, first;
};
PER_CPU(kernel_stacks, 1, struct kernel_frames);
PER_CPU(wait_counts, 1, struct wait_counts);
PER_CPU(unique_keys, 1, u64);

typedef struct bpf_raw_tracepoint_args *raw_args;

static __always_inline int send(raw_args ctx, void *record, u64 size)
{
	return bpf_perf_event_output(
		ctx, &output, BPF_F_CURRENT_CPU, record, size);
}

/* --- the kernel's part of the stack ------------------------------------------ */

/*
 * Reads the kernel's part of the stack, from the caller of the function that switches
 * tasks on. Returns the hash of the frames.
 */
static __noinline u64 read_kernel_stack(raw_args ctx)
{
	u64 start = settings.switch_start, size = settings.switch_size;
	u64 hash = settings.seed;
	u32 zero = 0, first = 0, n, i;
	struct kernel_frames *kernel =
		bpf_map_lookup_elem(&kernel_stacks, &zero);
	long bytes;

	if (!kernel)
		return 0;
	bytes = bpf_get_stack(ctx, kernel->pcs, 8 * CHAIN_CALLERS_MAX, 0);
	n = bytes > 0 ? (u32)bytes >> 3 : 0;
	for (i = 0; i < 8; i++)
		if (i < n && kernel->pcs[i] - start < size) {
			first = i + 1;
			break;
		}
	for (i = 0; i < CHAIN_CALLERS_MAX; i++) {
		if (i >= n)
			break;
		if (i >= first)
			hash = mix_hash(hash, kernel->pcs[i]);
	}
	kernel->first = first;
	kernel->n = n;
	return hash | 1; /* 0 is no hash */
}

/*
 * A kernel stack that was read, to recognize it: reading it takes several times longer.
 * The frames of the kernel have sizes that depend on the code only, so that the stack is
 * the same if it is as deep and has the same return addresses at the same places.
 */
#define MEMO_FRAMES 48u
#define MEMO_PLACES \
	64u /* more than frames: values of other words can be equal */
struct kernel_memo {
	u64 hash; /* read_kernel_stack() */
	u32 n, unused;
	u64 words[MEMO_PLACES];
	u32 places[MEMO_PLACES]; /* in kernel_words */
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, u64);
	__type(value, struct kernel_memo);
} wait_memos SEC(".maps");
PER_CPU(new_memo, 1, struct kernel_memo);

/* Words of the kernel's stack from the function that switches tasks on. */
#define KERNEL_WORDS 512u
struct kernel_words {
	u64 words[KERNEL_WORDS];
	u32 first, unused; /* words before them */
};
PER_CPU(kernel_words, 1, struct kernel_words);

/* Words of the frames of the tracepoint and of this program. */
#define OWN_WORDS 160u

/* Returns the place of the word that leads to the function that switches tasks. */
__noinline u32 find_switch_frame(void)
{
	u64 start = settings.switch_start, size = settings.switch_size;
	u32 zero = 0, i;
	struct kernel_words *kernel = bpf_map_lookup_elem(&kernel_words, &zero);

	if (!kernel)
		return OWN_WORDS;
	for (i = 0; i < OWN_WORDS; i++)
		if (kernel->words[i] - start < size)
			return i;
	return OWN_WORDS;
}

/* Reads the stack from AT to END to kernel_words. Returns the number of words, or 0. */
static __always_inline u32 read_words(
	struct kernel_words *kernel, u64 at, u64 end)
{
	u64 size = end - at;

	if (size > sizeof(kernel->words) ||
		bpf_probe_read_kernel(kernel->words, size, (void *)at))
		return 0;
	return size >> 3;
}

/*
 * Reads the stack of the kernel, which starts at STACK, from the function that switches
 * tasks on. It ends with the registers of the user. Returns the number of words; 0: not
 * known.
 */
static __noinline u32 read_kernel_words(u64 stack)
{
	u64 end = stack + KERNEL_STACK, at, here;
	u32 zero = 0, n;
	struct kernel_words *kernel = bpf_map_lookup_elem(&kernel_words, &zero);

	if (!kernel)
		return 0;
	/* For the verifier, a loaded address is a number and not a pointer. */
	*(u64 *volatile *)kernel->words = &here;
	at = *(volatile u64 *)kernel->words;
	if (!settings.switch_size || at < stack || at >= end)
		return 0;
	/* This program and the tracepoint have the same frames each time. */
	n = read_words(kernel, at + 8 * kernel->first, end);
	if (n &&
		kernel->words[0] - settings.switch_start < settings.switch_size)
		return n;
	if (!read_words(kernel, at, end))
		return 0;
	kernel->first = find_switch_frame();
	return kernel->first < OWN_WORDS
		? read_words(kernel, at + 8 * kernel->first, end)
		: 0;
}

/* Returns whether WORD is a frame of the kernel stack that was read last. */
__noinline u32 is_kernel_frame(u64 word)
{
	u32 zero = 0, i;
	struct kernel_frames *kernel =
		bpf_map_lookup_elem(&kernel_stacks, &zero);

	if (!kernel)
		return 0;
	for (i = 0; i < MEMO_FRAMES; i++)
		if (kernel->pcs[i] == word)
			return i >= kernel->first && i < kernel->n;
	return 0;
}

/* The places that are remembered; of a memo that is refined: by KEY. */
struct remembering {
	u64 key;
	u32 n;
};

/* Adds place I of the memo to new_memo if it has the same word now. */
static long keep_place(u32 i, struct remembering *remembering)
{
	u32 zero = 0, n = remembering->n & (MEMO_PLACES - 1);
	u64 key = remembering->key;
	struct kernel_words *kernel = bpf_map_lookup_elem(&kernel_words, &zero);
	struct kernel_memo *memo = bpf_map_lookup_elem(&wait_memos, &key);
	struct kernel_memo *new = bpf_map_lookup_elem(&new_memo, &zero);

	if (!kernel || !memo || !new || i >= MEMO_PLACES || i >= memo->n)
		return 1;
	if (kernel->words[memo->places[i] & (KERNEL_WORDS - 1)] !=
		memo->words[i])
		return 0;
	new->words[n] = memo->words[i];
	new->places[n] = memo->places[i];
	remembering->n = n + 1;
	return 0;
}

/* Returns whether the memo of KEY is of the stack with HASH. */
static __always_inline u32 has_memo(u64 key, u64 hash)
{
	struct kernel_memo *memo = bpf_map_lookup_elem(&wait_memos, &key);

	return memo && memo->hash == hash;
}

static long remember_word(u32 i, struct remembering *remembering)
{
	u32 zero = 0, n = remembering->n;
	struct kernel_words *kernel = bpf_map_lookup_elem(&kernel_words, &zero);
	struct kernel_memo *memo = bpf_map_lookup_elem(&new_memo, &zero);
	u64 word;

	if (!kernel || !memo || i >= KERNEL_WORDS)
		return 1;
	word = kernel->words[i];
	if (word < KERNEL_CODE || !is_kernel_frame(word))
		return 0;
	remembering->n = n + 1;
	if (n >= MEMO_PLACES)
		return 1;
	memo->words[n] = word;
	memo->places[n] = i;
	return 0;
}

/*
 * Remembers the kernel stack that was read last, of HASH, as KEY. N_WORDS are in
 * kernel_words.
 */
static __noinline int remember_kernel_stack(u64 key, u64 hash, u32 n_words)
{
	u32 zero = 0;
	struct kernel_frames *kernel =
		bpf_map_lookup_elem(&kernel_stacks, &zero);
	struct kernel_memo *memo = bpf_map_lookup_elem(&new_memo, &zero);
	struct remembering remembering = { .key = key };

	if (!kernel || !memo || kernel->n > MEMO_FRAMES)
		return 0;
	/* Words that have changed, although the stack is the same, are no frames. */
	if (has_memo(key, hash))
		bpf_loop(MEMO_PLACES, keep_place, &remembering, 0);
	else
		bpf_loop(n_words, remember_word, &remembering, 0);
	memo->hash = hash;
	memo->n = remembering.n;
	if (memo->n > MEMO_PLACES || memo->n < kernel->n - kernel->first)
		return 0;
	bpf_map_update_elem(&wait_memos, &key, memo, BPF_ANY);
	return 0;
}

/* Returns the hash of the kernel stack in kernel_words, if KEY has it; 0: it has not. */
__noinline u64 recall_kernel_stack(u64 key)
{
	u32 zero = 0, i;
	struct kernel_words *kernel = bpf_map_lookup_elem(&kernel_words, &zero);
	struct kernel_memo *memo = bpf_map_lookup_elem(&wait_memos, &key);

	if (!kernel || !memo)
		return 0;
	for (i = 0; i < MEMO_PLACES; i++) {
		if (i >= memo->n)
			return memo->hash;
		if (kernel->words[memo->places[i] & (KERNEL_WORDS - 1)] !=
			memo->words[i])
			return 0;
	}
	return memo->hash;
}

/*
 * Returns the hash of the kernel's part of the stack of TASK, the current task. Sets
 * IS_READ if the frames are in kernel_stacks.
 */
static __always_inline u64 hash_kernel_stack(
	raw_args ctx, struct task_struct *task, u32 *is_read)
{
	u32 zero = 0, n;
	struct kernel_words *kernel = bpf_map_lookup_elem(&kernel_words, &zero);
	u64 hash, key;

	if (!kernel)
		return 0;
	n = read_kernel_words((u64)BPF_CORE_READ(task, stack));
	/* By depth, system call, and where it was called. */
	key = mix_hash(mix_hash(n, kernel->words[0]),
		mix_hash(kernel->words[(n - KERNEL_REGISTERS + SYSTEM_CALL) &
				 (KERNEL_WORDS - 1)],
			kernel->words[(n - KERNEL_REGISTERS + IP) &
				(KERNEL_WORDS - 1)]));
	hash = n ? recall_kernel_stack(key) : 0;
	*is_read = !hash;
	if (hash)
		return hash;
	hash = read_kernel_stack(ctx);
	if (n)
		remember_kernel_stack(key, hash, n);
	return hash;
}

/* --- the stack of the current task ------------------------------------------- */

/*
 * Sends the stack in the record, with the frames of the kernel behind it. Returns
 * whether there was room.
 */
static __always_inline int send_stack(
	raw_args ctx, struct chain_record *record, struct kernel_frames *kernel)
{
	u32 n = record->n + CHAIN_LINKED_WORDS * record->n_linked;
	u32 n_kernel = kernel->n - kernel->first;

	if (n > CHAIN_WORDS_MAX - CHAIN_CALLERS_MAX ||
		n_kernel > CHAIN_CALLERS_MAX || kernel->first > 8)
		return 0;
	if (n_kernel)
		bpf_probe_read_kernel(record->pcs + n, n_kernel * 8,
			kernel->pcs + kernel->first);
	record->n_kernel = n_kernel;
	return !send(ctx, record,
		__builtin_offsetof(struct chain_record, pcs) +
			(n + n_kernel) * 8);
}

/*
 * Takes the native user stack of TASK, the current task, to the record, and mixes its
 * frames to HASH. Sets *HAS_LUA_RET as walk_stack(). Returns whether it is complete.
 */
static __always_inline int take_native_stack(struct task_struct *task,
	struct mm_struct *mm, struct chain_record *record, u32 *has_lua_ret,
	u64 *hash)
{
	struct walk *walk;

	if (settings.wait_mode == CHAIN_FRAME_POINTERS) {
		record->n = follow_frame_pointers(OF_WAITS, hash);
		return 1;
	}
	walk = walk_stack(OF_WAITS, settings.wait_mode, mm,
		(u64 *)record->registers, *hash);
	if (!walk)
		return 1;
	describe_end(record, walk);
	*hash = walk->hash;
	*has_lua_ret = walk->has_lua;
	if (walk->end == CHAIN_ROOT)
		return 1;
	record->n = follow_frame_pointers(OF_WAITS, hash);
	return 0;
}

/* The same with the linked frames of an interpreter. */
static __always_inline int take_user_stack(
	struct task_struct *task, struct chain_record *record, u64 *hash)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	u32 n, has_lua = 0;
	int is_complete;

	record->n = record->n_linked = 0;
	record->end = CHAIN_ROOT;
	if (!mm || BPF_CORE_READ(task, flags) & TASK_NO_USER)
		return 1;
	if (bpf_probe_read_kernel(record->registers, sizeof(record->registers),
		    (void *)bpf_task_pt_regs(bpf_get_current_task_btf())))
		return 1;
	is_complete = take_native_stack(task, mm, record, &has_lua, hash);
	n = record->n;
	if (n <= CHAIN_FRAMES_MAX)
		add_linked_frames(OF_WAITS, n, task, has_lua, hash);
	return is_complete;
}

/*
 * Sends the stack in the records. A stack that is not complete goes with a copy, and
 * gets a unique key. Returns its key, or 0 if there was no room.
 */
static __noinline u64 send_new_stack(raw_args ctx, u64 key)
{
	u32 zero = 0, set = OF_WAITS, size = 0;
	struct chain_record *record = bpf_map_lookup_elem(&records, &set);
	struct kernel_frames *kernel =
		bpf_map_lookup_elem(&kernel_stacks, &zero);
	struct wait_counts *count = bpf_map_lookup_elem(&wait_counts, &zero);
	struct chain_copy *copy;

	if (!record || !kernel || !count)
		return 0;
	record->kind = CHAIN_STACK;
	record->key = key;
	if (key & WAIT_KEY_UNIQUE) {
		copy = copy_stack(
			OF_WAITS, stack_pointer(record->registers), key, &size);
		if (copy && size <= sizeof(*copy))
			send(ctx, copy, size);
	}
	if (!send_stack(ctx, record, kernel)) {
		count->no_stack++;
		return 0;
	}
	if (!(key & WAIT_KEY_UNIQUE))
		bpf_map_update_elem(&wait_stacks, &key, &zero, BPF_ANY);
	return key;
}

/* Returns the key of the stack of TASK, the current task, or 0. */
static __always_inline u64 take_stack(raw_args ctx, struct task_struct *task)
{
	u32 zero = 0, set = OF_WAITS;
	struct chain_record *record = bpf_map_lookup_elem(&records, &set);
	u64 *unique = bpf_map_lookup_elem(&unique_keys, &zero);
	u32 is_read = 0;
	u64 hash, key;

	if (!record || !unique)
		return 0;
	hash = hash_kernel_stack(ctx, task, &is_read);
	if (take_user_stack(task, record, &hash)) {
		key = (hash & ~WAIT_KEY_UNIQUE) | 1;
		if (bpf_map_lookup_elem(&wait_stacks, &key))
			return key;
	} else {
		key = WAIT_KEY_UNIQUE | (u64)bpf_get_smp_processor_id() << 44 |
			(++*unique & ((1ull << 44) - 1));
	}
	if (!is_read)
		read_kernel_stack(ctx);
	return send_new_stack(ctx, key);
}

/* --- waits -------------------------------------------------------------------- */

static __always_inline int is_target(u32 pid, u32 tid)
{
	u32 scope = settings.scope;

	if (scope == WAIT_ALL)
		return 1;
	return bpf_map_lookup_elem(
		       &wait_targets, scope == WAIT_THREADS ? &tid : &pid) != 0;
}

/* Adds TIMES to the sum of KEY. Returns whether there was room. */
static __always_inline int add_to_sum(
	const struct wait_key *key, const struct wait_times *times)
{
	struct wait_times *sum = settings.epoch
		? bpf_map_lookup_elem(&wait_sums_1, key)
		: bpf_map_lookup_elem(&wait_sums_0, key);

	if (!sum)
		return settings.epoch ? !bpf_map_update_elem(&wait_sums_1, key,
						times, BPF_NOEXIST)
				      : !bpf_map_update_elem(&wait_sums_0, key,
						times, BPF_NOEXIST);
	sum->n += times->n;
	sum->blocked += times->blocked;
	sum->runnable += times->runnable;
	sum->preempted += times->preempted;
	sum->end = times->end;
	sum->cpu = times->cpu;
	if (sum->longest < times->longest)
		sum->longest = times->longest;
	return 1;
}

/* The thread TID runs again. */
static __noinline int end_wait(raw_args ctx, u32 tid, u64 now)
{
	struct wait_thread *thread = bpf_map_lookup_elem(&wait_threads, &tid);
	struct chain_wait wait = { .kind = CHAIN_WAIT };
	struct wait_counts *count;
	u32 zero = 0;

	if (!thread || !thread->is_off)
		return 0;
	count = bpf_map_lookup_elem(&wait_counts, &zero);
	if (!count)
		return 0;
	thread->is_off = 0;
	count->waits++;
	wait.key.pid = thread->pid;
	wait.key.tid = tid;
	wait.key.stack = thread->stack;
	wait_set_times(thread, now, bpf_get_smp_processor_id(), &wait.times);
	if (!(wait.key.stack & WAIT_KEY_UNIQUE) &&
		wait.times.longest < settings.least_ns &&
		add_to_sum(&wait.key, &wait.times))
		count->added++;
	else if (!send(ctx, &wait, sizeof(wait)))
		count->sent++;
	else if (add_to_sum(&wait.key, &wait.times))
		count->added++;
	else
		count->no_room++;
	return 0;
}

/* PREV, the current task, leaves its CPU. IS_PREEMPTED: it can still run. */
static __always_inline void begin_wait(
	raw_args ctx, struct task_struct *prev, u32 is_preempted, u64 now)
{
	u32 pid = BPF_CORE_READ(prev, tgid), tid = BPF_CORE_READ(prev, pid);
	struct wait_thread *thread, new = {};
	struct wait_counts *count;
	u32 zero = 0;

	if (!tid || pid == settings.own_pid || !is_target(pid, tid))
		return;
	count = bpf_map_lookup_elem(&wait_counts, &zero);
	thread = bpf_map_lookup_elem(&wait_threads, &tid);
	if (!count)
		return;
	if (!thread) {
		/* An exiting thread has no entry any more. */
		if (BPF_CORE_READ(prev, flags) & TASK_EXITING)
			return;
		if (bpf_map_update_elem(&wait_threads, &tid, &new, BPF_NOEXIST))
			count->no_thread++;
		thread = bpf_map_lookup_elem(&wait_threads, &tid);
		if (!thread)
			return;
	}
	count->unended += thread->is_off;
	thread->stack = take_stack(ctx, prev);
	thread->pid = pid;
	thread->cpu = bpf_get_smp_processor_id();
	thread->is_preempted = is_preempted;
	thread->out = now;
	thread->is_off = 1;
}

/* Arguments: preempt, prev, next, prev_state (include/trace/events/sched.h). */
SEC("raw_tp/sched_switch")
int wait_switch(raw_args ctx)
{
	struct task_struct *next = (void *)ctx->args[2];
	u64 now = bpf_ktime_get_ns();

	if (settings.scope == WAIT_NOTHING)
		return 0;
	end_wait(ctx, BPF_CORE_READ(next, pid), now);
	begin_wait(ctx, (void *)ctx->args[1],
		ctx->args[0] || !(u32)ctx->args[3], now);
	return 0;
}

/* Argument: the thread that is woken. */
SEC("raw_tp/sched_waking")
int wait_waking(raw_args ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	u32 tid = BPF_CORE_READ(task, pid);
	struct wait_thread *thread = bpf_map_lookup_elem(&wait_threads, &tid);

	if (thread && (!thread->is_off || thread->woken < thread->out))
		thread->woken = bpf_ktime_get_ns();
	return 0;
}

/* Arguments: parent, child; a new thread has the process of its parent. */
SEC("raw_tp/sched_process_fork")
int wait_fork(raw_args ctx)
{
	struct task_struct *parent = (void *)ctx->args[0];
	struct task_struct *child = (void *)ctx->args[1];
	u32 by_thread = settings.scope == WAIT_THREADS, zero = 0, one = 1;
	u32 from = by_thread ? BPF_CORE_READ(parent, pid)
			     : BPF_CORE_READ(parent, tgid);
	u32 to = by_thread ? BPF_CORE_READ(child, pid)
			   : BPF_CORE_READ(child, tgid);
	struct wait_counts *count = bpf_map_lookup_elem(&wait_counts, &zero);

	if (count && settings.inherits && from != to &&
		bpf_map_lookup_elem(&wait_targets, &from) &&
		bpf_map_update_elem(&wait_targets, &to, &one, BPF_ANY))
		count->no_target++;
	return 0;
}

/*
 * Argument: the thread that exits. The kernel reuses the ID of the thread only after
 * this tracepoint.
 */
SEC("raw_tp/sched_process_exit")
int wait_exit(raw_args ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	u32 tid = BPF_CORE_READ(task, pid), pid = BPF_CORE_READ(task, tgid);

	bpf_map_delete_elem(&wait_threads, &tid);
	if (settings.scope == WAIT_THREADS)
		bpf_map_delete_elem(&wait_targets, &tid);
	else if (!BPF_CORE_READ(task, signal, live.counter))
		bpf_map_delete_elem(&wait_targets, &pid);
	return 0;
}

#endif
