/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/record.h"

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

static const uint64_t trailer[3] = { 11, 22, 33 };

static struct record record_of(const struct strbuf *out)
{
	struct record record;

	GARBAGE(record);
	assert_int_equal(out->n % 8, 0);
	assert_true(
		record_at((const uint8_t *)out->at, out->n, false, &record));
	assert_int_equal(record.size, out->n);
	return record;
}

static void assert_trailer(const struct record *record)
{
	assert_memory_equal(record->data + record->size - sizeof(trailer),
		trailer, sizeof(trailer));
}

static const struct record_mmap full_mmap = {
	.pid = 1,
	.tid = 2,
	.start = UINT64_C(0x7f0000000000),
	.size = 0x3000,
	.offset = 0x1000,
	.major = 8,
	.minor = 3,
	.inode = 1234567,
	.generation = 89,
	.prot = 5,
	.flags = 2,
	.path = "/usr/lib/libc.so.6",
};

static void an_mmap2_record_is_read_as_it_was_written(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct record_mmap map;
	struct record record;

	record_write_mmap2(
		&out, MISC_USER, &full_mmap, trailer, sizeof(trailer));
	record = record_of(&out);
	assert_int_equal(record.type, RECORD_MMAP2);
	assert_int_equal(record.misc, MISC_USER);
	assert_trailer(&record);
	GARBAGE(map);
	assert_true(record_read_mmap(&record, &map));
	assert_int_equal(map.pid, 1);
	assert_int_equal(map.tid, 2);
	assert_int_equal(map.start, 0x7f0000000000);
	assert_int_equal(map.size, 0x3000);
	assert_int_equal(map.offset, 0x1000);
	assert_int_equal(map.major, 8);
	assert_int_equal(map.minor, 3);
	assert_int_equal(map.inode, 1234567);
	assert_int_equal(map.generation, 89);
	assert_int_equal(map.prot, 5);
	assert_int_equal(map.flags, 2);
	assert_int_equal(map.build_id.size, 0);
	assert_string_equal(map.path, "/usr/lib/libc.so.6");
}

static void an_mmap2_record_can_have_a_build_id_in_place_of_the_inode(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct record_mmap map = full_mmap;
	char text[BUILD_ID_TEXT];
	struct record record;

	map.build_id = (struct build_id){ 4, { 0xde, 0xad, 0xbe, 0xef } };
	record_write_mmap2(&out, MISC_USER, &map, trailer, sizeof(trailer));
	record = record_of(&out);
	assert_int_equal(record.misc, MISC_USER | MISC_MMAP_BUILD_ID);
	GARBAGE(map);
	assert_true(record_read_mmap(&record, &map));
	assert_string_equal(build_id_text(&map.build_id, text), "deadbeef");
	assert_int_equal(map.inode, 0);
	assert_int_equal(map.major, 0);
	assert_int_equal(map.prot, 5);
	assert_string_equal(map.path, "/usr/lib/libc.so.6");
}

/* The size of a build ID is at 40, the build ID at 44. */
static void a_build_id_in_mmap2_needs_a_valid_size_and_zero_padding(
	void **state _unused_)
{
	static const struct {
		size_t at;
		char byte;
	} changes[] = { { 40, 0 }, { 40, 21 }, { 40, (char)255 }, { 40, 3 },
		{ 41, 1 }, { 43, 1 }, { 48, 1 }, { 63, 1 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		_cleanup_strbuf_ struct strbuf out = { 0 };
		struct record_mmap map = full_mmap;
		struct record record;

		map.build_id =
			(struct build_id){ 4, { 0xde, 0xad, 0xbe, 0xef } };
		record_write_mmap2(
			&out, MISC_USER, &map, trailer, sizeof(trailer));
		out.at[changes[i].at] = changes[i].byte;
		record = record_of(&out);
		assert_true(record_read_mmap(&record, &map));
		assert_int_equal(map.build_id.size, 0);
	}
}

static void an_mmap2_record_with_a_wrong_build_id_flag_has_its_inode(
	void **state _unused_)
{
	/* Major numbers at the offset of the build ID's size. */
	static const uint32_t majors[] = { 0, 8, 254, 259 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(majors); i++) {
		_cleanup_strbuf_ struct strbuf out = { 0 };
		struct record_mmap map = full_mmap;
		struct record record;

		map.major = majors[i];
		record_write_mmap2(&out, MISC_USER | MISC_MMAP_BUILD_ID, &map,
			trailer, sizeof(trailer));
		record = record_of(&out);
		assert_int_equal(record.misc, MISC_USER | MISC_MMAP_BUILD_ID);
		GARBAGE(map);
		assert_true(record_read_mmap(&record, &map));
		assert_int_equal(map.build_id.size, 0);
		assert_int_equal(map.major, majors[i]);
		assert_int_equal(map.inode, 1234567);
		assert_int_equal(map.generation, 89);
	}
}

static void an_mmap_record_has_no_inode_and_no_protection(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct record_mmap map;
	struct record record;

	strbuf_put_u32(&payload, 1);
	strbuf_put_u32(&payload, 2);
	strbuf_put_u64(&payload, 0x1000);
	strbuf_put_u64(&payload, 0x2000);
	strbuf_put_u64(&payload, 0x3000);
	strbuf_put(&payload, "[vdso]\0", 8);
	record_write(&out, RECORD_MMAP, MISC_USER, payload.at, payload.n);
	record = record_of(&out);
	GARBAGE(map);
	assert_true(record_read_mmap(&record, &map));
	assert_int_equal(map.pid, 1);
	assert_int_equal(map.tid, 2);
	assert_int_equal(map.start, 0x1000);
	assert_int_equal(map.size, 0x2000);
	assert_int_equal(map.offset, 0x3000);
	assert_int_equal(map.inode, 0);
	assert_int_equal(map.prot, 0);
	assert_string_equal(map.path, "[vdso]");
}

static void a_comm_record_is_read_as_it_was_written(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct record_comm comm = { 1, 2, true, "bash" };
	struct record record;

	record_write_comm(&out, &comm, trailer, sizeof(trailer));
	record = record_of(&out);
	assert_int_equal(record.type, RECORD_COMM);
	assert_int_equal(record.misc, MISC_COMM_EXEC);
	assert_trailer(&record);
	GARBAGE(comm);
	assert_true(record_read_comm(&record, &comm));
	assert_int_equal(comm.pid, 1);
	assert_int_equal(comm.tid, 2);
	assert_true(comm.is_exec);
	assert_string_equal(comm.comm, "bash");
}

static void a_comm_record_without_the_exec_flag_is_no_exec(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct record_comm comm = { 1, 2, false, "" };
	struct record record;

	record_write_comm(&out, &comm, NULL, 0);
	record = record_of(&out);
	GARBAGE(comm);
	assert_true(record_read_comm(&record, &comm));
	assert_false(comm.is_exec);
	assert_string_equal(comm.comm, "");
}

static void a_fork_record_is_read_as_it_was_written(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct record_task task = { 1, 2, 3, 4, 5 };
	struct record record;

	record_write_task(&out, RECORD_FORK, &task, trailer, sizeof(trailer));
	record = record_of(&out);
	assert_int_equal(record.type, RECORD_FORK);
	assert_trailer(&record);
	GARBAGE(task);
	assert_true(record_read_task(&record, &task));
	assert_int_equal(task.pid, 1);
	assert_int_equal(task.ppid, 2);
	assert_int_equal(task.tid, 3);
	assert_int_equal(task.ptid, 4);
	assert_int_equal(task.time, 5);
}

static void a_lost_samples_record_is_read_as_it_was_written(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct record_lost lost;
	struct record record;

	record_write_lost_samples(&out, 4711, trailer, sizeof(trailer));
	record = record_of(&out);
	assert_int_equal(record.type, RECORD_LOST_SAMPLES);
	assert_trailer(&record);
	GARBAGE(lost);
	assert_true(record_read_lost(&record, &lost));
	assert_int_equal(lost.id, 0);
	assert_int_equal(lost.lost, 4711);
}

static void a_lost_record_has_an_event_id(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	const uint64_t payload[2] = { 12, 34 };
	struct record_lost lost;
	struct record record;

	record_write(&out, RECORD_LOST, 0, payload, sizeof(payload));
	record = record_of(&out);
	GARBAGE(lost);
	assert_true(record_read_lost(&record, &lost));
	assert_int_equal(lost.id, 12);
	assert_int_equal(lost.lost, 34);
}

static void put_ksymbol(struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	strbuf_put_u64(&payload, UINT64_C(0xffffffffc0001000));
	strbuf_put_u32(&payload, 77);
	strbuf_put_u16(&payload, 1);
	strbuf_put_u16(&payload, 1);
	strbuf_put(&payload, "bpf_prog_1\0\0\0\0\0", 16);
	record_write(out, RECORD_KSYMBOL, 0, payload.at, payload.n);
}

static void a_ksymbol_record_is_read(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct record_ksymbol symbol;
	struct record record;

	put_ksymbol(&out);
	record = record_of(&out);
	GARBAGE(symbol);
	assert_true(record_read_ksymbol(&record, &symbol));
	assert_true(symbol.start == UINT64_C(0xffffffffc0001000));
	assert_int_equal(symbol.size, 77);
	assert_int_equal(symbol.type, 1);
	assert_int_equal(symbol.flags, 1);
	assert_string_equal(symbol.name, "bpf_prog_1");
}

/* --- short records -------------------------------------------------------- */

static bool reads_mmap(const struct record *record)
{
	struct record_mmap map;
	bool ok = record_read_mmap(record, &map);

	return ok && strlen(map.path) < 65536;
}

static bool reads_comm(const struct record *record)
{
	struct record_comm comm;
	bool ok = record_read_comm(record, &comm);

	return ok && strlen(comm.comm) < 65536;
}

static bool reads_task(const struct record *record)
{
	struct record_task task;

	return record_read_task(record, &task);
}

static bool reads_lost(const struct record *record)
{
	struct record_lost lost;

	return record_read_lost(record, &lost);
}

static bool reads_ksymbol(const struct record *record)
{
	struct record_ksymbol symbol;
	bool ok = record_read_ksymbol(record, &symbol);

	return ok && strlen(symbol.name) < 65536;
}

/* Tries all sizes of the record. Returns the smallest that READS accepts. */
static size_t least_size(
	const struct strbuf *out, bool (*reads)(const struct record *record))
{
	size_t least = 0;
	uint16_t size;

	for (size = RECORD_HEADER_SIZE; size <= out->n; size++) {
		uint8_t *copy = exact_copy(out->at, size);
		struct record record;

		memcpy(copy + 6, &size, sizeof(size));
		assert_true(record_at(copy, size, false, &record));
		if (reads(&record)) {
			if (!least)
				least = size;
		} else {
			/* All larger sizes are accepted, too. */
			assert_int_equal(least, 0);
		}
		free(copy);
	}
	return least;
}

static void records_shorter_than_their_fields_are_refused(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf mmap2 = { 0 }, comm = { 0 };
	_cleanup_strbuf_ struct strbuf task = { 0 }, lost = { 0 };
	_cleanup_strbuf_ struct strbuf symbol = { 0 };

	record_write_mmap2(&mmap2, 0, &full_mmap, NULL, 0);
	record_write_comm(
		&comm, &(struct record_comm){ 1, 1, false, "bash" }, NULL, 0);
	record_write_task(
		&task, RECORD_EXIT, &(struct record_task){ 1 }, NULL, 0);
	record_write_lost_samples(&lost, 1, NULL, 0);
	put_ksymbol(&symbol);
	/* The last byte needed is the text's NUL, or the last number's end. */
	assert_int_equal(least_size(&mmap2, reads_mmap),
		72 + sizeof("/usr/lib/libc.so.6"));
	assert_int_equal(least_size(&comm, reads_comm), 16 + sizeof("bash"));
	assert_int_equal(least_size(&task, reads_task), 32);
	assert_int_equal(least_size(&lost, reads_lost), 16);
	assert_int_equal(
		least_size(&symbol, reads_ksymbol), 24 + sizeof("bpf_prog_1"));
}

static void record_at_refuses_a_truncated_record(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct record record;
	size_t size;

	record_write_lost_samples(&out, 1, trailer, sizeof(trailer));
	for (size = 0; size < out.n; size++) {
		uint8_t *copy = exact_copy(out.at, size);

		assert_false(record_at(copy, size, false, &record));
		free(copy);
	}
	assert_true(record_at((uint8_t *)out.at, out.n + 8, false, &record));
}

static void a_record_smaller_than_its_header_is_refused(void **state _unused_)
{
	uint8_t bytes[16] = { RECORD_SAMPLE };
	struct record record;

	for (bytes[6] = 0; bytes[6] < 8; bytes[6]++)
		assert_false(record_at(bytes, sizeof(bytes), false, &record));
	assert_true(record_at(bytes, sizeof(bytes), false, &record));
	assert_int_equal(record.size, 8);
}

static void a_big_endian_record_header_is_read(void **state _unused_)
{
	const uint8_t bytes[16] = { 0, 0, 0, 13, 0x40, 1, 0, 16, 0, 0, 0, 0, 0,
		0, 1, 2 };
	struct record_lost lost;
	struct record record;

	GARBAGE(record);
	assert_true(record_at(bytes, sizeof(bytes), true, &record));
	assert_int_equal(record.type, RECORD_LOST_SAMPLES);
	assert_int_equal(record.misc, 0x4001);
	assert_int_equal(record.size, 16);
	assert_true(record_read_lost(&record, &lost));
	assert_int_equal(lost.lost, 0x102);
}

static void names_too_long_for_a_record_are_truncated(void **state _unused_)
{
	_cleanup_free_ char *name = xmalloc(70001);
	struct record_mmap map = full_mmap;
	struct record_comm comm = { 1, 2, false, name };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct record record;
	size_t length;

	/* From below the maximum length to far above it. */
	for (length = 65400; length < 65540; length++) {
		memset(name, 'x', length);
		name[length] = '\0';
		map.path = name;
		strbuf_clear(&out);
		record_write_mmap2(&out, 0, &map, trailer, sizeof(trailer));
		record = record_of(&out);
		assert_in_range(record.size, 65400, RECORD_SIZE_ALIGNED);
		assert_trailer(&record);
		assert_true(record_read_mmap(&record, &map));
		assert_int_equal(strlen(map.path), MIN(length, (size_t)65431));
		strbuf_clear(&out);
		record_write_comm(&out, &comm, trailer, sizeof(trailer));
		record = record_of(&out);
		assert_trailer(&record);
	}
}

static void only_tracing_data_and_auxtrace_records_have_extra_data(
	void **state _unused_)
{
	const uint32_t tracing[2] = { 13, 0 };
	const uint64_t auxtrace[5] = { UINT64_C(0x123456789a), 0, 0, 0, 0 };
	_cleanup_strbuf_ struct strbuf a = { 0 }, b = { 0 }, c = { 0 };
	struct record record;

	record_write(
		&a, RECORD_HEADER_TRACING_DATA, 0, tracing, sizeof(tracing));
	record = record_of(&a);
	assert_int_equal(record_extra_size(&record), 16);
	record_write(&b, RECORD_AUXTRACE, 0, auxtrace, sizeof(auxtrace));
	record = record_of(&b);
	assert_int_equal(record_extra_size(&record), 0x123456789a);
	record_write(&c, RECORD_AUXTRACE_INFO, 0, auxtrace, sizeof(auxtrace));
	record = record_of(&c);
	assert_int_equal(record_extra_size(&record), 0);
}

static void record_types_have_the_names_of_perf(void **state _unused_)
{
	assert_string_equal(record_name(RECORD_MMAP), "MMAP");
	assert_string_equal(record_name(RECORD_SAMPLE), "SAMPLE");
	assert_string_equal(record_name(RECORD_LOST_SAMPLES), "LOST_SAMPLES");
	assert_string_equal(
		record_name(RECORD_FINISHED_ROUND), "FINISHED_ROUND");
	assert_string_equal(record_name(RECORD_COMPRESSED2), "COMPRESSED2");
	assert_string_equal(record_name(0), "UNKNOWN");
	assert_string_equal(record_name(40), "UNKNOWN");
	assert_string_equal(record_name(UINT32_MAX), "UNKNOWN");
}

static void kernel_records_other_than_samples_are_sideband(
	void **state _unused_)
{
	assert_true(record_is_sideband(RECORD_MMAP));
	assert_true(record_is_sideband(RECORD_CALLCHAIN_DEFERRED));
	assert_false(record_is_sideband(RECORD_SAMPLE));
	assert_false(record_is_sideband(RECORD_HEADER_ATTR));
	assert_false(record_is_sideband(RECORD_COMPRESSED));
}

static void build_ids_with_equal_size_and_bytes_are_equal(void **state _unused_)
{
	struct build_id a = { 2, { 1, 2, 3 } }, b = { 2, { 1, 2, 4 } };
	struct build_id c = { 3, { 1, 2, 3 } }, none = { 0 };
	char text[BUILD_ID_TEXT];

	assert_true(build_id_equal(&a, &b));
	assert_false(build_id_equal(&a, &c));
	assert_false(build_id_equal(&a, &none));
	assert_true(build_id_equal(&none, &none));
	assert_string_equal(build_id_text(&c, text), "010203");
	assert_string_equal(build_id_text(&none, text), "");
}

static void the_text_of_the_longest_build_id_fits_its_buffer(
	void **state _unused_)
{
	struct build_id id = { BUILD_ID_MAX, { 0 } };
	char text[BUILD_ID_TEXT];

	memset(id.bytes, 0xab, sizeof(id.bytes));
	assert_int_equal(strlen(build_id_text(&id, text)), 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_mmap2_record_is_read_as_it_was_written),
		cmocka_unit_test(
			an_mmap2_record_can_have_a_build_id_in_place_of_the_inode),
		cmocka_unit_test(
			a_build_id_in_mmap2_needs_a_valid_size_and_zero_padding),
		cmocka_unit_test(
			an_mmap2_record_with_a_wrong_build_id_flag_has_its_inode),
		cmocka_unit_test(an_mmap_record_has_no_inode_and_no_protection),
		cmocka_unit_test(a_comm_record_is_read_as_it_was_written),
		cmocka_unit_test(
			a_comm_record_without_the_exec_flag_is_no_exec),
		cmocka_unit_test(a_fork_record_is_read_as_it_was_written),
		cmocka_unit_test(
			a_lost_samples_record_is_read_as_it_was_written),
		cmocka_unit_test(a_lost_record_has_an_event_id),
		cmocka_unit_test(a_ksymbol_record_is_read),
		cmocka_unit_test(records_shorter_than_their_fields_are_refused),
		cmocka_unit_test(record_at_refuses_a_truncated_record),
		cmocka_unit_test(a_record_smaller_than_its_header_is_refused),
		cmocka_unit_test(a_big_endian_record_header_is_read),
		cmocka_unit_test(names_too_long_for_a_record_are_truncated),
		cmocka_unit_test(
			only_tracing_data_and_auxtrace_records_have_extra_data),
		cmocka_unit_test(record_types_have_the_names_of_perf),
		cmocka_unit_test(
			kernel_records_other_than_samples_are_sideband),
		cmocka_unit_test(build_ids_with_equal_size_and_bytes_are_equal),
		cmocka_unit_test(
			the_text_of_the_longest_build_id_fits_its_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
