/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinding with several threads, and the worker threads. */
#include "config.h"

#include "tests/unit/testing.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <ucontext.h>

#include "tests/unit/make_stack.h"
#include "record/event/event.h"
#include "record/unwind/batch.h"
#include "record/unwind/stack_reader.h"
#include "record/unwind/workers.h"

#define ID 100u
#define AUTO_ID 101u
#define SIDEBAND_ID 200u
#define TID 1000u
#define THREADS 23u
#define ROUNDS 40u /* samples of each thread */
#define IN_VAIN 3u /* threads whose short copies cannot be completed */

/* --- workers -------------------------------------------------------------- */

#define SHARES 5u

struct done {
	pthread_t thread[SHARES];
	unsigned n[SHARES];
};

static void note_share(void *data, size_t share)
{
	struct done *done = data;

	done->thread[share] = pthread_self();
	done->n[share]++;
}

static void each_share_of_the_work_runs_in_its_own_thread(void **state)
{
	struct done done = { 0 }, first;
	struct workers *workers = workers_create(SHARES, note_share, &done);
	size_t i, j;

	(void)state;
	assert_int_equal(workers_started(workers), 0);
	workers_run(workers);
	assert_int_equal(workers_started(workers), SHARES - 1);
	first = done;
	for (i = 0; i < 1000; i++)
		workers_run(workers);
	for (i = 0; i < SHARES; i++) {
		assert_int_equal(done.n[i], 1001);
		assert_true(pthread_equal(done.thread[i], first.thread[i]));
		for (j = 0; j < i; j++)
			assert_false(
				pthread_equal(done.thread[i], done.thread[j]));
	}
	assert_true(pthread_equal(done.thread[0], pthread_self()));
	workers_destroy(workers);
}

static void workers_without_work_can_be_destroyed(void **state)
{
	struct done done = { 0 };
	struct workers *workers = workers_create(SHARES, note_share, &done);

	(void)state;
	workers_destroy(workers);
	assert_int_equal(done.n[0], 0);
	workers_destroy(NULL);
}

/* --- stacks of this program ----------------------------------------------- */

#define DEPTHS 3u
#define FRAMES 64u

struct fixture {
	struct selection selection;
	struct sample_layout sideband;
	struct sampled_code *sampled;
	struct made_stack stacks[DEPTHS]; /* shallow, deeper, deepest */
	uint64_t chains[DEPTHS][FRAMES];  /* of the same */
	size_t n_frames[DEPTHS];
	size_t short_copies[DEPTHS]; /* with two callers */
	struct strbuf samples;
	size_t n_samples;
};

static __attribute__((noinline)) int take_here(struct made_stack *ret)
{
	ucontext_t context;

	getcontext(&context);
	made_stack_init(ret, &context, 16384);
	return 0;
}

static __attribute__((noinline)) int take_stack(
	struct made_stack *ret, int depth)
{
	int n = depth ? take_stack(ret, depth - 1) : take_here(ret);

	/* Prevents a tail call. */
	return n + 1;
}

static void add_event(struct fixture *f, uint64_t id, bool is_auto)
{
	struct selection_event *event = array_push(&f->selection.events);

	memset(event, 0, sizeof(*event));
	event->id = id;
	event->callgraph.kind = is_auto ? CALLGRAPH_AUTO : CALLGRAPH_DWARF;
	event->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
		PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
		PERF_SAMPLE_STACK_USER;
	event->attr.sample_regs_user = unwind_registers_mask(made_arch());
	event->attr.sample_stack_user = 16384;
}

static void add_map(struct fixture *f, const struct record_mmap *map)
{
	struct sample_id id = { .id = SIDEBAND_ID, .time = 1 };
	_cleanup_strbuf_ struct strbuf record = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];

	sample_id_write(&f->sideband, &id, trailer);
	record_write_mmap2(
		&record, MISC_USER, map, trailer, f->sideband.trailer_size);
	sampled_code_add_sideband(f->sampled, (const uint8_t *)record.at,
		record.n, UINT64_C(1) << 40);
}

/* Mappings of this process, as the kernel reports them. */
static void add_maps(struct fixture *f)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		struct record_mmap map = { .pid = (uint32_t)getpid(),
			.tid = (uint32_t)getpid() };
		unsigned long start, end, offset, inode;
		char rights[5], path[4096] = "//anon";

		assert_true(sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %4095s",
				    &start, &end, rights, &offset, &map.major,
				    &map.minor, &inode, path) >= 7);
		if (rights[2] != 'x')
			continue;
		map.start = start;
		map.size = end - start;
		map.offset = offset;
		map.inode = inode;
		map.path = path;
		add_map(f, &map);
	}
	fclose(maps);
}

/* Call chains, as the kernel finds them if all code has frame pointers. */
static void find_chains(struct fixture *f)
{
	struct unwinder *unwinder = unwinder_create(made_arch());
	struct made_space made;
	size_t i;

	made_space_init(&made);
	for (i = 0; i < DEPTHS; i++) {
		uint64_t slots[FRAMES];
		struct unwind_chain chain = {
			.pcs = f->chains[i], .slots = slots, .room = FRAMES
		};

		unwind(unwinder, &made.space, &f->stacks[i].registers,
			&f->stacks[i].memory, &chain);
		assert_int_equal(chain.end, UNWIND_ROOT);
		f->n_frames[i] = chain.n;
		f->short_copies[i] = slots[2] + 8 - f->stacks[i].memory.start;
	}
	unwinder_destroy(unwinder);
	made_space_deinit(&made);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct perf_event_attr sideband = selection_sideband(false, true);
	struct sampled_event events[3];
	size_t i;

	assert_non_null(f);
	*state = f;
	if (made_arch() == UNWIND_NONE)
		return 0;
	add_event(f, ID, false);
	add_event(f, AUTO_ID, true);
	sample_layout_init(&f->sideband, &sideband);
	for (i = 0; i < 2; i++) {
		events[i].id = ID + i;
		sample_layout_init(
			&events[i].layout, &f->selection.events.at[i].attr);
	}
	events[2] = (struct sampled_event){ SIDEBAND_ID, f->sideband };
	f->sampled = sampled_code_create(events, 3);
	add_maps(f);
	for (i = 0; i < DEPTHS; i++)
		take_stack(&f->stacks[i], (int)(3 + 10 * i));
	find_chains(f);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < DEPTHS; i++)
		made_stack_deinit(&f->stacks[i]);
	sampled_code_destroy(f->sampled);
	selection_deinit(&f->selection);
	strbuf_free(&f->samples);
	free(f);
	return 0;
}

static void put(struct strbuf *out, uint64_t value)
{
	strbuf_put(out, (const char *)&value, sizeof(value));
}

/* Writes the registers in the order of the kernel. */
static void put_registers(
	struct strbuf *out, const struct unwind_registers *registers)
{
	uint64_t mask = unwind_registers_mask(made_arch()), places[64], i, j;
	size_t n = (size_t)__builtin_popcountll(mask);
	struct unwind_registers numbered;

	for (i = 0; i < n; i++)
		places[i] = 1000 + i;
	assert_true(
		unwind_registers_read(made_arch(), mask, places, &numbered));
	put(out, PERF_SAMPLE_REGS_ABI_64);
	for (i = 0; i < n; i++) {
		uint64_t value = numbered.pc == 1000 + i ? registers->pc : 0;

		for (j = 0; j < UNWIND_REGISTERS; j++)
			if (numbered.known >> j & 1 &&
				numbered.value[j] == 1000 + i)
				value = registers->value[j];
		put(out, value);
	}
}

struct sample_wish {
	uint64_t id;
	uint32_t tid;
	size_t depth;
	size_t n_frames; /* that the kernel has found */
	size_t size;	 /* bytes of the copy; 0: none */
};

static void add_sample(struct fixture *f, const struct sample_wish *wish)
{
	const struct made_stack *stack = &f->stacks[wish->depth];
	const struct unwind_memory *memory = &stack->memory;
	size_t start = f->samples.n, size = MIN(wish->size, memory->size) & ~7u;
	struct perf_event_header header = { .type = RECORD_SAMPLE,
		.misc = MISC_USER };
	struct strbuf *out = &f->samples;

	strbuf_put(out, (const char *)&header, sizeof(header));
	put(out, wish->id);
	put(out, stack->registers.pc);
	put(out, (uint64_t)wish->tid << 32 | (uint32_t)getpid());
	put(out, 1000 + f->n_samples++);
	put(out, 0);
	put(out, 1 + wish->n_frames);
	put(out, (uint64_t)PERF_CONTEXT_USER);
	strbuf_put(
		out, (const char *)f->chains[wish->depth], 8 * wish->n_frames);
	put_registers(out, &stack->registers);
	put(out, size);
	strbuf_put(out, (const char *)memory->bytes, size);
	if (size)
		put(out, size);
	header.size = (uint16_t)(out->n - start);
	memcpy(out->at + start, &header, sizeof(header));
}

/*
 * Most threads have complete stacks, and then stacks that these complete. The
 * first few have only short copies or none.
 */
static void add_samples(struct fixture *f, uint64_t id, bool has_frames)
{
	uint32_t round, thread;

	for (round = 0; round < ROUNDS; round++)
		for (thread = 0; thread < THREADS; thread++) {
			size_t depth = (round + thread) % DEPTHS;
			bool is_short = thread < IN_VAIN || round % 4 == 3;
			const struct sample_wish wish = {
				.id = id,
				.tid = TID + thread,
				.depth = depth,
				.n_frames = has_frames ? f->n_frames[depth] : 2,
				.size = thread == 1 ? 0
					: is_short  ? f->short_copies[depth]
						    : SIZE_MAX,
			};

			add_sample(f, &wish);
		}
}

/* Distributes the samples over blocks, as the drain does. */
static size_t make_blocks(
	const struct fixture *f, struct queue_block **blocks, size_t max)
{
	const uint8_t *raw = (const uint8_t *)f->samples.at;
	struct queue_block *block = NULL;
	struct record record;
	size_t at = 0, n = 0;

	for (; record_at(raw + at, f->samples.n - at, false, &record);
		at += record.size) {
		if (!block || block->info.raw_size + record.size > KIB(128)) {
			assert_true(n < max);
			block = blocks[n++] =
				calloc(1, sizeof(*block) + KIB(128));
			block->info.kind = BLOCK_SAMPLES;
			block->info.first_time = n;
		}
		memcpy(block->raw + block->info.raw_size, record.data,
			record.size);
		block->info.raw_size += record.size;
	}
	assert_int_equal(at, f->samples.n);
	return n;
}

struct outcome {
	struct strbuf samples; /* owned */
	size_t n;
	/* of the other samples; of the blocks (first_time) */
	uint64_t last_time, last_block;
	bool is_ordered;
	struct stack_counts stacks;
};

static void take(void *data, const struct block_info *info,
	const uint8_t *sample, size_t size)
{
	struct outcome *outcome = data;
	uint64_t time;

	outcome->n++;
	strbuf_put(&outcome->samples, (const char *)sample, size);
	memcpy(&time, sample + 32, sizeof(time));
	if ((time - 1000) % THREADS < IN_VAIN)
		return;
	if (time <= outcome->last_time ||
		info->first_time < outcome->last_block)
		outcome->is_ordered = false;
	outcome->last_time = time;
	outcome->last_block = info->first_time;
}

#define BLOCKS 128u

static struct outcome unwind_by(const struct fixture *f, size_t n_threads)
{
	const struct batch_setup setup = {
		.selection = &f->selection,
		.sampled = f->sampled,
		.n_threads = n_threads,
	};
	struct batch *batch = batch_create(&setup);
	struct outcome outcome = { .is_ordered = true };
	const struct batch_output taker = { take, &outcome };
	struct queue_block *blocks[BLOCKS];
	size_t n = make_blocks(f, blocks, BLOCKS), i;

	assert_non_null(batch);
	/* Also with a single block, as if no others wait. */
	batch_unwind(batch, blocks, 1, &taker);
	batch_unwind(batch, blocks + 1, n / 2, &taker);
	batch_unwind(batch, blocks + 1 + n / 2, n - 1 - n / 2, &taker);
	batch_flush(batch, &taker);
	outcome.stacks = batch_stacks(batch);
	batch_destroy(batch);
	for (i = 0; i < n; i++)
		free(blocks[i]);
	return outcome;
}

static uint64_t sum_of(const struct stack_counts *stacks)
{
	uint64_t sum = stacks->whole + stacks->empty;
	size_t i;

	for (i = 0; i < UNWIND_ENDS; i++)
		sum += stacks->ends[i];
	return sum;
}

static void skip_elsewhere(void)
{
	if (made_arch() == UNWIND_NONE)
		skip_without("known-processor");
}

static void assert_same_by_any_number(const struct fixture *f)
{
	static const size_t numbers[] = { 2, 3, 4, 8 };
	struct outcome one = unwind_by(f, 1);
	size_t i;

	assert_true(one.is_ordered);
	assert_int_equal(one.n, f->n_samples);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct outcome many = unwind_by(f, numbers[i]);

		assert_true(many.is_ordered);
		assert_int_equal(many.samples.n, one.samples.n);
		assert_memory_equal(
			many.samples.at, one.samples.at, one.samples.n);
		assert_memory_equal(
			&many.stacks, &one.stacks, sizeof(one.stacks));
		strbuf_free(&many.samples);
	}
	strbuf_free(&one.samples);
}

static void the_output_does_not_depend_on_the_number_of_threads(void **state)
{
	struct fixture *f = *state;
	struct outcome one;

	skip_elsewhere();
	add_samples(f, ID, false);
	assert_same_by_any_number(f);
	one = unwind_by(f, 1);
	/* All kinds of state are kept from one sample to the next. */
	assert_int_equal(one.stacks.all, f->n_samples);
	assert_int_equal(sum_of(&one.stacks), f->n_samples);
	assert_int_equal(one.stacks.joined, (THREADS - IN_VAIN) * ROUNDS / 4);
	assert_int_equal(one.stacks.whole, (THREADS - IN_VAIN) * ROUNDS);
	assert_int_equal(one.stacks.empty, ROUNDS);
	assert_int_equal(one.stacks.ends[UNWIND_TRUNCATED], 2 * ROUNDS);
	strbuf_free(&one.samples);
}

/* A short copy, then a complete one: counts of joined and truncated stacks. */
static void assert_waits(
	struct fixture *f, size_t n_between, bool is_flushed, size_t n_joined)
{
	const struct batch_setup setup = { .selection = &f->selection,
		.sampled = f->sampled,
		.n_threads = 1 };
	struct batch *batch = batch_create(&setup);
	struct outcome outcome = { 0 };
	const struct batch_output taker = { take, &outcome };
	struct queue_block *blocks[BLOCKS];
	struct sample_wish wish = { .id = ID, .tid = TID, .depth = 1 };
	struct stack_counts stacks;
	size_t i, n;

	for (i = 0; i < n_between + 2; i++) {
		f->samples.n = 0;
		wish.tid = TID + (i && i <= n_between);
		wish.size = i ? SIZE_MAX : f->short_copies[1];
		add_sample(f, &wish);
		n = make_blocks(f, blocks, BLOCKS);
		assert_int_equal(n, 1);
		batch_unwind(batch, blocks, 1, &taker);
		free(blocks[0]);
		if (is_flushed)
			batch_flush(batch, &taker);
	}
	batch_flush(batch, &taker);
	stacks = batch_stacks(batch);
	assert_int_equal(outcome.n, n_between + 2);
	assert_int_equal(stacks.all, n_between + 2);
	assert_int_equal(stacks.joined, n_joined);
	assert_int_equal(stacks.ends[UNWIND_TRUNCATED], !n_joined);
	batch_destroy(batch);
	strbuf_free(&outcome.samples);
}

static void a_truncated_stack_waits_for_a_later_stack(void **state)
{
	skip_elsewhere();
	assert_waits(*state, 0, false, 1);
	assert_waits(*state, 3, false, 1);
	/* A limited time, and not after a flush. */
	assert_waits(*state, 20, false, 0);
	assert_waits(*state, 0, true, 0);
}

static void a_later_stack_of_the_batch_completes_truncated_stacks(void **state)
{
	struct fixture *f = *state;
	struct sample_wish wish = { .id = ID, .tid = TID, .depth = 1 };
	struct outcome one;
	size_t i;

	skip_elsewhere();
	for (i = 0; i < 4; i++) {
		wish.size = i < 3 ? f->short_copies[1] : SIZE_MAX;
		add_sample(f, &wish);
	}
	one = unwind_by(f, 1);
	assert_int_equal(one.stacks.joined, 3);
	assert_int_equal(one.stacks.whole, 4);
	assert_int_equal(one.n, 4);
	strbuf_free(&one.samples);
}

static void call_graph_auto_does_not_depend_on_the_number_of_threads(
	void **state)
{
	struct fixture *f = *state;
	struct outcome one;

	skip_elsewhere();
	add_samples(f, AUTO_ID, true);
	assert_same_by_any_number(f);
	one = unwind_by(f, 1);
	assert_true(one.stacks.chosen > 0);
	assert_true(one.stacks.whole > 64);
	assert_int_equal(one.stacks.all + one.stacks.chosen, f->n_samples);
	assert_int_equal(sum_of(&one.stacks), one.stacks.all);
	strbuf_free(&one.samples);
}

static void nothing_beyond_a_return_address_of_0_is_read(void **state)
{
	struct fixture *f = *state;
	const struct unwind_memory *memory = &f->stacks[0].memory;
	const struct sample_wish wish = { ID, TID, 0, 2, SIZE_MAX };
	struct stack_reader *reader = stack_reader_create();
	const struct batch_setup setup = {
		.selection = &f->selection,
		.sampled = f->sampled,
		.n_threads = 1,
		.reader = reader,
	};
	struct outcome outcome = { 0 };
	const struct batch_output taker = { take, &outcome };
	struct queue_block *block;
	struct batch *batch;
	size_t end = f->short_copies[0];

	skip_elsewhere();
	/* The second caller's return address. */
	memset((uint8_t *)memory->bytes + end - 8, 0, 8);
	add_sample(f, &wish);
	assert_int_equal(make_blocks(f, &block, 1), 1);
	batch = batch_create(&setup);
	assert_non_null(batch);
	assert_false(stack_reader_is_beyond(reader, (uint32_t)getpid(),
		memory->start, memory->start + end));
	batch_unwind(batch, &block, 1, &taker);
	batch_flush(batch, &taker);
	assert_int_equal(batch_stacks(batch).ends[UNWIND_ZERO], 1);
	assert_true(stack_reader_is_beyond(reader, (uint32_t)getpid(),
		memory->start, memory->start + end));
	batch_destroy(batch);
	stack_reader_destroy(reader);
	strbuf_free(&outcome.samples);
	free(block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_share_of_the_work_runs_in_its_own_thread),
		cmocka_unit_test(workers_without_work_can_be_destroyed),
		cmocka_unit_test_setup_teardown(
			the_output_does_not_depend_on_the_number_of_threads,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_truncated_stack_waits_for_a_later_stack, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_later_stack_of_the_batch_completes_truncated_stacks,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			nothing_beyond_a_return_address_of_0_is_read, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			call_graph_auto_does_not_depend_on_the_number_of_threads,
			set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
