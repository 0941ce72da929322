/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/unwind.h"

#include "common/unwind/unwind_private.h"
#include "common/util/alloc.h"

/* --- perf's numbers of registers ------------------------------------------ */

#define NO 0xff
#define PC 0xfe

/*
 * DWARF register number of each bit of sample_regs_user. NO: not needed for
 * unwinding.
 */
static const uint8_t x86_64_numbers[] = { 0, 3, 2, 1, 4, 5, 6, 7, PC, NO, NO,
	NO, NO, NO, NO, NO, 8, 9, 10, 11, 12, 13, 14, 15 };
static const uint8_t i386_numbers[] = { 0, 3, 1, 2, 6, 7, 5, 4, PC };
static const uint8_t aarch64_numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
	12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
	30, 31, PC };

static const struct {
	const uint8_t *numbers;
	unsigned n;
} perf_numbers[] = {
	[UNWIND_NONE] = { NULL, 0 },
	[UNWIND_X86_64] = { x86_64_numbers, ARRAY_SIZE(x86_64_numbers) },
	[UNWIND_AARCH64] = { aarch64_numbers, ARRAY_SIZE(aarch64_numbers) },
	[UNWIND_I386] = { i386_numbers, ARRAY_SIZE(i386_numbers) },
};

bool unwind_registers_read(enum unwind_arch arch, uint64_t mask,
	const void *registers, struct unwind_registers *ret)
{
	const uint8_t *at = registers;
	bool has_pc = false;
	unsigned bit;

	memset(ret, 0, sizeof(*ret));
	for (bit = 0; bit < perf_numbers[arch].n; bit++) {
		uint8_t n = perf_numbers[arch].numbers[bit];
		uint64_t value;

		if (!(mask >> bit & 1))
			continue;
		memcpy(&value, at, sizeof(value));
		at += sizeof(value);
		if (n == PC) {
			ret->pc = value;
			has_pc = true;
		} else if (n != NO) {
			ret->value[n] = value;
			ret->known |= UINT64_C(1) << n;
		}
	}
	return has_pc && ret->known >> unwind_numbers[arch].sp & 1;
}

uint64_t unwind_registers_mask(enum unwind_arch arch)
{
	uint64_t mask = 0;
	unsigned bit;

	for (bit = 0; bit < perf_numbers[arch].n; bit++)
		if (perf_numbers[arch].numbers[bit] != NO)
			mask |= UINT64_C(1) << bit;
	return mask;
}

/* --- unwinding ------------------------------------------------------------ */

struct unwinder *unwinder_create(enum unwind_arch arch)
{
	struct unwinder *unwinder;

	if (arch == UNWIND_NONE)
		return NULL;
	unwinder = xcalloc(1, sizeof(*unwinder));
	unwinder->arch = arch;
	unwinder->cache = aligned_alloc(
		64, sizeof(*unwinder->cache) << UNWIND_CACHE_BITS);
	if (!unwinder->cache)
		abort();
	memset(unwinder->cache, 0,
		sizeof(*unwinder->cache) << UNWIND_CACHE_BITS);
	return unwinder;
}

void unwinder_destroy(struct unwinder *unwinder)
{
	size_t i;

	if (!unwinder)
		return;
	for (i = 0; i < UNWIND_MEMOS; i++)
		free(unwinder->memos[i].at);
	for (i = 0; i < UNWIND_TASKS_MAX; i++)
		free(unwinder->spares[i]);
	free(unwinder->cache);
	free(unwinder);
}

const struct unwind_counts *unwinder_counts(const struct unwinder *unwinder)
{
	return &unwinder->counts;
}

const char *unwind_end_name(enum unwind_end end)
{
	static const char *const names[] = {
		[UNWIND_ROOT] = "root",
		[UNWIND_TRUNCATED] = "truncated",
		[UNWIND_NO_RULE] = "no rule",
		[UNWIND_NO_CODE] = "no code",
		[UNWIND_DAMAGED] = "damaged",
		[UNWIND_REGISTER] = "register unknown",
		[UNWIND_LIMIT] = "limit",
		[UNWIND_ELSEWHERE] = "elsewhere",
		[UNWIND_ZERO] = "zero",
	};

	return end < ARRAY_SIZE(names) ? names[end] : "?";
}

static void begin_walk(struct unwinder *unwinder,
	const struct unwind_task *task, struct unwind_walk *ret)
{
	const struct unwind_numbers *numbers = &unwind_numbers[unwinder->arch];
	const struct unwind_registers *registers = task->registers;
	struct unwind_chain *chain = task->chain;

	*ret = (struct unwind_walk){
		.unwinder = unwinder,
		.space = task->space,
		.registers = registers,
		.memory = task->memory,
		.chain = chain,
		.pc = registers->pc,
		.sp = registers->value[numbers->sp],
		.slot = registers->value[numbers->sp],
		.fp = registers->value[numbers->fp],
		.is_exact = true,
		.turn = UNWIND_FRAMES_MAX,
		.same_sp = UINT64_MAX,
	};
	if (unwinder->arch == UNWIND_AARCH64) {
		ret->lr = registers->value[numbers->ra] & UNWIND_ARM_ADDRESS;
		ret->has_lr = registers->known >> numbers->ra & 1;
	}
	chain->n = chain->n_copied = 0;
	chain->n_guessed = 0;
	chain->is_refused = false;
	chain->n_exact = 0;
	chain->interrupted_at = 0;
	/*
	 * Interpret CFI rows if the sample has no fp, which is rare, and on
	 * i386, which has no packed rules.
	 */
	chain->is_slow = !(registers->known >> numbers->fp & 1) ||
		unwinder->arch == UNWIND_I386;
	chain->room = MIN(chain->room, (size_t)UNWIND_FRAMES_MAX);
}

static void end_walk(struct unwind_walk *walk)
{
	struct unwind_chain *chain = walk->chain;

	unwind_memo_end(walk);
	if (chain->is_slow)
		unwind_interpret(walk);
	/*
	 * A chain always contains the sampled pc, even if the pc is not mapped.
	 */
	if (!chain->n)
		unwind_push(walk);
	if (!walk->has_read)
		chain->n_copied = chain->n;
	walk->unwinder->counts.n_chains++;
	walk->unwinder->counts.n_frames += chain->n;
	walk->unwinder->counts.n_slow += chain->is_slow;
	walk->unwinder->counts.n_guessed += chain->n_guessed;
	walk->unwinder->counts.n_ends[chain->end]++;
}

void unwind(struct unwinder *unwinder, const struct unwind_space *space,
	const struct unwind_registers *registers,
	const struct unwind_memory *memory, struct unwind_chain *ret)
{
	const struct unwind_task task = { space, registers, memory, ret };
	struct unwind_walk walk;

	begin_walk(unwinder, &task, &walk);
	if (!ret->is_slow) {
		unwind_memo_begin(&walk, 0);
		unwind_run(&walk);
	}
	end_walk(&walk);
}

void unwind_several(
	struct unwinder *unwinder, const struct unwind_task *tasks, size_t n)
{
	struct unwind_walk walks[UNWIND_TASKS_MAX], *running[UNWIND_TASKS_MAX];
	size_t n_running = 0, i, kept;

	for (i = 0; i < n; i++)
		unwind_memo_fetch(unwinder, tasks[i].memory);
	for (i = 0; i < n; i++) {
		begin_walk(unwinder, &tasks[i], &walks[i]);
		if (tasks[i].chain->is_slow)
			continue;
		if (n > 1)
			walks[i].turn = 1;
		unwind_memo_begin(&walks[i], i);
		running[n_running++] = &walks[i];
	}
	for (; n_running; n_running = kept)
		for (i = kept = 0; i < n_running; i++) {
			running[kept] = running[i];
			kept += unwind_run(running[kept]);
		}
	for (i = 0; i < n; i++)
		end_walk(&walks[i]);
}
