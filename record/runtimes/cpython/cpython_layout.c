/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/cpython/cpython_layout.h"

/*
 * From the DWARF debug information of builds
 * of 2.7.18, 3.6.15, 3.7.17, 3.8.18, 3.9.18, 3.10.13, 3.11.7, 3.12.1,
 * 3.13.0, 3.14.10 and 3.15.2, as gdb prints it.
 */
#define TEXT_UNTIL_311 .ascii = 48, .text = 72, .bytes = 32
#define TEXT_SINCE_312 .ascii = 40, .text = 56, .bytes = 32
#define FRAME_UNTIL_310(lasti)                                         \
	.size = (lasti) + 4, .link = 24, .code = 32, .where = (lasti), \
	.where_size = 4, .groups = CPYTHON_EACH, .hops = { 24 }, .n_hops = 1
#define CODE_38 .first_line = 40, .file = 104, .name = 112, .lines = 120
#define FRAME_SINCE_312(owner)                                  \
	.size = (owner) + 2, .link = 8, .code = 0, .where = 56, \
	.where_size = 8, .mark = (owner), .groups = CPYTHON_SHIM
/*
 * .interpreters, .next_interpreter and .threads are those that the process exports. Before,
 * .next_interpreter is 0.
 */
#define SINCE_313                                                        \
	.next = 8, .hops = { 72 }, .n_hops = 1, .exports_offsets = true, \
	.first_line = 68, .file = 112, .name = 128, .lines = 136,        \
	TEXT_SINCE_312

static const struct cpython_layout layouts[] = {
	{ .major = 2,
		.minor = 7,
		.threads = 8,
		.next = 0,
		.thread_id = 144,
		.interpreter = 8,
		.size = 124,
		.link = 24,
		.code = 32,
		.where = 120,
		.where_size = 4,
		.groups = CPYTHON_EACH,
		.hops = { 16 },
		.n_hops = 1,
		.first_line = 96,
		.file = 80,
		.name = 88,
		.lines = 104,
		.bytes = 36 },
	{ .major = 3,
		.minor = 6,
		.threads = 8,
		.next = 8,
		.thread_id = 152,
		.interpreter = 16,
		FRAME_UNTIL_310(120),
		.first_line = 36,
		.file = 96,
		.name = 104,
		.lines = 112,
		TEXT_UNTIL_311 },
	{ .major = 3,
		.minor = 7,
		.interpreters = 24,
		.threads = 8,
		.next = 8,
		.thread_id = 176,
		FRAME_UNTIL_310(104),
		.first_line = 36,
		.file = 96,
		.name = 104,
		.lines = 112,
		TEXT_UNTIL_311 },
	{ .major = 3,
		.minor = 8,
		.interpreters = 32,
		.threads = 8,
		.next = 8,
		.thread_id = 176,
		FRAME_UNTIL_310(104),
		CODE_38,
		TEXT_UNTIL_311 },
	{ .major = 3,
		.minor = 9,
		.interpreters = 32,
		.threads = 8,
		.next = 8,
		.thread_id = 176,
		FRAME_UNTIL_310(104),
		CODE_38,
		TEXT_UNTIL_311 },
	{ .major = 3,
		.minor = 10,
		.interpreters = 32,
		.threads = 8,
		.next = 8,
		.thread_id = 176,
		FRAME_UNTIL_310(96),
		CODE_38,
		TEXT_UNTIL_311 },
	/* The name is the qualified name, such as "Class.method". */
	{ .major = 3,
		.minor = 11,
		.interpreters = 40,
		.threads = 16,
		.next = 8,
		.thread_id = 152,
		.hops = { 56, 8 },
		.n_hops = 2,
		.size = 72,
		.link = 48,
		.code = 32,
		.where = 56,
		.where_size = 8,
		.mark = 68,
		.groups = CPYTHON_ENTRY,
		.first_line = 72,
		.file = 112,
		.name = 128,
		.lines = 136,
		.instructions = 184,
		TEXT_UNTIL_311 },
	{ .major = 3,
		.minor = 12,
		.interpreters = 40,
		.threads = 72,
		.next = 8,
		.thread_id = 136,
		.hops = { 56, 0 },
		.n_hops = 2,
		FRAME_SINCE_312(70),
		.first_line = 68,
		.file = 112,
		.name = 128,
		.lines = 136,
		.instructions = 192,
		TEXT_SINCE_312 },
	{ .major = 3,
		.minor = 13,
		SINCE_313,
		FRAME_SINCE_312(70),
		.thread_id = 152,
		.instructions = 200 },
	{ .major = 3,
		.minor = 14,
		SINCE_313,
		FRAME_SINCE_312(74),
		.thread_id = 152,
		.instructions = 208 },
	{ .major = 3,
		.minor = 15,
		SINCE_313,
		FRAME_SINCE_312(74),
		.thread_id = 176,
		.instructions = 208 },
};

const struct cpython_layout *cpython_layout_find(unsigned major, unsigned minor)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].major == major && layouts[i].minor == minor)
			return &layouts[i];
	return NULL;
}
