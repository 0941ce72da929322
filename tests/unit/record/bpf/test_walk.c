/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of the BPF program through made processes, compared with the
 * recorder's unwinder on the same memory and rules. Compiled for x86-64 and for
 * aarch64: the code of the program, with stand-ins for the kernel's helpers and
 * structures.
 */
#include "config.h"

#include <inttypes.h>

#include "tests/unit/testing.h"

#include "common/unwind/cfi_subset.h"
#include "common/unwind/unwind.h"
#include "record/bpf/incomplete.bpf.h"

#ifdef CHAIN_AARCH64
#define ARCH UNWIND_AARCH64
#else
#define ARCH UNWIND_X86_64
#endif

#define STACKS 20000u
#define LAYOUT_STACKS 50u /* stacks until the mappings change */
#define DEPTH_MAX 70u

/* Code is in blocks; all addresses of a block have the same rule. */
#define BLOCK 16u
#define BLOCKS 512u
#define LINKED 0x40000u	  /* link-time address of the code */
#define FILE_OFFSET 8192u /* of the mapping of the code */
#define CODE 0x555500000000u
#define JIT 0x7f0000000000u
#define UNRULED 0x7f1000000000u /* a file without rules */
#define UNKNOWN 0x7f2000000000u /* a file that the program does not know */
#define VDSO 0x7f3000000000u	/* the first block: a signal frame */
#define SIGRETURN (JIT + 1024)	/* code that calls rt_sigreturn(2) */
#define STACK 0x7ffd00000000u
#define STACK_SIZE 65536u
/* The stack is two mappings up to here. Behind it, a file is mapped. */
#define STACK_END (STACK + STACK_SIZE - 8192u)
#define STACK_MIDDLE (STACK + STACK_SIZE / 2)

/* --- made memory and helpers --- */

static uint64_t stack[STACK_SIZE / 8];
static struct chain_record made_records[MEMORY_SETS];
static struct region made_regions[MEMORY_SETS * SPACES];
static struct cached_rule made_rules[MEMORY_SETS * RULES];
static struct window made_windows[MEMORY_SETS];
static struct linked_frame made_linked[MEMORY_SETS];
static struct pivots made_pivots[MEMORY_SETS];
static struct chain_copy made_copy;
static struct slab slab;
static struct {
	struct chain_file file;
	struct chain_table table;
} made_tables[] = {
	{ .file = { .inode = 11, .device = 22 } }, /* the code */
	{ .file = { .inode = 12, .device = 22 } }, /* no rules */
	{ .file = { .inode = 1 } },		   /* the vdso */
};
/* Nodes of a maple tree: a root, and two leaves. */
static _Alignas(256) uint64_t nodes[3][32];

static void *find_made_table(const struct chain_file *file)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(made_tables); i++)
		if (file->inode == made_tables[i].file.inode &&
			file->device == made_tables[i].file.device)
			return &made_tables[i].table;
	return NULL;
}

void *bpf_map_lookup_elem(const void *map, const void *key)
{
	uint32_t i = *(const uint32_t *)key;

	if (map == &tables)
		return find_made_table(key);
	if (map == &slabs)
		return i ? NULL : &slab; /* stands for the inner map, too */
	if (map == &slab)
		return &slab;
	if (map == &records)
		return i < ARRAY_SIZE(made_records) ? &made_records[i] : NULL;
	if (map == &regions)
		return i < ARRAY_SIZE(made_regions) ? &made_regions[i] : NULL;
	if (map == &cached_rules)
		return i < ARRAY_SIZE(made_rules) ? &made_rules[i] : NULL;
	if (map == &windows)
		return i < ARRAY_SIZE(made_windows) ? &made_windows[i] : NULL;
	if (map == &linked_frames)
		return i < ARRAY_SIZE(made_linked) ? &made_linked[i] : NULL;
	if (map == &nodes_read)
		return i < ARRAY_SIZE(made_pivots) ? &made_pivots[i] : NULL;
	if (map == &copies)
		return i ? NULL : &made_copy;
	return NULL;
}

static bool is_within(uint64_t at, uint64_t size, uint64_t start, uint64_t room)
{
	return at >= start && at - start <= room && size <= room - (at - start);
}

#ifdef CHAIN_AARCH64
static const uint8_t sigreturn[] = { 0x68, 0x11, 0x80, 0xd2, 1, 0, 0, 0xd4 };
#else
static const uint8_t sigreturn[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 5 };
#endif
/* The start of the code that has rules: the first block is padding. */
static uint64_t code_start;

static bool is_sigreturn_at(uint64_t pc)
{
	return pc == SIGRETURN || pc == code_start + BLOCK;
}

/* Only code that calls rt_sigreturn(2) can be read, and the byte before it. */
static size_t read_made_code(void *data, uint64_t pc, uint8_t *out, size_t n)
{
	(void)data;
	if (!is_sigreturn_at(pc + 1) || n <= sizeof(sigreturn))
		return 0;
	out[0] = 0;
	memcpy(out + 1, sigreturn, sizeof(sigreturn));
	return 1 + sizeof(sigreturn);
}

long bpf_probe_read_user(void *to, uint32_t size, const void *from)
{
	uint64_t at = (uint64_t)(uintptr_t)from;

	if (is_sigreturn_at(at) && size <= sizeof(sigreturn)) {
		memcpy(to, sigreturn, size);
		return 0;
	}
	if (!is_within(at, size, STACK, STACK_SIZE))
		return -14; /* EFAULT */
	memcpy(to, (const uint8_t *)stack + (at - STACK), size);
	return 0;
}

long bpf_probe_read_kernel(void *to, uint32_t size, const void *from)
{
	if (!is_within((uint64_t)(uintptr_t)from, size,
		    (uint64_t)(uintptr_t)nodes, sizeof(nodes)))
		return -14;
	memcpy(to, from, size);
	return 0;
}

static uint64_t chance;

/* Returns a number below N. */
static uint64_t any(uint64_t n)
{
	chance = chance * 6364136223846793005 + 1442695040888963407;
	return (chance >> 33) % n;
}

static void put_word(uint64_t at, uint64_t word)
{
	if (at % 8 == 0 && is_within(at, 8, STACK, STACK_SIZE))
		stack[(at - STACK) / 8] = word;
}

/* --- rules --- */

static uint32_t block_rules[BLOCKS];

#ifdef CHAIN_AARCH64
static uint32_t any_plain_rule(void)
{
	static const uint8_t words[] = { 0, 0, 1, 2, 4, 6, 8, 10 };
	uint32_t kind = any(3) ? CFI_SP : CFI_FP;
	uint32_t units = (uint32_t)any(kind == CFI_SP ? 12 : 3) + 1;
	uint32_t where = any(16) ? 1 + (uint32_t)any(7) : CFI_RA_IN_LR;
	uint32_t below = (uint32_t)any(units * 2 + 1);

	if (where == CFI_RA_IN_LR)
		units = (uint32_t)any(3);
	else if (where == CFI_RA_ABOVE_FP)
		below = below < 2 ? 2 : below;
	else if (below == words[where])
		below = 0;
	return kind | units << 3 | below << CFI_ARM_FP_SHIFT |
		where << CFI_ARM_RA_SHIFT;
}
#else
static uint32_t any_plain_rule(void)
{
	static const uint8_t registers[] = { 0, 3, 10, 11, 12, 13 };
	uint32_t words = (uint32_t)any(24) + 1;
	uint32_t below = any(3) ? (uint32_t)any(words) + 2 : 0;

	switch (any(16)) {
	case 0:
		return CFI_DEREF_FP | (-1u & 0x1ffff) << 3 |
			CFI_FP_HERE << CFI_X86_FP_SHIFT;
	case 1:
		return CFI_REGISTER | words << 3 |
			(uint32_t)registers[any(6)] << CFI_REGISTER_SHIFT |
			2u << CFI_REGISTER_FP_SHIFT;
	case 2: return CFI_PLT | (uint32_t)any(16) << CFI_PLT_SHIFT;
	case 3:
	case 4:
	case 5: return CFI_FP | 2u << 3 | 2u << CFI_X86_FP_SHIFT;
	default: return CFI_SP | words << 3 | below << CFI_X86_FP_SHIFT;
	}
}
#endif

static uint32_t any_rule(void)
{
	switch (any(60)) {
	case 0:
	case 1:
	case 2: return CFI_ROOT;
	case 3: return CFI_NONE;
	case 4: return any(2) ? CFI_COMPLEX : CFI_PADDING;
	default: return any_plain_rule();
	}
}

/* Compiles RULES, one per block from LINKED on, to TABLE. */
static struct cfi *compile_rules(
	const uint32_t *rules, size_t n, size_t at, struct chain_table *table)
{
	struct cfi_subset subset = { 0 };
	const struct cfi_table *compiled;
	struct cfi *cfi;
	size_t i;

	for (i = 0; i < n; i++)
		cfi_subset_add_rule(&subset, LINKED + i * BLOCK,
			LINKED + (i + 1) * BLOCK, rules[i]);
	cfi = cfi_create_from_subset(&subset);
	compiled = cfi_compiled(cfi);
	memcpy(slab.words + at, compiled->words,
		cfi_table_size(compiled) - sizeof(*compiled));
	*table = (struct chain_table){
		.words = (unsigned)at,
		.n_pages = compiled->n_pages,
		.n_rows = compiled->n_rows,
		.base = compiled->base,
		.delta = LINKED -
			(table == &made_tables[0].table ? FILE_OFFSET : 0),
		.id = (unsigned)at + 1,
	};
	return cfi;
}

/* --- the process --- */

struct process {
	struct cfi *code, *vdso;
	uint64_t moved; /* the code is at CODE + moved */
	uint64_t id;	/* of the layout */
	struct super_block super;
	struct inode inodes[3];
	struct file files[3];
	struct vm_area_struct areas[8];
	struct mm_struct mm;
};

static void set_area(struct vm_area_struct *area, uint64_t start, uint64_t size,
	uint64_t flags, struct file *file)
{
	*area = (struct vm_area_struct){ .vm_start = start,
		.vm_end = start + size,
		.vm_flags = flags,
		.vm_file = file };
}

/* Adds the areas from FIRST to LAST to a leaf of the tree. */
static void make_leaf(uint64_t *leaf, const struct vm_area_struct *first,
	const struct vm_area_struct *last)
{
	size_t n = 0;

	memset(leaf, 0, sizeof(nodes[0]));
	for (; first <= last; first++) {
		leaf[1 + n] = first->vm_start - 1;
		n++;
		leaf[1 + n] = first->vm_end - 1;
		leaf[16 + n] = (uint64_t)(uintptr_t)first;
		n++;
	}
	leaf[1 + n] = UINT64_MAX;
}

/* Maps the code at another address than before. */
static void change_layout(struct process *process)
{
	struct vm_area_struct *areas = process->areas;
	uint64_t *root = nodes[0];

	process->id++;
	process->moved = any(100) << 20;
	code_start = CODE + process->moved;
	process->mm.mm_lock_seq.sequence += 2;
	set_area(&areas[0], CODE + process->moved, BLOCKS * BLOCK, MAPPING_EXEC,
		&process->files[0]);
	areas[0].vm_pgoff = FILE_OFFSET >> 12;
	make_leaf(nodes[1], &areas[0], &areas[1]);
	make_leaf(nodes[2], &areas[2], &areas[7]);
	memset(root, 0, sizeof(nodes[0]));
	root[1] = areas[1].vm_end - 1;
	root[2] = UINT64_MAX;
	root[10] = (uint64_t)(uintptr_t)nodes[1] | NODE_LEAF << 3 | 4;
	root[11] = (uint64_t)(uintptr_t)nodes[2] | NODE_LEAF << 3 | 4;
	process->mm.mm_mt.ma_root =
		(void *)((uintptr_t)root | NODE_ARANGE << 3 | 2);
}

static void make_process(struct process *process)
{
	static const uint32_t signal = CFI_SIGNAL;
	struct vm_area_struct *areas = process->areas;
	size_t i;

	*process = (struct process){ .super = { 22 } };
	for (i = 0; i < BLOCKS; i++)
		block_rules[i] = i ? any_rule() : CFI_PADDING;
	process->code =
		compile_rules(block_rules, BLOCKS, 0, &made_tables[0].table);
	process->vdso =
		compile_rules(&signal, 1, 1 << 16, &made_tables[2].table);
	for (i = 0; i < 3; i++) {
		process->inodes[i] = (struct inode){ &process->super, 11 + i };
		process->files[i] = (struct file){ &process->inodes[i] };
	}
	set_area(&areas[1], JIT, 4096, MAPPING_EXEC, NULL);
	set_area(&areas[2], UNRULED, 4096, MAPPING_EXEC, &process->files[1]);
	set_area(&areas[3], UNKNOWN, 4096, MAPPING_EXEC, &process->files[2]);
	set_area(&areas[4], VDSO, 4096, MAPPING_EXEC, NULL);
	set_area(&areas[5], STACK, STACK_MIDDLE - STACK, 0, NULL);
	set_area(&areas[6], STACK_MIDDLE, STACK_END - STACK_MIDDLE, 0, NULL);
	set_area(&areas[7], STACK_END, 8192, 0, &process->files[1]);
	process->mm.context.vdso = (void *)VDSO;
	process->mm.context.ctx_id = 5;
	process->mm.context.id.counter = 5;
	settings.page_shift = 12;
	change_layout(process);
}

static bool find_made_code(void *data, uint64_t pc, struct unwind_code *ret)
{
	const struct process *process = data;
	size_t i;

	for (i = 0; i < 5; i++) {
		const struct vm_area_struct *area = &process->areas[i];

		if (pc < area->vm_start || pc >= area->vm_end)
			continue;
		*ret = (struct unwind_code){ area->vm_start, area->vm_end,
			area->vm_start - LINKED,
			i == 0		 ? process->code
				: i == 4 ? process->vdso
					 : NULL };
		return true;
	}
	return false;
}

static bool read_made_word(void *data, uint64_t at, uint64_t *ret)
{
	(void)data;
	return bpf_probe_read_user(ret, 8, (void *)(uintptr_t)at) == 0;
}

/* --- stacks --- */

/* Returns an address of the code: a return address, unless IS_EXACT. */
static uint64_t any_pc(const struct process *process, bool is_exact)
{
	uint64_t at = any(BLOCK) + !is_exact;

	switch (any(120)) {
	case 0: return JIT + 256 + at;
	case 1: return any(3) ? JIT + 512 : UNRULED + 64;
	case 2: return any(3) ? JIT + 768 : UNKNOWN + 64;
	case 3: return any(2) ? 0 : STACK + any(STACK_SIZE);
	case 4:
	case 5: return VDSO + 1;
	case 6: return SIGRETURN;
	case 7: return CODE + process->moved + BLOCK;
	default: return CODE + process->moved + any(BLOCKS) * BLOCK + at;
	}
}

struct frame {
	uint64_t pc, sp, fp, lr;
	bool is_exact, has_lr;
};

static uint32_t rule_of(
	const struct process *process, const struct frame *frame)
{
	uint64_t at = frame->pc - !frame->is_exact - CODE - process->moved;

	if (is_sigreturn_at(frame->pc) &&
		(at >= BLOCKS * BLOCK ||
			block_rules[at / BLOCK] == CFI_PADDING))
		return CFI_SIGNAL;
	return at < BLOCKS * BLOCK		       ? block_rules[at / BLOCK]
		: frame->pc - !frame->is_exact == VDSO ? CFI_SIGNAL
						       : CFI_NONE;
}

/* Returns a frame pointer that may be valid in a frame with SP. */
static uint64_t any_fp(uint64_t sp)
{
	return any(8) ? sp + any(12) * 16 : any(2) ? sp - 64 : 0;
}

/* Writes the words that lead from FRAME to its caller, and goes to the caller.
 */
static void make_caller(const struct process *process, struct frame *frame,
	const uint64_t *registers)
{
	uint32_t rule = rule_of(process, frame);
	struct frame to = { .pc = any_pc(process, false) };
	uint64_t cfa = frame->fp + 16, ra_at = frame->fp + 8, fp_at = frame->fp;

	if (rule == CFI_SIGNAL) {
		to.is_exact = to.has_lr = true;
		to.pc = any_pc(process, true);
		to.lr = any_pc(process, false);
		to.sp = frame->sp + 1024 + any(8) * 16;
		to.fp = any_fp(to.sp);
#ifdef CHAIN_AARCH64
		put_word(frame->sp + ARM_SIGNAL_FP, to.fp);
		put_word(frame->sp + ARM_SIGNAL_LR, to.lr);
		put_word(frame->sp + ARM_SIGNAL_SP, to.sp);
		put_word(frame->sp + ARM_SIGNAL_PC, to.pc);
#else
		put_word(frame->sp + X86_SIGNAL_FP, to.fp);
		put_word(frame->sp + X86_SIGNAL_SP, to.sp);
		put_word(frame->sp + X86_SIGNAL_PC, to.pc);
#endif
		*frame = to;
		return;
	}
#ifdef CHAIN_AARCH64
	(void)registers;
	if (rule != CFI_NONE) {
		static const uint8_t below[] = { 0, 0, 8, 16, 32, 48, 64, 80 };
		uint32_t where = rule >> CFI_ARM_RA_SHIFT;

		cfa = (cfi_kind(rule) == CFI_SP ? frame->sp : frame->fp) +
			(uint64_t)cfi_arm_offset(rule);
		fp_at = cfa - cfi_arm_fp(rule);
		ra_at = where == CFI_RA_ABOVE_FP ? fp_at + 8
						 : cfa - below[where];
		if (where == CFI_RA_IN_LR) {
			to.pc = frame->lr;
			ra_at = 1;
		}
	}
	/* The return address is signed. */
	put_word(ra_at, to.pc | (any(4) ? 0 : UINT64_C(0x2a) << 48));
#else
	if (rule != CFI_NONE) {
		uint64_t here = frame->fp;

		fp_at = 1;
		switch (cfi_kind(rule)) {
		case CFI_DEREF_FP:
			cfa = frame->sp + 64;
			put_word(frame->fp - 8, cfa);
			fp_at = here;
			break;
		case CFI_REGISTER:
			cfa = registers[rule >> CFI_REGISTER_SHIFT & 15] +
				(uint64_t)cfi_x86_offset(rule);
			fp_at = cfa - 16;
			break;
		case CFI_SPECIAL: /* CFI_PLT */
			cfa = frame->sp + 8 +
				8 *
					(((frame->pc - !frame->is_exact) &
						 15) >= rule >>
						CFI_PLT_SHIFT);
			break;
		default:
			cfa = (cfi_kind(rule) == CFI_SP ? frame->sp
							: frame->fp) +
				(uint64_t)cfi_x86_offset(rule);
			if (cfi_x86_fp(rule))
				fp_at = cfa - cfi_x86_fp(rule);
		}
		ra_at = cfa - 8;
	}
	put_word(ra_at, to.pc);
#endif
	to.sp = cfa;
	to.fp = fp_at & 1 || fp_at == cfa ? frame->fp : any_fp(cfa);
	put_word(fp_at, to.fp);
	*frame = to;
}

struct made_stack {
	uint64_t words[CHAIN_REGISTERS]; /* as the kernel has them */
	struct unwind_registers registers;
	uint64_t sp;
};

static void make_stack(const struct process *process, struct made_stack *made)
{
	struct frame frame = { .is_exact = true, .has_lr = true };
	size_t depth = any(DEPTH_MAX), i;
	uint64_t *value = made->registers.value;

	for (i = 0; i < ARRAY_SIZE(stack); i++)
		stack[i] = any(3) ? any(1000)
				  : CODE + process->moved + any(BLOCKS * BLOCK);
	*made = (struct made_stack){ 0 };
	frame.pc = any_pc(process, true);
	frame.sp = made->sp = STACK + 4096 + any(64) * 16;
	frame.fp = any_fp(frame.sp);
	frame.lr = any_pc(process, false);
	for (i = 0; i < 14; i++)
		value[i] = frame.sp + any(8) * 8;
#ifdef CHAIN_AARCH64
	made->words[FP] = value[29] = frame.fp;
	made->words[LR] = value[30] = frame.lr;
	made->words[SP] = value[31] = frame.sp;
	made->words[IP] = frame.pc;
	made->registers.known = UINT64_C(7) << 29;
#else
	value[6] = made->words[BP] = frame.fp;
	value[7] = made->words[SP] = frame.sp;
	made->words[IP] = frame.pc;
	made->words[CS] = 0x33;
	made->words[AX] = value[0];
	made->words[BX] = value[3];
	made->words[R10] = value[10];
	made->words[R11] = value[11];
	made->words[R12] = value[12];
	made->words[R13] = value[13];
	made->registers.known = 0x3cc9;
#endif
	made->registers.pc = frame.pc;
	for (i = 0; i < depth; i++)
		make_caller(process, &frame, value);
}

/* --- tests --- */

struct ends {
	size_t roots, frames, by[CHAIN_ENDS];
};

/* What is sent of a stack that is not complete: frames by frame pointers, and a
 * copy. */
static void compare_incomplete(const struct made_stack *made)
{
	const struct chain_record *record = &made_records[OF_SAMPLES];
	uint64_t fp = made->words[FP], frame[2], end;
	u64 hash = 0;
	uint32_t n = follow_frame_pointers(OF_SAMPLES, &hash), size, i;
	const struct chain_copy *copy =
		copy_stack(OF_SAMPLES, made->sp, 0, &size);

#ifdef CHAIN_AARCH64
	fp = fp & 7 ? 0 : fp;
#endif
	assert_int_equal(record->pcs[0], made->words[IP]);
	for (i = 1; i <= CHAIN_CALLERS_MAX; i++) {
		if (i == CHAIN_CALLERS_MAX ||
			bpf_probe_read_user(
				frame, sizeof(frame), (void *)(uintptr_t)fp))
			break;
		assert_int_equal(record->pcs[i], code_address(frame[1]));
#ifdef CHAIN_AARCH64
		/* The kernel stops at such frame pointers. */
		frame[0] = frame[0] <= fp || frame[0] & 7 ? 0 : frame[0];
#endif
		fp = frame[0];
	}
	assert_int_equal(n, i);
	assert_int_equal(copy->start, made->sp);
	end = made->sp < STACK_END ? STACK_END : STACK + STACK_SIZE;
	assert_int_equal(copy->size, MIN(CHAIN_COPY_MAX, end - made->sp));
	assert_memory_equal(
		copy->bytes, (uint8_t *)stack + (made->sp - STACK), copy->size);
}

static void fail_stack(const struct process *process, const struct walk *walk,
	const struct unwind_chain *chain)
{
	const struct chain_record *record = &made_records[OF_SAMPLES];
	size_t i;

	print_message("ends: %u, unwinder: %s; rules by the code's blocks:\n",
		walk->end, unwind_end_name(chain->end));
	for (i = 0; i < walk->n || i < chain->n; i++) {
		const struct frame frame = {
			.pc = i < chain->n ? chain->pcs[i] : record->pcs[i],
			.is_exact = !i
		};

		if (i < walk->n)
			print_message("%#llx %#x", record->pcs[i],
				rule_of(process, &frame));
		if (i < chain->n)
			print_message("\t%#" PRIx64, chain->pcs[i]);
		print_message("\n");
	}
	fail();
}

static void compare_stacks(const struct process *process,
	struct unwinder *unwinder, const struct made_stack *made,
	struct ends *ends)
{
	static uint64_t pcs[CHAIN_FRAMES_MAX];
	const struct unwind_space space = { process->id, find_made_code,
		(void *)process, read_made_code };
	const struct unwind_memory memory = { .start = made->sp,
		.bytes = (uint8_t *)stack + (made->sp - STACK),
		.size = STACK_SIZE - (made->sp - STACK),
		.read = read_made_word };
	struct unwind_chain chain = { .pcs = pcs, .room = ARRAY_SIZE(pcs) };
	struct chain_record *record = &made_records[OF_SAMPLES];
	struct walk *walk;
	bool is_same;
	size_t i;

	memcpy(record->registers, made->words, sizeof(made->words));
	walk = walk_stack(OF_SAMPLES, CHAIN_WALK,
		(struct mm_struct *)&process->mm,
		(const u64 *)record->registers, 0);
	unwind(unwinder, &space, &made->registers, &memory, &chain);
	ends->by[walk->end]++;
	ends->frames += walk->n;
	/* The unwinder interprets CFI instead, which the made rules do not
	 * have. */
	if (chain.is_slow) {
		assert_int_not_equal(walk->end, CHAIN_ROOT);
		return;
	}
	/* The program knows the code that signal handlers return to. */
	if (walk->n > 1 && is_sigreturn_at(record->pcs[walk->n - 1]))
		assert_true(walk->end != CHAIN_NO_RULE &&
			walk->end != CHAIN_COMPLEX);
	is_same = walk->n <= chain.n &&
		(walk->end != CHAIN_ROOT ||
			(walk->n == chain.n && chain.end == UNWIND_ROOT));
	for (i = 0; is_same && i < walk->n; i++)
		is_same = record->pcs[i] == pcs[i];
	if (!is_same)
		fail_stack(process, walk, &chain);
	if (walk->end != CHAIN_ROOT) {
		compare_incomplete(made);
		return;
	}
	ends->roots++;
}

static void the_bpf_program_unwinds_the_same_stacks_as_the_unwinder(
	void **state)
{
	struct unwinder *unwinder = unwinder_create(ARCH);
	static struct process process;
	struct made_stack made;
	struct ends ends = { 0 };
	size_t i;

	(void)state;
	chance = 1;
	make_process(&process);
	for (i = 0; i < STACKS; i++) {
		if (i % LAYOUT_STACKS == 0)
			change_layout(&process);
		make_stack(&process, &made);
		compare_stacks(&process, unwinder, &made, &ends);
	}
	for (i = 0; i < CHAIN_ENDS; i++)
		print_message("end %zu: %zu stacks\n", i, ends.by[i]);
	print_message("%.1f frames per stack\n", (double)ends.frames / STACKS);
	/* All ends but the limit occur, and enough stacks are complete. */
	for (i = 0; i < CHAIN_ENDS; i++)
		assert_true(i == CHAIN_LIMIT || ends.by[i] > 0);
	assert_true(ends.roots > STACKS / 10);
	assert_true(ends.frames > STACKS * 3);
	unwinder_destroy(unwinder);
	cfi_destroy(process.code);
	cfi_destroy(process.vdso);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_bpf_program_unwinds_the_same_stacks_as_the_unwinder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
