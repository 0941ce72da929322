/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of one file is written to the next one, and understood there. */
#include "config.h"

#include <sys/mman.h>

#include "tests/unit/testing.h"

#include "record/event/selection.h"
#include "record/stream/sideband_snapshot.h"
#include "record/synth/sideband_state.h"

#define SIDEBAND_ID 200u
#define SECONDS(n) ((uint64_t)(n)*NSEC_PER_SEC)

struct fixture {
	struct sampled_code *sampled;
	struct sample_layout layout;
	struct strbuf records, state;
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct perf_event_attr sideband = selection_sideband(false, true);
	struct sampled_event events[2];

	assert_non_null(f);
	sample_layout_init(&f->layout, &sideband);
	events[0] = (struct sampled_event){ 100, f->layout };
	events[1] = (struct sampled_event){ SIDEBAND_ID, f->layout };
	f->sampled = sampled_code_create(events, 2);
	sampled_code_track_data(f->sampled);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	sampled_code_destroy(f->sampled);
	strbuf_free(&f->records);
	strbuf_free(&f->state);
	free(f);
	return 0;
}

static const uint8_t *trailer(struct fixture *f, uint64_t time)
{
	struct sample_id id = { .id = SIDEBAND_ID, .time = time };

	sample_id_write(&f->layout, &id, f->trailer);
	return f->trailer;
}

static void name(struct fixture *f, uint64_t time, uint32_t pid, uint32_t tid,
	const char *comm)
{
	const struct record_comm record = { pid, tid, true, comm };

	record_write_comm(
		&f->records, &record, trailer(f, time), f->layout.trailer_size);
}

static void map(struct fixture *f, uint64_t time, uint32_t pid, uint64_t start,
	const char *path)
{
	const struct record_mmap record = { .pid = pid,
		.tid = pid,
		.start = start,
		.size = 0x2000,
		.offset = 0x3000,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_SHARED | 0x40000,
		.build_id = { 20, "0123456789012345678" },
		.path = path };

	record_write_mmap2(&f->records, MISC_USER, &record, trailer(f, time),
		f->layout.trailer_size);
}

static void task(struct fixture *f, uint64_t time, uint32_t type, uint32_t pid,
	uint32_t ppid)
{
	const struct record_task record = { pid, ppid, pid, ppid, time };

	record_write_task(&f->records, type, &record, trailer(f, time),
		f->layout.trailer_size);
}

/* As at the end of a file: the snapshot is the only input of the next one. */
static void turn(struct fixture *f, uint64_t until)
{
	sampled_code_add_sideband(f->sampled, (const uint8_t *)f->records.at,
		f->records.n, until);
	sideband_snapshot_write(f->sampled, &f->state);
	sampled_code_restart(f->sampled);
	sampled_code_add_sideband(
		f->sampled, (const uint8_t *)f->state.at, f->state.n, until);
}

/* PID has PATH mapped at ADDRESS; NULL: nothing. */
static void assert_at(struct fixture *f, uint64_t time, uint32_t pid,
	uint64_t address, const char *path)
{
	const struct maps *maps = sampled_code_maps(f->sampled);
	struct maps_context context = maps_context(maps, pid, pid, time);
	const struct mapping *found = maps_find(maps, context.space, address);

	if (!path) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(maps_dso(maps, found->dso)->path, path);
	assert_int_equal(maps_dso(maps, found->dso)->build_id.size, 20);
	assert_int_equal(address - found->start + found->offset,
		(address & 0xfff) + 0x3000 + (address & 0x1000));
}

static void assert_name(
	struct fixture *f, uint64_t time, uint32_t pid, const char *comm)
{
	const struct maps *maps = sampled_code_maps(f->sampled);

	assert_string_equal(
		maps_comm(maps, maps_context(maps, pid, pid, time).comm), comm);
}

static void names_and_mappings_of_processes_are_written(void **state)
{
	struct fixture *f = *state;

	name(f, SECONDS(1), 5, 5, "parent");
	map(f, SECONDS(1), 5, 0x10000, "/bin/parent");
	task(f, SECONDS(2), RECORD_FORK, 6, 5);
	map(f, SECONDS(3), 6, 0x20000, "/lib/plugin");
	turn(f, SECONDS(9));
	assert_name(f, SECONDS(9), 5, "parent");
	assert_name(f, SECONDS(9), 6, "parent");
	assert_at(f, SECONDS(9), 5, 0x11234, "/bin/parent");
	assert_at(f, SECONDS(9), 6, 0x11234, "/bin/parent");
	assert_at(f, SECONDS(9), 6, 0x20008, "/lib/plugin");
	assert_at(f, SECONDS(9), 5, 0x20008, NULL);
	/* Again. */
	strbuf_clear(&f->records);
	strbuf_clear(&f->state);
	turn(f, SECONDS(10));
	assert_at(f, SECONDS(10), 6, 0x20008, "/lib/plugin");
	assert_name(f, SECONDS(10), 6, "parent");
}

static void mappings_before_an_exec_are_not_written(void **state)
{
	struct fixture *f = *state;

	name(f, SECONDS(1), 5, 5, "before");
	map(f, SECONDS(1), 5, 0x10000, "/bin/before");
	name(f, SECONDS(2), 5, 5, "after");
	map(f, SECONDS(2), 5, 0x20000, "/bin/after");
	turn(f, SECONDS(9));
	assert_name(f, SECONDS(9), 5, "after");
	assert_at(f, SECONDS(9), 5, 0x20000, "/bin/after");
	assert_at(f, SECONDS(9), 5, 0x10000, NULL);
}

static void processes_that_ended_long_ago_are_not_written(void **state)
{
	struct fixture *f = *state;

	name(f, SECONDS(1), 5, 5, "long");
	map(f, SECONDS(1), 5, 0x10000, "/bin/long");
	name(f, SECONDS(1), 6, 6, "just");
	map(f, SECONDS(1), 6, 0x10000, "/bin/just");
	task(f, SECONDS(2), RECORD_EXIT, 5, 1);
	task(f, SECONDS(9), RECORD_EXIT, 6, 1);
	turn(f, SECONDS(9) + 1);
	assert_name(f, SECONDS(9), 5, "");
	assert_at(f, SECONDS(9), 5, 0x10000, NULL);
	/* The end of the process can still be sampled. */
	assert_name(f, SECONDS(9), 6, "just");
	assert_at(f, SECONDS(9), 6, 0x10000, "/bin/just");
}

/*
 * The EXIT record is written, too: otherwise the process would be in all
 * further files.
 */
static void recently_ended_processes_are_written_once(void **state)
{
	struct fixture *f = *state;

	name(f, SECONDS(1), 5, 5, "just");
	map(f, SECONDS(1), 5, 0x10000, "/bin/just");
	task(f, SECONDS(9), RECORD_EXIT, 5, 1);
	turn(f, SECONDS(9) + 1);
	assert_name(f, SECONDS(9), 5, "just");
	strbuf_clear(&f->records);
	strbuf_clear(&f->state);
	turn(f, SECONDS(12));
	assert_name(f, SECONDS(12), 5, "");
	assert_at(f, SECONDS(12), 5, 0x10000, NULL);
	assert_int_equal(f->state.n, 0);
}

/* Earlier records can still arrive: the record is kept with its time. */
static void records_later_than_the_snapshot_are_written_unchanged(void **state)
{
	struct fixture *f = *state;

	name(f, SECONDS(1), 5, 5, "now");
	name(f, SECONDS(8), 5, 5, "later");
	map(f, SECONDS(8), 5, 0x20000, "/bin/later");
	turn(f, SECONDS(7));
	assert_name(f, SECONDS(7), 5, "now");
	sampled_code_add_sideband(f->sampled, NULL, 0, SECONDS(9));
	assert_name(f, SECONDS(7), 5, "now");
	assert_name(f, SECONDS(8), 5, "later");
	assert_at(f, SECONDS(8), 5, 0x20000, "/bin/later");
}

static void kernel_mappings_are_written_once_for_all_processes(void **state)
{
	struct fixture *f = *state;
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	const struct maps *maps;
	const struct mapping *found;

	/* KSYMBOL (linux/perf_event.h): address, length, type, flags, name. */
	strbuf_put_u64(&payload, UINT64_C(0xffffffffc0100000));
	strbuf_put_u32(&payload, 0x100);
	strbuf_put_u32(&payload, 1);
	strbuf_put(&payload, "program", 8);
	strbuf_put(&payload, trailer(f, SECONDS(1)), f->layout.trailer_size);
	record_write(&f->records, RECORD_KSYMBOL, 0, payload.at, payload.n);
	turn(f, SECONDS(9));
	maps = sampled_code_maps(f->sampled);
	found = maps_find(maps, MAPS_KERNEL, UINT64_C(0xffffffffc0100080));
	assert_non_null(found);
	assert_string_equal(maps_dso(maps, found->dso)->path, "program");
	/* The kernel is not a mapping of a process. */
	assert_int_equal(f->state.n, f->records.n);
}

/* Finds the next record of TYPE from *AT on; false if there is none. */
static bool next_of(
	struct fixture *f, uint32_t type, size_t *at, struct record *ret)
{
	while (record_at((const uint8_t *)f->state.at + *at, f->state.n - *at,
		false, ret)) {
		*at += ret->size;
		if (ret->type == type)
			return true;
	}
	return false;
}

static void mappings_are_written_with_protection_and_flags(void **state)
{
	struct fixture *f = *state;
	struct record record;
	struct record_mmap found;
	size_t at = 0;

	map(f, SECONDS(1), 5, 0x10000, "/bin/program");
	turn(f, SECONDS(9));
	assert_true(next_of(f, RECORD_MMAP2, &at, &record));
	assert_true(record_read_mmap(&record, &found));
	assert_int_equal(record.misc & MISC_MMAP_DATA, 0);
	assert_int_equal(found.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(found.flags, MAP_SHARED | 0x40000);
}

static void map_data(struct fixture *f, uint64_t time, uint32_t pid,
	uint64_t start, const char *path)
{
	const struct record_mmap record = { .pid = pid,
		.tid = pid,
		.start = start,
		.size = 0x2000,
		.prot = PROT_READ | PROT_WRITE,
		.flags = MAP_PRIVATE,
		.path = path };

	record_write_mmap2(&f->records, MISC_USER | MISC_MMAP_DATA, &record,
		trailer(f, time), f->layout.trailer_size);
}

/* The namespaces of a process and its child, not of an ended one. */
static void data_mappings_are_written(void **state)
{
	struct fixture *f = *state;
	struct record record;
	struct record_mmap found;
	size_t at = 0, n = 0;
	uint32_t pids = 0;

	map_data(f, SECONDS(1), 4, 0x50000, "/data/gone");
	map_data(f, SECONDS(1), 5, 0x50000, "/data/file");
	task(f, SECONDS(2), RECORD_FORK, 6, 5);
	task(f, SECONDS(3), RECORD_EXIT, 4, 1);
	turn(f, SECONDS(9));
	for (; next_of(f, RECORD_MMAP2, &at, &record); n++) {
		assert_true(record.misc & MISC_MMAP_DATA);
		assert_true(record_read_mmap(&record, &found));
		assert_string_equal(found.path, "/data/file");
		assert_int_equal(found.prot, PROT_READ | PROT_WRITE);
		pids += found.pid;
	}
	assert_int_equal(n, 2);
	assert_int_equal(pids, 5 + 6);
	/* It does not hide code. */
	assert_at(f, SECONDS(9), 5, 0x50000, NULL);
}

/*
 * COMM records are before mappings, because they show which threads are
 * running.
 */
static void data_mappings_remain_when_one_thread_ends(void **state)
{
	struct fixture *f = *state;
	const struct record_task end = { 5, 5, 7, 5, SECONDS(2) };
	struct record record;
	size_t at = 0;

	name(f, SECONDS(1), 5, 5, "main");
	name(f, SECONDS(1), 5, 7, "worker");
	map_data(f, SECONDS(1), 5, 0x50000, "/data/file");
	record_write_task(&f->records, RECORD_EXIT, &end,
		trailer(f, SECONDS(2)), f->layout.trailer_size);
	turn(f, SECONDS(9));
	assert_true(next_of(f, RECORD_MMAP2, &at, &record));
	assert_true(record.misc & MISC_MMAP_DATA);
}

static void enter(struct fixture *f, uint64_t time, uint32_t pid, uint64_t net)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };

	strbuf_put_u32(&payload, pid);
	strbuf_put_u32(&payload, pid);
	strbuf_put_u64(&payload, 1);
	strbuf_put_u64(&payload, 3);
	strbuf_put_u64(&payload, net);
	strbuf_put(&payload, trailer(f, time), f->layout.trailer_size);
	record_write(&f->records, RECORD_NAMESPACES, 0, payload.at, payload.n);
}

static uint64_t net_of(const struct record *record, uint32_t *pid_ret)
{
	struct bytes payload = record_payload(record);

	*pid_ret = bytes_u32(&payload);
	bytes_take(&payload, 20);
	return bytes_u64(&payload);
}

/* The last ones of each running thread, repeatedly. */
static void namespaces_of_threads_are_written(void **state)
{
	struct fixture *f = *state;
	struct record record;
	uint32_t pid;
	unsigned turns;

	enter(f, SECONDS(1), 5, 100);
	enter(f, SECONDS(1), 6, 100);
	enter(f, SECONDS(2), 5, 200);
	task(f, SECONDS(3), RECORD_EXIT, 6, 1);
	for (turns = 0; turns < 3; turns++) {
		size_t at = 0;

		strbuf_clear(&f->state);
		turn(f, SECONDS(9));
		strbuf_clear(&f->records);
		assert_true(next_of(f, RECORD_NAMESPACES, &at, &record));
		assert_int_equal(net_of(&record, &pid), 200);
		assert_int_equal(pid, 5);
		assert_false(next_of(f, RECORD_NAMESPACES, &at, &record));
	}
}

/* The memory of a recording with one file does not grow with ended threads. */
static void the_state_of_ended_threads_is_freed(void **state)
{
	struct fixture *f = *state;
	uint32_t second;

	for (second = 1; second < 100; second++) {
		uint32_t pid = 1000 * second, i;

		strbuf_clear(&f->records);
		for (i = 0; i < 500; i++, pid++) {
			enter(f, SECONDS(second), pid, 100);
			map_data(f, SECONDS(second), pid, 0x50000, "/data");
			task(f, SECONDS(second), RECORD_EXIT, pid, 1);
		}
		sampled_code_add_sideband(f->sampled,
			(const uint8_t *)f->records.at, f->records.n,
			SECONDS(second));
	}
	/* Of 49,500 threads, those of the last ten seconds are 5,000. */
	assert_in_range(sampled_code_sideband(f->sampled)->state.threads.n,
		5000, 25000);
}

#define state_test(name) \
	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		state_test(names_and_mappings_of_processes_are_written),
		state_test(mappings_before_an_exec_are_not_written),
		state_test(processes_that_ended_long_ago_are_not_written),
		state_test(recently_ended_processes_are_written_once),
		state_test(
			records_later_than_the_snapshot_are_written_unchanged),
		state_test(kernel_mappings_are_written_once_for_all_processes),
		state_test(mappings_are_written_with_protection_and_flags),
		state_test(data_mappings_are_written),
		state_test(data_mappings_remain_when_one_thread_ends),
		state_test(namespaces_of_threads_are_written),
		state_test(the_state_of_ended_threads_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
