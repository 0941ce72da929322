/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target of the unwinder. The input selects a processor and has registers
 * and a pc of 16 bits each, then the words of a stack, and then CFI. Each 16
 * bits are mapped to an address of code or stack, or to another number. The
 * stack is unwound to its end; then its words and size change. Unwinding with
 * reuse of the thread's last stack, and several stacks at a time, must give the
 * same frames as each stack alone.
 */
#include "config.h"

#include "common/unwind/cfi_private.h"
#include "common/unwind/unwind.h"
#include "common/util/alloc.h"
#include "common/util/bytes.h"

#define CODE UINT64_C(0x10000)
#define CODE_SIZE UINT64_C(0x10000)
#define STACK UINT64_C(0x7f000000)
#define INPUT_MAX KIB(64)
#define ROOM 1000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool find(void *data, uint64_t pc, struct unwind_code *ret)
{
	ret->start = CODE;
	ret->end = CODE + CODE_SIZE;
	ret->bias = 0;
	ret->cfi = data;
	return pc >= ret->start && pc < ret->end;
}

/* Returns the 64-bit word for RAW. Its upper two bits select the kind. */
static uint64_t make_word(uint16_t raw)
{
	switch (raw >> 14) {
	case 0: return CODE + (raw & 0x3fff);
	case 1: return STACK + (raw & 0x3fff);
	case 2: return raw & 0x3fff;
	}
	return UINT64_MAX - (raw & 0x3fff);
}

static bool read_word(void *data, uint64_t address, uint64_t *ret)
{
	(void)data;
	*ret = make_word((uint16_t)(address * 0x9e37));
	return address & 8;
}

static struct bytes instructions;

/* Returns bytes of the CFI as instructions, repeated over all addresses. */
static size_t read_code(
	void *data, uint64_t address, uint8_t *bytes, size_t size)
{
	size_t n = bytes_left(&instructions), at = n ? address % n : 0;

	(void)data;
	size = MIN(size, n - at);
	if (size)
		memcpy(bytes, instructions.at + at, size);
	return size;
}

static struct unwind_space space_of(struct cfi *cfi)
{
	return (struct unwind_space){ 1, find, cfi,
		instructions.ok ? read_code : NULL };
}

static void check(const struct unwind_chain *chain)
{
	if (!chain->n || chain->n > chain->room || chain->n_copied > chain->n ||
		chain->end >= UNWIND_ENDS)
		abort();
}

struct walked {
	uint64_t pcs[ROOM], slots[ROOM];
	struct unwind_chain chain;
};

static void walk(struct unwinder *unwinder, struct cfi *cfi,
	const struct unwind_registers *registers,
	const struct unwind_memory *memory, size_t room, struct walked *ret)
{
	const struct unwind_space space = space_of(cfi);

	ret->chain = (struct unwind_chain){
		.pcs = ret->pcs, .slots = ret->slots, .room = room
	};
	unwind(unwinder, &space, registers, memory, &ret->chain);
	check(&ret->chain);
}

static bool is_same(const struct unwind_chain *a, const struct unwind_chain *b)
{
	return a->n == b->n && a->n_copied == b->n_copied &&
		a->n_exact == b->n_exact && a->end == b->end &&
		a->is_slow == b->is_slow && a->n_guessed == b->n_guessed &&
		a->oldest.pc == b->oldest.pc && a->oldest.sp == b->oldest.sp &&
		a->oldest.fp == b->oldest.fp &&
		!memcmp(a->exact, b->exact, a->n_exact * sizeof(*a->exact)) &&
		!memcmp(a->pcs, b->pcs, a->n * sizeof(*a->pcs)) &&
		!memcmp(a->slots, b->slots, a->n * sizeof(*a->slots));
}

/* An unwinder that reuses the thread's last stack, and one that does not. */
struct pair {
	struct unwinder *remembering, *plain;
	struct cfi *cfi;
};

static void compare(struct pair *pair, const struct unwind_registers *registers,
	struct unwind_memory memory, size_t room)
{
	static struct walked with, without;

	memory.thread = 0;
	walk(pair->plain, pair->cfi, registers, &memory, room, &without);
	memory.thread = 1;
	walk(pair->remembering, pair->cfi, registers, &memory, room, &with);
	if (!is_same(&with.chain, &without.chain))
		abort();
}

/* Unwinds stacks of three threads at a time, with decreasing stack sizes. */
static void compare_several(struct pair *pair,
	const struct unwind_registers *registers,
	const struct unwind_memory *whole)
{
	static struct walked with[UNWIND_TASKS_MAX], without;
	const struct unwind_space space = space_of(pair->cfi);
	struct unwind_memory memories[UNWIND_TASKS_MAX];
	struct unwind_task tasks[UNWIND_TASKS_MAX];
	unsigned i;

	for (i = 0; i < UNWIND_TASKS_MAX; i++) {
		memories[i] = *whole;
		memories[i].size -= whole->size / 16 * i;
		memories[i].thread = 1 + i % 3;
		with[i].chain = (struct unwind_chain){ .pcs = with[i].pcs,
			.slots = with[i].slots,
			.room = ROOM - 120 * i };
		tasks[i] = (struct unwind_task){ &space, registers,
			&memories[i], &with[i].chain };
	}
	unwind_several(pair->remembering, tasks, UNWIND_TASKS_MAX);
	for (i = 0; i < UNWIND_TASKS_MAX; i++) {
		memories[i].thread = 0;
		walk(pair->plain, pair->cfi, registers, &memories[i],
			ROOM - 120 * i, &without);
		if (!is_same(&with[i].chain, &without.chain))
			abort();
	}
}

/* Changes words and size of the stack. STACK are the bytes of MEMORY. */
static void compare_changes(struct pair *pair,
	struct unwind_registers *registers, unsigned sp,
	struct unwind_memory memory, uint8_t *stack)
{
	size_t words = memory.size / 8, step = words / 16 + 1, i;

	compare(pair, registers, memory, ROOM);
	compare_several(pair, registers, &memory);
	for (i = 0; i < words; i += step) {
		uint64_t kept, word;

		memcpy(&kept, stack + i * 8, sizeof(kept));
		memcpy(&word, stack + (i + 7) % words * 8, sizeof(word));
		memcpy(stack + i * 8, &word, sizeof(word));
		compare(pair, registers, memory, ROOM);
		memory.size = i * 8 + i % 3;
		compare(pair, registers, memory, ROOM - i);
		memory.size = words * 8;
		compare_several(pair, registers, &memory);
		memcpy(stack + i * 8, &kept, sizeof(kept));
		compare(pair, registers, memory, ROOM);
	}
	for (i = 0; i < words; i += step) {
		registers->value[sp] = memory.start = STACK + i * 8;
		memory.bytes = stack + i * 8;
		memory.size = (words - i) * 8;
		compare(pair, registers, memory, ROOM);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = bytes_of(data, size, false);
	struct unwind_registers registers = { 0 };
	uint8_t how = bytes_u8(&b);
	struct cfi_bytes bytes = { .eh_frame_address = CODE + CODE_SIZE,
		.start = CODE,
		.end = CODE + CODE_SIZE };
	struct unwind_memory memory = { .start = STACK };
	_cleanup_free_ uint8_t *stack = NULL;
	unsigned n, n_words;
	struct pair pair;

	bytes.arch = (enum unwind_arch)(UNWIND_X86_64 + how % 3);
	for (n = 0; n < UNWIND_REGISTERS; n++)
		registers.value[n] = make_word(bytes_u16(&b));
	registers.pc = make_word(bytes_u16(&b));
	registers.known = how & 4 ? bytes_u64(&b) : UINT64_MAX;
	registers.value[unwind_numbers[bytes.arch].sp] = STACK;
	n_words = bytes_u16(&b) & 0xfff;
	if (!b.ok || size > INPUT_MAX || n_words * 2 > bytes_left(&b))
		return 0;
	stack = xmalloc((size_t)n_words * 8 + 1);
	for (n = 0; n < n_words; n++) {
		uint64_t word = make_word(bytes_u16(&b));

		memcpy(stack + n * 8, &word, sizeof(word));
	}
	memory.bytes = stack;
	memory.size = (size_t)n_words * 8;
	memory.read = how & 8 ? read_word : NULL;
	bytes.eh_frame = b.at;
	bytes.eh_frame_size = bytes_left(&b);
	instructions = b;
	instructions.ok = how & 16;
	pair = (struct pair){ unwinder_create(bytes.arch),
		unwinder_create(bytes.arch), cfi_create_from_bytes(&bytes) };
	compare_changes(&pair, &registers, unwind_numbers[bytes.arch].sp,
		memory, stack);
	unwinder_destroy(pair.remembering);
	unwinder_destroy(pair.plain);
	cfi_destroy(pair.cfi);
	return 0;
}
