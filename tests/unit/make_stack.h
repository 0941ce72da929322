/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes a sample of this process as the kernel does: registers, and a copy of
 * the stack from sp on. Also lists the process's executable mappings with their
 * unwind rules.
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

/*
 * Returns the arch of this program, or UNWIND_NONE if dwell cannot unwind it.
 */
enum unwind_arch made_arch(void);
/* Takes the registers of CONTEXT and at most MAX bytes of the stack. */
void made_stack_init(
	struct made_stack *made, const ucontext_t *context, size_t max);
void made_stack_deinit(struct made_stack *made);

/* The mappings of /proc/self/maps, as they are when it is made. */
struct made_space {
	struct unwind_space space;
	ARRAY(struct unwind_code) codes; /* each owns its .cfi */
};
void made_space_init(struct made_space *made);
void made_space_deinit(struct made_space *made);

#endif
