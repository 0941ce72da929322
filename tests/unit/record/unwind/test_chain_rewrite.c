/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rewriting samples with stack copies as samples with call chains. */
#include "config.h"

#include "tests/unit/testing.h"

#include "common/unwind/unwind_arch.h"
#include "record/unwind/chain_rewrite.h"
#include "record/unwind/outer_frame_cache.h"
#include "record/unwind/stack_reader.h"

static struct perf_event_attr full_attr(void)
{
	return (struct perf_event_attr){
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
			PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY,
		.sample_regs_user = 7,
		.sample_stack_user = 32,
	};
}

static struct chain_rewrite_event event_of(
	const struct perf_event_attr *attr, uint64_t kept)
{
	struct chain_rewrite_event event = { .sampled = attr->sample_regs_user,
		.kept = kept };

	sample_layout_init(&event.layout, attr);
	return event;
}

struct maker {
	uint8_t raw[4096];
	size_t n;
};

static void put(struct maker *maker, uint64_t value)
{
	memcpy(maker->raw + maker->n, &value, sizeof(value));
	maker->n += sizeof(value);
}

/*
 * A sample with kernel and user entries, and a stack of STACK bytes and
 * registers, or without.
 */
static void make(struct maker *maker, uint64_t abi, uint64_t stack)
{
	const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0xff1, 0xff2,
		(uint64_t)PERF_CONTEXT_USER, 0x11, 0x12 };
	struct perf_event_header header = { .type = RECORD_SAMPLE,
		.misc = MISC_KERNEL };
	uint64_t i;

	maker->n = sizeof(header);
	for (i = 1; i <= 5; i++)
		put(maker, i);
	put(maker, ARRAY_SIZE(chain));
	for (i = 0; i < ARRAY_SIZE(chain); i++)
		put(maker, chain[i]);
	put(maker, UINT64_C(0x5555555500000004)); /* RAW of 4 bytes */
	put(maker, 1);
	for (i = 0; i < 3; i++)
		put(maker, 0xb0 + i);
	put(maker, abi);
	for (i = 0; abi && i < 3; i++)
		put(maker, 0xe0 + i);
	put(maker, stack);
	for (i = 0; i < stack / 8; i++)
		put(maker, 0x57ac);
	if (stack)
		put(maker, stack);
	put(maker, 99);
	header.size = (uint16_t)maker->n;
	memcpy(maker->raw, &header, sizeof(header));
}

/* Returns the sample of MAKER with N addresses, as it is read from a file. */
static struct sample written(const struct maker *maker,
	const uint64_t *addresses, size_t n, uint64_t kept)
{
	static uint8_t out[RECORD_SIZE_MAX];
	struct perf_event_attr attr = full_attr();
	struct chain_rewrite_event event = event_of(&attr, kept);
	struct sample_layout layout;
	struct sample sample;
	struct record record;
	struct chain_rewrite plain;
	size_t size;

	assert_true(chain_rewrite_read(&event, maker->raw, &plain));
	size = chain_rewrite_size(&plain, n);
	chain_rewrite_write(&plain, addresses, n, out);
	chain_rewrite_attr(&attr, kept);
	assert_int_equal(attr.sample_stack_user, 32);
	sample_layout_init(&layout, &attr);
	assert_true(record_at(out, size, false, &record));
	assert_int_equal(record.size, size);
	assert_true(sample_read(&layout, &record, &sample));
	assert_int_equal(sample.ip, 2);
	assert_int_equal(sample.raw_size, 4);
	assert_int_equal(sample.n_branches, 1);
	assert_int_equal(sample.weight, 99);
	assert_int_equal(sample.cpumode, MISC_KERNEL);
	return sample;
}

static void the_user_part_of_the_call_chain_is_replaced(void **state)
{
	const uint64_t addresses[] = { 0x21, 0x22, 0x23 };
	struct maker maker;
	struct sample sample;

	(void)state;
	make(&maker, PERF_SAMPLE_REGS_ABI_64, 64);
	sample = written(&maker, addresses, 3, 0);
	assert_int_equal(sample.n_chain, 7);
	assert_int_equal(sample_chain_entry(&sample, 2), 0xff2);
	assert_true(
		sample_chain_entry(&sample, 3) == (uint64_t)PERF_CONTEXT_USER);
	assert_int_equal(sample_chain_entry(&sample, 4), 0x21);
	assert_int_equal(sample_chain_entry(&sample, 6), 0x23);
	assert_null(sample.regs_user);
	assert_null(sample.stack);
}

static void requested_registers_are_kept(void **state)
{
	const uint64_t addresses[] = { 0x21 };
	struct maker maker;
	struct sample sample;

	(void)state;
	make(&maker, PERF_SAMPLE_REGS_ABI_64, 64);
	sample = written(&maker, addresses, 1, 7);
	assert_int_equal(sample.n_chain, 5);
	assert_int_equal(sample.regs_user_abi, PERF_SAMPLE_REGS_ABI_64);
	assert_non_null(sample.regs_user);
	assert_int_equal(sample.regs_user[16], 0xe2);
	/* Only the second one. */
	sample = written(&maker, addresses, 1, 2);
	assert_int_equal(sample.n_chain, 5);
	assert_int_equal(sample.regs_user_abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(sample.regs_user[0], 0xe1);
	assert_int_equal(sample.weight, 99);
}

static void a_sample_without_user_registers_has_no_user_part(void **state)
{
	struct maker maker;
	struct sample sample;

	(void)state;
	make(&maker, PERF_SAMPLE_REGS_ABI_NONE, 0);
	sample = written(&maker, NULL, 0, 0);
	assert_int_equal(sample.n_chain, 3);
	make(&maker, PERF_SAMPLE_REGS_ABI_64, 0);
	sample = written(&maker, NULL, 0, 7);
	assert_int_equal(sample.n_chain, 3);
	assert_int_equal(sample.regs_user[0], 0xe0);
}

static void the_user_part_of_the_call_chain_is_found(void **state)
{
	struct perf_event_attr attr = full_attr();
	struct chain_rewrite_event event = event_of(&attr, 7);
	struct chain_rewrite plain;
	struct maker maker;

	(void)state;
	make(&maker, PERF_SAMPLE_REGS_ABI_64, 64);
	assert_true(chain_rewrite_read(&event, maker.raw, &plain));
	assert_int_equal(plain.n_kernel, 3);
	assert_int_equal(plain.user, 4);
	assert_int_equal(plain.n_user, 2);
}

static void a_call_chain_can_fill_a_record_of_maximum_size(void **state)
{
	static uint64_t addresses[RECORD_SIZE_MAX / 8];
	struct perf_event_attr attr = full_attr();
	struct chain_rewrite_event event = event_of(&attr, 7);
	struct chain_rewrite plain;
	struct maker maker;
	size_t room;

	(void)state;
	make(&maker, PERF_SAMPLE_REGS_ABI_64, 64);
	assert_true(chain_rewrite_read(&event, maker.raw, &plain));
	room = chain_rewrite_max_addresses(&plain);
	assert_true(room > 8000);
	assert_true(chain_rewrite_size(&plain, room) <= RECORD_SIZE_ALIGNED);
	assert_true(chain_rewrite_size(&plain, room + 1) > RECORD_SIZE_ALIGNED);
	assert_int_equal(written(&maker, addresses, room, 7).n_chain, room + 4);
}

/* A truncated record is not a sample. */
static void damaged_samples_are_not_rewritten(void **state)
{
	struct perf_event_attr attr = full_attr();
	struct chain_rewrite_event event = event_of(&attr, 7);
	struct perf_event_header header;
	struct chain_rewrite plain;
	struct maker maker;
	uint16_t size;

	(void)state;
	make(&maker, PERF_SAMPLE_REGS_ABI_64, 64);
	memcpy(&header, maker.raw, sizeof(header));
	size = header.size;
	for (header.size = 8; header.size < size; header.size += 8) {
		memcpy(maker.raw, &header, sizeof(header));
		assert_false(chain_rewrite_read(&event, maker.raw, &plain));
	}
	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_USER;
	make(&maker, PERF_SAMPLE_REGS_ABI_64, 64);
	event = event_of(&attr, 7);
	assert_false(chain_rewrite_read(&event, maker.raw, &plain));
}

static bool is_call(const char *bytes, size_t n)
{
	return unwind_ends_with_call(UNWIND_X86_64, (const uint8_t *)bytes, n);
}

static bool is_jump(const char *bytes, size_t n)
{
	return unwind_ends_with_jump(UNWIND_X86_64, (const uint8_t *)bytes, n);
}

static void call_and_jump_instructions_are_recognized(void **state)
{
	const uint32_t bl = 0x97fffff0, blr = 0xd63f0120, ret = 0xd65f03c0;

	(void)state;
	assert_true(is_call("\x90\x90\xe8\1\2\3\4", 7));
	assert_true(is_call("\xff\xd0", 2));		 /* *%rax */
	assert_true(is_call("\x41\xff\xd3", 3));	 /* *%r11 */
	assert_true(is_call("\xff\x50\x08", 3));	 /* *8(%rax) */
	assert_true(is_call("\xff\x54\x24\x08", 4));	 /* *8(%rsp) */
	assert_true(is_call("\xff\x15\1\2\3\4", 6));	 /* *x(%rip) */
	assert_true(is_call("\xff\x94\xc7\1\2\3\4", 7)); /* *x(%rdi,%rax,8) */
	assert_false(is_call("\xff\xe0", 2));		 /* jmp *%rax */
	assert_false(is_call("\xff\x75\x08", 3));	 /* push */
	assert_false(is_call("\x90\x90\x90\x90\x90\x90\x90", 7));
	assert_false(is_call("", 0));
	assert_true(is_jump("\xff\xe0", 2));	     /* *%rax */
	assert_true(is_jump("\x41\xff\x24\xda", 4)); /* *(%r10,%rbx,8) */
	assert_false(is_jump("\xff\xd0", 2));	     /* call *%rax */
	assert_false(is_jump("\xe9\1\2\3\4", 5));
	assert_true(
		unwind_ends_with_call(UNWIND_AARCH64, (const uint8_t *)&bl, 4));
	assert_true(unwind_ends_with_call(
		UNWIND_AARCH64, (const uint8_t *)&blr, 4));
	assert_false(unwind_ends_with_call(
		UNWIND_AARCH64, (const uint8_t *)&ret, 4));
	assert_false(
		unwind_ends_with_call(UNWIND_NONE, (const uint8_t *)&bl, 4));
}

static void outer_frames_are_found_only_in_a_matching_earlier_stack(
	void **state)
{
	uint64_t addresses[] = { 0x1, 0x2, 0x3, 0x4, 0x5 };
	uint64_t slots[] = { 0x1000, 0x1008, 0x1100, 0x1200, 0x1300 };
	struct stack_frames stack = { { 7, 1 }, addresses, slots, 5 };
	struct outer_frames *outer = outer_frames_create();
	uint64_t found[8];

	(void)state;
	assert_int_equal(outer_frames_find(outer, &stack, found, 8), 0);
	outer_frames_add(outer, &stack);
	stack.n = 3;
	assert_int_equal(outer_frames_find(outer, &stack, found, 8), 2);
	assert_int_equal(found[0], 0x4);
	assert_int_equal(found[1], 0x5);
	assert_int_equal(outer_frames_find(outer, &stack, found, 1), 0);
	/* The same slot, or the same address, is not sufficient. */
	addresses[2] = 0x33;
	assert_int_equal(outer_frames_find(outer, &stack, found, 8), 0);
	addresses[2] = 0x3;
	slots[2] = 0x1108;
	assert_int_equal(outer_frames_find(outer, &stack, found, 8), 0);
	slots[2] = 0x1100;
	stack.thread.space = 2;
	assert_int_equal(outer_frames_find(outer, &stack, found, 8), 0);
	stack.thread.space = 1;
	stack.thread.tid = 8;
	assert_int_equal(outer_frames_find(outer, &stack, found, 8), 0);
	/* A thread with the same bucket. */
	stack.thread.tid = 7 + 1024;
	assert_int_equal(outer_frames_find(outer, &stack, found, 8), 0);
	outer_frames_destroy(outer);
}

static void outer_frames_of_the_newest_matching_stack_are_used(void **state)
{
	uint64_t addresses[] = { 0x1, 0x2, 0x3 };
	uint64_t slots[] = { 0x1000, 0x1008, 0x1100 };
	struct stack_frames stack = { { 7, 1 }, addresses, slots, 3 };
	struct outer_frames *outer = outer_frames_create();
	uint64_t found[8], i;

	(void)state;
	for (i = 0; i < 20; i++) {
		addresses[2] = 0x100 + i;
		outer_frames_add(outer, &stack);
	}
	stack.n = 2;
	assert_int_equal(outer_frames_find(outer, &stack, found, 8), 1);
	assert_int_equal(found[0], 0x113);
	outer_frames_destroy(outer);
}

/* If the outermost frame is recursive, all frames near it must match. */
static void in_a_recursion_many_frames_must_match_for_outer_frames(void **state)
{
	enum { N = 80 };
	uint64_t addresses[N], slots[N], found[N], i;
	struct stack_frames stack = { { 7, 1 }, addresses, slots, N };
	struct outer_frames *outer = outer_frames_create();

	(void)state;
	for (i = 0; i < N; i++) {
		addresses[i] = 0x100 + i % 2;
		slots[i] = 0x1000 + 0x100 * i;
	}
	outer_frames_add(outer, &stack);
	stack.n = 60;
	assert_int_equal(outer_frames_find(outer, &stack, found, N), 20);
	addresses[50] = 0x103;
	assert_int_equal(outer_frames_find(outer, &stack, found, N), 0);
	addresses[50] = 0x100;
	addresses[40] = 0x103;
	assert_int_equal(outer_frames_find(outer, &stack, found, N), 20);
	outer_frames_destroy(outer);
}

/* All callers match, and the called frame was in the same slot. */
static void outer_frames_are_confirmed_if_all_callers_match(void **state)
{
	uint64_t addresses[] = { 0x1, 0x2, 0x3, 0x4, 0x5 };
	uint64_t slots[] = { 0x1000, 0x1008, 0x1100, 0x1200, 0x1300 };
	struct stack_frames stack = { { 7, 1 }, addresses, slots, 5 };
	struct outer_frames *outer = outer_frames_create();

	(void)state;
	assert_false(outer_frames_confirm(outer, &stack, 3));
	outer_frames_add(outer, &stack);
	assert_true(outer_frames_confirm(outer, &stack, 3));
	addresses[2] = 0x33;
	assert_true(outer_frames_confirm(outer, &stack, 3));
	addresses[4] = 0x55;
	assert_false(outer_frames_confirm(outer, &stack, 3));
	addresses[4] = 0x5;
	slots[2] = 0x1108;
	assert_false(outer_frames_confirm(outer, &stack, 3));
	slots[2] = 0x1100;
	stack.n = 4;
	assert_false(outer_frames_confirm(outer, &stack, 3));
	/* A recursion. */
	stack.n = 5;
	addresses[1] = addresses[2] = 0x33;
	assert_false(outer_frames_confirm(outer, &stack, 3));
	outer_frames_destroy(outer);
}

/* Our own stack is used as that of a running process. */
static void the_stack_of_a_running_process_is_read_once_per_request(
	void **state)
{
	struct stack_reader *reader = stack_reader_create();
	uint64_t words[64] = { 1, 2, 3 };
	struct stack_request question = { .pid = (uint32_t)getpid(),
		.tid = 5,
		.time = 77,
		.address = (uintptr_t)words };
	static uint8_t bytes[STACK_READER_SIZE_MAX];
	struct stack_location place;
	size_t n, i;

	(void)state;
	assert_no_error(stack_reader_start(reader, -100));
	stack_reader_add_start(reader, question.pid, (uintptr_t)(words + 63));
	assert_true(stack_reader_request(reader, &question));
	assert_int_equal(stack_reader_find(reader, 5, 78, bytes, &place), 0);
	/* Each call waits up to 100 ms; a busy machine may need longer. */
	for (n = 0, i = 0; !n && i < 600; i++)
		n = stack_reader_find(reader, 5, 77, bytes, &place);
	assert_true(n >= sizeof(words) - 8);
	assert_memory_equal(bytes, words, sizeof(words) - 8);
	/* A result is returned once. */
	assert_int_equal(stack_reader_find(reader, 5, 77, bytes, &place), 0);
	/* At an address where nothing is mapped. */
	question.address = 8;
	question.time = 79;
	assert_true(stack_reader_request(reader, &question));
	assert_int_equal(stack_reader_find(reader, 5, 79, bytes, &place), 0);
	stack_reader_destroy(reader);
}

static void stack_requests_beyond_the_limit_are_rejected(void **state)
{
	struct stack_reader *reader = stack_reader_create();
	const struct stack_request question = {
		.pid = (uint32_t)getpid(), .tid = 1, .time = 1, .address = 8
	};
	size_t n = 0;

	(void)state;
	while (n < 1000 && stack_reader_request(reader, &question))
		n++;
	assert_int_equal(n, 256);
	stack_reader_destroy(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_user_part_of_the_call_chain_is_replaced),
		cmocka_unit_test(requested_registers_are_kept),
		cmocka_unit_test(
			a_sample_without_user_registers_has_no_user_part),
		cmocka_unit_test(the_user_part_of_the_call_chain_is_found),
		cmocka_unit_test(
			a_call_chain_can_fill_a_record_of_maximum_size),
		cmocka_unit_test(damaged_samples_are_not_rewritten),
		cmocka_unit_test(call_and_jump_instructions_are_recognized),
		cmocka_unit_test(
			outer_frames_are_found_only_in_a_matching_earlier_stack),
		cmocka_unit_test(
			outer_frames_of_the_newest_matching_stack_are_used),
		cmocka_unit_test(
			in_a_recursion_many_frames_must_match_for_outer_frames),
		cmocka_unit_test(
			outer_frames_are_confirmed_if_all_callers_match),
		cmocka_unit_test(
			the_stack_of_a_running_process_is_read_once_per_request),
		cmocka_unit_test(stack_requests_beyond_the_limit_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
