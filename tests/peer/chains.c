/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chains FILE: unwinds each stack copy of a program with frame pointers, and
 * compares the frames with the kernel's call chain in the same sample. One
 * difference is accepted: the kernel misses the caller of the sampled function
 * if CFI shows that its frame is not set up yet or already removed. Fails at
 * any other difference, or if more than one in twenty samples differ.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/unwind/cfi.h"
#include "common/util/alloc.h"
#include "stacks.h"

#define ROOM 4096u

/* Returns true if CFI computes the CFA from the stack pointer. */
static bool has_no_frame(
	struct stacks *stacks, const struct stacks_sample *sample)
{
	uint64_t pc = sample->registers.pc, bias;
	const struct stacks_file *file =
		stacks_file_at(stacks, sample->space, pc, &bias);

	return file && file->cfi &&
		cfi_kind(cfi_rule(file->cfi, pc - bias)) == CFI_SP;
}

static bool is_equal(
	const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b)
{
	return n_a == n_b && memcmp(a, b, n_a * sizeof(*a)) == 0;
}

static void show(const char *name, const uint64_t *pcs, size_t n)
{
	size_t i;

	printf("  %s:", name);
	for (i = 0; i < n; i++)
		printf(" %" PRIx64, pcs[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	unsigned long n_same = 0, n_longer = 0, n_wrong = 0;
	static uint64_t pcs[ROOM];
	struct unwinder *unwinder;
	struct stacks stacks;

	if (argc != 2) {
		fprintf(stderr, "usage: chains FILE\n");
		return 2;
	}
	stacks_load(argv[1], MIB(512), &stacks);
	unwinder = unwinder_create(stacks.arch);
	array_each(&stacks.samples, sample) {
		struct stacks_view view = { &stacks, sample->space };
		const struct unwind_space space = { sample->space + 1,
			stacks_find, &view };
		struct unwind_chain chain = { .pcs = pcs, .room = ROOM };
		const uint64_t *kernel = sample->kernel.at;
		size_t n = sample->kernel.n;

		unwind(unwinder, &space, &sample->registers, &sample->memory,
			&chain);
		if (chain.end == UNWIND_ROOT &&
			is_equal(pcs, chain.n, kernel, n)) {
			n_same++;
		} else if (chain.end == UNWIND_ROOT && n && chain.n > 1 &&
			*pcs == *kernel && has_no_frame(&stacks, sample) &&
			is_equal(pcs + 2, chain.n - 2, kernel + 1, n - 1)) {
			n_longer++;
		} else if (n_wrong++ < 10) {
			show("dwell", pcs, chain.n);
			show("kernel", kernel, n);
		}
	}
	printf("%lu same, %lu longer by a caller, %lu wrong\n", n_same,
		n_longer, n_wrong);
	unwinder_destroy(unwinder);
	stacks_deinit(&stacks);
	return n_wrong || n_same + n_longer < 100 ||
		n_longer * 20 > n_same + n_longer;
}
