/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/live_unwinding.h"

#include <sys/utsname.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/hash.h"
#include "record/bpf/chain_join.h"
#include "record/sys/clocks.h"
#include "record/unwind/live_unwinding_private.h"

/*
 * Copies of this size or more may not fit into a record with all other fields.
 */
#define SMALL_COPY KIB(48)

/*
 * Returns copied_event.live_ns. The shares of functions stay right if the event counts time
 * and few samples get the same frames, or if the thread does not run after the sample.
 */
#define LIVE_CLOCK_NS (20 * NSEC_PER_MSEC)
#define LIVE_SWITCH_NS (NSEC_PER_SEC / 2)
static uint64_t choose_live_ns(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_HARDWARE)
		return attr->config == PERF_COUNT_HW_CPU_CYCLES ||
				attr->config == PERF_COUNT_HW_REF_CPU_CYCLES
			? LIVE_CLOCK_NS
			: 0;
	if (attr->type != PERF_TYPE_SOFTWARE)
		return 0;
	switch (attr->config) {
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK: return LIVE_CLOCK_NS;
	case PERF_COUNT_SW_CONTEXT_SWITCHES: return LIVE_SWITCH_NS;
	default: return 0;
	}
}

struct live_unwinding *live_unwinding_create(
	const struct live_unwinding_setup *setup)
{
	struct live_unwinding *unwinding;
	enum unwind_arch arch;
	struct utsname name;

	uname(&name);
	arch = unwind_arch_of_name(name.machine);
	if (arch == UNWIND_NONE)
		return NULL;
	unwinding = xcalloc(1, sizeof(*unwinding));
	unwinding->sampled = setup->sampled;
	unwinding->reader = setup->reader;
	unwinding->runtimes = setup->runtimes;
	unwinding->rules = setup->rules;
	unwinding->bpf = setup->bpf;
	unwinding->trials = setup->trials;
	if (setup->reader)
		unwinding->rest = xmalloc(STACK_READER_SIZE_MAX);
	if (setup->runtimes)
		unwinding->interpreted = xmalloc(
			CHAIN_LINKED_MAX * sizeof(*unwinding->interpreted));
	unwinding->outer = setup->outer;
	unwinding->arch = arch;
	unwinding->unwinders[PERF_SAMPLE_REGS_ABI_64] = unwinder_create(arch);
	if (arch == UNWIND_X86_64)
		unwinding->unwinders[PERF_SAMPLE_REGS_ABI_32] =
			unwinder_create(UNWIND_I386);
	array_each(&setup->selection->events, selected) {
		const struct perf_event_attr *attr = &selected->attr;
		struct unwinding_event *event = array_push(&unwinding->events);

		event->id = selected->id;
		sample_layout_init(&event->event.layout, attr);
		event->event.sampled = attr->sample_regs_user;
		event->event.kept = setup->selection->kept_registers;
		event->has_copies = attr->sample_type & PERF_SAMPLE_STACK_USER;
		event->live_ns = choose_live_ns(attr);
		event->is_fault = attr->type == PERF_TYPE_SOFTWARE &&
			(attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
				attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
				attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
		event->is_small = attr->sample_stack_user < SMALL_COPY;
		event->in_kernel = setup->selection->unwinds_in_kernel &&
			chain_is_joined(attr);
		event->is_auto = !event->in_kernel &&
			selected->callgraph.kind == CALLGRAPH_AUTO;
		event->max_stack = attr->sample_max_stack
			? attr->sample_max_stack
			: UNWIND_FRAMES_MAX;
	}
	return unwinding;
}

void live_unwinding_destroy(struct live_unwinding *unwinding)
{
	size_t i;

	if (!unwinding)
		return;
	for (i = 0; i < ARRAY_SIZE(unwinding->unwinders); i++)
		unwinder_destroy(unwinding->unwinders[i]);
	free(unwinding->rest);
	free(unwinding->interpreted);
	array_free(&unwinding->events);
	array_free(&unwinding->spaces);
	free(unwinding);
}

void live_unwinding_restart(struct live_unwinding *unwinding)
{
	unwinding->spaces.n = 0;
}

/*
 * Returns the address space of PLACE, with the ID for the cache of the
 * unwinder. Code is only added to a space, so cached rules remain valid. The
 * space gets a new ID if code was missing and the maps have changed, or if
 * rules_version() has changed.
 */
static struct unwinding_space *find_cached_space(
	struct live_unwinding *unwinding, const struct rules_place *place)
{
	const struct sideband_order *sideband =
		sampled_code_sideband(unwinding->sampled);
	uint64_t version = rules_version(unwinding->rules, place);
	struct unwinding_space *space;

	if (unwinding->epoch != sideband->epoch)
		unwinding->spaces.n = 0;
	unwinding->epoch = sideband->epoch;
	while (unwinding->spaces.n <= place->space)
		*array_push(&unwinding->spaces) = (struct unwinding_space){ 0 };
	space = &unwinding->spaces.at[place->space];
	if (!space->id || space->rules_version != version ||
		(space->missed && space->missed != sideband->generation))
		*space = (struct unwinding_space){ ++unwinding->last_id, 0,
			version };
	return space;
}

/*
 * Finds the code at PC in the address space of DATA, a struct unwinding_work,
 * by rules_find(). Missing code is noted, because it may be mapped later.
 */
static bool find_code_at(void *data, uint64_t pc, struct unwind_code *ret)
{
	struct unwinding_work *work = data;
	struct live_unwinding *unwinding = work->unwinding;

	if (rules_find(unwinding->rules, &work->place, pc, ret))
		return true;
	unwinding->spaces.at[work->place.space].missed =
		sampled_code_sideband(unwinding->sampled)->generation;
	return false;
}

static size_t read_code_at(
	void *data, uint64_t address, uint8_t *bytes, size_t size)
{
	struct unwinding_work *work = data;

	return rules_code(
		work->unwinding->rules, &work->place, address, bytes, size);
}

/* Returns false if the sample has no usable user registers. */
static bool read_user_registers(struct unwinding_work *work)
{
	struct live_unwinding *unwinding = work->unwinding;
	const struct sample *sample = &work->rewrite->sample;
	uint64_t abi = sample->regs_user_abi;
	enum unwind_arch arch =
		abi == PERF_SAMPLE_REGS_ABI_64 ? unwinding->arch : UNWIND_I386;

	work->unwinder = abi < ARRAY_SIZE(unwinding->unwinders)
		? unwinding->unwinders[abi]
		: NULL;
	if (!work->unwinder ||
		!unwind_registers_read(arch, work->rewrite->sampled,
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
		.find = find_code_at,
		.code = read_code_at,
		.runtime =
			work->runtimes ? live_unwinding_step_in_runtime : NULL,
		.data = work,
	};
	return true;
}

/*
 * Compares the unwound callers with the frame pointer chain of the kernel. The
 * outermost BEFORE_MAIN frames are not compared: callers of main() never have
 * frame pointers. Returns false if there are too few callers to compare.
 */
#define BEFORE_MAIN 3u
static bool compare_with_kernel_chain(
	const struct unwinding_work *work, bool *is_equal_ret)
{
	const struct chain_rewrite *rewrite = work->rewrite;
	size_t n = work->n - MIN(work->n, (size_t)BEFORE_MAIN), i;

	*is_equal_ret = rewrite->n_user >= n;
	for (i = 0; i < n && *is_equal_ret; i++)
		*is_equal_ret = work->chain.pcs[i] ==
			chain_rewrite_user_entry(rewrite, i);
	return n > 1;
}

/* Uses frame pointers and returns true if these suffice (--call-graph auto). */
static bool choose_frame_pointers(struct unwinding_work *work)
{
	struct live_unwinding *unwinding = work->unwinding;

	work->has_file = work->event->is_auto && !work->runtimes &&
		rules_file(unwinding->rules, &work->place, work->registers.pc,
			&work->file, &work->path);
	if (!work->has_file ||
		!frame_pointer_trials_prefer(unwinding->trials, work->file))
		return false;
	live_unwinding_use_kernel_chain(work);
	work->outcome->stacks.all--;
	work->outcome->stacks.chosen++;
	return true;
}

static void unwind_user(struct unwinding_work *work)
{
	const struct maps *maps = sampled_code_maps(work->unwinding->sampled);
	work->place = (struct rules_place){
		.maps = maps,
		.pid = work->rewrite->sample.pid,
		.time = work->rewrite->sample.time,
		.space = maps_context(maps, work->rewrite->sample.pid,
			work->rewrite->sample.tid, work->rewrite->sample.time)
				 .space,
	};
	work->space.id = find_cached_space(work->unwinding, &work->place)->id;
	if (work->rewrite->sample.regs_user_abi == PERF_SAMPLE_REGS_ABI_NONE) {
		if (work->event->in_kernel && work->rewrite->n_user) {
			/*
			 * BPF unwound the stack to its root, and has looked up
			 * the mapping of each address.
			 */
			size_t n = MIN(work->rewrite->n_user, work->chain.room),
			       i;
			for (i = 0; i < n; i++)
				work->chain.pcs[i] = chain_rewrite_user_entry(
					work->rewrite, i);
			work->n = work->own = n;
			work->outcome->stacks.all++;
			work->outcome->stacks.whole++;
		} else {
			live_unwinding_use_kernel_chain(work);
		}
		return;
	}
	work->outcome->stacks.all++;
	work->runtimes = live_unwinding_compilers(work);
	rules_share_unknown(work->unwinding->rules, &work->place);
	if (!read_user_registers(work)) {
		work->outcome->stacks.ends[UNWIND_REGISTER]++;
		work->outcome->stacks.framed +=
			live_unwinding_use_kernel_chain(work);
		return;
	}
	if (choose_frame_pointers(work))
		return;
	unwind(work->unwinder, &work->space, &work->registers, &work->memory,
		&work->chain);
	work->n = work->chain.n;
	struct frame_pointer_result *trial = &work->outcome->trial;
	if (work->has_file && work->chain.end == UNWIND_ROOT &&
		compare_with_kernel_chain(work, &trial->is_equal)) {
		trial->file = work->file;
		trial->path = work->path;
	}
	if (work->chain.end == UNWIND_TRUNCATED ||
		work->chain.end == UNWIND_ELSEWHERE)
		live_unwinding_read_rest(work);
	live_unwinding_finish(work);
}

/* --- return addresses behind calls that end their function ---------------- */

static bool is_last_call(struct unwinding_work *work, uint64_t pc)
{
	uint64_t space = work->space.id;
	struct unwinding_last_call *known =
		&work->unwinding
			 ->last_calls[hash_words(pc, space) % LAST_CALLS];

	if (known->space != space || known->pc != pc) {
		struct unwind_code code;
		/*
		 * The call is checked because, in frames from another sample,
		 * PC can be the first instruction of a function that a signal
		 * interrupted.
		 */
		*known = (struct unwinding_last_call){ space, pc,
			find_code_at(work, pc - 1, &code) && code.cfi &&
				cfi_ends_at(code.cfi, pc - code.bias) &&
				rules_follows_call(work->unwinding->rules,
					&work->place, pc) };
	}
	return known->is_last;
}

/* -------------------------------------------------------------------------- */

static const struct unwinding_event *find_copied_event(
	const struct live_unwinding *unwinding, const uint8_t *sample)
{
	uint64_t id;

	memcpy(&id, sample + RECORD_HEADER_SIZE, sizeof(id));
	array_each(&unwinding->events, event)
		if (event->id == id)
			return event;
	return &unwinding->events.at[0];
}

size_t live_unwinding_take(struct live_unwinding *unwinding,
	const uint8_t *sample, uint8_t *out,
	struct live_unwinding_outcome *outcome_ret)
{
	const struct unwinding_event *event =
		find_copied_event(unwinding, sample);
	struct chain_rewrite rewrite;
	struct unwinding_work work = {
		.unwinding = unwinding,
		.event = event,
		.rewrite = &rewrite,
		.outcome = outcome_ret,
		.chain = { .pcs = unwinding->addresses,
			.slots = unwinding->slots },
	};
	size_t room;

	*outcome_ret = (struct live_unwinding_outcome){ 0 };
	if (!event->has_copies ||
		!chain_rewrite_read(&event->event, sample, &rewrite)) {
		const struct perf_event_header *header =
			(const struct perf_event_header *)sample;
		memcpy(out, sample, header->size);
		return header->size;
	}
	room = chain_rewrite_max_addresses(&rewrite);
	work.chain.room = MIN(event->max_stack,
		room > FRAME_ORIGIN_MARK_MAX ? room - FRAME_ORIGIN_MARK_MAX
					     : room);
	unwind_user(&work);
	uint64_t *pcs = work.chain.pcs;
	uint32_t next = 0;
	size_t i;
	/*
	 * A call that does not return is often the last instruction of its
	 * function, and other code follows: readers of the recording find the
	 * caller by an address inside the call.
	 */
	for (i = 1; i < work.n; i++)
		if (!unwind_is_exact(&work.chain, i, &next) &&
			is_last_call(&work, pcs[i]))
			pcs[i]--;
	live_unwinding_merge_interpreted(&work);
	if (work.n + FRAME_ORIGIN_MARK_MAX <= room)
		work.n = frame_origin_put(
			work.origin, work.chain.pcs, work.n, work.own);
	chain_rewrite_write(&rewrite, work.chain.pcs, work.n, out);
	/* The first address of the chain can stand for a function of a runtime. */
	if (work.n && runtime_has_address(work.chain.pcs[0]) &&
		rewrite.sample.cpumode == MISC_USER)
		chain_rewrite_set_ip(&rewrite, work.chain.pcs[0], out);
	return chain_rewrite_size(&rewrite, work.n);
}
