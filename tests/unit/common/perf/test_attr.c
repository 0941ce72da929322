/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/attr.h"

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

/* All published sizes, PERF_ATTR_SIZE_VER0 to VER9. */
static const size_t published[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136,
	144 };
#define LARGEST 144u

/* Sets byte I to I + 1, so that each field has a known value. */
static void fill_counting(uint8_t stored[LARGEST])
{
	size_t i;

	for (i = 0; i < LARGEST; i++)
		stored[i] = (uint8_t)(i + 1);
}

static void attributes_of_each_published_size_are_read(void **state _unused_)
{
	uint8_t stored[LARGEST];
	size_t i;

	fill_counting(stored);
	for (i = 0; i < ARRAY_SIZE(published); i++) {
		uint8_t *copy = exact_copy(stored, published[i]);
		struct bytes b = bytes_of(copy, published[i], false);
		size_t ours = MIN(published[i], sizeof(struct perf_event_attr));
		static const uint8_t zeros[sizeof(struct perf_event_attr)];
		struct perf_event_attr attr;

		GARBAGE(attr);
		assert_true(attr_read(&b, published[i], &attr));
		assert_int_equal(bytes_left(&b), 0);
		assert_memory_equal(&attr, stored, ours);
		assert_memory_equal(
			(uint8_t *)&attr + ours, zeros, sizeof(attr) - ours);
		free(copy);
	}
}

static void attr_read_does_not_read_behind_the_attribute(void **state _unused_)
{
	uint8_t stored[LARGEST + 8] = { 0 };
	struct perf_event_attr attr;
	struct bytes b;

	stored[112] = 7;
	b = bytes_of(stored, sizeof(stored), false);
	GARBAGE(attr);
	assert_true(attr_read(&b, 112, &attr));
	assert_int_equal(bytes_u64(&b), 7);
}

static void attributes_of_an_invalid_size_are_refused(void **state _unused_)
{
	static const size_t bad[] = { 0, 8, 56, 63, 65, 100, 4104, SIZE_MAX };
	static const uint8_t stored[8192];
	struct perf_event_attr attr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct bytes b = bytes_of(stored, sizeof(stored), false);

		assert_false(attr_read(&b, bad[i], &attr));
	}
}

static void truncated_attributes_are_refused(void **state _unused_)
{
	size_t size;

	for (size = 0; size < 112; size++) {
		uint8_t stored[112] = { 0 };
		uint8_t *copy = exact_copy(stored, size);
		struct bytes b = bytes_of(copy, size, false);
		struct perf_event_attr attr;

		assert_false(attr_read(&b, 112, &attr));
		free(copy);
	}
}

/* Reads an attr in the byte order of a big-endian machine. */
static void big_endian_attributes_are_read(void **state _unused_)
{
	static const uint8_t stored[128] = {
		0, 0, 0, 2,		      /* type */
		0, 0, 0, 128,		      /* size */
		0, 0, 0, 0, 0, 0, 0x12, 0x34, /* config */
		0, 0, 0, 0, 0, 0, 0x0f, 0xa0, /* sample_freq */
		0, 0, 0, 0, 0, 1, 0x02, 0x03, /* sample_type */
		0, 0, 0, 0, 0, 0, 0, 4,	      /* read_format */
		/*
		 * Bit-fields start at the top bit of each byte: disabled,
		 * inherit | mmap, freq, high bit of precise_ip | low bit of
		 * precise_ip, sample_id_all, mmap2 | ksymbol | build_id
		 */
		0xc0, 0xa0, 0x21, 0x04, 0x20, 0, 0, 0, 0, 0, 0,
		5,			 /* wakeup_events */
		0, 0, 0, 6,		 /* bp_type */
		0, 0, 0, 0, 0, 0, 0, 7,	 /* config1 */
		0, 0, 0, 0, 0, 0, 0, 8,	 /* config2 */
		0, 0, 0, 0, 0, 0, 0, 9,	 /* branch_sample_type */
		0, 0, 0, 0, 0, 0, 0, 10, /* sample_regs_user */
		0, 0, 0, 11,		 /* sample_stack_user */
		0xff, 0xff, 0xff, 0xfe,	 /* clockid */
		0, 0, 0, 0, 0, 0, 0, 12, /* sample_regs_intr */
		0, 0, 0, 13,		 /* aux_watermark */
		0, 14, 0, 0,		 /* sample_max_stack */
		0, 0, 0, 15, 0, 0, 0, 0, /* aux_sample_size */
		0, 0, 0, 0, 0, 0, 0, 16, /* sig_data */
	};
	struct bytes b = bytes_of(stored, sizeof(stored), true);
	struct perf_event_attr attr;

	GARBAGE(attr);
	assert_true(attr_read(&b, sizeof(stored), &attr));
	assert_int_equal(attr.type, 2);
	assert_int_equal(attr.size, 128);
	assert_int_equal(attr.config, 0x1234);
	assert_int_equal(attr.sample_freq, 4000);
	assert_int_equal(attr.sample_type, 0x10203);
	assert_int_equal(attr.read_format, 4);
	assert_int_equal(attr.disabled, 1);
	assert_int_equal(attr.inherit, 1);
	assert_int_equal(attr.pinned, 0);
	assert_int_equal(attr.mmap, 1);
	assert_int_equal(attr.comm, 0);
	assert_int_equal(attr.freq, 1);
	assert_int_equal(attr.sample_id_all, 1);
	assert_int_equal(attr.mmap2, 1);
	assert_int_equal(attr.ksymbol, 1);
	assert_int_equal(attr.build_id, 1);
	assert_int_equal(attr.wakeup_events, 5);
	assert_int_equal(attr.bp_type, 6);
	assert_int_equal(attr.config1, 7);
	assert_int_equal(attr.config2, 8);
	assert_int_equal(attr.branch_sample_type, 9);
	assert_int_equal(attr.sample_regs_user, 10);
	assert_int_equal(attr.sample_stack_user, 11);
	assert_int_equal(attr.clockid, -2);
	assert_int_equal(attr.sample_regs_intr, 12);
	assert_int_equal(attr.aux_watermark, 13);
	assert_int_equal(attr.sample_max_stack, 14);
	assert_int_equal(attr.aux_sample_size, 15);
	assert_int_equal(attr.sig_data, 16);
}

/* precise_ip is the only flag of two bits; the bits are in two bytes. */
static void precise_ip_of_a_big_endian_attribute_keeps_its_value(
	void **state _unused_)
{
	static const uint8_t flags[4][2] = { { 0, 0 }, { 0, 0x80 }, { 1, 0 },
		{ 1, 0x80 } };
	unsigned precise;

	for (precise = 0; precise < 4; precise++) {
		uint8_t stored[64] = { 0 };
		struct bytes b = bytes_of(stored, sizeof(stored), true);
		struct perf_event_attr attr;

		memcpy(stored + 41, flags[precise], 2);
		GARBAGE(attr);
		assert_true(attr_read(&b, sizeof(stored), &attr));
		assert_int_equal(attr.precise_ip, precise);
	}
}

static void an_attribute_is_stored_in_the_smallest_size_that_suffices(
	void **state _unused_)
{
	struct perf_event_attr attr = { .type = 1 };

	assert_int_equal(attr_stored_size(&attr), 112);
	attr.sample_max_stack = 5;
	assert_int_equal(attr_stored_size(&attr), 112);
	attr.aux_sample_size = 1;
	assert_int_equal(attr_stored_size(&attr), 120);
	attr.sig_data = 1;
	assert_int_equal(attr_stored_size(&attr), 128);
}

static void a_written_attribute_is_read_back(void **state _unused_)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
		.size = 4711,
		.config = 300,
		.sample_type = PERF_SAMPLE_RAW,
		.sample_id_all = 1,
		.sample_max_stack = 9 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct perf_event_attr again;
	struct bytes b;

	attr_write(&attr, &out);
	assert_int_equal(out.n, 112);
	b = bytes_of(out.at, out.n, false);
	GARBAGE(again);
	assert_true(attr_read(&b, out.n, &again));
	attr.size = 112; /* attr_write() sets the stored size */
	assert_memory_equal(&again, &attr, sizeof(attr));
}

#define assert_name(wanted, ...)                               \
	({                                                     \
		struct perf_event_attr attr = { __VA_ARGS__ }; \
		char *name = attr_name(&attr);                 \
		assert_string_equal(name, wanted);             \
		free(name);                                    \
	})
#define CYCLES .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES
#define CLOCK .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK

static void known_events_have_the_names_of_perf(void **state _unused_)
{
	assert_name("cpu-clock", CLOCK, .exclude_guest = 1);
	assert_name("cycles", CYCLES, .exclude_guest = 1);
	assert_name("instructions", .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_guest = 1);
	assert_name("task-clock", .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK, .exclude_guest = 1);
	assert_name("page-faults", .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS, .exclude_guest = 1);
	assert_name("context-switches", .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES, .exclude_guest = 1);
}

static void event_names_have_modifiers_of_the_privilege_levels(
	void **state _unused_)
{
	assert_name("cycles:u", CYCLES, .exclude_kernel = 1, .exclude_hv = 1);
	assert_name("cycles:k", CYCLES, .exclude_user = 1, .exclude_hv = 1);
	assert_name("cycles:uh", CYCLES, .exclude_kernel = 1);
	assert_name("cycles:kh", CYCLES, .exclude_user = 1);
}

static void event_names_have_modifiers_of_the_precision(void **state _unused_)
{
	assert_name("cycles:p", CYCLES, .precise_ip = 1);
	assert_name("cycles:ppp", CYCLES, .precise_ip = 3);
	assert_name("cycles:upp", CYCLES, .exclude_kernel = 1, .exclude_hv = 1,
		.precise_ip = 2);
}

static void event_names_have_guest_modifiers_unless_default(
	void **state _unused_)
{
	assert_name("dummy:HG", .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY);
	assert_name("cycles:ppH", CYCLES, .precise_ip = 2, .exclude_guest = 1);
	assert_name("cycles:G", CYCLES, .exclude_host = 1);
	assert_name("cycles:uH", CYCLES, .exclude_kernel = 1, .exclude_hv = 1,
		.exclude_guest = 1);
}

static void unknown_events_are_named_by_type_and_number(void **state _unused_)
{
	assert_name(
		"tracepoint 317", .type = PERF_TYPE_TRACEPOINT, .config = 317);
	assert_name("raw 0x1a8", .type = PERF_TYPE_RAW, .config = 0x1a8,
		.exclude_guest = 1);
	assert_name("raw 0x63", .type = PERF_TYPE_HARDWARE, .config = 99,
		.exclude_guest = 1);
}

static void attr_print_names_the_fields_and_bits_of_an_attribute(
	void **state _unused_)
{
	struct perf_event_attr attr = { CLOCK, .size = 112,
		.sample_period = 250000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_IDENTIFIER |
			UINT64_C(1) << 40,
		.read_format = PERF_FORMAT_ID, .inherit = 1, .precise_ip = 2,
		.sample_id_all = 1 };
	_cleanup_strbuf_ struct strbuf out = { 0 };

	attr_print(&attr, &out);
	assert_text(&out,
		"type: 1, size: 112, { sample_period, sample_freq }: 250000, "
		"sample_type: IP|IDENTIFIER|bit40, read_format: ID, "
		"inherit: 1, precise_ip: 2, sample_id_all: 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_of_each_published_size_are_read),
		cmocka_unit_test(attr_read_does_not_read_behind_the_attribute),
		cmocka_unit_test(attributes_of_an_invalid_size_are_refused),
		cmocka_unit_test(truncated_attributes_are_refused),
		cmocka_unit_test(big_endian_attributes_are_read),
		cmocka_unit_test(
			precise_ip_of_a_big_endian_attribute_keeps_its_value),
		cmocka_unit_test(
			an_attribute_is_stored_in_the_smallest_size_that_suffices),
		cmocka_unit_test(a_written_attribute_is_read_back),
		cmocka_unit_test(known_events_have_the_names_of_perf),
		cmocka_unit_test(
			event_names_have_modifiers_of_the_privilege_levels),
		cmocka_unit_test(event_names_have_modifiers_of_the_precision),
		cmocka_unit_test(
			event_names_have_guest_modifiers_unless_default),
		cmocka_unit_test(unknown_events_are_named_by_type_and_number),
		cmocka_unit_test(
			attr_print_names_the_fields_and_bits_of_an_attribute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
