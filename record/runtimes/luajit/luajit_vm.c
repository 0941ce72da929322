/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/luajit/luajit_vm.h"

#include "common/util/alloc.h"
#include "record/runtimes/interface/function_parts.h"

/* The interpreter has 16 KiB. Limits in bytes: */
#define VM_BYTES_MAX KIB(256)
/* of the code between two instructions of one entry of the interpreter; */
#define ENTRY_BYTES 64u
/* of an offset in struct global_State. */
#define GLOBAL_STATE_MAX 8192

/*
 * An entry of the interpreter (vm_x64.dasc) sets r14 to the table of instructions, which is
 * behind struct global_State:
 *         add r14, DISTANCE
 * and then stores the Lua state as the current one:
 *         mov [r14 + OFFSET], rbp
 * Both numbers have 32 bits. The offset from the global state is the sum.
 */
static const uint8_t add_distance[] = { 0x49, 0x81, 0xc6 };
static const uint8_t store_state[] = { 0x49, 0x89, 0xae };

/* Returns the number of the first instruction STORE_STATE in the N bytes of CODE, or 0. */
static int32_t find_offset(const uint8_t *code, size_t n)
{
	const uint8_t *at = memmem(code, n, store_state, sizeof(store_state));
	int32_t offset = 0;

	if (at &&
		(size_t)(code + n - at) >= sizeof(store_state) + sizeof(offset))
		memcpy(&offset, at + sizeof(store_state), sizeof(offset));
	return offset;
}

static uint16_t find_current(const uint8_t *code, size_t n)
{
	int32_t distance, offset;
	size_t i;

	for (i = 0; i + sizeof(add_distance) + sizeof(distance) <= n; i++) {
		if (memcmp(code + i, add_distance, sizeof(add_distance)) != 0)
			continue;
		memcpy(&distance, code + i + sizeof(add_distance),
			sizeof(distance));
		offset = find_offset(code + i, MIN(n - i, (size_t)ENTRY_BYTES));
		if (distance > 0 && distance < GLOBAL_STATE_MAX && offset < 0 &&
			distance + offset > 0 && !((distance + offset) & 7))
			return (uint16_t)(distance + offset);
	}
	return 0;
}

bool luajit_vm_find(struct elf_file *file, struct luajit_vm *ret)
{
	struct address_range ranges[INTERPRETER_RANGES_MAX];
	size_t n =
		function_parts_dispatchers(file, 0, ranges, ARRAY_SIZE(ranges));
	size_t i;

	for (i = 0; i < n; i++) {
		size_t size = ranges[i].end - ranges[i].start;
		_cleanup_free_ uint8_t *code = NULL;

		if (size > VM_BYTES_MAX)
			continue;
		code = xmalloc(size);
		*ret = (struct luajit_vm){ .code = ranges[i] };
		ret->current = find_current(
			code, elf_file_read(file, ranges[i].start, code, size));
		if (ret->current)
			return true;
	}
	return false;
}
