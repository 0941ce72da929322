/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>

#include "record/runtimes/hotspot/hotspot_private.h"

#include "tests/unit/testing.h"

/* The examples are from the description of the format in HotSpot's unsigned5.hpp. */
static void compressed_numbers_of_both_formats_are_decoded(void **state)
{
	static const struct {
		uint8_t bytes[5];
		size_t n;
		bool excludes_zero;
		uint32_t value;
	} cases[] = {
		{ { 0 }, 1, false, 0 },
		{ { 191 }, 1, false, 191 },
		{ { 192, 0 }, 2, false, 192 },
		{ { 255, 191 }, 2, false, 255 + (191 << 6) },
		{ { 192, 192, 0 }, 3, false, 192 + (192 << 6) },
		{ { 1 }, 1, true, 0 },
		{ { 191 }, 1, true, 190 },
		{ { 192, 1 }, 2, true, 191 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t at = 0, end = 0;
		uint32_t value;

		assert_true(hotspot_unsigned5(cases[i].bytes, cases[i].n,
			cases[i].excludes_zero, &at, &value));
		assert_int_equal(at, cases[i].n);
		assert_int_equal(value, cases[i].value);
		assert_false(hotspot_unsigned5(cases[i].bytes, cases[i].n - 1,
			cases[i].excludes_zero, &end, &value));
	}
}

static void decoding_a_damaged_number_ends(void **state)
{
	static const uint8_t high[] = { 255, 255, 255, 255, 255, 255, 255 };
	static const uint8_t zero[] = { 0 };
	uint32_t value;
	size_t at = 0;

	(void)state;
	assert_true(hotspot_unsigned5(high, sizeof(high), false, &at, &value));
	assert_int_equal(at, 5);
	at = 0;
	assert_false(hotspot_unsigned5(zero, sizeof(zero), true, &at, &value));
}

/*
 * Bytecodes 0 to 4 belong to line 7, 5 to 9 to line 8, 10 to 79 to line 6, and all
 * others to line 422.
 */
static void a_bytecode_index_has_its_line_of_the_line_table(void **state)
{
	static uint8_t lines[] = { 0 << 3 | 7, 5 << 3 | 1, 255, 10, 3, 255, 140,
		192, 10, 0, 99 };
	struct hotspot_method method = { .lines = lines,
		.lines_size = sizeof(lines) };
	static const struct {
		uint32_t bci, line;
	} cases[] = { { 0, 7 }, { 4, 7 }, { 5, 8 }, { 9, 8 }, { 10, 6 },
		{ 79, 6 }, { 80, 422 }, { 65535, 422 } };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(
			hotspot_line(&method, cases[i].bci), cases[i].line);
	method.lines_size = 3;
	assert_int_equal(hotspot_line(&method, 100), 8);
	method.lines_size = 0;
	assert_int_equal(hotspot_line(&method, 0), 0);
}

/* An nmethod in the memory of the test: its fields, and its tables. */
struct made_nmethod {
	uint64_t mutable_data, immutable_data;
	uint32_t metadata, scopes, pcs, end; /* offsets */
	uint32_t mutable_size, relocations, immutable_size;
	uint64_t words[2];
	uint8_t bytes[8];
	int32_t descs[3][4];
};

static const struct hotspot_layout made_layout = {
	.nmethod_metadata = offsetof(struct made_nmethod, metadata),
	.nmethod_scopes = HOTSPOT_NO_FIELD,
	.nmethod_scopes_offset = offsetof(struct made_nmethod, scopes),
	.nmethod_pcs = offsetof(struct made_nmethod, pcs),
	.nmethod_dependencies = offsetof(struct made_nmethod, end),
	.nmethod_deopt = HOTSPOT_NO_FIELD,
	.nmethod_deopt_offset = HOTSPOT_NO_FIELD,
	.nmethod_orig_pc = HOTSPOT_NO_FIELD,
	.nmethod_immutable_data = HOTSPOT_NO_FIELD,
	.nmethod_immutable_size = offsetof(struct made_nmethod, immutable_size),
	.blob_mutable_data = offsetof(struct made_nmethod, mutable_data),
	.blob_mutable_size = offsetof(struct made_nmethod, mutable_size),
	.blob_relocation_size = offsetof(struct made_nmethod, relocations),
	.blob_begin = 0,
	.blob_end = 0,
	.code_cache_heaps = 0,
	.pc_desc_pc = 0,
	.pc_desc_scope = 4,
	.size_pc_desc = 16,
};

static struct made_nmethod make_nmethod(void)
{
	return (struct made_nmethod){
		.metadata = offsetof(struct made_nmethod, words),
		.scopes = offsetof(struct made_nmethod, bytes),
		.pcs = offsetof(struct made_nmethod, descs),
		.end = sizeof(struct made_nmethod),
		.words = { 11, 22 },
		.bytes = { 1, 2, 3 },
		.descs = { { -1 }, { 16, 5 }, { 33 } },
	};
}

/* Reads the tables of NMETHOD, whose code has 32 bytes, and compares them. */
static bool has_made_tables(
	const struct hotspot_layout *layout, const struct made_nmethod *nmethod)
{
	struct hotspot hotspot = { .layout = *layout };
	struct process_memory *memory =
		process_memory_create((uint32_t)getpid());
	const struct hotspot_view view = { &hotspot, memory, NULL };
	uint64_t at = (uintptr_t)nmethod;
	struct hotspot_blob blob = {
		.address = at, .begin = at + 64, .end = at + 96
	};
	uint64_t words[2] = { 0 };
	bool is_read = hotspot_read_tables(&view, &blob);

	if (is_read) {
		assert_int_equal(blob.n_metadata, 2);
		memcpy(words, hotspot_metadata(&blob), sizeof(words));
		assert_int_equal(words[1], 22);
		assert_int_equal(hotspot_scopes(&blob)[2], 3);
		assert_int_equal(blob.n_pcs, 3);
		assert_int_equal(hotspot_pc_desc(layout, &blob, 1).pc, 16);
		assert_int_equal(hotspot_pc_desc(layout, &blob, 1).scope, 5);
	}
	free(blob.tables);
	process_memory_destroy(memory);
	return is_read;
}

static void tables_inside_of_an_nmethod_are_read_if_they_are_valid(void **state)
{
	struct made_nmethod nmethod = make_nmethod();

	(void)state;
	assert_true(has_made_tables(&made_layout, &nmethod));
	nmethod.descs[2][0] = 32; /* not after the end of the code */
	assert_false(has_made_tables(&made_layout, &nmethod));
	nmethod.descs[2][0] = 33;
	nmethod.descs[0][0] = 0;
	assert_false(has_made_tables(&made_layout, &nmethod));
	nmethod = make_nmethod();
	nmethod.end = nmethod.pcs - 1;
	assert_false(has_made_tables(&made_layout, &nmethod));
	nmethod.end = UINT32_MAX;
	assert_false(has_made_tables(&made_layout, &nmethod));
}

/*
 * In JDK 25, the mutable data contain 8 bytes of relocations, then the metadata. The
 * immutable data contain PcDescs, then scopes.
 */
static void tables_outside_of_an_nmethod_are_read_if_they_are_valid(
	void **state)
{
	uint64_t mutable_data[] = { 0, 11, 22 };
	struct {
		int32_t descs[3][4];
		uint8_t scopes[8];
	} data = { { { -1 }, { 16, 5 }, { 33 } }, { 1, 2, 3 } };
	struct made_nmethod nmethod = {
		.mutable_data = (uintptr_t)mutable_data,
		.mutable_size = sizeof(mutable_data),
		.relocations = 8,
		.immutable_data = (uintptr_t)&data,
		.immutable_size = sizeof(data),
		.scopes = sizeof(data.descs),
	};
	struct hotspot_layout layout = made_layout;

	(void)state;
	layout.nmethod_immutable_data =
		offsetof(struct made_nmethod, immutable_data);
	assert_true(has_made_tables(&layout, &nmethod));
	nmethod.relocations = sizeof(mutable_data) + 1;
	assert_false(has_made_tables(&layout, &nmethod));
	nmethod.relocations = 8;
	nmethod.immutable_size = sizeof(data.descs) - 1;
	assert_false(has_made_tables(&layout, &nmethod));
	nmethod.immutable_size = sizeof(data);
	nmethod.immutable_data = 8;
	assert_false(has_made_tables(&layout, &nmethod));
}

/* Returns the state of a process with LAYOUT and VERSION. A refusal has a reason. */
static enum runtime_state state_of(
	struct hotspot_layout *layout, uint32_t version)
{
	struct process_memory *memory =
		process_memory_create((uint32_t)getpid());
	const char *reason;
	enum runtime_state state;

	layout->major_version = (uintptr_t)&version;
	state = hotspot_version_set(memory, layout, &reason);
	process_memory_destroy(memory);
	assert_int_equal(state == RUNTIME_REFUSED, reason != NULL);
	return state;
}

static void layouts_of_unsupported_jdk_versions_are_refused(void **state)
{
	struct hotspot_layout layout = made_layout;

	(void)state;
	assert_int_equal(state_of(&layout, 17), RUNTIME_READY);
	assert_false(layout.excludes_zero);
	assert_int_equal(layout.interpreter_bcp, -64);
	assert_int_equal(state_of(&layout, 21), RUNTIME_READY);
	assert_true(layout.excludes_zero);
	assert_int_equal(state_of(&layout, 99), RUNTIME_REFUSED);
	/* HotSpot of JDK 8 has the version 25. */
	layout.code_cache_heaps = HOTSPOT_NO_FIELD;
	assert_int_equal(state_of(&layout, 25), RUNTIME_READY);
	assert_false(layout.excludes_zero);
	assert_int_equal(layout.interpreter_bcp, -56);
	/* JDK 23 has immutable data, but its metadata are in the CodeBlob. */
	layout = made_layout;
	layout.nmethod_immutable_data = 8;
	layout.blob_mutable_data = HOTSPOT_NO_FIELD;
	assert_int_equal(state_of(&layout, 23), RUNTIME_REFUSED);
	layout = made_layout;
	layout.pc_desc_scope = 13;
	assert_int_equal(state_of(&layout, 17), RUNTIME_REFUSED);
}

static void a_jvm_is_starting_until_it_sets_its_version(void **state)
{
	struct hotspot_layout layout = made_layout;

	(void)state;
	assert_int_equal(state_of(&layout, 0), RUNTIME_STARTING);
	assert_int_equal(state_of(&layout, 17), RUNTIME_READY);
}

/* The code is from methods that several versions of the JDK compiled. */
static void the_progress_of_a_frame_setup_is_found_from_the_code(void **state)
{
	static const struct {
		uint8_t code[16];
		size_t n, pc;	       /* size of the code, offset of the pc */
		size_t frame_complete; /* 0: the code is an epilogue */
		enum hotspot_progress progress;
	} cases[] = {
		/* push rbp; sub rsp, 0x20 */
		{ { 0x90, 0x55, 0x48, 0x83, 0xec, 0x20 }, 6, 1, 6,
			HOTSPOT_FRAME_NONE },
		{ { 0x90, 0x55, 0x48, 0x83, 0xec, 0x20 }, 6, 2, 6,
			HOTSPOT_FRAME_PUSHED_FP },
		{ { 0x90, 0x55, 0x48, 0x83, 0xec, 0x20, 0x90 }, 7, 6, 7,
			HOTSPOT_FRAME_COMPLETE },
		/* the wrapper of a native method: with mov rbp, rsp */
		{ { 0x55, 0x48, 0x8b, 0xec, 0x48, 0x83, 0xec, 0x40 }, 8, 1, 8,
			HOTSPOT_FRAME_PUSHED_FP },
		{ { 0x55, 0x48, 0x8b, 0xec, 0x48, 0x83, 0xec, 0x40 }, 8, 4, 8,
			HOTSPOT_FRAME_PUSHED_FP },
		{ { 0x55, 0x48, 0x8b, 0xec, 0x48, 0x83, 0xec, 0x40, 0x90 }, 9,
			8, 9, HOTSPOT_FRAME_COMPLETE },
		/* sub rsp, 0x18; mov [rsp + 0x10], rbp */
		{ { 0x48, 0x81, 0xec, 0x18, 0, 0, 0, 0x48, 0x89, 0x6c, 0x24,
			  0x10 },
			12, 7, 12, HOTSPOT_FRAME_UNSAVED },
		/* JDK 8: pop rbp; test [rip + x], eax; ret */
		{ { 0x5d, 0x85, 0x05, 1, 2, 3, 4, 0xc3 }, 8, 0, 0,
			HOTSPOT_FRAME_PUSHED_FP },
		{ { 0x5d, 0x85, 0x05, 1, 2, 3, 4, 0xc3 }, 8, 1, 0,
			HOTSPOT_FRAME_NONE },
		/* JDK 11: mov r10, [r15 + x]; test [r10], eax; ret */
		{ { 0x4d, 0x8b, 0x97, 8, 1, 0, 0, 0x41, 0x85, 2, 0xc3 }, 11, 0,
			0, HOTSPOT_FRAME_NONE },
		/* the same in a loop, without ret */
		{ { 0x4d, 0x8b, 0x97, 8, 1, 0, 0, 0x41, 0x85, 2, 0x90 }, 11, 0,
			0, HOTSPOT_FRAME_COMPLETE },
		/* JDK 17: cmp rsp, [r15 + x]; ja; ret */
		{ { 0x49, 0x3b, 0xa7, 0x50, 3, 0, 0, 0x0f, 0x87, 9, 0, 0, 0,
			  0xc3 },
			14, 0, 0, HOTSPOT_FRAME_NONE },
		/* JDK 25: pop rbp; cmp rsp, [r15 + x]; ja; ret */
		{ { 0x5d, 0x49, 0x3b, 0x67, 0x28, 0x0f, 0x87, 9, 0, 0, 0,
			  0xc3 },
			12, 0, 0, HOTSPOT_FRAME_PUSHED_FP },
		/* the wrapper of a native method: jne; ret */
		{ { 0x0f, 0x85, 1, 0, 0, 0, 0xc3 }, 7, 0, 0,
			HOTSPOT_FRAME_NONE },
		/* add rsp, 0x20; pop rbp; ret */
		{ { 0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3 }, 6, 0, 0,
			HOTSPOT_FRAME_COMPLETE },
	};
	static uint8_t codes[ARRAY_SIZE(cases)][HOTSPOT_PROLOGUE];
	struct process_memory *memory =
		process_memory_create((uint32_t)getpid());
	const struct hotspot_view view = { NULL, memory, NULL };
	size_t i;

	(void)state;
	/* Write all code before the first read: a page is read only once. */
	memset(codes, 0x90, sizeof(codes));
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		memcpy(codes[i], cases[i].code, cases[i].n);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct hotspot_blob blob = { .begin = (uintptr_t)codes[i],
			.frame_size = 6,
			.frame_complete = (uint32_t)cases[i].frame_complete };
		struct runtime_frame frame = { .pc = blob.begin + cases[i].pc,
			.is_exact = true };

		memcpy(blob.prologue, codes[i], sizeof(codes[i]));
		assert_int_equal(hotspot_frame_progress(&view, &blob, &frame),
			cases[i].progress);
		frame.is_exact = false;
		assert_int_equal(hotspot_frame_progress(&view, &blob, &frame),
			HOTSPOT_FRAME_COMPLETE);
	}
	process_memory_destroy(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			compressed_numbers_of_both_formats_are_decoded),
		cmocka_unit_test(decoding_a_damaged_number_ends),
		cmocka_unit_test(
			a_bytecode_index_has_its_line_of_the_line_table),
		cmocka_unit_test(
			tables_inside_of_an_nmethod_are_read_if_they_are_valid),
		cmocka_unit_test(
			tables_outside_of_an_nmethod_are_read_if_they_are_valid),
		cmocka_unit_test(
			layouts_of_unsupported_jdk_versions_are_refused),
		cmocka_unit_test(a_jvm_is_starting_until_it_sets_its_version),
		cmocka_unit_test(
			the_progress_of_a_frame_setup_is_found_from_the_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
