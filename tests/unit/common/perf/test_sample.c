/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/frame_origin.h"
#include "common/perf/sample.h"

#include "tests/unit/testing.h"

#define ALL_READ                                                           \
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | \
		PERF_FORMAT_ID | ABI_FORMAT_LOST)
#define N_REGS_USER 3u
#define N_REGS_INTR 2u

/* All bits but WEIGHT_STRUCT, which excludes WEIGHT. */
static const uint64_t every_bit =
	((UINT64_C(1) << 25) - 1) & ~(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT;

static struct perf_event_attr attr_of(uint64_t type, uint64_t read_format)
{
	return (struct perf_event_attr){
		.sample_type = type,
		.read_format = read_format,
		.sample_period = 555,
		.sample_regs_user = 0x8003,
		.sample_regs_intr = 0x5,
		.branch_sample_type = ABI_BRANCH_HW_INDEX | ABI_BRANCH_COUNTERS,
		.sample_id_all = 1,
	};
}

static void put_words(struct strbuf *out, const uint64_t *words, size_t n)
{
	strbuf_put(out, words, 8 * n);
}

/* Counter I has the value 30 + I, the ID 40 + I, and 50 + I lost samples. */
static void put_read(struct strbuf *out, uint64_t format)
{
	uint64_t n = format & PERF_FORMAT_GROUP ? 2 : 1, i;

	strbuf_put_u64(out, format & PERF_FORMAT_GROUP ? n : 30);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		strbuf_put_u64(out, 28);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		strbuf_put_u64(out, 29);
	for (i = 0; i < n; i++) {
		if (format & PERF_FORMAT_GROUP)
			strbuf_put_u64(out, 30 + i);
		if (format & PERF_FORMAT_ID)
			strbuf_put_u64(out, 40 + i);
		if (format & ABI_FORMAT_LOST)
			strbuf_put_u64(out, 50 + i);
	}
}

static void assert_counts(uint64_t format, const struct sample_counts *counts)
{
	uint64_t i;

	assert_int_equal(counts->n, format & PERF_FORMAT_GROUP ? 2 : 1);
	assert_int_equal(counts->enabled,
		format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 28 : 0);
	assert_int_equal(counts->running,
		format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 29 : 0);
	for (i = 0; i < counts->n; i++) {
		struct sample_count count = sample_count_at(counts, i);

		assert_int_equal(count.value, 30 + i);
		assert_int_equal(
			count.id, format & PERF_FORMAT_ID ? 40 + i : 0);
		assert_int_equal(
			count.lost, format & ABI_FORMAT_LOST ? 50 + i : 0);
	}
}

/* Writes a sample as the kernel does, in ABI order. */
static void put_sample(const struct perf_event_attr *attr, struct strbuf *out)
{
	static const uint64_t branches[] = { 2, 0x1d, 0xf1, 0x71, 1, 0xf2, 0x72,
		2, 0xc1, 0xc2 };
	static const uint64_t chain[] = { 3, PERF_CONTEXT_USER, 0x401000,
		0x402000 };
	static const uint64_t regs_user[] = { 2, 0xa1, 0xa2, 0xa3 };
	static const uint64_t regs_intr[] = { 1, 0xb1, 0xb2 };
	_cleanup_strbuf_ struct strbuf at = { 0 };
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		strbuf_put_u64(&at, 7);
	if (type & PERF_SAMPLE_IP)
		strbuf_put_u64(&at, 0x401234);
	if (type & PERF_SAMPLE_TID) {
		strbuf_put_u32(&at, 100);
		strbuf_put_u32(&at, 101);
	}
	if (type & PERF_SAMPLE_TIME)
		strbuf_put_u64(&at, 123456789);
	if (type & PERF_SAMPLE_ADDR)
		strbuf_put_u64(&at, 0xadd2);
	if (type & PERF_SAMPLE_ID)
		strbuf_put_u64(&at, 7);
	if (type & PERF_SAMPLE_STREAM_ID)
		strbuf_put_u64(&at, 8);
	if (type & PERF_SAMPLE_CPU) {
		strbuf_put_u32(&at, 3);
		strbuf_put_u32(&at, 0xbad);
	}
	if (type & PERF_SAMPLE_PERIOD)
		strbuf_put_u64(&at, 999);
	if (type & PERF_SAMPLE_READ)
		put_read(&at, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		put_words(&at, chain, 4);
	if (type & PERF_SAMPLE_RAW) {
		strbuf_put_u32(&at, 12);
		strbuf_put(&at, "raw bytes..", 12);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_words(&at, branches, 10);
	if (type & PERF_SAMPLE_REGS_USER)
		put_words(&at, regs_user, 4);
	if (type & PERF_SAMPLE_STACK_USER) {
		strbuf_put_u64(&at, 16);
		strbuf_put(&at, "stack bytes.....", 16);
		strbuf_put_u64(&at, 9);
	}
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		strbuf_put_u64(&at, 0x3000200000001);
	if (type & PERF_SAMPLE_DATA_SRC)
		strbuf_put_u64(&at, 21);
	if (type & PERF_SAMPLE_TRANSACTION)
		strbuf_put_u64(&at, 22);
	if (type & PERF_SAMPLE_REGS_INTR)
		put_words(&at, regs_intr, 3);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		strbuf_put_u64(&at, 23);
	if (type & PERF_SAMPLE_CGROUP)
		strbuf_put_u64(&at, 24);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		strbuf_put_u64(&at, 25);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		strbuf_put_u64(&at, 26);
	if (type & PERF_SAMPLE_AUX) {
		strbuf_put_u64(&at, 8);
		strbuf_put(&at, "aux data", 8);
	}
	record_write(out, RECORD_SAMPLE, MISC_KERNEL, at.at, at.n);
}

static struct record record_of(const struct strbuf *out)
{
	struct record record;

	assert_true(
		record_at((const uint8_t *)out->at, out->n, false, &record));
	return record;
}

#define FIELD(bit, value) (type & (bit) ? (value) : 0)

/* Checks that S has the fields that put_sample() wrote, and no others. */
static void assert_sample(uint64_t type, const struct sample *s)
{
	assert_int_equal(s->cpumode, MISC_KERNEL);
	assert_int_equal(s->ip, FIELD(PERF_SAMPLE_IP, 0x401234));
	assert_int_equal(s->pid, FIELD(PERF_SAMPLE_TID, 100));
	assert_int_equal(s->tid, FIELD(PERF_SAMPLE_TID, 101));
	assert_int_equal(s->time, FIELD(PERF_SAMPLE_TIME, 123456789));
	assert_int_equal(s->addr, FIELD(PERF_SAMPLE_ADDR, 0xadd2));
	assert_int_equal(
		s->id, FIELD(PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, 7));
	assert_int_equal(s->stream_id, FIELD(PERF_SAMPLE_STREAM_ID, 8));
	assert_int_equal(s->cpu, type & PERF_SAMPLE_CPU ? 3 : UINT32_MAX);
	assert_int_equal(s->period, type & PERF_SAMPLE_PERIOD ? 999 : 555);
	assert_int_equal(s->n_chain, FIELD(PERF_SAMPLE_CALLCHAIN, 3));
	if (s->chain)
		assert_int_equal(sample_chain_entry(s, 2), 0x402000);
	assert_int_equal(s->raw_size, FIELD(PERF_SAMPLE_RAW, 12));
	if (s->raw)
		assert_string_equal((const char *)s->raw, "raw bytes..");
	assert_int_equal(s->n_branches, FIELD(PERF_SAMPLE_BRANCH_STACK, 2));
	assert_int_equal(
		s->branch_index, FIELD(PERF_SAMPLE_BRANCH_STACK, 0x1d));
	if (s->branches) {
		assert_int_equal(s->branches[24], 0xf2);
		assert_int_equal(s->branch_counters[8], 0xc2);
	}
	assert_int_equal(s->regs_user_abi, FIELD(PERF_SAMPLE_REGS_USER, 2));
	if (s->regs_user)
		assert_int_equal(s->regs_user[16], 0xa3);
	assert_int_equal(s->regs_intr_abi, FIELD(PERF_SAMPLE_REGS_INTR, 1));
	if (s->regs_intr)
		assert_int_equal(s->regs_intr[8], 0xb2);
	assert_int_equal(s->stack_size, FIELD(PERF_SAMPLE_STACK_USER, 9));
	if (s->stack)
		assert_memory_equal(s->stack, "stack byt", 9);
	assert_int_equal(s->weight,
		FIELD(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT,
			0x3000200000001));
	assert_int_equal(s->data_src, FIELD(PERF_SAMPLE_DATA_SRC, 21));
	assert_int_equal(s->transaction, FIELD(PERF_SAMPLE_TRANSACTION, 22));
	assert_int_equal(s->phys_addr, FIELD(PERF_SAMPLE_PHYS_ADDR, 23));
	assert_int_equal(s->cgroup, FIELD(PERF_SAMPLE_CGROUP, 24));
	assert_int_equal(
		s->data_page_size, FIELD(PERF_SAMPLE_DATA_PAGE_SIZE, 25));
	assert_int_equal(
		s->code_page_size, FIELD(PERF_SAMPLE_CODE_PAGE_SIZE, 26));
	assert_int_equal(s->aux_size, FIELD(PERF_SAMPLE_AUX, 8));
	if (s->aux)
		assert_memory_equal(s->aux, "aux data", 8);
}

static void check_type(uint64_t type, uint64_t read_format)
{
	struct perf_event_attr attr = attr_of(type, read_format);
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct sample_layout layout;
	struct record record;
	struct sample sample;

	GARBAGE(layout);
	GARBAGE(sample);
	sample_layout_init(&layout, &attr);
	put_sample(&attr, &out);
	record = record_of(&out);
	assert_true(sample_read(&layout, &record, &sample));
	assert_sample(type, &sample);
	if (type & PERF_SAMPLE_READ)
		assert_counts(read_format, &sample.counts);
	else
		assert_int_equal(sample.counts.n, 0);
}

static void a_sample_with_all_fields_is_read(void **state _unused_)
{
	check_type(every_bit, ALL_READ);
	check_type((every_bit & ~(uint64_t)PERF_SAMPLE_WEIGHT) |
			PERF_SAMPLE_WEIGHT_STRUCT,
		ALL_READ);
}

static void a_sample_with_any_single_field_is_read(void **state _unused_)
{
	unsigned bit;

	check_type(0, 0);
	for (bit = 0; bit < 25; bit++)
		check_type(UINT64_C(1) << bit, 0);
}

static void a_sample_with_all_fields_but_one_is_read(void **state _unused_)
{
	unsigned bit;

	for (bit = 0; bit < 24; bit++)
		check_type(every_bit & ~(UINT64_C(1) << bit), ALL_READ);
}

static void counters_in_every_read_format_are_read(void **state _unused_)
{
	uint64_t format;

	for (format = 0; format < 32; format++)
		check_type(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN, format);
}

static void branch_stacks_have_an_optional_index_and_counters(
	void **state _unused_)
{
	static const uint64_t extras[] = { 0, ABI_BRANCH_HW_INDEX,
		ABI_BRANCH_COUNTERS,
		ABI_BRANCH_HW_INDEX | ABI_BRANCH_COUNTERS };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(extras); i++) {
		struct perf_event_attr attr = {
			.sample_type =
				PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT,
			.branch_sample_type = extras[i]
		};
		static const uint64_t branch[] = { 0xf1, 0x71, 1 };
		_cleanup_strbuf_ struct strbuf at = { 0 }, out = { 0 };
		struct sample_layout layout;
		struct record record;
		struct sample sample;

		strbuf_put_u64(&at, 1);
		if (extras[i] & ABI_BRANCH_HW_INDEX)
			strbuf_put_u64(&at, 0xbad);
		put_words(&at, branch, 3);
		if (extras[i] & ABI_BRANCH_COUNTERS)
			strbuf_put_u64(&at, 0xbad);
		strbuf_put_u64(&at, 42);
		record_write(&out, RECORD_SAMPLE, 0, at.at, at.n);
		sample_layout_init(&layout, &attr);
		record = record_of(&out);
		assert_true(sample_read(&layout, &record, &sample));
		assert_int_equal(sample.n_branches, 1);
		assert_memory_equal(sample.branches, branch, 24);
		assert_int_equal(sample.weight, 42);
	}
}

static void registers_without_an_abi_have_no_values(void **state _unused_)
{
	struct perf_event_attr attr =
		attr_of(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_WEIGHT |
				PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR,
			0);
	static const uint64_t words[] = { 0, 42, 0, 43 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct sample_layout layout;
	struct record record;
	struct sample sample;

	record_write(&out, RECORD_SAMPLE, 0, words, sizeof(words));
	sample_layout_init(&layout, &attr);
	record = record_of(&out);
	GARBAGE(sample);
	assert_true(sample_read(&layout, &record, &sample));
	assert_null(sample.regs_user);
	assert_int_equal(sample.weight, 42);
	assert_int_equal(sample.phys_addr, 43);
}

static void an_empty_stack_copy_has_no_second_size_field(void **state _unused_)
{
	struct perf_event_attr attr =
		attr_of(PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT, 0);
	static const uint64_t words[] = { 0, 42 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct sample_layout layout;
	struct record record;
	struct sample sample;

	record_write(&out, RECORD_SAMPLE, 0, words, sizeof(words));
	sample_layout_init(&layout, &attr);
	record = record_of(&out);
	GARBAGE(sample);
	assert_true(sample_read(&layout, &record, &sample));
	assert_null(sample.stack);
	assert_int_equal(sample.stack_size, 0);
	assert_int_equal(sample.weight, 42);
}

static void the_used_stack_size_is_limited_to_the_stack_copy(
	void **state _unused_)
{
	struct perf_event_attr attr = attr_of(PERF_SAMPLE_STACK_USER, 0);
	static const uint64_t words[] = { 8, 0, UINT64_MAX };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct sample_layout layout;
	struct record record;
	struct sample sample;

	record_write(&out, RECORD_SAMPLE, 0, words, sizeof(words));
	sample_layout_init(&layout, &attr);
	record = record_of(&out);
	assert_true(sample_read(&layout, &record, &sample));
	assert_int_equal(sample.stack_size, 8);
}

static void a_sample_without_a_period_has_that_of_its_attribute(
	void **state _unused_)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP, .sample_freq = 4000, .freq = 1
	};
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct sample_layout layout;
	struct record record;
	struct sample sample;

	put_sample(&attr, &out);
	sample_layout_init(&layout, &attr);
	record = record_of(&out);
	assert_true(sample_read(&layout, &record, &sample));
	assert_int_equal(sample.period, 4000);
}

static void bytes_behind_the_last_field_of_a_sample_are_ignored(
	void **state _unused_)
{
	struct perf_event_attr attr = attr_of(PERF_SAMPLE_IP, 0);
	static const uint64_t words[] = { 0x401234, 1, 2, 3 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct sample_layout layout;
	struct record record;
	struct sample sample;

	record_write(&out, RECORD_SAMPLE, 0, words, sizeof(words));
	sample_layout_init(&layout, &attr);
	record = record_of(&out);
	assert_true(sample_read(&layout, &record, &sample));
	assert_int_equal(sample.ip, 0x401234);
}

static void a_sample_layout_has_the_offset_of_each_field(void **state _unused_)
{
	struct perf_event_attr attr = attr_of(every_bit, ALL_READ);
	struct sample_layout layout;

	GARBAGE(layout);
	sample_layout_init(&layout, &attr);
	assert_int_equal(layout.id, 8);
	assert_int_equal(layout.ip, 16);
	assert_int_equal(layout.tid, 24);
	assert_int_equal(layout.time, 32);
	assert_int_equal(layout.cpu, 64);
	assert_int_equal(layout.period_at, 72);
	assert_int_equal(layout.callchain, 0); /* READ is before it */
	attr = attr_of(
		PERF_SAMPLE_IP | PERF_SAMPLE_ID | PERF_SAMPLE_CALLCHAIN, 0);
	sample_layout_init(&layout, &attr);
	assert_int_equal(layout.ip, 8);
	assert_int_equal(layout.id, 16);
	assert_int_equal(layout.callchain, 24);
	assert_int_equal(layout.time, 0);
}

/*
 * All fields, truncated after each byte. The copy has no more bytes, so that a
 * sanitizer detects reads behind the end.
 */
static void a_truncated_sample_is_refused(void **state _unused_)
{
	static const uint64_t formats[] = { ALL_READ,
		ALL_READ | PERF_FORMAT_GROUP };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		struct perf_event_attr attr = attr_of(every_bit, formats[i]);
		_cleanup_strbuf_ struct strbuf out = { 0 };
		struct sample_layout layout;
		uint16_t size;

		put_sample(&attr, &out);
		sample_layout_init(&layout, &attr);
		for (size = RECORD_HEADER_SIZE; size <= out.n; size++) {
			uint8_t *copy = exact_copy(out.at, size);
			struct record record;
			struct sample sample;

			memcpy(copy + 6, &size, sizeof(size));
			assert_true(record_at(copy, size, false, &record));
			assert_int_equal(sample_read(&layout, &record, &sample),
				size == out.n);
			free(copy);
		}
	}
}

/* Counts in samples whose product with the element size overflows. */
static void samples_with_huge_element_counts_are_refused(void **state _unused_)
{
	static const uint64_t counts[] = { UINT64_MAX, UINT64_MAX / 8 + 1,
		UINT64_MAX / 24 + 1, UINT64_C(1) << 61, 5 };
	static const uint64_t types[] = { PERF_SAMPLE_CALLCHAIN,
		PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_STACK_USER,
		PERF_SAMPLE_RAW, PERF_SAMPLE_READ };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		for (j = 0; j < ARRAY_SIZE(types); j++) {
			struct perf_event_attr attr =
				attr_of(types[j], PERF_FORMAT_GROUP);
			uint64_t words[] = { counts[i] | 1, 0, 0 };
			_cleanup_strbuf_ struct strbuf out = { 0 };
			struct sample_layout layout;
			struct record record;
			struct sample sample;

			if (types[j] &
				(PERF_SAMPLE_STACK_USER | PERF_SAMPLE_RAW))
				words[0] |= 4096;
			record_write(
				&out, RECORD_SAMPLE, 0, words, sizeof(words));
			sample_layout_init(&layout, &attr);
			record = record_of(&out);
			assert_false(sample_read(&layout, &record, &sample));
		}
	}
}

static void big_endian_samples_are_read(void **state _unused_)
{
	struct perf_event_attr attr =
		attr_of(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CPU, 0);
	static const uint8_t bytes[32] = { 0, 0, 0, 9, 0, 2, 0, 32, 0, 0, 0, 0,
		0, 0x40, 0x12, 0x34, 0, 0, 0, 100, 0, 0, 0, 101, 0, 0, 0, 3 };
	struct sample_layout layout;
	struct record record;
	struct sample sample;

	sample_layout_init(&layout, &attr);
	assert_true(record_at(bytes, sizeof(bytes), true, &record));
	assert_true(sample_read(&layout, &record, &sample));
	assert_int_equal(sample.ip, 0x401234);
	assert_int_equal(sample.pid, 100);
	assert_int_equal(sample.tid, 101);
	assert_int_equal(sample.cpu, 3);
	assert_int_equal(sample.cpumode, MISC_USER);
}

/* --- trailers ------------------------------------------------------------- */

static const struct sample_id full_id = {
	.pid = 1, .tid = 2, .cpu = 3, .time = 4, .id = 5, .stream_id = 6
};

/* Appends a LOST_SAMPLES record with the trailer of LAYOUT. */
static void put_trailed(const struct sample_layout *layout, struct strbuf *out)
{
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];

	sample_id_write(layout, &full_id, trailer);
	record_write_lost_samples(out, 9, trailer, layout->trailer_size);
}

static void sample_id_trailers_are_read_as_they_were_written(
	void **state _unused_)
{
	uint64_t type;

	/* All combinations of TID, TIME, ID, CPU, STREAM_ID, IDENTIFIER. */
	for (type = 0; type < UINT64_C(1) << 17; type++) {
		struct perf_event_attr attr = attr_of(type, 0);
		_cleanup_strbuf_ struct strbuf out = { 0 };
		struct sample_layout layout;
		struct sample_id id;
		struct record record;

		if (type & ~(uint64_t)0x102c6)
			continue;
		GARBAGE(layout);
		sample_layout_init(&layout, &attr);
		assert_int_equal(
			layout.trailer_size, 8 * __builtin_popcountll(type));
		put_trailed(&layout, &out);
		record = record_of(&out);
		GARBAGE(id);
		assert_true(sample_id_read(&layout, &record, &id));
		assert_int_equal(id.pid, FIELD(PERF_SAMPLE_TID, 1));
		assert_int_equal(id.tid, FIELD(PERF_SAMPLE_TID, 2));
		assert_int_equal(
			id.cpu, type & PERF_SAMPLE_CPU ? 3 : UINT32_MAX);
		assert_int_equal(id.time, FIELD(PERF_SAMPLE_TIME, 4));
		assert_int_equal(id.id,
			FIELD(PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, 5));
		assert_int_equal(id.stream_id, FIELD(PERF_SAMPLE_STREAM_ID, 6));
	}
}

static void fields_of_a_sample_id_trailer_are_in_the_order_of_the_abi(
	void **state _unused_)
{
	struct perf_event_attr attr = attr_of(every_bit, 0);
	static const uint32_t wanted[12] = { 1, 2, 4, 0, 5, 0, 6, 0, 3, 0, 5,
		0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	struct sample_layout layout;

	GARBAGE(trailer);
	sample_layout_init(&layout, &attr);
	assert_int_equal(layout.trailer_size, 48);
	assert_int_equal(layout.trailer_id, 8);
	assert_int_equal(layout.trailer_time, 40);
	sample_id_write(&layout, &full_id, trailer);
	assert_memory_equal(trailer, wanted, sizeof(wanted));
}

static void records_without_sample_id_all_have_no_trailer(void **state _unused_)
{
	struct perf_event_attr attr = attr_of(every_bit, 0);
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct sample_layout layout;
	struct sample_id id;
	struct record record;

	attr.sample_id_all = 0;
	sample_layout_init(&layout, &attr);
	assert_int_equal(layout.trailer_size, 0);
	put_trailed(&layout, &out);
	assert_int_equal(out.n, 16);
	record = record_of(&out);
	GARBAGE(id);
	assert_true(sample_id_read(&layout, &record, &id));
	assert_int_equal(id.time, 0);
	assert_int_equal(id.pid, 0);
}

static void a_record_too_short_for_its_trailer_is_refused(void **state _unused_)
{
	struct perf_event_attr attr = attr_of(every_bit, 0);
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct sample_layout layout;
	uint16_t size;

	sample_layout_init(&layout, &attr);
	put_trailed(&layout, &out);
	for (size = RECORD_HEADER_SIZE; size <= out.n; size++) {
		uint8_t *copy = exact_copy(out.at, size);
		struct sample_id id;
		struct record record;

		memcpy(copy + 6, &size, sizeof(size));
		assert_true(record_at(copy, size, false, &record));
		assert_int_equal(sample_id_read(&layout, &record, &id),
			size >= RECORD_HEADER_SIZE + layout.trailer_size);
		free(copy);
	}
}

/* --- event IDs ------------------------------------------------------------ */

static void event_ids_are_found_in_samples_and_in_trailers(
	void **state _unused_)
{
	static const uint64_t types[] = { PERF_SAMPLE_IDENTIFIER,
		PERF_SAMPLE_ID, PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER,
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |
			PERF_SAMPLE_STREAM_ID,
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct perf_event_attr attr = attr_of(types[i], 0);
		_cleanup_strbuf_ struct strbuf sample = { 0 }, other = { 0 };
		struct sample_layout layout;
		struct record record;
		uint64_t id = 0xbad;

		sample_layout_init(&layout, &attr);
		put_sample(&attr, &sample);
		record = record_of(&sample);
		assert_true(sample_peek_id(&layout, &record, &id));
		assert_int_equal(id, 7);
		put_trailed(&layout, &other);
		record = record_of(&other);
		assert_true(sample_peek_id(&layout, &record, &id));
		assert_int_equal(id, 5);
	}
}

static void records_whose_sample_type_lacks_ids_have_no_event_id(
	void **state _unused_)
{
	struct perf_event_attr attr =
		attr_of(PERF_SAMPLE_IP | PERF_SAMPLE_TIME, 0);
	_cleanup_strbuf_ struct strbuf sample = { 0 }, other = { 0 };
	struct sample_layout layout;
	struct record record;
	uint64_t id;

	sample_layout_init(&layout, &attr);
	put_sample(&attr, &sample);
	record = record_of(&sample);
	assert_false(sample_peek_id(&layout, &record, &id));
	put_trailed(&layout, &other);
	record = record_of(&other);
	assert_false(sample_peek_id(&layout, &record, &id));
}

static void records_too_short_for_an_event_id_have_none(void **state _unused_)
{
	struct perf_event_attr attr = attr_of(every_bit, 0);
	struct sample_layout layout;
	uint16_t size;

	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_IDENTIFIER;
	sample_layout_init(&layout, &attr);
	for (size = RECORD_HEADER_SIZE; size < 60; size++) {
		uint8_t bytes[64] = { RECORD_SAMPLE };
		uint8_t *copy;
		struct record record;
		uint64_t id;

		memcpy(bytes + 6, &size, sizeof(size));
		copy = exact_copy(bytes, size);
		assert_true(record_at(copy, size, false, &record));
		/* IP, TID, TIME and ADDR are before the ID. */
		assert_int_equal(
			sample_peek_id(&layout, &record, &id), size >= 48);
		copy[0] = RECORD_MMAP;
		assert_true(record_at(copy, size, false, &record));
		/* STREAM_ID and CPU are behind the ID. */
		assert_int_equal(
			sample_peek_id(&layout, &record, &id), size >= 32);
		free(copy);
	}
}

#define USER ((uint64_t)PERF_CONTEXT_USER)

static enum frame_origin origin_of(const uint64_t *entries, size_t n)
{
	return frame_origin_find((const uint8_t *)entries, n).origin;
}

static void the_origin_mark_put_into_a_call_chain_is_found_again(void **state)
{
	enum frame_origin origin;
	size_t own, i, n;

	(void)state;
	for (origin = FRAME_ORIGIN_COPY; origin <= FRAME_ORIGIN_FRAMES;
		origin++)
		for (own = 0; own <= 3; own++) {
			uint64_t entries[5 + FRAME_ORIGIN_MARK_MAX] = {
				(uint64_t)PERF_CONTEXT_KERNEL, USER, 1, 2, 3
			};
			struct frame_origin_mark mark;

			n = 2 + frame_origin_put(origin, entries + 2, 3, own);
			mark = frame_origin_find((const uint8_t *)entries, n);
			assert_int_equal(mark.origin,
				own < 3 ? origin : FRAME_ORIGIN_COPY);
			assert_int_equal(mark.n, n - 5);
			if (mark.n)
				assert_int_equal(mark.at, 2 + own);
			for (i = own; i < 3; i++)
				assert_int_equal(
					entries[2 + i + mark.n], i + 1);
		}
}

static void the_origin_of_chains_with_unusual_context_marks_is_found(
	void **state)
{
	const uint64_t none[] = { (uint64_t)PERF_CONTEXT_KERNEL, 1, 2 };
	const uint64_t ends[] = { USER, 1, USER, USER };
	const uint64_t many[] = { USER, USER, USER, USER, USER, USER, 1 };
	const uint64_t twice[] = { USER, 1, (uint64_t)PERF_CONTEXT_KERNEL, 2,
		USER, 3 };

	(void)state;
	assert_int_equal(origin_of(NULL, 0), FRAME_ORIGIN_NONE);
	assert_int_equal(origin_of(none, ARRAY_SIZE(none)), FRAME_ORIGIN_NONE);
	assert_int_equal(origin_of(ends, 4), FRAME_ORIGIN_SAMPLES);
	assert_int_equal(origin_of(ends, 3), FRAME_ORIGIN_PROCESS);
	assert_int_equal(origin_of(ends, 1), FRAME_ORIGIN_COPY);
	assert_int_equal(
		origin_of(many, ARRAY_SIZE(many)), FRAME_ORIGIN_FRAMES);
	assert_int_equal(
		origin_of(twice, ARRAY_SIZE(twice)), FRAME_ORIGIN_COPY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_origin_mark_put_into_a_call_chain_is_found_again),
		cmocka_unit_test(
			the_origin_of_chains_with_unusual_context_marks_is_found),
		cmocka_unit_test(a_sample_with_all_fields_is_read),
		cmocka_unit_test(a_sample_with_any_single_field_is_read),
		cmocka_unit_test(a_sample_with_all_fields_but_one_is_read),
		cmocka_unit_test(counters_in_every_read_format_are_read),
		cmocka_unit_test(
			branch_stacks_have_an_optional_index_and_counters),
		cmocka_unit_test(registers_without_an_abi_have_no_values),
		cmocka_unit_test(an_empty_stack_copy_has_no_second_size_field),
		cmocka_unit_test(
			the_used_stack_size_is_limited_to_the_stack_copy),
		cmocka_unit_test(
			a_sample_without_a_period_has_that_of_its_attribute),
		cmocka_unit_test(
			bytes_behind_the_last_field_of_a_sample_are_ignored),
		cmocka_unit_test(a_sample_layout_has_the_offset_of_each_field),
		cmocka_unit_test(a_truncated_sample_is_refused),
		cmocka_unit_test(samples_with_huge_element_counts_are_refused),
		cmocka_unit_test(big_endian_samples_are_read),
		cmocka_unit_test(
			sample_id_trailers_are_read_as_they_were_written),
		cmocka_unit_test(
			fields_of_a_sample_id_trailer_are_in_the_order_of_the_abi),
		cmocka_unit_test(records_without_sample_id_all_have_no_trailer),
		cmocka_unit_test(a_record_too_short_for_its_trailer_is_refused),
		cmocka_unit_test(
			event_ids_are_found_in_samples_and_in_trailers),
		cmocka_unit_test(
			records_whose_sample_type_lacks_ids_have_no_event_id),
		cmocka_unit_test(records_too_short_for_an_event_id_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
