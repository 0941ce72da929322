/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include "common/util/alloc.h"
#include "record/symbols/moved_code.h"
#include "record/synth/process_maps.h"

#define ZONE __attribute__((noinline, used, section("zone"), aligned(65536)))

/* The memory of this process from moved_function() to zone_end() is replaced.
 */
ZONE static int moved_function(int x)
{
	return 3 * x;
}

ZONE static int zone_end(int x)
{
	return x;
}

/* The mapping that contained the zone before it was replaced. */
static struct record_mmap zone_file;

struct fixture {
	uint64_t start, size; /* of the zone */
	struct sample_layout layout;
	struct timed_worker *worker;
	struct moved_code *moved;
	pthread_mutex_t lock; /* guards .found */
	pthread_cond_t news;
	struct strbuf found;
};

static void add_found(void *data, const struct strbuf *records)
{
	struct fixture *f = data;

	pthread_mutex_lock(&f->lock);
	strbuf_put(&f->found, records->at, records->n);
	pthread_cond_signal(&f->news);
	pthread_mutex_unlock(&f->lock);
}

static int find_zone_file(void **state)
{
	uint64_t start = (uintptr_t)moved_function;
	struct process_maps maps;

	(void)state;
	process_maps_read((uint32_t)getpid(), &maps);
	array_each(&maps.lines, line)
		if (line->start <= start && start < line->end)
			zone_file = process_maps_record(&maps, line);
	assert_non_null(zone_file.path);
	zone_file.path = xstrdup(zone_file.path);
	process_maps_deinit(&maps);
	return 0;
}

static int free_zone_file(void **state)
{
	(void)state;
	free((char *)zone_file.path);
	return 0;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const struct perf_event_attr attr = { .sample_id_all = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_IDENTIFIER };

	assert_non_null(f);
	f->start = (uintptr_t)moved_function;
	f->size = (uintptr_t)zone_end - f->start;
	sample_layout_init(&f->layout, &attr);
	f->worker = timed_worker_create(10000);
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->news, NULL);
	f->moved = moved_code_create(&f->layout, 5, add_found, f);
	assert_no_error(moved_code_start(f->moved));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	moved_code_destroy(f->moved);
	timed_worker_destroy(f->worker);
	strbuf_free(&f->found);
	free(f);
	return 0;
}

/* Replaces the zone by a copy in memory without a file. XOR changes a byte. */
static void copy_zone(const struct fixture *f, uint8_t xor)
{
	_cleanup_free_ uint8_t *copy = xmalloc(f->size);
	uint8_t *zone = (uint8_t *)(uintptr_t)f->start;

	memcpy(copy, zone, f->size);
	copy[f->size - 1] ^= xor;
	assert_ptr_equal(
		mmap(zone, f->size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
		zone);
	memcpy(zone, copy, f->size);
	assert_int_equal(mprotect(zone, f->size, PROT_READ | PROT_EXEC), 0);
}

/* Adds the record of MAP with TIME. */
static void add_map(
	struct fixture *f, const struct record_mmap *map, uint64_t time)
{
	const struct sample_id id = { .time = time };
	_cleanup_strbuf_ struct strbuf records = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	struct record record;

	sample_id_write(&f->layout, &id, trailer);
	record_write_mmap2(
		&records, MISC_USER, map, trailer, f->layout.trailer_size);
	assert_true(record_at(
		(const uint8_t *)records.at, records.n, false, &record));
	moved_code_add_mapping(f->moved, &record, map);
}

/* Adds the record of the memory that replaced the zone. */
static void add_zone(struct fixture *f, uint64_t time)
{
	const struct record_mmap memory = { .pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.start = f->start,
		.size = f->size,
		.prot = PROT_READ | PROT_EXEC,
		.path = "//anon" };

	add_map(f, &memory, time);
}

/*
 * Waits for the N-th record and sets its mapping, which is borrowed from F, and
 * its time.
 */
static void wait_for_map(struct fixture *f, size_t n, struct record_mmap *ret,
	uint64_t *time_ret)
{
	struct record record;
	struct sample_id id;
	size_t at = 0, found = 0;

	pthread_mutex_lock(&f->lock);
	while (found <= n) {
		if (at == f->found.n ||
			!record_at((const uint8_t *)f->found.at + at,
				f->found.n - at, false, &record)) {
			pthread_cond_wait(&f->news, &f->lock);
			continue;
		}
		at += record.size;
		found++;
	}
	assert_true(record_read_mmap(&record, ret));
	assert_true(sample_id_read(&f->layout, &record, &id));
	pthread_mutex_unlock(&f->lock);
	assert_int_equal(id.id, 5);
	*time_ret = id.time;
}

/* Asserts that MAP is the code of the file that was in the zone. */
static void assert_zone(
	const struct fixture *f, const struct record_mmap *map, uint64_t start)
{
	assert_string_equal(map->path, zone_file.path);
	assert_int_equal(map->pid, getpid());
	assert_int_equal(map->start, start);
	assert_int_equal(map->size, f->size);
	assert_int_equal(
		map->offset, f->start - zone_file.start + zone_file.offset);
	assert_true(map->prot & PROT_EXEC);
}

/* Returns whether the zone is a copy of the code of the file. */
static bool is_copied(struct fixture *f, struct record_mmap *ret)
{
	struct process_maps maps;
	bool is_same = false;
	size_t i;

	process_maps_read((uint32_t)getpid(), &maps);
	for (i = 0; i < maps.lines.n; i++)
		if (maps.lines.at[i].start == f->start)
			is_same = process_maps_find_copied(
				&maps, i, f->worker, ret);
	process_maps_deinit(&maps);
	return is_same;
}

static void a_mapping_with_a_too_long_path_gets_that_of_proc_maps(void **state)
{
	struct fixture *f = *state;
	struct record_mmap map = zone_file;
	uint64_t time;

	map.path = "//toolong"; /* what the kernel writes */
	add_map(f, &map, 50);
	wait_for_map(f, 0, &map, &time);
	assert_string_equal(map.path, zone_file.path);
	assert_int_equal(map.start, zone_file.start);
	assert_int_equal(map.size, zone_file.size);
	assert_int_equal(time, 51);
}

/* These tests run in this order: each replaces the memory of the one before. */
static void moved_code_is_found_at_a_sampled_address(void **state)
{
	struct fixture *f = *state;
	uint8_t *to = mmap(
		NULL, f->size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct record_mmap map;
	uint64_t time;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	/* As mremap() would leave it. */
	assert_ptr_equal(
		mmap(to, f->size, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_FIXED, fd,
			(off_t)(f->start - zone_file.start + zone_file.offset)),
		to);
	close(fd);
	moved_code_add_unmapped(f->moved, (uint32_t)getpid(), 1, 80);
	moved_code_add_unmapped(
		f->moved, (uint32_t)getpid(), (uintptr_t)to + 5, 90);
	wait_for_map(f, 0, &map, &time);
	assert_zone(f, &map, (uintptr_t)to);
	assert_int_equal(time, 90);
	munmap(to, f->size);
}

static void memory_with_a_copy_of_a_files_code_is_mapped_to_the_file(
	void **state)
{
	struct fixture *f = *state;
	struct record_mmap map;
	uint64_t time;

	add_map(f, &zone_file, 10);
	copy_zone(f, 0);
	assert_int_equal(moved_function(5), 15);
	add_zone(f, 20);
	wait_for_map(f, 0, &map, &time);
	assert_zone(f, &map, f->start);
	assert_int_equal(time, 21);
	add_zone(f, 30);
	wait_for_map(f, 1, &map, &time);
	assert_int_equal(time, 31);
}

static void memory_that_differs_from_the_file_is_not_mapped_to_it(void **state)
{
	struct fixture *f = *state;
	struct record_mmap map;

	assert_true(is_copied(f, &map));
	copy_zone(f, 1);
	assert_false(is_copied(f, &map));
	copy_zone(f, 1);
	assert_true(is_copied(f, &map));
}

/* While a copy is made, it is not the same yet. */
static void an_incomplete_copy_of_code_is_compared_again_later(void **state)
{
	struct fixture *f = *state;
	struct record_mmap map;
	uint64_t time;

	add_map(f, &zone_file, 10);
	copy_zone(f, 1);
	add_zone(f, 20);
	usleep(10000);
	copy_zone(f, 1);
	wait_for_map(f, 0, &map, &time);
	assert_zone(f, &map, f->start);
}

static void memory_where_no_file_was_mapped_before_is_not_compared(void **state)
{
	struct fixture *f = *state;
	struct record_mmap map;
	uint64_t time;

	/* No file was mapped there before. */
	add_zone(f, 10);
	add_map(f, &zone_file, 20);
	add_zone(f, 30);
	wait_for_map(f, 0, &map, &time);
	assert_int_equal(time, 31);
}

/* Adds a line with the addresses START to END. INODE is 0 for memory without a
 * file. */
static void add_line(
	struct process_maps *maps, uint64_t start, uint64_t end, uint64_t inode)
{
	static char none[] = "", file[] = "/no/such/file";

	*array_push(&maps->lines) = (struct task_mapping){ .start = start,
		.end = end,
		.rights = "r-xp",
		.inode = inode,
		.path = inode ? file : none };
}

/* Returns whether line INDEX of MAPS is compared with a file. */
static bool compares(struct fixture *f, struct process_maps *maps, size_t index)
{
	unsigned before = maps->n_compared;
	struct record_mmap map;

	assert_false(process_maps_find_copied(maps, index, f->worker, &map));
	return maps->n_compared > before;
}

static void memory_is_compared_with_the_file_around_it(void **state)
{
	struct process_maps maps = { .pid = (uint32_t)getpid() };

	add_line(&maps, 0x1000, 0x2000, 0); /* not directly before the file */
	add_line(&maps, 0x3000, 0x4000, 0);
	add_line(&maps, 0x4000, 0x5000, 0);
	add_line(&maps, 0x5000, 0x6000, 7);
	add_line(&maps, 0x7000, 0x8000, 0); /* between mappings of the file */
	add_line(&maps, 0x9000, 0xa000, 7);
	add_line(&maps, 0xb000, 0xc000, 0); /* between different files */
	add_line(&maps, 0xd000, 0xe000, 8);
	add_line(&maps, 0xe000, 0xf000, 0); /* behind the last file */
	assert_false(compares(*state, &maps, 0));
	assert_true(compares(*state, &maps, 1));
	assert_true(compares(*state, &maps, 2));
	assert_true(compares(*state, &maps, 4));
	assert_false(compares(*state, &maps, 6));
	assert_false(compares(*state, &maps, 8));
	/* In another order. */
	assert_true(compares(*state, &maps, 1));
	assert_false(compares(*state, &maps, 0));
	array_free(&maps.lines);
}

/* The memory of a hostile process can have a great number of lines. */
static void lines_of_proc_maps_without_a_file_are_searched_once(void **state)
{
	struct process_maps maps = { .pid = (uint32_t)getpid() };
	uint64_t i;

	for (i = 1; i <= 5; i++)
		add_line(&maps, i << 12, (i + 1) << 12, 0);
	add_line(&maps, 6 << 12, 7 << 12, 7);
	assert_true(compares(*state, &maps, 0));
	/* A second search would end here. */
	maps.lines.at[3].path = maps.lines.at[5].path;
	for (i = 1; i < 3; i++)
		assert_true(compares(*state, &maps, i));
	array_free(&maps.lines);
}

static void memory_named_by_its_process_is_anonymous(void **state)
{
	static char text[] = "7f0000000000-7f0000001000 r-xp 00000000 00:00 0"
			     "        [anon:jit code]";
	static char vdso[] = "7f0000001000-7f0000002000 r-xp 00000000 00:00 0"
			     "        [vdso]";
	struct process_maps maps = { .pid = 7 };
	struct task_mapping line;

	(void)state;
	assert_true(task_mapping_parse(text, &line));
	assert_true(process_maps_is_anonymous(&line));
	assert_string_equal(process_maps_record(&maps, &line).path, "//anon");
	assert_true(task_mapping_parse(vdso, &line));
	assert_false(process_maps_is_anonymous(&line));
	assert_string_equal(process_maps_record(&maps, &line).path, "[vdso]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_mapping_with_a_too_long_path_gets_that_of_proc_maps,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			moved_code_is_found_at_a_sampled_address, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			memory_with_a_copy_of_a_files_code_is_mapped_to_the_file,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			memory_that_differs_from_the_file_is_not_mapped_to_it,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			an_incomplete_copy_of_code_is_compared_again_later,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			memory_where_no_file_was_mapped_before_is_not_compared,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			memory_is_compared_with_the_file_around_it, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			lines_of_proc_maps_without_a_file_are_searched_once,
			set_up, tear_down),
		cmocka_unit_test(memory_named_by_its_process_is_anonymous),
	};

	return cmocka_run_group_tests(tests, find_zone_file, free_zone_file);
}
