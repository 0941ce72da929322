/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the builtin of an address in a process. V8 maps the builtins of the program a
 * second time, near its heap, and then runs the code in the second mapping.
 */
#ifndef DWELL_RECORD_RUNTIMES_V8_V8_BUILTINS_H
#define DWELL_RECORD_RUNTIMES_V8_V8_BUILTINS_H

#include "record/runtimes/v8/v8_layout.h"

struct v8_builtins {
	const struct v8_layout *layout;
	uint32_t pid;
	/* inode number and device of the mapped file with the builtins */
	uint64_t inode;
	uint32_t major, minor;
	/* mappings of the builtins: address - .delta is the linked address */
	ARRAY(struct v8_copy { uint64_t start, end, delta; }) copies;
	uint64_t read_at; /* clock_now_ns() of the next read of the mappings */
	uint64_t wait_ns; /* between two reads */
};

/* Adds the first mapping: the linked addresses of the builtins + BIAS. */
void v8_builtins_init(struct v8_builtins *builtins,
	const struct v8_layout *layout, uint32_t pid, uint64_t bias);
void v8_builtins_deinit(struct v8_builtins *builtins);

/*
 * Returns the builtin at ADDRESS, or NULL. Sets *DELTA_RET to the address of the
 * builtin in the process minus its linked address.
 */
const struct v8_builtin *v8_builtins_find(const struct v8_builtins *builtins,
	uint64_t address, uint64_t *delta_ret);
/*
 * Returns true if ADDRESS is in code of the program or library, but not in a builtin.
 */
bool v8_builtins_is_native(
	const struct v8_builtins *builtins, uint64_t address);
/*
 * Returns the SIZE bytes of code at ADDRESS, borrowed from the layout, or NULL if not
 * all of them are in one mapping of the builtins.
 */
const uint8_t *v8_builtins_code(
	const struct v8_builtins *builtins, uint64_t address, size_t size);
/*
 * Reads the mappings of the process, unless the last read is recent. Returns true if
 * new mappings of the builtins were found.
 */
bool v8_builtins_look(struct v8_builtins *builtins);

#endif
