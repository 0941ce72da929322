/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One step of the unwinder at both ends of every row of CFI of the files that
 * are named, compiled and interpreted, beside what libdw says of that address.
 * Registers and memory are made up, so that the least difference shows. Prints
 * a line per file, and one per difference; fails if there is any.
 */
#include "config.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/alloc.h"
#include "common/unwind.h"
#include "common/unwind_private.h"
#include "common/cfi_private.h"

/* Where the stack is; within 32 bits for i386. */
static uint64_t stack;
#define SHOWN_MAX 20u

/* Any address has its own contents, and all are addresses of the stack. */
static uint64_t contents(uint64_t address)
{
	uint64_t h = address * UINT64_C(0x9e3779b97f4a7c15);

	return stack + 0x10000 + (h >> 48) * 16;
}

static bool read_word(void *data, uint64_t address, uint64_t *ret)
{
	(void)data;
	*ret = contents(address);
	return true;
}

/* What a step leads to. */
struct outcome {
	uint64_t sp, fp, pc;
	uint64_t fp_at, pc_at; /* where they lay; 0: nowhere */
	bool is_root, is_none;
};

struct file {
	const char *name;
	enum unwind_arch arch;
	struct cfi *cfi;
	struct cfi_source *source;
	Dwarf_CFI *eh_frame;
	struct unwinder *unwinder;
	struct unwind_registers registers;
	unsigned long n_rows, n_complex, n_popped, n_wrong, n_without;
};

/* libdw's operations, on the same machine. False: one that isn't known here. */
struct machine {
	const struct file *file;
	uint64_t cfa, pc;
	uint64_t stack[64];
	unsigned n;
	bool is_value;
};

static bool run(struct machine *m, const Dwarf_Op *op)
{
	uint64_t *top = m->n ? &m->stack[m->n - 1] : m->stack;
	uint64_t number = op->number;
	const uint64_t *values = m->file->registers.value;

	if (m->n > 60)
		return false;
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		m->stack[m->n++] = op->atom - DW_OP_lit0;
		return true;
	}
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		number = op->atom - DW_OP_breg0;
		m->stack[m->n++] = op->number +
			(number == unwind_numbers[m->file->arch].ra &&
						m->file->arch != UNWIND_AARCH64 ?
					m->pc :
					values[number]);
		return true;
	}
	switch (op->atom) {
	case DW_OP_bregx:
		m->stack[m->n++] = values[number] + op->number2;
		return true;
	case DW_OP_regx:
		m->stack[m->n++] = values[number];
		m->is_value = true;
		return true;
	case DW_OP_call_frame_cfa:
		m->stack[m->n++] = m->cfa;
		return true;
	case DW_OP_stack_value:
		m->is_value = true;
		return true;
	case DW_OP_plus_uconst:
		*top += number;
		return true;
	case DW_OP_const1u:
	case DW_OP_const2u:
	case DW_OP_const4u:
	case DW_OP_const8u:
	case DW_OP_constu:
	case DW_OP_const1s:
	case DW_OP_const2s:
	case DW_OP_const4s:
	case DW_OP_const8s:
	case DW_OP_consts:
		m->stack[m->n++] = number;
		return true;
	case DW_OP_deref:
		*top = contents(*top);
		return true;
	}
	if (m->n < 2)
		return false;
	m->n--;
	top--;
	switch (op->atom) {
	case DW_OP_plus:
		*top += top[1];
		return true;
	case DW_OP_minus:
		*top -= top[1];
		return true;
	case DW_OP_and:
		*top &= top[1];
		return true;
	case DW_OP_shl:
		*top <<= top[1];
		return true;
	case DW_OP_ge:
		*top = (int64_t)*top >= (int64_t)top[1];
		return true;
	}
	return false;
}

static bool evaluate(const struct file *file, uint64_t pc, uint64_t cfa,
	const Dwarf_Op *ops, size_t n, uint64_t *ret, bool *is_value_ret)
{
	struct machine m = { .file = file, .cfa = cfa, .pc = pc };
	size_t i;

	for (i = 0; i < n; i++)
		if (!run(&m, &ops[i]))
			return false;
	*ret = m.n ? m.stack[m.n - 1] : 0;
	*is_value_ret = m.is_value;
	return m.n > 0;
}

/* Register N of the caller. */
static bool find_register(const struct file *file, Dwarf_Frame *frame, int n,
	uint64_t pc, uint64_t cfa, uint64_t *ret, uint64_t *at_ret,
	bool *is_undefined_ret)
{
	Dwarf_Op memory[3], *ops;
	bool is_value;
	size_t n_ops;

	*is_undefined_ret = false;
	*at_ret = 0;
	if (dwarf_frame_register(frame, n, memory, &ops, &n_ops) < 0)
		return false;
	if (!n_ops) {
		*is_undefined_ret = ops == memory;
		*ret = file->registers.value[n];
		return true;
	}
	if (!evaluate(file, pc, cfa, ops, n_ops, ret, &is_value))
		return false;
	if (!is_value) {
		*at_ret = *ret;
		*ret = contents(*ret);
	}
	return true;
}

static bool ask_libdw(
	const struct file *file, uint64_t address, struct outcome *ret)
{
	const struct unwind_numbers *numbers = &unwind_numbers[file->arch];
	bool is_undefined, is_value, ok = false;
	Dwarf_Frame *frame;
	uint64_t cfa, at;
	size_t n;
	Dwarf_Op *ops;

	memset(ret, 0, sizeof(*ret));
	if (dwarf_cfi_addrframe(file->eh_frame, address, &frame) != 0) {
		ret->is_none = true;
		return true;
	}
	if (!dwarf_frame_cfa(frame, &ops, &n) && n &&
		evaluate(file, address, 0, ops, n, &cfa, &is_value) &&
		find_register(file, frame, numbers->ra, address, cfa, &ret->pc,
			&ret->pc_at, &ret->is_root) &&
		find_register(file, frame, numbers->sp, address, cfa, &ret->sp,
			&at, &is_undefined) &&
		find_register(file, frame, numbers->fp, address, cfa, &ret->fp,
			&ret->fp_at, &is_undefined))
		ok = true;
	free(frame);
	return ok;
}

static bool find(void *data, uint64_t pc, struct unwind_code *ret)
{
	struct file *file = data;
	bool is_code = pc < stack;

	*ret = (struct unwind_code){ .start = is_code ? 0 : stack,
		.end = is_code ? stack : UINT64_MAX,
		.cfi = is_code ? file->cfi : NULL };
	return true;
}

static void ask_unwinder(struct file *file, uint64_t address, bool is_slow,
	struct outcome *ret)
{
	static uint64_t n_spaces;
	const struct unwind_space space = { ++n_spaces, find, file };
	const struct unwind_memory memory = { .start = stack,
		.read = read_word };
	uint64_t pcs[1];
	struct unwind_chain chain = { .pcs = pcs, .room = 1 };
	struct unwind_walk walk = { .unwinder = file->unwinder,
		.space = &space,
		.registers = &file->registers,
		.memory = &memory,
		.chain = &chain };

	memset(ret, 0, sizeof(*ret));
	file->registers.pc = address;
	if (is_slow)
		unwind_slowly(&walk);
	else
		unwind(file->unwinder, &space, &file->registers, &memory,
			&chain);
	file->n_complex += !is_slow && chain.is_slow;
	ret->is_root = chain.end == UNWIND_ROOT && chain.n == 1;
	ret->is_none = chain.n_guessed || chain.end == UNWIND_NO_RULE;
	ret->pc = chain.oldest.pc;
	ret->sp = chain.oldest.sp;
	ret->fp = chain.oldest.fp;
}

static bool is_same(const struct file *file, uint64_t address,
	const struct outcome *libdw, const struct outcome *ours,
	bool *is_popped_ret)
{
	uint64_t mask = file->arch == UNWIND_AARCH64 ? UNWIND_ARM_ADDRESS :
						       UINT64_MAX;
	unsigned fp = unwind_numbers[file->arch].fp;

	*is_popped_ret = false;
	/* Where a process begins needs no CFI: see cfi.c. */
	if (libdw->is_none && ours->is_root)
		return address - file->source->entry < 256;
	if (libdw->is_none || ours->is_none)
		return libdw->is_none == ours->is_none;
	if (libdw->is_root || ours->is_root)
		return libdw->is_root == ours->is_root;
	/* Some of glibc's assembly says so. */
	if (libdw->sp < stack)
		return ours->pc == address;
	*is_popped_ret = libdw->pc_at && libdw->pc_at < stack;
	if (libdw->sp != ours->sp ||
		((libdw->pc & mask) != ours->pc && !*is_popped_ret))
		return false;
	if (libdw->fp == ours->fp)
		return true;
	/* It was popped already, see cfi_pack.c. */
	*is_popped_ret = libdw->fp_at &&
		(libdw->fp_at < stack || libdw->fp_at >= libdw->sp) &&
		ours->fp == file->registers.value[fp];
	return *is_popped_ret;
}

static void show(const char *who, const struct outcome *outcome)
{
	printf("    %s: sp %" PRIx64 " pc %" PRIx64 " fp %" PRIx64 "%s%s\n",
		who, outcome->sp, outcome->pc, outcome->fp,
		outcome->is_root ? " root" : "",
		outcome->is_none ? " none" : "");
}

static void compare(struct file *file, uint64_t address)
{
	struct outcome libdw, ours;
	unsigned is_slow;

	if (!ask_libdw(file, address, &libdw)) {
		file->n_without++;
		return;
	}
	for (is_slow = 0; is_slow < 2; is_slow++) {
		bool is_popped;

		ask_unwinder(file, address, is_slow, &ours);
		if (is_same(file, address, &libdw, &ours, &is_popped)) {
			file->n_popped += is_popped && !is_slow;
			continue;
		}
		if (file->n_wrong++ >= SHOWN_MAX)
			continue;
		printf("  %s+%" PRIx64 " %s\n", file->name, address,
			is_slow ? "interpreted" : "compiled");
		show("libdw", &libdw);
		show("dwell", &ours);
	}
}

static void compare_rows(struct file *file)
{
	struct cfi_cies *cies = xcalloc(1, sizeof(*cies));
	struct cfi_walk *walk = xmalloc(sizeof(*walk));
	uint64_t at = 0;
	size_t i;

	for (i = 0; i < file->source->n_fdes; i++) {
		const struct cfi_fde *fde = &file->source->fdes[i];

		/* Nothing between two FDEs: libdw must say so, too. */
		if (at && at < fde->start) {
			compare(file, at);
			compare(file, fde->start - 1);
		}
		at = fde->end;
		if (!cfi_source_walk(file->source, fde, cies, walk))
			continue;
		while (cfi_walk_next(walk)) {
			uint64_t end = walk->row.end;

			file->n_rows++;
			compare(file, walk->row.start);
			compare(file, end - 1);
		}
	}
	free(walk);
	free(cies);
}

/* Words that no two registers share, on the stack and aligned. */
static void make_registers(struct file *file)
{
	unsigned n;

	for (n = 0; n < UNWIND_REGISTERS; n++)
		file->registers.value[n] = stack + 0x8000 + n * 0x110;
	file->registers.value[unwind_numbers[file->arch].sp] = stack;
	file->registers.known = UINT64_MAX;
}

static int compare_file(const char *name)
{
	struct file file = { .name = name };
	struct elf_file *opened;
	struct cfi_source source;
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct error *err = elf_file_open(fd, name, &opened);
	Elf *elf;

	if (!err)
		err = cfi_create(opened, NULL, &file.cfi);
	if (err) {
		printf("%s\n", err->text);
		return 1;
	}
	cfi_load(opened, NULL, &source);
	cfi_source_sort(&source);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	file.eh_frame = dwarf_getcfi_elf(elf);
	file.source = &source;
	file.arch = source.arch;
	file.unwinder = unwinder_create(file.arch);
	stack = file.arch == UNWIND_I386 ? UINT64_C(0x80000000) :
					   UINT64_C(0x7fff00000000);
	make_registers(&file);
	if (file.eh_frame)
		compare_rows(&file);
	printf("%s: %zu FDEs, %lu rows, %lu complex, %lu popped, "
	       "%lu beyond this test, %lu differ\n",
		name, source.n_fdes, file.n_rows, file.n_complex,
		file.n_popped, file.n_without, file.n_wrong);
	unwinder_destroy(file.unwinder);
	dwarf_cfi_end(file.eh_frame);
	elf_end(elf);
	close(fd);
	cfi_source_deinit(&source);
	cfi_unref(file.cfi);
	elf_file_close(opened);
	return file.n_wrong || !file.n_rows;
}

int main(int argc, char **argv)
{
	int i, status = 0;

	for (i = 1; i < argc; i++)
		status |= compare_file(argv[i]);
	return status;
}
