/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "record/symbols/file_tracker.h"

#define FILES 6u

/* Our own files, as if this process had mapped them. */
struct fixture {
	char paths[FILES][64];
	struct record_mmap maps[FILES];
	struct timed_worker *worker;
	struct pinned_files *pins; /* at most two */
};

static void make_file(struct fixture *f, size_t i)
{
	struct stat status;
	int fd;

	snprintf(f->paths[i], sizeof(f->paths[i]), "/tmp/dwell-pins-XXXXXX");
	fd = mkstemp(f->paths[i]);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, &"0123456789"[i], 1), 1);
	assert_int_equal(fstat(fd, &status), 0);
	close(fd);
	f->maps[i] = (struct record_mmap){
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.start = 0x1000,
		.size = 0x1000,
		.path = f->paths[i],
		.major = major(status.st_dev),
		.minor = minor(status.st_dev),
		.inode = status.st_ino,
		.prot = PROT_READ | PROT_EXEC,
	};
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	size_t i;

	assert_non_null(f);
	for (i = 0; i < FILES; i++)
		make_file(f, i);
	f->worker = timed_worker_create(10000);
	f->pins = pinned_files_create(f->worker, 2);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < FILES; i++)
		unlink(f->paths[i]);
	pinned_files_destroy(f->pins);
	timed_worker_destroy(f->worker);
	free(f);
	return 0;
}

static int held(const struct pinned_files *pins, const struct record_mmap *map)
{
	const struct dso dso = {
		.path = (char *)map->path,
		.major = map->major,
		.minor = map->minor,
		.inode = map->inode,
	};

	return pinned_files_find(pins, &dso).fd;
}

/* Returns the letter in the held file; 0: not held. */
static char letter(const struct fixture *f, size_t i)
{
	char found = 0;
	int fd = held(f->pins, &f->maps[i]);

	if (fd >= 0)
		assert_int_equal(pread(fd, &found, 1, 0), 1);
	return found;
}

static void a_file_deleted_after_its_mapping_can_still_be_read(void **state)
{
	struct fixture *f = *state;

	pinned_files_add_mapping(f->pins, &f->maps[0]);
	unlink(f->paths[0]);
	assert_int_equal(letter(f, 0), '0');
}

static void a_file_of_two_mappings_is_held_open_once(void **state)
{
	struct fixture *f = *state;
	int fd;

	pinned_files_add_mapping(f->pins, &f->maps[0]);
	fd = held(f->pins, &f->maps[0]);
	f->maps[0].pid++;
	pinned_files_add_mapping(f->pins, &f->maps[0]);
	assert_int_equal(pinned_files_count(f->pins), 1);
	assert_int_equal(held(f->pins, &f->maps[0]), fd);
}

static void another_file_at_the_mapped_path_is_not_held(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rename(f->paths[1], f->paths[0]), 0);
	pinned_files_add_mapping(f->pins, &f->maps[0]);
	assert_int_equal(letter(f, 0), 0);
}

static void a_file_is_found_by_the_next_process_that_maps_it(void **state)
{
	struct fixture *f = *state;
	struct record_mmap gone = f->maps[0];

	assert_int_equal(rename(f->paths[0], f->paths[1]), 0);
	pinned_files_add_mapping(f->pins, &gone);
	assert_int_equal(letter(f, 0), 0);
	assert_int_equal(rename(f->paths[1], f->paths[0]), 0);
	pinned_files_add_mapping(f->pins, &f->maps[0]);
	assert_int_equal(letter(f, 0), '0');
}

static void the_oldest_held_files_are_closed_beyond_the_limit(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < FILES; i++)
		pinned_files_add_mapping(f->pins, &f->maps[i]);
	assert_int_equal(pinned_files_count(f->pins), 2);
	assert_int_equal(letter(f, 0), 0);
	assert_int_equal(letter(f, 5), '5');
	/* A closed file does not replace others later. */
	pinned_files_add_mapping(f->pins, &f->maps[0]);
	assert_int_equal(letter(f, 0), 0);
	assert_int_equal(letter(f, 4), '4');
}

/* All files of some images have this time. */
static void a_file_with_modification_time_0_is_held_once(void **state)
{
	const struct timespec epoch[2] = { { 0, 0 }, { 0, 0 } };
	struct fixture *f = *state;

	assert_int_equal(utimensat(AT_FDCWD, f->paths[0], epoch, 0), 0);
	pinned_files_add_mapping(f->pins, &f->maps[0]);
	pinned_files_add_mapping(f->pins, &f->maps[0]);
	assert_int_equal(pinned_files_count(f->pins), 1);
}

static void rename_aside(const struct fixture *f, size_t i, bool is_back)
{
	char aside[80];

	snprintf(aside, sizeof(aside), "%s.aside", f->paths[i]);
	assert_int_equal(is_back ? rename(aside, f->paths[i])
				 : rename(f->paths[i], aside),
		0);
}

/* Mapped before all held files, but found after them. */
static void the_limit_of_held_files_includes_files_found_late(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < 2; i++) {
		rename_aside(f, i, false);
		pinned_files_add_mapping(f->pins, &f->maps[i]);
		rename_aside(f, i, true);
	}
	for (i = 2; i < 5; i++)
		pinned_files_add_mapping(f->pins, &f->maps[i]);
	pinned_files_add_mapping(f->pins, &f->maps[0]);
	pinned_files_add_mapping(f->pins, &f->maps[1]);
	pinned_files_add_mapping(f->pins, &f->maps[5]);
	assert_int_equal(pinned_files_count(f->pins), 2);
	assert_int_equal(letter(f, 5), '5');
}

/* A file that is reachable only through its mapping. */
static void a_deleted_file_is_opened_through_its_mapping(void **state)
{
	struct fixture *f = *state;
	char text[64];
	void *at;
	int fd = open(f->paths[0], O_RDONLY | O_CLOEXEC);

	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_true(at != MAP_FAILED);
	unlink(f->paths[0]);
	f->maps[0].start = (uintptr_t)at;
	pinned_files_add_mapping(f->pins, &f->maps[0]);
	snprintf(text, sizeof(text), "/proc/self/map_files/%lx-%lx",
		(unsigned long)at, (unsigned long)at + 4096);
	if (letter(f, 0) != '0' && open(text, O_PATH | O_CLOEXEC) < 0)
		skip_without("map-files");
	pinned_files_add_mapping(f->pins, &f->maps[1]);
	pinned_files_add_mapping(f->pins, &f->maps[2]);
	pinned_files_add_mapping(f->pins, &f->maps[3]);
	assert_int_equal(letter(f, 0), '0');
	assert_int_equal(letter(f, 1), 0);
	assert_int_equal(letter(f, 3), '3');
	munmap(at, 4096);
}

static bool can_use_map_files(void)
{
	char name[64];
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

	close(fd);
	assert_true(at != MAP_FAILED);
	snprintf(name, sizeof(name), "/proc/self/map_files/%lx-%lx",
		(unsigned long)at, (unsigned long)at + 4096);
	fd = open(name, O_PATH | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	munmap(at, 4096);
	return fd >= 0;
}

/* Maps three pages of file I, deletes it, and maps memory over PAGE. */
static uint8_t *map_and_cover(struct fixture *f, size_t i, size_t page)
{
	uint8_t *at;
	int fd = open(f->paths[i], O_RDONLY | O_CLOEXEC);

	at = mmap(NULL, 3 * 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_true(at != MAP_FAILED);
	unlink(f->paths[i]);
	assert_true(mmap(at + page * 4096, 4096, PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			    0) != MAP_FAILED);
	f->maps[i].start = (uintptr_t)at;
	f->maps[i].size = 3 * 4096;
	return at;
}

static void a_deleted_file_is_found_by_the_rest_of_its_mapping(void **state)
{
	struct fixture *f = *state;
	uint8_t *last, *first;

	if (!can_use_map_files())
		skip_without("map-files");
	last = map_and_cover(f, 0, 2);
	pinned_files_add_mapping(f->pins, &f->maps[0]);
	assert_int_equal(letter(f, 0), '0');
	first = map_and_cover(f, 1, 0);
	pinned_files_add_mapping(f->pins, &f->maps[1]);
	assert_int_equal(letter(f, 1), '1');
	munmap(last, 3 * 4096);
	munmap(first, 3 * 4096);
}

static void another_file_mapped_in_the_range_is_not_held(void **state)
{
	struct fixture *f = *state;
	uint8_t *at;

	if (!can_use_map_files())
		skip_without("map-files");
	at = map_and_cover(f, 0, 2);
	f->maps[0].inode = f->maps[1].inode;
	pinned_files_add_mapping(f->pins, &f->maps[0]);
	assert_int_equal(letter(f, 0), 0);
	/* If a file has a build ID, the kernel does not report its inode. */
	f->maps[0].inode = 0;
	f->maps[0].build_id = (struct build_id){ .size = 20 };
	pinned_files_add_mapping(f->pins, &f->maps[0]);
	assert_int_equal(pinned_files_count(f->pins), 0);
	munmap(at, 3 * 4096);
}

static void a_deleted_executable_is_opened_through_its_process(void **state)
{
	struct fixture *f = *state;
	struct record_mmap map = f->maps[0];
	struct stat status;

	assert_int_equal(stat("/proc/self/exe", &status), 0);
	map.path = "/deleted/program (deleted)";
	map.inode = status.st_ino;
	map.major = major(status.st_dev) + 1;
	map.minor = minor(status.st_dev);
	pinned_files_add_mapping(f->pins, &map);
	assert_int_equal(held(f->pins, &map), -1);
	map.major = major(status.st_dev);
	pinned_files_add_mapping(f->pins, &map);
	assert_true(held(f->pins, &map) >= 0);
}

static void a_fifo_at_a_mapped_path_does_not_block(void **state)
{
	struct fixture *f = *state;

	unlink(f->paths[0]);
	assert_int_equal(mkfifo(f->paths[0], 0600), 0);
	pinned_files_add_mapping(f->pins, &f->maps[0]);
	assert_int_equal(letter(f, 0), 0);
}

static void put(struct file_tracker *tracker, const struct record_mmap *map)
{
	struct strbuf record = { 0 };

	record_write_mmap2(&record, MISC_USER, map, NULL, 0);
	file_tracker_add_record(tracker, record.at);
	strbuf_free(&record);
}

static void the_file_tracker_handles_records_from_before_its_start(void **state)
{
	struct fixture *f = *state;
	struct file_tracker *tracker = file_tracker_create(NULL);
	struct record_mmap data = f->maps[1];

	data.prot = PROT_READ;
	put(tracker, &f->maps[0]);
	put(tracker, &data);
	assert_no_error(file_tracker_start(tracker, 2));
	put(tracker, &f->maps[2]);
	file_tracker_stop(tracker);
	assert_true(held(file_tracker_pins(tracker), &f->maps[0]) >= 0);
	assert_true(held(file_tracker_pins(tracker), &f->maps[2]) >= 0);
	assert_int_equal(held(file_tracker_pins(tracker), &data), -1);
	file_tracker_destroy(tracker);
}

/*
 * More records than space, while the thread does not run: the first ones are
 * kept.
 */
static void a_full_file_tracker_drops_newer_records(void **state)
{
	struct fixture *f = *state;
	struct file_tracker *tracker = file_tracker_create(NULL);
	int i;

	for (i = 0; i < 160000; i++)
		put(tracker, &f->maps[0]);
	put(tracker, &f->maps[1]);
	assert_no_error(file_tracker_start(tracker, 2));
	file_tracker_stop(tracker);
	assert_true(held(file_tracker_pins(tracker), &f->maps[0]) >= 0);
	assert_int_equal(held(file_tracker_pins(tracker), &f->maps[1]), -1);
	file_tracker_destroy(tracker);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_file_deleted_after_its_mapping_can_still_be_read),
		TEST(a_file_of_two_mappings_is_held_open_once),
		TEST(another_file_at_the_mapped_path_is_not_held),
		TEST(a_file_is_found_by_the_next_process_that_maps_it),
		TEST(the_oldest_held_files_are_closed_beyond_the_limit),
		TEST(the_limit_of_held_files_includes_files_found_late),
		TEST(a_file_with_modification_time_0_is_held_once),
		TEST(a_deleted_file_is_opened_through_its_mapping),
		TEST(a_deleted_file_is_found_by_the_rest_of_its_mapping),
		TEST(another_file_mapped_in_the_range_is_not_held),
		TEST(a_deleted_executable_is_opened_through_its_process),
		TEST(a_fifo_at_a_mapped_path_does_not_block),
		TEST(the_file_tracker_handles_records_from_before_its_start),
		TEST(a_full_file_tracker_drops_newer_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
