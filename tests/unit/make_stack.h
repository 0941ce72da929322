/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sample of this very process, as the kernel would take one: registers, and
 * a copy of the stack above sp; and its executable mappings, with their rules.
 */
#ifndef DWELL_MAKE_STACK_H
#define DWELL_MAKE_STACK_H

#include <ucontext.h>

#include "common/unwind/unwind.h"
#include "common/util/array.h"

struct made_stack {
	struct unwind_registers registers;
	struct unwind_memory memory; /* owned */
};

/* The arch of this test program; UNWIND_NONE where there is no backend. */
enum unwind_arch made_arch(void);
/* At most MAX bytes are copied, less where the stack ends. */
void made_stack_init(
	struct made_stack *made, const ucontext_t *context, size_t max);
void made_stack_deinit(struct made_stack *made);

/* Of /proc/self/maps; made once, read the files again for what is mapped later. */
struct made_space {
	struct unwind_space space;
	ARRAY(struct unwind_code) codes; /* each owns its rules */
};
void made_space_init(struct made_space *made);
void made_space_deinit(struct made_space *made);

#endif
