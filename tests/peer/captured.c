/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * captured FILE: reads the samples of FILE, a static program for aarch64
 * (tests/peer/capture.c), from standard input, unwinds them with compiled and
 * with interpreted rules, and compares the frames with FILE's own backtrace().
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"
#include "common/util/alloc.h"

#define CALLERS_MAX 4096u
#define STACK_MAX MIB(1)

static struct unwind_code code;

static bool find(void *data, uint64_t pc, struct unwind_code *ret)
{
	(void)data;
	*ret = code;
	return pc >= code.start && pc < code.end;
}

static bool take(void *ret, size_t size)
{
	return fread(ret, 1, size, stdin) == size;
}

struct taken {
	uint64_t registers[34];
	uint64_t start, size;
	uint8_t *stack; /* owned */
	uint64_t n, callers[CALLERS_MAX];
};

static bool take_sample(struct taken *ret)
{
	if (!take(ret->registers, sizeof(ret->registers)) ||
		!take(&ret->start, 8) || !take(&ret->size, 8) ||
		ret->size > STACK_MAX)
		return false;
	ret->stack = xmalloc(ret->size);
	return take(ret->stack, ret->size) && take(&ret->n, 8) &&
		ret->n <= CALLERS_MAX && take(ret->callers, (size_t)ret->n * 8);
}

/* Number of return addresses on the stack with pointer authentication. */
static unsigned n_signed;

static void count_signed(
	const struct taken *taken, const struct unwind_chain *chain)
{
	size_t i;

	for (i = 1; i < chain->n; i++) {
		uint64_t at = chain->slots[i] - taken->start, word;

		if (taken->size < 8 || at > taken->size - 8)
			continue;
		memcpy(&word, taken->stack + at, sizeof(word));
		n_signed += (word & ~UNWIND_ARM_ADDRESS) != 0;
	}
}

static bool is_same(const struct taken *taken, const struct unwind_chain *chain)
{
	size_t i;

	/* Frame 0 is at different calls in capture(). */
	for (i = 1; i < taken->n && i < chain->n; i++)
		if (taken->callers[i] != chain->pcs[i])
			return false;
	return chain->end == UNWIND_ROOT && chain->n == taken->n;
}

static bool check(
	struct unwinder *unwinder, const struct taken *taken, bool is_slow)
{
	static uint64_t pcs[CALLERS_MAX], slots[CALLERS_MAX];
	const struct unwind_space space = { 1, find, NULL };
	const struct unwind_memory memory = { .start = taken->start,
		.bytes = taken->stack,
		.size = taken->size,
		.thread = 1 };
	struct unwind_chain chain = {
		.pcs = pcs, .slots = slots, .room = CALLERS_MAX
	};
	struct unwind_registers registers = { .known = UINT32_MAX };
	struct unwind_walk walk = { .unwinder = unwinder,
		.space = &space,
		.registers = &registers,
		.memory = &memory,
		.chain = &chain };
	size_t i;

	memcpy(registers.value, taken->registers, 32 * 8);
	registers.pc = taken->registers[33];
	if (is_slow)
		unwind_interpret(&walk);
	else
		unwind(unwinder, &space, &registers, &memory, &chain);
	if (!is_slow)
		count_signed(taken, &chain);
	if (is_same(taken, &chain))
		return true;
	printf("%s, ends with %s\n  true ",
		is_slow ? "interpreted" : "compiled",
		unwind_end_name(chain.end));
	for (i = 0; i < taken->n; i++)
		printf(" %" PRIx64, taken->callers[i]);
	printf("\n  dwell");
	for (i = 0; i < chain.n; i++)
		printf(" %" PRIx64, pcs[i]);
	printf("\n");
	return false;
}

int main(int argc, char **argv)
{
	struct unwinder *unwinder = unwinder_create(UNWIND_AARCH64);
	unsigned n = 0, n_wrong = 0;
	static struct taken sample;
	struct elf_file *file;
	struct error *err;

	if (argc != 2)
		return 2;
	err = elf_file_open(
		open(argv[1], O_RDONLY | O_CLOEXEC), argv[1], &file);
	if (!err)
		err = cfi_create(file, NULL, &code.cfi);
	if (err || !elf_file_code(file, &code.start, &code.end))
		return 1;
	while (take_sample(&sample)) {
		n++;
		n_wrong += !check(unwinder, &sample, false);
		n_wrong += !check(unwinder, &sample, true);
		free(take_pointer(sample.stack));
	}
	free(sample.stack);
	printf("%u samples, %u differ, %u addresses signed\n", n, n_wrong,
		n_signed);
	unwinder_destroy(unwinder);
	cfi_destroy(code.cfi);
	elf_file_close(file);
	return n < 10 || n_wrong;
}
