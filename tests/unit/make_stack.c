/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "make_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>

#include "testing.h"

enum unwind_arch made_arch(void)
{
#if defined(__x86_64__)
	return UNWIND_X86_64;
#elif defined(__aarch64__)
	return UNWIND_AARCH64;
#else
	return UNWIND_NONE;
#endif
}

static void take_registers(
	struct unwind_registers *ret, const ucontext_t *context)
{
	memset(ret, 0, sizeof(*ret));
#if defined(__x86_64__)
	static const int numbers[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX,
		REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10,
		REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		ret->value[i] =
			(uint64_t)context->uc_mcontext.gregs[numbers[i]];
	ret->known = 0xffff;
	ret->pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	memcpy(ret->value, context->uc_mcontext.regs, 31 * sizeof(uint64_t));
	ret->value[31] = context->uc_mcontext.sp;
	ret->known = UINT32_MAX;
	ret->pc = context->uc_mcontext.pc;
#endif
}

/*
 * Copies the readable bytes at FROM, at most MAX, and returns their number. The
 * kernel copies them, because sanitizers reject reads of the stack.
 */
static size_t copy(uint64_t from, uint8_t *to, size_t max)
{
	size_t n = 0, step = 4096;

	while (n < max) {
		struct iovec local = { to + n, MIN(step, max - n) };
		struct iovec remote = { (void *)(uintptr_t)(from + n),
			local.iov_len };

		if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) ==
			(ssize_t)local.iov_len)
			n += local.iov_len;
		else if ((step /= 2) < 8)
			break;
	}
	return n;
}

void made_stack_init(
	struct made_stack *made, const ucontext_t *context, size_t max)
{
	uint8_t *bytes = xmalloc(max);

	memset(made, 0, sizeof(*made));
	take_registers(&made->registers, context);
	made->memory.start =
		made->registers.value[unwind_numbers[made_arch()].sp];
	made->memory.bytes = bytes;
	made->memory.size = copy(made->memory.start, bytes, max);
}

void made_stack_deinit(struct made_stack *made)
{
	free((void *)(uintptr_t)made->memory.bytes);
}

static bool find(void *data, uint64_t pc, struct unwind_code *ret)
{
	struct made_space *made = data;

	array_each(&made->codes, code)
		if (pc >= code->start && pc < code->end) {
			*ret = *code;
			return true;
		}
	return false;
}

static struct elf_file *open_file(const char *path)
{
	struct elf_file *file;

	if (string_is(path, "[vdso]"))
		return elf_file_open_vdso();
	if (*path != '/')
		return NULL;
	assert_no_error(
		elf_file_open(open(path, O_RDONLY | O_CLOEXEC), path, &file));
	return file;
}

/* Adds the code mapped at START, with the unwind rules of its file. */
static void add(struct made_space *made, uint64_t start, uint64_t end,
	uint64_t offset, const char *path)
{
	struct unwind_code *code = array_push(&made->codes);
	struct elf_file *file = open_file(path);

	code->start = start;
	code->end = end;
	code->bias = start;
	if (!file)
		return;
	code->bias = start - elf_file_address(file, offset);
	assert_no_error(cfi_create(file, NULL, &code->cfi));
	elf_file_close(file);
}

void made_space_init(struct made_space *made)
{
	static uint64_t n_spaces;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];

	memset(made, 0, sizeof(*made));
	made->space.id = ++n_spaces;
	made->space.find = find;
	made->space.data = made;
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, end, offset;
		char rights[5], path[4096] = "";

		assert_true(sscanf(line, "%lx-%lx %4s %lx %*s %*s %4095s",
				    &start, &end, rights, &offset, path) >= 4);
		if (rights[2] == 'x' && !string_is(path, "[vsyscall]"))
			add(made, start, end, offset, path);
	}
	fclose(maps);
}

void made_space_deinit(struct made_space *made)
{
	array_each(&made->codes, code)
		cfi_destroy(code->cfi);
	array_free(&made->codes);
}
