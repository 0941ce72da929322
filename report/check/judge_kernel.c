/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/alloc.h"
#include "report/check/judge.h"

static bool kernel_supports(enum unwind_arch arch)
{
	return arch != UNWIND_NONE;
}

/* Copies the call chain; a stack without one has only the sampled address. */
static size_t kernel_unwind(void *state, const struct judge_stack *stack,
	uint64_t *pcs, size_t room)
{
	size_t n = MIN(stack->n_recorded, room), i;

	(void)state;
	pcs[0] = stack->registers->pc;
	for (i = 0; i < n; i++)
		pcs[i] = stack->recorded[i];
	return MAX(n, (size_t)1);
}

const struct judge judge_kernel = {
	.name = "kernel", .supports = kernel_supports, .unwind = kernel_unwind
};
