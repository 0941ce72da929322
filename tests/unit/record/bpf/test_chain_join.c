/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how records of the BPF program become fields of the sample after them. */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/bpf/chain_join.h"
#include "tests/unit/record/bpf/made_registers.h"

#define TID 8u

static const struct perf_event_attr attr = {
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
		PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
		PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT,
	.sample_regs_user = SP_AND_IP,
};

struct joined {
	struct chain_join *join;
	struct sample_layout kernel, whole;
	struct chain_output output;
	uint64_t record[RECORD_SIZE_MAX / 8 + 1];
};

static struct joined *begin(void)
{
	struct joined *joined = test_malloc(sizeof(*joined));
	const struct perf_event_attr kernel = chain_kernel_attr(&attr, false);

	joined->join = chain_join_create();
	sample_layout_init(&joined->kernel, &kernel);
	sample_layout_init(&joined->whole, &attr);
	return joined;
}

static void end(struct joined *joined)
{
	chain_join_destroy(joined->join);
	test_free(joined);
}

/* Writes a record of the program in thread TID with SIZE bytes of raw DATA. */
static void hold(
	struct joined *joined, uint32_t tid, const void *data, uint32_t size)
{
	struct perf_event_header header = { .type = RECORD_SAMPLE,
		.size = (uint16_t)ALIGN_UP(28 + size, 8) };
	const uint32_t pid = 7;
	uint8_t *raw = (uint8_t *)joined->record;

	memset(raw, 0, header.size);
	memcpy(raw, &header, sizeof(header));
	memcpy(raw + 16, &pid, sizeof(pid));
	memcpy(raw + 20, &tid, sizeof(tid));
	memcpy(raw + 24, &size, sizeof(size));
	memcpy(raw + 28, data, size);
	if (chain_output_read((struct perf_event_header *)raw, &joined->output))
		chain_join_hold(joined->join, &joined->output);
}

/* Holds a stack of N frames, from 0x1000 on, of a 64-bit program. */
static void hold_stack(
	struct joined *joined, uint32_t tid, enum chain_end why, uint32_t n)
{
	static struct chain_record stack;
	uint32_t i;

	stack = (struct chain_record){ .kind = CHAIN_STACK,
		.n = n,
		.end = (unsigned short)why,
		.registers = MADE_REGISTERS };
	for (i = 0; i < n; i++)
		stack.pcs[i] = 0x1000 + i;
	hold(joined, tid, &stack,
		(uint32_t)offsetof(struct chain_record, pcs) + 8 * n);
}

/* Holds a complete stack of two frames, and N linked frames behind them. */
static void hold_linked(struct joined *joined, enum chain_end why, uint32_t n)
{
	static struct chain_record stack;
	uint32_t i;

	stack = (struct chain_record){ .kind = CHAIN_STACK,
		.n = 2,
		.end = (unsigned short)why,
		.n_linked = n,
		.registers = MADE_REGISTERS };
	for (i = 0; i < 2 + CHAIN_LINKED_WORDS * n; i++)
		stack.pcs[i] = 0x1000 + i;
	hold(joined, TID, &stack,
		(uint32_t)offsetof(struct chain_record, pcs) +
			8 * (2 + CHAIN_LINKED_WORDS * n));
}

static void hold_copy(struct joined *joined, uint32_t size)
{
	static struct chain_copy copy;

	copy = (struct chain_copy){
		.kind = CHAIN_COPY, .start = 0x7ff0, .size = size
	};
	memset(copy.bytes, 0x5a, size);
	hold(joined, TID, &copy,
		(uint32_t)offsetof(struct chain_copy, bytes) + size);
}

/*
 * Joins a sample with N_KERNEL kernel frames, and reads the result to RET.
 * Returns false if there is no result.
 */
static bool join(struct joined *joined, uint64_t n_kernel, struct sample *ret)
{
	struct perf_event_header header = { .type = RECORD_SAMPLE,
		.size = (uint16_t)(8 * (8 + n_kernel)) };
	const struct perf_event_header *made;
	uint64_t *at = joined->record, i;

	memcpy(at++, &header, sizeof(header));
	*at++ = 1;			 /* identifier */
	*at++ = 2;			 /* ip */
	*at++ = (uint64_t)TID << 32 | 7; /* pid, tid */
	*at++ = 4;			 /* time */
	*at++ = 5;			 /* cpu */
	*at++ = n_kernel;
	for (i = 0; i < n_kernel; i++)
		*at++ = i ? 0xffffffff81000000 + i : PERF_CONTEXT_KERNEL;
	*at = 77; /* weight */
	made = chain_join_sample(joined->join, &joined->kernel, SP_AND_IP,
		(struct perf_event_header *)joined->record);
	if (!made)
		return false;
	assert_true(sample_read(&joined->whole,
		&(struct record){ made->type, made->misc, made->size,
			(const uint8_t *)made, false },
		ret));
	assert_int_equal(ret->tid, TID);
	/* The last field of the sample stays behind the stack. */
	assert_int_equal(((const uint64_t *)made)[made->size / 8 - 1], 77);
	return true;
}

static void a_complete_stack_becomes_the_call_chain_of_its_sample(
	void **state _unused_)
{
	struct joined *joined = begin();
	struct sample sample;

	hold_stack(joined, TID, CHAIN_ROOT, 3);
	assert_true(join(joined, 2, &sample));
	assert_int_equal(sample.n_chain, 2 + 1 + 3);
	assert_int_equal(sample_chain_entry(&sample, 2), PERF_CONTEXT_USER);
	assert_int_equal(sample_chain_entry(&sample, 5), 0x1002);
	assert_int_equal(sample.regs_user_abi, PERF_SAMPLE_REGS_ABI_NONE);
	assert_int_equal(sample.stack_size, 0);
	/* The stack is used once. */
	assert_true(join(joined, 2, &sample));
	assert_int_equal(sample.n_chain, 2);
	assert_int_equal(chain_join_stacks(joined->join), 1);
	end(joined);
}

static void an_incomplete_stack_becomes_chain_registers_and_stack_copy(
	void **state _unused_)
{
	struct joined *joined = begin();
	struct sample sample;
	uint64_t registers[2];

	hold_copy(joined, 100);
	hold_stack(joined, TID, CHAIN_NO_RULE, 3);
	assert_true(join(joined, 2, &sample));
	assert_int_equal(sample.n_chain, 2 + 1 + 3);
	assert_int_equal(sample_chain_entry(&sample, 5), 0x1002);
	assert_int_equal(sample.regs_user_abi, PERF_SAMPLE_REGS_ABI_64);
	memcpy(registers, sample.regs_user, sizeof(registers));
	assert_int_equal(registers[0], 0x7ff0);
	assert_int_equal(registers[1], 0xabc);
	assert_int_equal(sample.stack_size, 100);
	assert_int_equal(sample.stack[99], 0x5a);
	end(joined);
}

static void a_stack_in_an_unknown_file_is_reported(void **state _unused_)
{
	static const struct chain_record stack = { .kind = CHAIN_STACK,
		.n = 1,
		.end = CHAIN_NO_TABLE,
		.at = 0x1234,
		.file = { .inode = 5, .device = 6 } };
	struct joined *joined = begin();
	struct chain_unknown unknown;

	hold_stack(joined, TID, CHAIN_NO_RULE, 3);
	assert_false(chain_output_unknown(&joined->output, &unknown));
	hold(joined, TID, &stack,
		(uint32_t)offsetof(struct chain_record, pcs) + 8);
	assert_true(chain_output_unknown(&joined->output, &unknown));
	assert_int_equal(unknown.pid, 7);
	assert_int_equal(unknown.pc, 0x1234);
	assert_int_equal(unknown.file.inode, 5);
	assert_int_equal(unknown.file.device, 6);
	end(joined);
}

/* A sample with the kernel's own stack copy (--keep-stacks). */
static void a_sample_with_its_own_stack_copy_takes_complete_chains_only(
	void **state _unused_)
{
	struct perf_event_header header = { .type = RECORD_SAMPLE,
		.size = 8 * 15 };
	const uint64_t rest[] = { (uint64_t)TID << 32 | 7, 4, 5, 1,
		PERF_CONTEXT_KERNEL, PERF_SAMPLE_REGS_ABI_64, 0x7ff0, 0xabc, 8,
		0x5a5a, 8, 77 };
	struct joined *joined = begin();
	const struct perf_event_header *made;
	struct sample sample;
	uint64_t *at = joined->record;
	enum chain_end ends[] = { CHAIN_ROOT, CHAIN_NO_RULE };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		hold_stack(joined, TID, ends[i], 3);
		memcpy(at, &header, sizeof(header));
		at[1] = 1;
		at[2] = 2;
		memcpy(at + 3, rest, sizeof(rest));
		made = chain_join_sample(joined->join, &joined->whole,
			SP_AND_IP, (struct perf_event_header *)joined->record);
		assert_non_null(made);
		assert_true(sample_read(&joined->whole,
			&(struct record){ made->type, made->misc, made->size,
				(const uint8_t *)made, false },
			&sample));
		assert_int_equal(sample.n_chain, i ? 1 : 1 + 1 + 3);
		assert_int_equal(sample.stack_size, 8);
		assert_int_equal(sample.stack[0], 0x5a);
	}
	end(joined);
}

static void linked_frames_are_appended_to_the_call_chain(void **state _unused_)
{
	struct joined *joined = begin();
	struct sample sample;

	hold_linked(joined, CHAIN_ROOT, 2);
	assert_true(join(joined, 2, &sample));
	assert_int_equal(sample.n_chain, 2 + 1 + 2 + 1 + 6);
	assert_int_equal(sample_chain_entry(&sample, 4), 0x1001);
	assert_int_equal(sample_chain_entry(&sample, 5), CHAIN_LINKED_CONTEXT);
	assert_int_equal(sample_chain_entry(&sample, 11), 0x1007);
	end(joined);
}

/* Linked frames are more important than the outer part of a copy. */
static void a_stack_copy_is_cut_to_make_room_for_linked_frames(
	void **state _unused_)
{
	struct joined *joined = begin();
	struct sample sample;

	hold_copy(joined, 50000);
	hold_linked(joined, CHAIN_NO_RULE, 1024);
	assert_true(join(joined, 2, &sample));
	assert_int_equal(sample.n_chain, 2 + 1 + 2 + 1 + 3072);
	assert_in_range(sample.stack_size, 40000, 41000);
	assert_int_equal(sample.stack[sample.stack_size - 1], 0x5a);
	end(joined);
}

static void the_stack_of_another_thread_is_not_used(void **state _unused_)
{
	struct joined *joined = begin();
	struct sample sample;

	hold_stack(joined, TID + 1, CHAIN_ROOT, 3);
	assert_true(join(joined, 2, &sample));
	assert_int_equal(sample.n_chain, 2);
	assert_int_equal(sample.regs_user_abi, PERF_SAMPLE_REGS_ABI_NONE);
	end(joined);
}

static void a_sample_without_room_for_the_stack_is_kept_without_it(
	void **state _unused_)
{
	struct joined *joined = begin();
	struct sample sample;

	hold_copy(joined, CHAIN_COPY_MAX);
	hold_stack(joined, TID, CHAIN_NO_RULE, 3);
	assert_true(join(joined, 2000, &sample));
	assert_int_equal(sample.n_chain, 2000);
	assert_int_equal(sample.regs_user_abi, PERF_SAMPLE_REGS_ABI_NONE);
	assert_false(join(joined, 8183, &sample));
	end(joined);
}

/* Sizes in a record are limited to the bytes of the record. */
static void truncated_records_of_the_bpf_program_are_ignored(
	void **state _unused_)
{
	static const struct chain_record stack = { .kind = CHAIN_STACK,
		.n = 1000 };
	static const struct chain_copy copy = { .kind = CHAIN_COPY,
		.size = UINT32_MAX };
	struct joined *joined = begin();
	struct sample sample;

	hold(joined, TID, &stack, 3);
	hold(joined, TID, &stack, 12);
	assert_true(join(joined, 2, &sample));
	assert_int_equal(sample.n_chain, 2);
	hold(joined, TID, &copy,
		(uint32_t)offsetof(struct chain_copy, bytes) + 8);
	hold(joined, TID, &stack,
		(uint32_t)offsetof(struct chain_record, pcs) + 8);
	assert_true(join(joined, 2, &sample));
	assert_int_equal(sample.n_chain, 2 + 1 + 1);
	end(joined);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_complete_stack_becomes_the_call_chain_of_its_sample),
		cmocka_unit_test(
			an_incomplete_stack_becomes_chain_registers_and_stack_copy),
		cmocka_unit_test(a_stack_in_an_unknown_file_is_reported),
		cmocka_unit_test(
			a_sample_with_its_own_stack_copy_takes_complete_chains_only),
		cmocka_unit_test(linked_frames_are_appended_to_the_call_chain),
		cmocka_unit_test(
			a_stack_copy_is_cut_to_make_room_for_linked_frames),
		cmocka_unit_test(the_stack_of_another_thread_is_not_used),
		cmocka_unit_test(
			a_sample_without_room_for_the_stack_is_kept_without_it),
		cmocka_unit_test(
			truncated_records_of_the_bpf_program_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
