/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/ruby/ruby_thread.h"

/* Limit of the number of a module with thread-local variables. */
#define MODULES_MAX 4096u
/* Limit of the offset of a variable. */
#define OFFSET_MAX 65536u
/*
 * tcbhead_t of glibc on x86-64: the dynamic thread vector, whose entries have
 * 16 bytes (dtv_t in sysdeps/generic/dl-dtv.h).
 */
#define THREAD_DTV 8u
#define DTV_ENTRY 16u
/* The beginning of a function that is searched. */
#define CODE_BYTES 64u

/*
 * Finds the argument of __tls_get_addr() in FUNCTION: lea with a 32-bit
 * distance, with the prefix of the general dynamic model (ELF Handling For
 * Thread-Local Storage, 4.1.6).
 */
static bool find_argument(struct elf_file *file,
	const struct module_symbol *function, uint64_t *ret)
{
	static const uint8_t lea[] = { 0x66, 0x48, 0x8d, 0x3d };
	uint8_t code[CODE_BYTES];
	size_t n = elf_file_read(file, function->address, code, sizeof(code));
	int32_t distance;
	size_t i;

	for (i = 0; i + sizeof(lea) + sizeof(distance) <= n; i++) {
		if (memcmp(code + i, lea, sizeof(lea)) != 0)
			continue;
		memcpy(&distance, code + i + sizeof(lea), sizeof(distance));
		*ret = function->address + i + sizeof(lea) + sizeof(distance) +
			(uint64_t)(int64_t)distance;
		return true;
	}
	return false;
}

bool ruby_thread_find(const struct runtime_module *module,
	const struct module_symbol *current, struct process_memory *memory,
	struct chain_runtime *list)
{
	uint64_t argument, number, offset;

	if (!find_argument(module->file, current, &argument) ||
		!process_memory_u64(memory, argument + module->bias, &number) ||
		!process_memory_u64(
			memory, argument + module->bias + 8, &offset) ||
		!number || number > MODULES_MAX || offset > OFFSET_MAX)
		return false;
	list->hops[0] = THREAD_DTV;
	list->hops[1] = DTV_ENTRY * number;
	list->hops[2] = offset;
	list->n_hops = 3;
	return true;
}
