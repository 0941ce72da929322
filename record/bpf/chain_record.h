/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records that the BPF programs of this folder write to the ring buffer, those of a
 * sample directly before the kernel's sample, and the maps that both sides use.
 * Included by C code and by the BPF program.
 */
#ifndef DWELL_RECORD_BPF_CHAIN_RECORD_H
#define DWELL_RECORD_BPF_CHAIN_RECORD_H

/* Limit of frames; a deeper stack is unwound by the recorder. */
#define CHAIN_FRAMES_MAX 1024u
/*
 * Limit of frames by frame pointers, and of frames of the kernel:
 * kernel.perf_event_max_stack by default.
 */
#define CHAIN_CALLERS_MAX 127u
/* Limit of a stack copy in bytes: a record has less than 64 KiB. */
#define CHAIN_COPY_MAX (56u << 10)
/* Limit of the frames of an interpreter in a linked list. */
#define CHAIN_LINKED_MAX 1024u
/* Words of struct chain_linked. */
#define CHAIN_LINKED_WORDS 3u
/* Limit of the bytes that are read of such a frame: a power of two. */
#define CHAIN_LINKED_SIZE 128u
#define CHAIN_HOPS 4u
/* Limit of the calls of the interpreter of LuaJIT in a stack, a power of two. */
#define CHAIN_LUA_CALLS 16u
/*
 * Limit of all words in chain_record.pcs: the kernel limits a value of a map per CPU to
 * 32 KiB (PCPU_MIN_UNIT_SIZE in include/linux/percpu.h).
 */
#define CHAIN_WORDS_MAX 4032u
/* Words of a table of rules: 16 MiB. */
#define CHAIN_SLAB_WORDS (4u << 20)
#define CHAIN_SLABS_MAX 64u

/*
 * The processor of the program: __TARGET_ARCH_x86 or __TARGET_ARCH_arm64 if they are
 * defined, else that of the recorder.
 */
#if defined(__TARGET_ARCH_arm64) || \
	(defined(__aarch64__) && !defined(__TARGET_ARCH_x86))
#define CHAIN_AARCH64
/* Words of struct user_pt_regs (arch/arm64/include/uapi/asm/ptrace.h). */
#define CHAIN_REGISTERS 34u
/* By the bit PSR_MODE32_BIT of pstate. */
#define CHAIN_IS_64_BIT(registers) (!((registers)[33] & 0x10))
#else
/* Words of struct pt_regs (arch/x86/include/asm/ptrace.h). */
#define CHAIN_REGISTERS 21u
/* By cs, which is __USER_CS (arch/x86/include/asm/segment.h). */
#define CHAIN_IS_64_BIT(registers) ((registers)[17] == 0x33)
#endif

/* Why a walk in the kernel ended. Only CHAIN_ROOT is a complete stack. */
enum chain_end {
	CHAIN_ROOT,
	CHAIN_NO_TABLE, /* the program does not know the rules of .file */
	CHAIN_NO_RULE,
	CHAIN_NO_CODE,
	CHAIN_DAMAGED,
	CHAIN_REGISTER,
	CHAIN_LIMIT,
	CHAIN_COMPLEX, /* a rule that only the recorder evaluates */
	CHAIN_UNREADABLE,
	CHAIN_ENDS
};

/*
 * A file, as the kernel identifies it: inode and super_block.s_dev. On file
 * systems with layers, these are the numbers of the file below, which no system
 * call returns.
 */
struct chain_file {
	unsigned long long inode;
	unsigned int device, unused;
};

/* The rules of a file: struct cfi_table (common/unwind/cfi_table.h). */
struct chain_table {
	unsigned int slab, words; /* index of the slab, and of its first word */
	unsigned int n_pages, n_rows; /* both 0: the file has no rules */
	unsigned long long base;
	unsigned long long delta; /* linked address - file offset */
	unsigned int id, unused;
};

/* .kind of each record; CHAIN_WAIT: wait_record.h. */
enum chain_kind { CHAIN_STACK, CHAIN_COPY, CHAIN_WAIT };

/*
 * How the programs treat a process with a language runtime. An interpreter keeps the
 * frames of the language in a linked list, in memory that is not the stack. The list
 * begins at a pointer that the hops lead to: the first hop is an offset from .base, each
 * other hop an offset from the word at the place before.
 */
struct chain_runtime {
	unsigned int n_hops; /* 0: there is no list */
	unsigned int unused;
	unsigned long long base; /* 0: the thread pointer */
	unsigned long long hops[CHAIN_HOPS];
	/*
	 * If not 0: offset from the first word. The list is that of the current thread
	 * only if its thread pointer is there.
	 */
	unsigned short owner;
	unsigned short size; /* bytes of a frame; at most CHAIN_LINKED_SIZE */
	/*
	 * If .step is not 0, the frames are not linked: the next outer frame is .step
	 * bytes behind a frame, up to .rest bytes before the end of a stack. The address
	 * and the number of words of the stack are at the offset .stack from where the
	 * last hop begins.
	 */
	unsigned short step, stack, rest;
	/* Offsets in a frame: */
	unsigned short link, code; /* pointers: next outer frame, code object */
	unsigned short where, where_size; /* instruction; 4 or 8 bytes */
	unsigned short mark;		  /* a byte: the kind of the frame */
	unsigned short is_mark_far; /* .mark is that of a pointer to the byte */
	/* If .is_code_far, the code object is at the pointer at .code_hop from .code. */
	unsigned short is_code_far, code_hop;
	/* Offsets in the code object: two words, and two others, which never change. */
	unsigned short cookie, cookie_third, cookie_fourth;
	/* Other threads than the first of the process have no frames. */
	unsigned short is_of_main_thread;
	/*
	 * If .array is not 0, the hops lead to a list of arrays of contexts. In an element
	 * of the list, the address of the array is at .array, the index of its innermost
	 * context at .top (4 bytes), and the pointer to the next outer element at .outer.
	 * A context has .size bytes. It is a frame if its mark, with .kind_mask, is .kind.
	 * .where of a frame is the instruction of the next outer frame. The instruction of
	 * the innermost frame is at .inner from where the last hop begins. The last frame
	 * is the main program. It has no context, and its code object is its instruction.
	 * If the word at .entry of a frame is 0, the mark has CHAIN_MARK_ENTRY.
	 */
	unsigned short array, top, outer, inner, entry, kind_mask, kind;
	/*
	 * If .interpreters is not 0, the list of the thread is searched if there is more than
	 * one interpreter: the thread can have a list in each. The address of the first
	 * interpreter is at .interpreters, that of the next one at .next_interpreter of an
	 * interpreter, that of its first thread at .threads, and that of the next thread at
	 * .next_thread of a thread. The thread pointer is at .thread_id. The hops behind the
	 * first one begin at the thread.
	 */
	unsigned long long interpreters;
	unsigned short next_interpreter, threads, next_thread, thread_id;
	/*
	 * If .lua_size is not 0, there are no hops: a frame of LuaJIT is in the stack of its
	 * Lua state, and the address of the state is in the native stack frame of the
	 * interpreter. The code of the interpreter has .lua_size bytes at .lua_start.
	 * .lua_current is the offset of cur_L in struct global_State.
	 */
	unsigned long long lua_start;
	unsigned int lua_size;
	unsigned short lua_current;
};
#define CHAIN_MARK_ENTRY 0x80u
/* Of a frame of LuaJIT: its code object is that of a C function. */
#define CHAIN_MARK_LUA_C 0x40u

/* A frame of an interpreter. */
struct chain_linked {
	unsigned long long code;  /* address of the code object */
	unsigned long long where; /* address or number of the instruction */
	/* chain_cookie(), and in the highest byte the mark of the frame */
	unsigned long long cookie;
};
#define CHAIN_MARK_SHIFT 56
/*
 * Returns a hash of four words of a code object, without the highest byte. The recorder
 * reads the object later, and compares it with the hash.
 */
static inline unsigned long long chain_cookie(const unsigned long long words[4])
{
	const unsigned long long factor = 0x9fb21c651e98df25ull;
	unsigned long long hash = words[0] * factor;

	hash = (hash ^ hash >> 32 ^ words[1]) * factor;
	hash = (hash ^ hash >> 32 ^ words[2]) * factor;
	hash = (hash ^ hash >> 32 ^ words[3]) * factor;
	return (hash ^ hash >> 28) & ((1ull << CHAIN_MARK_SHIFT) - 1);
}

/* Why the list of linked frames ended. */
enum chain_linked_end {
	CHAIN_LINKED_ROOT,
	CHAIN_LINKED_LIMIT,
	CHAIN_LINKED_UNREADABLE
};

/*
 * A stack; .pcs has .n return addresses, the sampled pc first. They come from rules
 * if .end is CHAIN_ROOT, else from frame pointers. Behind them are .n_linked frames of
 * an interpreter, innermost first, and then .n_kernel frames of the kernel.
 */
struct chain_record {
	unsigned int kind; /* CHAIN_STACK */
	unsigned int n;
	unsigned int end;	/* enum chain_end */
	unsigned int n_kernel;	/* of a wait: frames of the kernel */
	struct chain_file file; /* of CHAIN_NO_TABLE */
	unsigned long long at;	/* where the walk by rules ended */
	unsigned long long key; /* of waits (wait_record.h); 0: of a sample */
	unsigned int n_linked, unused;
	unsigned long long registers[CHAIN_REGISTERS];
	unsigned long long pcs[CHAIN_WORDS_MAX];
};

/* A copy of a stack, before the chain_record of a stack that is not complete.
 */
struct chain_copy {
	unsigned int kind; /* CHAIN_COPY */
	unsigned int size;
	unsigned long long start;
	unsigned long long key; /* as in struct chain_record */
	unsigned char bytes[CHAIN_COPY_MAX + 4096];
};

/* Counts per CPU; all members are counts. */
struct chain_counts {
	unsigned long long runs;   /* samples that the program saw */
	unsigned long long stacks; /* of these: with a user stack */
	unsigned long long ends[CHAIN_ENDS];
	unsigned long long unsent; /* records for which there was no room */
	unsigned long long ns;	   /* time in the program, without .linked_ns */
	/* Lists of linked frames, their frames, and the time that they took. */
	unsigned long long linked_stacks, linked, linked_ns;
	/* Lists that ended at a limit, and lists that led to no frame. */
	unsigned long long linked_cut, linked_damaged;
};

/*
 * Whether the programs walk stacks by rules, only copy them, or only follow frame
 * pointers (waits).
 */
enum chain_mode { CHAIN_WALK, CHAIN_COPY_ALL, CHAIN_FRAME_POINTERS };

/* The recorder changes it while the programs run. */
struct chain_settings {
	unsigned int mode;   /* enum chain_mode */
	unsigned int n_cpus; /* possible CPUs */
	/* Of waits (wait_record.h): */
	unsigned int wait_mode;	 /* enum chain_mode */
	unsigned int own_pid;	 /* of the recorder: its waits are left out */
	unsigned int scope;	 /* enum wait_scope */
	unsigned int inherits;	 /* children of target processes are targets */
	unsigned int epoch;	 /* the map of sums that is filled: 0 or 1 */
	unsigned int page_shift; /* log2 of the size of a page */
	/*
	 * The PID namespace of the recorder (/proc/self/ns/pid: st_dev, st_ino), if it is
	 * not the first one; else 0. The PIDs in the map of runtimes are of this
	 * namespace.
	 */
	unsigned long long pid_device, pid_inode;
	unsigned long long least_ns; /* shorter waits are added up */
	unsigned long long seed;     /* of the hashes of stacks */
	/* The function that switches tasks in the kernel; 0: not known. */
	unsigned long long switch_start, switch_size;
};

#endif
