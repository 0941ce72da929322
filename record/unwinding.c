/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwinding.h"

#include <sys/utsname.h>

#include "common/alloc.h"
#include "record/plain.h"
#include "record/rules.h"
#include "record/tails.h"

/* An event whose samples may have copies. */
struct copied_event {
	uint64_t id;
	struct sample_layout layout;
	uint64_t registers; /* sample_regs_user */
	bool has_copies, keeps_registers;
	size_t max_stack;
};

/* An address space as the unwinder's cache knows it. */
struct space {
	uint64_t id;     /* 0: not asked for yet */
	uint32_t missed; /* generation of maps that lacked some code; 0: none */
};

struct unwinding {
	const struct hits *hits;
	struct depths *depths;
	struct rules *rules;
	struct tails *tails;
	ARRAY(struct copied_event) events;
	ARRAY(struct space) spaces; /* by number in the maps */
	uint32_t epoch;		    /* of these numbers */
	uint64_t last_id;
	enum unwind_arch arch;
	struct unwinder *unwinders[3]; /* by the ABI of the registers */
	struct stacks stacks;
	uint64_t addresses[UNWIND_FRAMES_MAX], slots[UNWIND_FRAMES_MAX];
};

/* One sample. */
struct work {
	struct unwinding *unwinding;
	const struct copied_event *event;
	const struct plain *plain;
	struct unwinder *unwinder;
	struct rules_place place;
	struct unwind_space space;
	struct unwind_registers registers;
	struct unwind_memory memory;
	struct unwind_chain chain;
	size_t n; /* addresses that are good */
	size_t word_size;
	const uint8_t *rest; /* what lies behind the copy */
	size_t rest_size;
};

static void add_events(
	struct unwinding *unwinding, const struct selection *selection)
{
	array_each(&selection->events, selected) {
		const struct perf_event_attr *attr = &selected->attr;
		struct copied_event *event = array_push(&unwinding->events);

		event->id = selected->id;
		sample_layout_init(&event->layout, attr);
		event->registers = attr->sample_regs_user;
		event->has_copies =
			attr->sample_type & PERF_SAMPLE_STACK_USER;
		event->keeps_registers = selection->keeps_registers;
		event->max_stack = attr->sample_max_stack
			? attr->sample_max_stack
			: UNWIND_FRAMES_MAX;
	}
}

struct unwinding *unwinding_create(const struct unwinding_setup *setup)
{
	struct unwinding *unwinding;
	enum unwind_arch arch;
	struct utsname name;

	uname(&name);
	arch = unwind_arch_of_name(name.machine);
	if (arch == UNWIND_NONE)
		return NULL;
	unwinding = xcalloc(1, sizeof(*unwinding));
	unwinding->hits = setup->hits;
	unwinding->depths = setup->depths;
	unwinding->rules = rules_create(setup->keeper);
	unwinding->tails = tails_create();
	unwinding->arch = arch;
	unwinding->unwinders[PERF_SAMPLE_REGS_ABI_64] = unwinder_create(arch);
	if (arch == UNWIND_X86_64)
		unwinding->unwinders[PERF_SAMPLE_REGS_ABI_32] =
			unwinder_create(UNWIND_I386);
	add_events(unwinding, setup->selection);
	return unwinding;
}

void unwinding_destroy(struct unwinding *unwinding)
{
	size_t i;

	if (!unwinding)
		return;
	for (i = 0; i < ARRAY_SIZE(unwinding->unwinders); i++)
		unwinder_destroy(unwinding->unwinders[i]);
	rules_destroy(unwinding->rules);
	tails_destroy(unwinding->tails);
	array_free(&unwinding->events);
	array_free(&unwinding->spaces);
	free(unwinding);
}

void unwinding_restart(struct unwinding *unwinding)
{
	rules_restart(unwinding->rules);
	unwinding->spaces.n = 0;
	unwinding->stacks = (struct stacks){ 0 };
}

const struct stacks *unwinding_stacks(const struct unwinding *unwinding)
{
	return &unwinding->stacks;
}

/*
 * A space only ever gets more code. So answers hold, but those that there was
 * nothing: when something was mapped since, it becomes another one.
 */
static struct space *find_space(struct unwinding *unwinding, uint32_t number)
{
	const struct replay *replay = hits_replay(unwinding->hits);
	struct space *space;

	if (unwinding->epoch != replay->epoch)
		unwinding->spaces.n = 0;
	unwinding->epoch = replay->epoch;
	while (unwinding->spaces.n <= number)
		*array_push(&unwinding->spaces) = (struct space){ 0 };
	space = &unwinding->spaces.at[number];
	if (!space->id ||
		(space->missed && space->missed != replay->generation))
		*space = (struct space){ ++unwinding->last_id, 0 };
	return space;
}

static bool find_code(void *data, uint64_t pc, struct unwind_code *ret)
{
	struct work *work = data;
	struct unwinding *unwinding = work->unwinding;

	if (rules_find(unwinding->rules, &work->place, pc, ret))
		return true;
	unwinding->spaces.at[work->place.space].missed =
		hits_replay(unwinding->hits)->generation;
	return false;
}

/* In the copy, what lies behind it, or in both. */
static bool read_word(void *data, uint64_t address, uint64_t *word_ret)
{
	const struct work *work = data;
	const struct unwind_memory *memory = &work->memory;
	uint8_t *out = (uint8_t *)word_ret;
	size_t i;

	*word_ret = 0;
	for (i = 0; i < work->word_size; i++) {
		uint64_t at = address + i - memory->start;

		if (at < memory->size)
			out[i] = memory->bytes[at];
		else if (at - memory->size < work->rest_size)
			out[i] = work->rest[at - memory->size];
		else
			return false;
	}
	return true;
}

static struct tails_stack stack_of(const struct work *work)
{
	return (struct tails_stack){
		.tid = work->plain->sample.tid,
		.space = work->space.id,
		.addresses = work->chain.pcs,
		.slots = work->chain.slots,
		.n = work->n,
	};
}

/* Everything that was read later leads to calls, and to the beginning. */
static bool makes_sense(struct work *work)
{
	const struct unwind_chain *chain = &work->chain;
	size_t i;

	if (chain->end != UNWIND_ROOT)
		return false;
	for (i = chain->n_copied; i < chain->n; i++)
		if (!rules_is_called(work->unwinding->rules, &work->place,
			    chain->pcs[i]))
			return false;
	return true;
}

/* With what was read of the living process. */
static bool complete(struct work *work)
{
	struct unwinding *unwinding = work->unwinding;
	const struct sample *sample = &work->plain->sample;
	const struct unwind_chain before = work->chain;

	if (!unwinding->depths)
		return false;
	work->rest_size = depths_find(unwinding->depths, sample->tid,
		sample->time, &work->rest);
	if (!work->rest_size)
		return false;
	work->memory.read = read_word;
	work->memory.data = work;
	unwind(work->unwinder, &work->space, &work->registers, &work->memory,
		&work->chain);
	if (makes_sense(work)) {
		work->n = work->chain.n;
		unwinding->stacks.completed++;
		return true;
	}
	unwinding->stacks.refused++;
	/* The copy is as it was, so its part of the chain is the same. */
	work->chain = before;
	return false;
}

static bool join(struct work *work)
{
	const struct tails_stack stack = stack_of(work);
	struct unwinding *unwinding = work->unwinding;
	size_t n = tails_find(unwinding->tails, &stack,
		work->chain.pcs + work->n, work->chain.room - work->n);

	work->n += n;
	unwinding->stacks.joined += n > 0;
	return n > 0;
}

/*
 * The kernel's chain goes on behind the last two callers, if it has them: one
 * address alone may be anywhere in a recursion.
 */
static void splice(struct work *work)
{
	const struct plain *plain = work->plain;
	const uint64_t *own = work->chain.pcs;
	uint64_t i, last = 0;

	for (i = plain->user + 1; i < plain->user + plain->n_user; i++)
		if (work->n > 1 &&
			sample_chain_entry(&plain->sample, i) ==
				own[work->n - 1] &&
			sample_chain_entry(&plain->sample, i - 1) ==
				own[work->n - 2])
			last = i;
	if (!last || last + 1 == plain->user + plain->n_user)
		return;
	for (i = last + 1; i < plain->user + plain->n_user &&
		work->n < work->chain.room; i++)
		work->chain.pcs[work->n++] =
			sample_chain_entry(&plain->sample, i);
	work->unwinding->stacks.spliced++;
}

/* All that there is. */
static void use_frames(struct work *work)
{
	const struct plain *plain = work->plain;
	uint64_t i;

	work->n = 0;
	for (i = 0; i < plain->n_user && work->n < work->chain.room; i++)
		work->chain.pcs[work->n++] = sample_chain_entry(
			&plain->sample, plain->user + i);
	work->unwinding->stacks.framed += work->n > 0;
}

static void settle(struct work *work)
{
	struct unwinding *unwinding = work->unwinding;
	const struct tails_stack stack = stack_of(work);

	if (work->chain.end == UNWIND_ROOT) {
		unwinding->stacks.whole++;
		tails_keep(unwinding->tails, &stack);
		if (unwinding->depths)
			depths_learn(unwinding->depths, stack.tid,
				stack.slots[stack.n - 1]);
		return;
	}
	if (work->chain.end == UNWIND_TRUNCATED && join(work)) {
		unwinding->stacks.whole++;
		return;
	}
	unwinding->stacks.ends[work->chain.end]++;
	if (work->n > 1)
		splice(work);
	else
		use_frames(work);
}

/* False: it has no user's registers that could be understood. */
static bool prepare(struct work *work)
{
	struct unwinding *unwinding = work->unwinding;
	const struct sample *sample = &work->plain->sample;
	const struct hits *hits = unwinding->hits;
	uint64_t abi = sample->regs_user_abi;
	enum unwind_arch arch = abi == PERF_SAMPLE_REGS_ABI_64
		? unwinding->arch
		: UNWIND_I386;

	work->unwinder = abi < ARRAY_SIZE(unwinding->unwinders)
		? unwinding->unwinders[abi]
		: NULL;
	if (!work->unwinder ||
		!unwind_registers_read(arch, work->event->registers,
			sample->regs_user, &work->registers))
		return false;
	work->word_size = unwind_numbers[arch].word_size;
	work->memory = (struct unwind_memory){
		.start = work->registers.value[unwind_numbers[arch].sp],
		.bytes = sample->stack,
		.size = sample->stack_size,
	};
	work->place.maps = hits_maps(hits);
	work->place.pid = sample->pid;
	work->place.space = maps_context(work->place.maps, sample->pid,
		sample->tid, sample->time).space;
	work->space = (struct unwind_space){
		.id = find_space(unwinding, work->place.space)->id,
		.find = find_code,
		.data = work,
	};
	return true;
}

static void unwind_user(struct work *work)
{
	struct unwinding *unwinding = work->unwinding;

	if (work->plain->sample.regs_user_abi == PERF_SAMPLE_REGS_ABI_NONE) {
		use_frames(work);
		return;
	}
	unwinding->stacks.all++;
	if (!prepare(work)) {
		unwinding->stacks.ends[UNWIND_REGISTER]++;
		use_frames(work);
		return;
	}
	unwind(work->unwinder, &work->space, &work->registers, &work->memory,
		&work->chain);
	work->n = work->chain.n;
	if (work->chain.end == UNWIND_TRUNCATED)
		complete(work);
	settle(work);
}

static const struct copied_event *find_event(
	const struct unwinding *unwinding, const uint8_t *sample)
{
	uint64_t id;

	memcpy(&id, sample + RECORD_HEADER_SIZE, sizeof(id));
	array_each(&unwinding->events, event)
		if (event->id == id)
			return event;
	return &unwinding->events.at[0];
}

static size_t copy(const uint8_t *sample, uint8_t *out)
{
	const struct perf_event_header *header =
		(const struct perf_event_header *)sample;

	memcpy(out, sample, header->size);
	return header->size;
}

size_t unwinding_take(
	struct unwinding *unwinding, const uint8_t *sample, uint8_t *out)
{
	const struct copied_event *event = find_event(unwinding, sample);
	struct plain plain;
	struct work work = {
		.unwinding = unwinding,
		.event = event,
		.plain = &plain,
		.chain = { .pcs = unwinding->addresses,
			.slots = unwinding->slots },
	};

	if (!event->has_copies || !plain_read(&event->layout, sample, &plain))
		return copy(sample, out);
	work.chain.room = MIN(plain_room(&plain, event->keeps_registers),
		event->max_stack);
	unwind_user(&work);
	plain_write(&plain, work.chain.pcs, work.n, event->keeps_registers,
		out);
	return plain_size(&plain, work.n, event->keeps_registers);
}
