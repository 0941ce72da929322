/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a walk of a user stack in the kernel reads: mappings, rules that dwell compiled
 * from CFI, and words of the stack. The offsets of kernel structures come from the BTF
 * of the running kernel (CO-RE).
 *
 * The verifier determines the shape: large steps are global functions, each index is
 * masked, and the stack of the program has 512 bytes.
 */
#ifndef DWELL_RECORD_BPF_MEMORY_BPF_H
#define DWELL_RECORD_BPF_MEMORY_BPF_H

#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "common/unwind/cfi_rule.h"
#include "record/bpf/chain_record.h"

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

/* --- kernel structures, with the members that are read --------------------- */

/* A unit test compiles this for its own processor. */
#ifdef __BPF__
#define KERNEL __attribute__((preserve_access_index))
#else
#define KERNEL
#endif

struct super_block {
	u32 s_dev;
} KERNEL;
struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
} KERNEL;
struct file {
	struct inode *f_inode;
} KERNEL;
struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_pgoff, vm_flags;
	struct file *vm_file;
} KERNEL;
struct maple_tree {
	void *ma_root;
} KERNEL;
struct seqcount {
	unsigned sequence;
} KERNEL;
typedef struct seqcount seqcount_t;
typedef struct {
	u64 counter;
} KERNEL atomic64_t;
/* .ctx_id: on x86-64; .id: on aarch64. */
typedef struct {
	u64 ctx_id;
	atomic64_t id;
	void *vdso;
} KERNEL mm_context_t;
struct mm_struct {
	struct maple_tree mm_mt;
	seqcount_t mm_lock_seq;
	mm_context_t context;
} KERNEL;
typedef struct {
	int counter;
} KERNEL atomic_t;
/* Before Linux 6.13; before 6.4 without the member. */
struct mm_struct___number {
	int mm_lock_seq;
} KERNEL;
struct signal_struct {
	atomic_t live;
} KERNEL;
/* .fsbase: on x86-64; .uw: on aarch64. */
struct user_words {
	unsigned long tp_value;
} KERNEL;
struct thread_struct {
	unsigned long fsbase;
	struct user_words uw;
} KERNEL;
struct task_struct {
	struct thread_struct thread;
	unsigned flags;
	int pid, tgid;
	void *stack;
	struct signal_struct *signal;
	struct mm_struct *mm;
} KERNEL;

/* Flags of a task (include/linux/sched.h), and of a mapping (linux/mm.h). */
#define TASK_EXITING 0x4u
#define TASK_KTHREAD 0x200000u
#define TASK_USER_WORKER 0x4000u /* has no registers of a user */
/* Tasks without a user stack. */
#define TASK_NO_USER (TASK_EXITING | TASK_KTHREAD | TASK_USER_WORKER)
#define MAPPING_EXEC 4u
/* Types of maple tree nodes (include/linux/maple_tree.h). */
#define NODE_LEAF 1u
#define NODE_ARANGE 3u
#define NODE_SLOTS 16u
#define NODE_ARANGE_SLOTS 10u
#define TREE_DEPTH_MAX 6

/* --- maps ------------------------------------------------------------------ */

#define SPACES 512u /* power of two */
#define RULES 4096u /* power of two */
#define WINDOW 1024u

struct slab {
	u32 words[CHAIN_SLAB_WORDS];
};
struct slab_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4 * CHAIN_SLAB_WORDS);
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, CHAIN_SLABS_MAX);
	__type(key, u32);
	__array(values, struct slab_map);
} slabs SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, struct chain_file);
	__type(value, struct chain_table);
} tables SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, 4);
	__uint(value_size, 4);
} output SEC(".maps");
/* Processes with a language runtime, by PID (in the namespace of the recorder). */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, u32);
	__type(value, struct chain_runtime);
} runtimes SEC(".maps");

#define PER_CPU(name, n, of)                             \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); \
		__uint(max_entries, n);                  \
		__type(key, u32);                        \
		__type(value, of);                       \
	} name SEC(".maps")

/* A mapping and its table; valid while the mappings of its process are same. */
struct region {
	u64 space; /* of the process; never reused */
	u64 start, size;
	u64 bias;    /* address - bias: offset from the base of the table */
	u32 changes; /* changes_of() */
	u32 id, words, n_pages, n_rows;
	u16 slab;
	u8 has_table, is_file;
};
/*
 * A walk of a user stack. Its memory is in a map, because the stacks of all functions of a
 * program together have at most 512 bytes. Linux 6.13 gave each function its own limit.
 */
struct walk {
	u64 pc, sp, fp;
	u64 lr; /* of aarch64, while .has_lr */
	u64 space;
	u64 root, vdso;
	struct region region;
	u64 word;   /* result of load() */
	u64 window; /* address of the words in the window; 1: none */
	struct chain_file file;
	u32 changes, n, end;
	u32 by_fp; /* .n at the last step by the frame pointer; 0: none */
	u32 is_exact, is_first, has_lr;
	u32 set;     /* enum memory_set */
	u32 has_lua; /* the stack has calls of the interpreter of LuaJIT */
	u32 lua_size; /* as in struct chain_runtime; 0: the process has no LuaJIT */
	u64 lua_start;
	u64 lua_outer; /* stack pointer in the next outer frame of the interpreter */
	u32 lua_current;
	u64 hash; /* of the frames */
};
struct cached_rule {
	u32 at, id, rule, unused;
};
struct window {
	struct walk walk;
	u64 registers[16];
	u64 words[WINDOW / 8];
};
struct pivots {
	u64 at[NODE_SLOTS - 1];
};
/* A native frame of the interpreter of LuaJIT. */
struct lua_call {
	u64 sp, fp;
	u32 is_sampled, unused;
};
/* Registers of the interpreter of LuaJIT. */
struct lua_registers {
	u64 base;
	u64 pc;	       /* behind the instruction that runs */
	u64 sets_link; /* the link of the frame at .base will be .pc */
};
/* A function of Lua or C; .start and .size: its bytecode, else 0. */
struct lua_function {
	u64 at, start, size;
};
/*
 * The stack of a Lua state, and the next outer frame there. The frame before it waits until
 * its link has led to another frame.
 */
struct lua_stack {
	u64 state, start, size; /* in bytes */
	u64 base;		/* 0: the next frame is that of the next call */
	u64 where;
	u64 pc; /* of the innermost frame, which can be that of its caller; 0: none */
	u64 saved_pc; /* in the native frame */
	struct lua_function waiting;
	u64 waiting_where;
	u32 is_waiting, waiting_mark;
	u32 is_innermost;   /* the next frame is the first of its state */
	u32 is_in_register; /* .pc and the base of that frame were in registers */
	u32 sets_link;	    /* the link of that frame will be .pc */
	u32 is_from_lua;    /* .where is in the function of the frame */
	u32 n_found;	    /* frames of the state */
	u32 unused;
};
/* The frames of an interpreter that are appended to a record. */
struct linked_walk {
	u64 at, end_at, hash;
	u64 pointer, code,
		cookie; /* of the last frame, which recursion repeats */
	u64 array, outer, where; /* of contexts: where the next frame is */
	u64 interpreter, thread; /* of the search for further lists; 0: none */
	u64 thread_pointer;
	u32 first, n, end, unused;
};
struct linked_frame {
	struct linked_walk walk;
	struct lua_call calls[CHAIN_LUA_CALLS];
	u32 n_calls, next_call;
	struct lua_stack lua;
	struct chain_runtime runtime;
	u8 bytes[CHAIN_LINKED_SIZE + 8];
};
/*
 * A program of samples can interrupt a program of switches on the same CPU (NMI), so
 * that each has its own memory: enum memory_set.
 */
enum memory_set { OF_SAMPLES, OF_WAITS, MEMORY_SETS };
PER_CPU(records, MEMORY_SETS, struct chain_record);
PER_CPU(regions, MEMORY_SETS *SPACES, struct region);
PER_CPU(cached_rules, MEMORY_SETS *RULES, struct cached_rule);
PER_CPU(windows, MEMORY_SETS, struct window);
PER_CPU(nodes_read, MEMORY_SETS, struct pivots);
PER_CPU(linked_frames, MEMORY_SETS, struct linked_frame);
PER_CPU(counts, 1, struct chain_counts);
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	/* The loader sets the number of CPUs, or twice that with waits. */
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct chain_copy);
} copies SEC(".maps");

/* The recorder changes it. */
volatile struct chain_settings settings;

/* Returns PID and TID of the current task in the namespace of the recorder; 0: none. */
static __always_inline u64 current_task_ids(void)
{
	struct bpf_pidns_info ids = {};

	if (!settings.pid_inode)
		return bpf_get_current_pid_tgid();
	if (bpf_get_ns_current_pid_tgid(
		    settings.pid_device, settings.pid_inode, &ids, sizeof(ids)))
		return 0;
	return (u64)ids.tgid << 32 | ids.pid;
}

/* --- mappings -------------------------------------------------------------- */

/* Global functions, which the verifier checks once. */
int find_region(struct walk *walk, u64 at);
u32 table_rule(u64 at, u32 number, u32 words, u32 n_pages, u32 n_rows);
int load(struct walk *walk, u64 at);
u64 find_lua_frame(struct walk *walk);

static __always_inline u64 mix_hash(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9fb21c651e98df25ull;
	return hash ^ hash >> 32;
}

/*
 * Returns a number that changes when the mappings of MM change. If the kernel has no such
 * number, returns the time, so that each walk reads the mappings again.
 */
static __always_inline u32 changes_of(struct mm_struct *mm)
{
	const struct mm_struct___number *old = (void *)mm;

	if (bpf_core_field_exists(mm->mm_lock_seq.sequence))
		return BPF_CORE_READ(mm, mm_lock_seq.sequence);
	if (bpf_core_field_exists(old->mm_lock_seq))
		return BPF_CORE_READ(old, mm_lock_seq);
	return bpf_ktime_get_ns();
}

/* Returns the VMA at AT, as mtree_lookup_walk() finds it, or 0. */
static __noinline u64 find_mapping(u64 root, u64 at, u32 set)
{
	struct pivots *pivots = bpf_map_lookup_elem(&nodes_read, &set);
	u64 entry = root;
	int depth;

	if (!pivots || (entry & 3) != 2 || entry < 4096)
		return 0;
	for (depth = 0; depth < TREE_DEPTH_MAX; depth++) {
		u64 node = entry & ~0xffull;
		u32 type = (entry >> 3) & 0xf, i;
		u32 n = type == NODE_ARANGE ? NODE_ARANGE_SLOTS - 1
					    : NODE_SLOTS - 1;

		if (bpf_probe_read_kernel(
			    pivots, sizeof(*pivots), (void *)(node + 8)))
			return 0;
		for (i = 0; i < NODE_SLOTS - 1; i++)
			if (i >= n || pivots->at[i] >= at)
				break;
		if (bpf_probe_read_kernel(
			    &entry, 8, (void *)(node + 8 + n * 8 + i * 8)))
			return 0;
		if (type == NODE_LEAF)
			return entry;
		if (entry < 4096)
			return 0;
	}
	return 0;
}

static __always_inline int read_region(
	struct walk *walk, struct region *region, u64 at)
{
	struct chain_file key = {};
	struct vm_area_struct *vma;
	struct chain_table *table;
	struct file *file;
	u64 start, end, offset = 0;

	region->size = 0;
	vma = (void *)find_mapping(walk->root, at, walk->set);
	if (!vma)
		return CHAIN_NO_CODE;
	start = BPF_CORE_READ(vma, vm_start);
	end = BPF_CORE_READ(vma, vm_end);
	if (at < start || at >= end ||
		!(BPF_CORE_READ(vma, vm_flags) & MAPPING_EXEC))
		return CHAIN_NO_CODE;
	file = BPF_CORE_READ(vma, vm_file);
	region->space = walk->space;
	region->changes = walk->changes;
	region->start = start;
	region->has_table = 0;
	region->is_file = 0;
	if (file) {
		struct inode *inode = BPF_CORE_READ(file, f_inode);

		offset = BPF_CORE_READ(vma, vm_pgoff) << settings.page_shift;
		key.inode = BPF_CORE_READ(inode, i_ino);
		key.device = BPF_CORE_READ(inode, i_sb, s_dev);
	} else if (start == walk->vdso) {
		key.inode = 1; /* and device 0, which no file has */
	} else {
		region->size = end - start;
		return 0;
	}
	region->is_file = 1;
	table = bpf_map_lookup_elem(&tables, &key);
	if (table) {
		region->has_table = table->n_pages > 0;
		region->bias = start - offset - table->delta + table->base;
		region->slab = table->slab;
		region->words = table->words;
		region->n_pages = table->n_pages;
		region->n_rows = table->n_rows;
		region->id = table->id;
	} else {
		region->space =
			0; /* unknown, and not cached: the table may come */
		walk->file = key;
	}
	region->size = end - start;
	return 0;
}

__noinline int find_region(struct walk *walk, u64 at)
{
	struct region *region;
	u32 slot;
	int end;

	if (!walk)
		return CHAIN_NO_CODE;
	walk->region.size = 0;
	slot = ((at >> 20) ^ (at >> 28) ^ (u32)walk->space * 5) & (SPACES - 1);
	slot += walk->set * SPACES;
	region = bpf_map_lookup_elem(&regions, &slot);
	if (!region)
		return CHAIN_NO_CODE;
	if (region->space == walk->space && region->changes == walk->changes &&
		at - region->start < region->size) {
		walk->region = *region;
		return 0;
	}
	end = read_region(walk, region, at);
	if (!end)
		walk->region = *region;
	return end;
}

/* --- rules ------------------------------------------------------------------ */

#define WORD(i) slab->words[(i) & (CHAIN_SLAB_WORDS - 1)]

/* Returns the rule at AT, as cfi_table_rule() does, or 0. */
__noinline u32 table_rule(
	u64 at, u32 number, u32 words, u32 n_pages, u32 n_rows)
{
	u64 page = at >> 10;
	u32 low, high, rows, offset = at & 0xffff, i, rule, zero = 0;
	const struct slab *slab;
	void *inner = bpf_map_lookup_elem(&slabs, &number);

	if (!inner)
		return 0;
	slab = bpf_map_lookup_elem(inner, &zero);
	if (!slab || page >= n_pages)
		return 0;
	low = WORD(words + page);
	high = WORD(words + page + 1);
	rows = words + n_pages + 1;
	for (i = 0; i < 11; i++) {
		u32 middle;

		if (low >= high)
			break;
		middle = low + ((high - low) >> 1);
		if ((WORD(rows + middle) & 0xffff) <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	rule = WORD(rows + n_rows + (WORD(rows + low - 1) >> 16));
	if ((rule & 0xff) == CFI_PLT)
		rule = CFI_SP | (1 + ((at & 15) >= rule >> CFI_PLT_SHIFT)) << 3;
	return rule;
}

static __always_inline u32 rule_at(struct walk *walk, u32 at)
{
	const struct region *region = &walk->region;
	u32 slot = (at ^ (at >> 12) ^ region->id * 0x9e3779b1u) & (RULES - 1);
	struct cached_rule *cached;

	slot += walk->set * RULES;
	cached = bpf_map_lookup_elem(&cached_rules, &slot);
	if (!cached)
		return 0;
	if (cached->at != at || cached->id != region->id) {
		cached->rule = table_rule(at, region->slab, region->words,
			region->n_pages, region->n_rows);
		cached->at = at;
		cached->id = region->id;
	}
	return cached->rule;
}

/* --- the stack ---------------------------------------------------------------- */

/* Sets walk->word to the word at AT. Returns an error number, or 0. */
__noinline int load(struct walk *walk, u64 at)
{
	struct window *window;
	u64 offset;
	u32 set;

	if (!walk)
		return 1;
	set = walk->set;
	window = bpf_map_lookup_elem(&windows, &set);
	if (!window)
		return 1;
	offset = at - walk->window;
	if (offset >= WINDOW) {
		u64 start = at & ~(u64)(WINDOW - 1);

		if (at & 7 || at < walk->sp)
			return bpf_probe_read_user(&walk->word, 8, (void *)at);
		walk->window = 1;
		if (bpf_probe_read_user(window->words, WINDOW, (void *)start))
			return bpf_probe_read_user(&walk->word, 8, (void *)at);
		walk->window = start;
		offset = at - start;
	}
	walk->word = window->words[(offset >> 3) & (WINDOW / 8 - 1)];
	return 0;
}

static __always_inline int load_to(struct walk *walk, u64 at, u64 *ret)
{
	int failed = load(walk, at);

	*ret = walk->word;
	return failed;
}

/* --- frames ------------------------------------------------------------------ */

/* Limit of the distance between two frames, as UNWIND_STACK_MAX. */
#define STACK_MAX (1ull << 30)

#define STOP(reason)                \
	do {                        \
		walk->end = reason; \
		return 1;           \
	} while (0)

static __always_inline long go_to_caller(
	struct walk *walk, u64 cfa, u64 pc, u64 fp)
{
	walk->pc = pc;
	walk->sp = cfa;
	walk->fp = fp;
	walk->is_exact = walk->is_first = walk->has_lr = 0;
	return 0;
}

#endif
