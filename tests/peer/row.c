/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "row.h"

#include <fcntl.h>

#include "common/unwind/unwind_private.h"

uint64_t row_contents(const struct row_file *file, uint64_t address)
{
	uint64_t h = address * UINT64_C(0x9e3779b97f4a7c15);

	return file->stack + 0x10000 + (h >> 48) * 16;
}

static bool read_word(void *data, uint64_t address, uint64_t *ret)
{
	*ret = row_contents(data, address);
	return true;
}

static bool find(void *data, uint64_t pc, struct unwind_code *ret)
{
	const struct row_file *file = data;
	bool is_code = pc < file->stack;

	*ret = (struct unwind_code){ .start = is_code ? 0 : file->stack,
		.end = is_code ? file->stack : UINT64_MAX,
		.cfi = is_code ? file->cfi : NULL };
	return true;
}

bool row_step_dwell(struct row_file *file, uint64_t address, bool is_slow,
	struct outcome *ret)
{
	static uint64_t n_spaces;
	const struct unwind_space space = { ++n_spaces, find, file };
	const struct unwind_memory memory = {
		.start = file->stack, .read = read_word, .data = file
	};
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
		unwind_interpret(&walk);
	else
		unwind(file->unwinder, &space, &file->registers, &memory,
			&chain);
	ret->is_root = chain.end == UNWIND_ROOT && chain.n == 1;
	ret->is_none = chain.n_guessed || chain.end == UNWIND_NO_RULE;
	ret->pc = chain.oldest.pc;
	ret->sp = chain.oldest.sp;
	ret->fp = chain.oldest.fp;
	return chain.is_slow;
}

/* Gives each register a different, aligned address of the stack. */
static void make_registers(struct row_file *file)
{
	unsigned n;

	for (n = 0; n < UNWIND_REGISTERS; n++)
		file->registers.value[n] = file->stack + 0x8000 + n * 0x110;
	file->registers.value[unwind_numbers[file->arch].sp] = file->stack;
	file->registers.known = UINT64_MAX;
}

struct error *row_open(const char *name, struct row_file *ret)
{
	struct error *err = elf_file_open(
		open(name, O_RDONLY | O_CLOEXEC), name, &ret->elf);

	if (!err)
		err = cfi_create(ret->elf, NULL, &ret->cfi);
	if (err)
		return err;
	ret->name = name;
	cfi_source_load(ret->elf, NULL, &ret->source);
	cfi_source_sort(&ret->source);
	ret->fd = open(name, O_RDONLY | O_CLOEXEC);
	ret->handle = elf_begin(ret->fd, ELF_C_READ, NULL);
	ret->eh_frame = dwarf_getcfi_elf(ret->handle);
	ret->arch = ret->source.arch;
	ret->unwinder = unwinder_create(ret->arch);
	ret->stack = ret->arch == UNWIND_I386 ? UINT64_C(0x80000000)
					      : UINT64_C(0x7fff00000000);
	make_registers(ret);
	return NULL;
}

void row_close(struct row_file *file)
{
	row_close_libunwind(file);
	unwinder_destroy(file->unwinder);
	dwarf_cfi_end(file->eh_frame);
	elf_end(file->handle);
	close(file->fd);
	cfi_source_deinit(&file->source);
	cfi_destroy(file->cfi);
	elf_file_close(file->elf);
}
