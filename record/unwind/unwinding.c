/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/unwinding.h"

#include <sys/utsname.h>

#include "common/util/alloc.h"
#include "record/unwind/unwinding_private.h"

/* A record holds copies that are larger than this, with all else. */
#define SMALL KIB(48)

static bool is_fault(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
		(attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
			attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
			attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static void add_events(
	struct unwinding *unwinding, const struct selection *selection)
{
	array_each(&selection->events, selected) {
		const struct perf_event_attr *attr = &selected->attr;
		struct copied_event *event = array_push(&unwinding->events);

		event->id = selected->id;
		sample_layout_init(&event->event.layout, attr);
		event->event.sampled = attr->sample_regs_user;
		event->event.kept = selection->kept_registers;
		event->has_copies =
			attr->sample_type & PERF_SAMPLE_STACK_USER;
		event->is_fault = is_fault(attr);
		event->is_small = attr->sample_stack_user < SMALL;
		event->is_auto = selected->callgraph.kind == CALLGRAPH_AUTO;
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
	unwinding->rules = setup->rules;
	unwinding->choices = setup->choices;
	if (setup->depths)
		unwinding->rest = xmalloc(DEPTHS_SIZE_MAX);
	unwinding->tails = setup->tails;
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
	free(unwinding->rest);
	array_free(&unwinding->events);
	array_free(&unwinding->spaces);
	free(unwinding);
}

void unwinding_restart(struct unwinding *unwinding)
{
	unwinding->spaces.n = 0;
}

/*
 * A space only ever gets more code. So answers hold, but those that there was
 * nothing: when something was mapped since, it becomes another one. Code that
 * is made at run time comes and goes.
 */
static struct space *find_space(
	struct unwinding *unwinding, const struct rules_place *place)
{
	const struct replay *replay = hits_replay(unwinding->hits);
	uint64_t made = rules_state(unwinding->rules, place);
	struct space *space;

	if (unwinding->epoch != replay->epoch)
		unwinding->spaces.n = 0;
	unwinding->epoch = replay->epoch;
	while (unwinding->spaces.n <= place->space)
		*array_push(&unwinding->spaces) = (struct space){ 0 };
	space = &unwinding->spaces.at[place->space];
	if (!space->id || space->made != made ||
		(space->missed && space->missed != replay->generation))
		*space = (struct space){ ++unwinding->last_id, 0, made };
	return space;
}

bool unwinding_find_code(
	struct work *work, uint64_t pc, struct unwind_code *ret)
{
	struct unwinding *unwinding = work->unwinding;

	if (rules_find(unwinding->rules, &work->place, pc, ret))
		return true;
	unwinding->spaces.at[work->place.space].missed =
		hits_replay(unwinding->hits)->generation;
	return false;
}

static bool find_code(void *data, uint64_t pc, struct unwind_code *ret)
{
	return unwinding_find_code(data, pc, ret);
}

static size_t read_code(
	void *data, uint64_t address, uint8_t *bytes, size_t size)
{
	struct work *work = data;

	return rules_code(work->unwinding->rules, &work->place, address, bytes,
		size);
}

static struct rules_place find_place(
	const struct unwinding *unwinding, const struct sample *sample)
{
	const struct maps *maps = hits_maps(unwinding->hits);

	return (struct rules_place){
		.maps = maps,
		.pid = sample->pid,
		.time = sample->time,
		.space = maps_context(maps, sample->pid, sample->tid,
			sample->time).space,
	};
}

/* False: it has no user's registers that could be understood. */
static bool prepare(struct work *work)
{
	struct unwinding *unwinding = work->unwinding;
	const struct sample *sample = &work->plain->sample;
	uint64_t abi = sample->regs_user_abi;
	enum unwind_arch arch = abi == PERF_SAMPLE_REGS_ABI_64
		? unwinding->arch
		: UNWIND_I386;

	work->unwinder = abi < ARRAY_SIZE(unwinding->unwinders)
		? unwinding->unwinders[abi]
		: NULL;
	if (!work->unwinder ||
		!unwind_registers_read(arch, work->plain->sampled,
			sample->regs_user, &work->registers))
		return false;
	work->word_size = unwind_numbers[arch].word_size;
	work->memory = (struct unwind_memory){
		.start = work->registers.value[unwind_numbers[arch].sp],
		.bytes = sample->stack,
		.size = sample->stack_size,
		.thread = sample->tid,
	};
	work->space = (struct unwind_space){
		.id = work->space.id,
		.find = find_code,
		.code = read_code,
		.data = work,
	};
	return true;
}

static void unwind_user(struct work *work)
{
	work->place = find_place(work->unwinding, &work->plain->sample);
	work->space.id = find_space(work->unwinding, &work->place)->id;
	if (work->plain->sample.regs_user_abi == PERF_SAMPLE_REGS_ABI_NONE) {
		unwinding_use_frames(work);
		return;
	}
	work->told->stacks.all++;
	if (!prepare(work)) {
		work->told->stacks.ends[UNWIND_REGISTER]++;
		work->told->stacks.framed += unwinding_use_frames(work);
		return;
	}
	if (unwinding_choose(work))
		return;
	unwind(work->unwinder, &work->space, &work->registers, &work->memory,
		&work->chain);
	work->n = work->chain.n;
	unwinding_learn(work);
	if (work->chain.end == UNWIND_TRUNCATED ||
		work->chain.end == UNWIND_ELSEWHERE)
		unwinding_complete(work);
	unwinding_settle(work);
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

size_t unwinding_take(struct unwinding *unwinding, const uint8_t *sample,
	uint8_t *out, struct unwinding_told *told_ret)
{
	const struct copied_event *event = find_event(unwinding, sample);
	struct plain plain;
	struct work work = {
		.unwinding = unwinding,
		.event = event,
		.plain = &plain,
		.told = told_ret,
		.chain = { .pcs = unwinding->addresses,
			.slots = unwinding->slots },
	};
	size_t room;

	*told_ret = (struct unwinding_told){ 0 };
	if (!event->has_copies || !plain_read(&event->event, sample, &plain))
		return copy(sample, out);
	room = plain_room(&plain);
	work.chain.room = MIN(event->max_stack,
		room > ORIGIN_MARK_MAX ? room - ORIGIN_MARK_MAX : room);
	unwind_user(&work);
	unwinding_move_last_calls(&work);
	if (work.n + ORIGIN_MARK_MAX <= room)
		work.n = origin_put(
			work.origin, work.chain.pcs, work.n, work.own);
	plain_write(&plain, work.chain.pcs, work.n, out);
	return plain_size(&plain, work.n);
}
