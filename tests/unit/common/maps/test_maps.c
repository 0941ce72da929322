/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/maps/maps.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

/* --- helpers -------------------------------------------------------------- */

static void map(struct maps *maps, uint64_t time, uint32_t pid, uint64_t start,
	uint64_t size, uint64_t offset, const char *path)
{
	const struct record_mmap record = {
		.pid = pid,
		.tid = pid,
		.start = start,
		.size = size,
		.offset = offset,
		.path = path,
	};

	maps_add_mmap(maps, &record, time);
}

static void name(struct maps *maps, uint64_t time, uint32_t pid, uint32_t tid,
	const char *comm)
{
	const struct record_comm record = { pid, tid, false, comm };

	maps_add_comm(maps, &record, time);
}

static void exec(
	struct maps *maps, uint64_t time, uint32_t pid, const char *comm)
{
	const struct record_comm record = { pid, pid, true, comm };

	maps_add_comm(maps, &record, time);
}

static void spawn(struct maps *maps, uint64_t time, uint32_t ppid,
	uint32_t ptid, uint32_t pid, uint32_t tid)
{
	const struct record_task record = { pid, ppid, tid, ptid, time };

	maps_add_fork(maps, &record, time);
}

static void assert_at(const struct maps *maps, uint64_t time, uint32_t pid,
	uint64_t address, const char *wanted, int line)
{
	struct maps_context context = maps_context(maps, pid, pid, time);
	const struct mapping *mapping = maps_find(maps, context.space, address);
	char found[256] = "-";

	if (mapping)
		snprintf(found, sizeof(found), "%s+%" PRIx64,
			maps_dso(maps, mapping->dso)->path,
			address - mapping->start + mapping->offset);
	if (!string_is(found, wanted))
		fail_msg("line %d: found %s, not %s", line, found, wanted);
}

/* "path+offset" of the mapping at ADDRESS of PID at TIME, or "-". */
#define assert_mapped(time, pid, address, wanted) \
	assert_at(maps, time, pid, address, wanted, __LINE__)
#define assert_comm(time, pid, tid, wanted)                               \
	assert_string_equal(                                              \
		maps_comm(maps, maps_context(maps, pid, tid, time).comm), \
		wanted)

static int make_maps(void **state)
{
	*state = maps_create();
	return 0;
}

static int destroy_maps(void **state)
{
	maps_destroy(*state);
	return 0;
}

/* --- mappings ------------------------------------------------------------- */

static void new_maps_are_empty(void **state)
{
	struct maps *maps = *state;
	struct maps_context context = maps_context(maps, 1, 1, 100);

	assert_int_equal(context.space, MAPS_NO_SPACE);
	assert_int_equal(context.comm, 0);
	assert_int_equal(context.valid_from, 0);
	assert_true(context.valid_until == UINT64_MAX);
	assert_null(maps_find(maps, MAPS_NO_SPACE, 0x1000));
	assert_null(maps_find(maps, MAPS_KERNEL, UINT64_MAX));
	assert_null(maps_find(maps, 4711, 0x1000));
	assert_string_equal(maps_comm(maps, 0), "");
	assert_string_equal(maps_comm(maps, 4711), "");
	assert_int_equal(maps_n_dsos(maps), 0);
}

static void a_mapping_covers_its_addresses_from_start_to_end(void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x1000, 0x2000, 0x500, "a");
	assert_mapped(10, 1, 0xfff, "-");
	assert_mapped(10, 1, 0x1000, "a+500");
	assert_mapped(10, 1, 0x2fff, "a+24ff");
	assert_mapped(10, 1, 0x3000, "-");
	assert_mapped(9, 1, 0x1000, "-");
	assert_mapped(10, 2, 0x1000, "-");
}

static void a_mapping_without_size_is_ignored(void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x1000, 0, 0, "a");
	assert_mapped(10, 1, 0x1000, "-");
	assert_int_equal(maps_n_spaces(maps), 2);
}

static void a_mapping_that_wraps_around_ends_at_the_highest_address(
	void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, UINT64_MAX - 0xfff, UINT64_MAX, 0, "a");
	assert_mapped(10, 1, UINT64_MAX - 1, "a+ffe");
	assert_mapped(10, 1, 0, "-");
}

static void a_newer_mapping_replaces_the_left_part_of_an_older_one(void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x2000, 0x2000, 0, "old");
	map(maps, 20, 1, 0x1000, 0x2000, 0, "new");
	assert_mapped(20, 1, 0x1000, "new+0");
	assert_mapped(20, 1, 0x2fff, "new+1fff");
	assert_mapped(20, 1, 0x3000, "old+1000");
	assert_mapped(20, 1, 0x3fff, "old+1fff");
	assert_mapped(19, 1, 0x2000, "old+0");
	assert_mapped(19, 1, 0x1000, "-");
}

static void a_newer_mapping_replaces_the_right_part_of_an_older_one(
	void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x1000, 0x2000, 0, "old");
	map(maps, 20, 1, 0x2000, 0x2000, 0, "new");
	assert_mapped(20, 1, 0x1fff, "old+fff");
	assert_mapped(20, 1, 0x2000, "new+0");
	assert_mapped(20, 1, 0x3fff, "new+1fff");
	assert_mapped(19, 1, 0x2000, "old+1000");
}

static void a_newer_mapping_replaces_the_middle_of_an_older_one(void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x1000, 0x3000, 0, "old");
	map(maps, 20, 1, 0x2000, 0x1000, 0, "new");
	assert_mapped(20, 1, 0x1fff, "old+fff");
	assert_mapped(20, 1, 0x2000, "new+0");
	assert_mapped(20, 1, 0x2fff, "new+fff");
	assert_mapped(20, 1, 0x3000, "old+2000");
	assert_mapped(20, 1, 0x4000, "-");
	assert_mapped(19, 1, 0x2000, "old+1000");
}

static void a_newer_mapping_replaces_all_mappings_that_it_covers(void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x1000, 0x1000, 0, "a");
	map(maps, 11, 1, 0x3000, 0x1000, 0, "b");
	map(maps, 12, 1, 0x5000, 0x2000, 0, "c");
	map(maps, 20, 1, 0x1000, 0x5000, 0, "new");
	assert_mapped(20, 1, 0x1000, "new+0");
	assert_mapped(20, 1, 0x2000, "new+1000");
	assert_mapped(20, 1, 0x3800, "new+2800");
	assert_mapped(20, 1, 0x5fff, "new+4fff");
	assert_mapped(20, 1, 0x6000, "c+1000");
	assert_mapped(12, 1, 0x3800, "b+800");
}

static void assert_part(const struct maps *maps, uint64_t time,
	uint64_t address, uint64_t start, uint64_t end)
{
	struct maps_context at = maps_context(maps, 1, 1, time);
	struct maps_part part;

	assert_non_null(maps_find_part(maps, at.space, address, &part));
	assert_int_equal(part.start, start);
	assert_int_equal(part.end, end);
}

static void find_part_returns_the_address_range_of_the_same_mapping(
	void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x1000, 0x3000, 0, "old");
	map(maps, 20, 1, 0x2000, 0x1000, 0, "new");
	assert_part(maps, 10, 0x2800, 0x1000, 0x4000);
	assert_part(maps, 20, 0x1800, 0x1000, 0x2000);
	assert_part(maps, 20, 0x2800, 0x2000, 0x3000);
	assert_part(maps, 20, 0x3800, 0x3000, 0x4000);
	/* The space before the exec may overlap new mappings. */
	exec(maps, 30, 1, "b");
	map(maps, 31, 1, 0x3800, 0x1000, 0, "third");
	assert_part(maps, 31, 0x3700, 0x3700, 0x3701);
}

static void two_mappings_that_alternate_are_found_by_time(void **state)
{
	struct maps *maps = *state;
	char path[16];
	uint64_t i;

	for (i = 0; i < 1000; i++)
		map(maps, 100 + 10 * i, 1, 0x7000, 0x1000, 0,
			i % 2 ? "odd" : "even");
	for (i = 0; i < 1000; i++) {
		snprintf(path, sizeof(path), "%s+10", i % 2 ? "odd" : "even");
		assert_mapped(100 + 10 * i, 1, 0x7010, path);
		assert_mapped(109 + 10 * i, 1, 0x7010, path);
	}
	assert_int_equal(maps_n_dsos(maps), 2);
}

static void a_mapping_without_overlap_makes_no_new_address_space(void **state)
{
	struct maps *maps = *state;
	uint32_t before;

	map(maps, 10, 1, 0x1000, 0x1000, 0, "a");
	before = maps_n_spaces(maps);
	map(maps, 20, 1, 0x3000, 0x1000, 0, "b");
	map(maps, 30, 1, 0x2000, 0x1000, 0, "c");
	assert_int_equal(maps_n_spaces(maps), before);
	assert_mapped(30, 1, 0x1000, "a+0");
	assert_mapped(30, 1, 0x2000, "c+0");
	assert_mapped(30, 1, 0x3000, "b+0");
}

/*
 * mprotect() makes the kernel record part of a mapping again, at the same
 * address.
 */
static void a_repeated_mapping_makes_no_new_address_space(void **state)
{
	struct maps *maps = *state;
	uint32_t before;

	map(maps, 10, 1, 0x1000, 0x4000, 0x500, "a");
	before = maps_n_spaces(maps);
	map(maps, 20, 1, 0x2000, 0x1000, 0x1500, "a");
	map(maps, 30, 1, 0x1000, 0x4000, 0x500, "a");
	assert_int_equal(maps_n_spaces(maps), before);
	assert_mapped(30, 1, 0x2000, "a+1500");
	/* Another part of the file at the same address is another mapping. */
	map(maps, 40, 1, 0x2000, 0x1000, 0, "a");
	assert_int_equal(maps_n_spaces(maps), before + 1);
	assert_mapped(40, 1, 0x2000, "a+0");
	assert_mapped(39, 1, 0x2000, "a+1500");
}

/* After mprotect(), memory that was made executable is code. */
static void a_data_mapping_can_become_code_but_code_stays_code(void **state)
{
	struct record_mmap record = { .pid = 1,
		.start = 0x1000,
		.size = 0x1000,
		.path = "a",
		.is_data = true };
	struct maps *maps = *state;
	bool was_code = false;
	unsigned i;

	for (i = 0; i < 3; i++) {
		const struct mapping *mapping;

		record.is_data = i != 1;
		was_code = was_code || !record.is_data;
		maps_add_mmap(maps, &record, 10 * (i + 1));
		mapping = maps_find(maps,
			maps_context(maps, 1, 1, 10 * (i + 1)).space, 0x1800);
		assert_int_equal(mapping->is_data, !was_code);
	}
}

static void an_address_space_is_valid_until_the_next_one_begins(void **state)
{
	struct maps *maps = *state;
	struct maps_context context;

	map(maps, 10, 1, 0x1000, 0x1000, 0, "a");
	map(maps, 20, 1, 0x1000, 0x1000, 0, "b");
	name(maps, 15, 1, 1, "x");
	context = maps_context(maps, 1, 1, 12);
	assert_int_equal(context.valid_from, 10);
	assert_int_equal(context.valid_until, 15);
	context = maps_context(maps, 1, 1, 15);
	assert_int_equal(context.valid_from, 15);
	assert_int_equal(context.valid_until, 20);
	context = maps_context(maps, 1, 1, 20);
	assert_int_equal(context.valid_from, 20);
	assert_true(context.valid_until == UINT64_MAX);
	context = maps_context(maps, 1, 1, 9);
	assert_int_equal(context.valid_from, 0);
	assert_int_equal(context.valid_until, 10);
}

static void a_mapping_added_with_an_earlier_time_replaces_the_later_one(
	void **state)
{
	struct maps *maps = *state;

	map(maps, 100, 1, 0x1000, 0x1000, 0, "a");
	map(maps, 50, 1, 0x1000, 0x1000, 0, "b");
	name(maps, 100, 1, 1, "x");
	name(maps, 50, 1, 1, "y");
	assert_mapped(100, 1, 0x1000, "b+0");
	assert_mapped(99, 1, 0x1000, "-");
	assert_comm(100, 1, 1, "y");
}

/* --- exec and fork -------------------------------------------------------- */

static void an_exec_replaces_the_address_space(void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x1000, 0x1000, 0, "old");
	exec(maps, 20, 1, "new");
	map(maps, 21, 1, 0x1000, 0x800, 0, "new");
	assert_mapped(19, 1, 0x1000, "old+0");
	assert_mapped(21, 1, 0x1000, "new+0");
	assert_comm(20, 1, 1, "new");
}

static void addresses_unmapped_by_an_exec_are_found_in_the_space_before(
	void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x1000, 0x1000, 0, "first");
	exec(maps, 20, 1, "b");
	assert_mapped(20, 1, 0x1000, "first+0");
	map(maps, 21, 1, 0x5000, 0x1000, 0, "second");
	exec(maps, 30, 1, "c");
	/* Only the space before the last exec is searched. */
	assert_mapped(30, 1, 0x5000, "second+0");
	assert_mapped(30, 1, 0x1000, "-");
}

static void a_comm_without_the_exec_flag_keeps_the_address_space(void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x1000, 0x1000, 0, "a");
	name(maps, 20, 1, 1, "renamed");
	assert_mapped(20, 1, 0x1000, "a+0");
	assert_int_equal(maps_context(maps, 1, 1, 20).space,
		maps_context(maps, 1, 1, 19).space);
}

static uint32_t program(const struct maps *maps, uint64_t time, uint32_t pid)
{
	return maps_program(maps, maps_context(maps, pid, pid, time).space);
}

static void a_process_is_one_program_until_an_exec_or_a_reused_pid(void **state)
{
	struct maps *maps = *state;
	uint32_t first;

	assert_int_equal(program(maps, 5, 1), 0);
	map(maps, 10, 1, 0x1000, 0x1000, 0, "a");
	first = program(maps, 10, 1);
	assert_int_not_equal(first, 0);
	/* Another space, but the same program. */
	map(maps, 20, 1, 0x1000, 0x1000, 0, "b");
	name(maps, 30, 1, 1, "renamed");
	assert_int_equal(program(maps, 30, 1), first);
	spawn(maps, 40, 1, 1, 7, 7);
	assert_int_not_equal(program(maps, 40, 7), first);
	assert_int_equal(program(maps, 40, 1), first);
	first = program(maps, 40, 7);
	exec(maps, 50, 7, "c");
	assert_int_not_equal(program(maps, 50, 7), first);
	first = program(maps, 50, 7);
	/* The pid is used again. */
	spawn(maps, 60, 1, 1, 7, 7);
	assert_int_not_equal(program(maps, 60, 7), first);
}

static void a_fork_copies_the_address_space_of_the_parent(void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x1000, 0x1000, 0, "a");
	map(maps, 11, 1, 0x3000, 0x1000, 0, "b");
	spawn(maps, 20, 1, 1, 2, 2);
	assert_mapped(20, 2, 0x1000, "a+0");
	assert_mapped(20, 2, 0x3fff, "b+fff");
	assert_mapped(19, 2, 0x1000, "-");
}

static void after_a_fork_mappings_of_parent_and_child_are_independent(
	void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x1000, 0x1000, 0, "a");
	spawn(maps, 20, 1, 1, 2, 2);
	/* A mapping without overlap: */
	map(maps, 30, 1, 0x5000, 0x1000, 0, "parent");
	map(maps, 31, 2, 0x5000, 0x1000, 0, "child");
	assert_mapped(31, 1, 0x5000, "parent+0");
	assert_mapped(31, 2, 0x5000, "child+0");
	/* A mapping with overlap: */
	map(maps, 40, 1, 0x1000, 0x800, 0, "parent");
	assert_mapped(40, 2, 0x1000, "a+0");
	map(maps, 41, 2, 0x1800, 0x800, 0, "child");
	assert_mapped(41, 1, 0x1000, "parent+0");
	assert_mapped(41, 1, 0x1800, "a+800");
	assert_mapped(41, 2, 0x1000, "a+0");
	assert_mapped(41, 2, 0x1800, "child+0");
	/* The earlier version is unchanged. */
	assert_mapped(39, 1, 0x1000, "a+0");
	assert_mapped(40, 2, 0x1800, "a+800");
}

static void address_spaces_of_grandchildren_are_independent(void **state)
{
	struct maps *maps = *state;
	char path[32];
	uint32_t pid, other;

	map(maps, 10, 1, 0x10000, 0x10000, 0, "root");
	for (pid = 2; pid < 50; pid++) {
		spawn(maps, 10 * pid, pid - 1, pid - 1, pid, pid);
		snprintf(path, sizeof(path), "own%u", pid);
		map(maps, 10 * pid + 1, pid, 0x10000 + 0x400 * pid, 0x400, 0,
			path);
	}
	/*
	 * Each process has its own mappings and those of its ancestors, not
	 * those of its descendants.
	 */
	for (pid = 1; pid < 50; pid++) {
		for (other = 2; other < 50; other++) {
			if (other <= pid)
				snprintf(path, sizeof(path), "own%u+0", other);
			else
				snprintf(path, sizeof(path), "root+%x",
					0x400 * other);
			assert_mapped(9999, pid, 0x10000 + 0x400 * other, path);
		}
	}
}

static void a_fork_at_time_0_copies_no_mappings(void **state)
{
	struct maps *maps = *state;

	name(maps, 0, 1, 1, "parent");
	map(maps, 0, 1, 0x1000, 0x1000, 0, "a");
	spawn(maps, 0, 1, 1, 2, 2);
	assert_mapped(10, 2, 0x1000, "-");
	assert_comm(10, 2, 2, "parent");
	/*
	 * The child's mappings have records of their own, before or after the
	 * FORK.
	 */
	map(maps, 0, 2, 0x1000, 0x1000, 0x500, "a");
	assert_mapped(10, 2, 0x1000, "a+500");
}

static void a_fork_at_time_0_keeps_the_childs_mappings(void **state)
{
	struct maps *maps = *state;

	map(maps, 0, 2, 0x1000, 0x1000, 0, "child");
	map(maps, 0, 1, 0x1000, 0x1000, 0, "parent");
	spawn(maps, 0, 1, 1, 2, 2);
	assert_mapped(10, 2, 0x1000, "child+0");
}

static void a_new_thread_shares_the_address_space_of_its_process(void **state)
{
	struct maps *maps = *state;
	struct maps_context context;
	uint32_t before;

	map(maps, 10, 1, 0x1000, 0x1000, 0, "a");
	before = maps_n_spaces(maps);
	spawn(maps, 20, 1, 1, 1, 5);
	assert_int_equal(maps_n_spaces(maps), before);
	map(maps, 30, 1, 0x5000, 0x1000, 0, "b");
	context = maps_context(maps, 1, 5, 30);
	assert_non_null(maps_find(maps, context.space, 0x1000));
	assert_non_null(maps_find(maps, context.space, 0x5000));
}

static void a_child_of_an_unknown_process_has_an_empty_address_space(
	void **state)
{
	struct maps *maps = *state;

	spawn(maps, 20, 1, 1, 2, 2);
	assert_mapped(20, 2, 0x1000, "-");
	map(maps, 30, 2, 0x1000, 0x1000, 0, "a");
	assert_mapped(30, 2, 0x1000, "a+0");
}

static void a_reused_pid_gets_a_new_address_space(void **state)
{
	struct maps *maps = *state;

	name(maps, 9, 1, 1, "first");
	map(maps, 10, 1, 0x1000, 0x1000, 0, "parent");
	name(maps, 10, 2, 2, "second");
	map(maps, 11, 2, 0x1000, 0x1000, 0, "old");
	map(maps, 12, 2, 0x5000, 0x1000, 0, "old");
	spawn(maps, 20, 1, 1, 2, 2);
	assert_mapped(19, 2, 0x1000, "old+0");
	assert_mapped(20, 2, 0x1000, "parent+0");
	assert_mapped(20, 2, 0x5000, "-");
	assert_comm(19, 2, 2, "second");
	assert_comm(20, 2, 2, "first");
}

/* --- names ---------------------------------------------------------------- */

static void a_process_has_the_name_of_the_given_time(void **state)
{
	struct maps *maps = *state;

	name(maps, 10, 1, 1, "a");
	name(maps, 20, 1, 1, "b");
	name(maps, 30, 1, 1, "a");
	assert_comm(9, 1, 1, "");
	assert_comm(10, 1, 1, "a");
	assert_comm(19, 1, 1, "a");
	assert_comm(20, 1, 1, "b");
	assert_comm(30, 1, 1, "a");
	assert_int_equal(maps_context(maps, 1, 1, 10).comm,
		maps_context(maps, 1, 1, 30).comm);
}

static void threads_can_have_other_names_than_their_process(void **state)
{
	struct maps *maps = *state;

	name(maps, 10, 1, 1, "main");
	spawn(maps, 20, 1, 1, 1, 5);
	assert_comm(20, 1, 5, "main");
	name(maps, 30, 1, 5, "worker");
	assert_comm(29, 1, 5, "main");
	assert_comm(30, 1, 5, "worker");
	assert_comm(30, 1, 1, "main");
	/*
	 * The child inherits the name of the forking thread, not of its
	 * process.
	 */
	spawn(maps, 40, 1, 5, 7, 7);
	assert_comm(40, 7, 7, "worker");
}

static void a_child_inherits_the_name_of_its_parent_at_the_fork(void **state)
{
	struct maps *maps = *state;

	name(maps, 10, 1, 1, "before");
	spawn(maps, 20, 1, 1, 2, 2);
	name(maps, 30, 1, 1, "after");
	assert_comm(40, 2, 2, "before");
	assert_comm(40, 1, 1, "after");
}

/* --- IDs that are used again ---------------------------------------------- */

static void end(struct maps *maps, uint64_t time, uint32_t pid, uint32_t tid)
{
	maps_end_thread(maps, pid, tid, time);
}

/* Checks the uses of PID and TID at TIME, and the name of the process. */
static void assert_use(const struct maps *maps, uint64_t time, uint32_t pid,
	uint32_t tid, uint32_t pid_use, uint32_t tid_use, const char *process)
{
	struct maps_context at = maps_context(maps, pid, tid, time);

	assert_int_equal(at.pid_use, pid_use);
	assert_int_equal(at.tid_use, tid_use);
	assert_string_equal(
		maps_comm(maps, maps_process_comm(maps, pid, pid_use)),
		process);
}

static void a_fork_with_the_pid_of_an_ended_process_is_a_new_use(void **state)
{
	struct maps *maps = *state;

	name(maps, 0, 1, 1, "init");
	name(maps, 0, 2, 2, "first");
	end(maps, 10, 2, 2);
	assert_use(maps, 15, 2, 2, 0, 0, "first");
	spawn(maps, 20, 1, 1, 2, 2);
	exec(maps, 30, 2, "second");
	exec(maps, 40, 2, "third");
	assert_use(maps, 0, 2, 2, 0, 0, "first");
	assert_use(maps, 19, 2, 2, 0, 0, "first");
	assert_use(maps, 20, 2, 2, 1, 1, "third");
	assert_use(maps, 40, 2, 2, 1, 1, "third");
	assert_int_equal(maps_context(maps, 2, 2, 19).valid_until, 20);
	/* The EXIT record of this use is lost. */
	spawn(maps, 50, 1, 1, 2, 2);
	assert_use(maps, 49, 2, 2, 1, 1, "third");
	assert_use(maps, 50, 2, 2, 2, 2, "init");
	assert_int_equal(maps_process_comm(maps, 2, 3), 0);
}

static void an_exec_is_not_a_new_use_of_the_pid(void **state)
{
	struct maps *maps = *state;

	name(maps, 0, 1, 1, "init");
	spawn(maps, 10, 1, 1, 2, 2);
	exec(maps, 20, 2, "shell");
	/* Another thread than the main thread executes the program. */
	spawn(maps, 21, 2, 2, 2, 3);
	end(maps, 25, 2, 2);
	exec(maps, 30, 2, "program");
	assert_use(maps, 10, 2, 2, 0, 0, "program");
	assert_use(maps, 30, 2, 2, 0, 0, "program");
}

/*
 * The recorder reads /proc after the fork; the records that it makes have the
 * time 0.
 */
static void a_process_found_in_proc_after_its_fork_has_one_use(void **state)
{
	struct maps *maps = *state;

	name(maps, 0, 1, 1, "init");
	spawn(maps, 0, 1, 1, 2, 2);
	name(maps, 0, 2, 2, "found");
	spawn(maps, 10, 1, 1, 2, 2);
	exec(maps, 20, 2, "found");
	assert_use(maps, 10, 2, 2, 0, 0, "found");
	assert_use(maps, 20, 2, 2, 0, 0, "found");
}

static void a_thread_with_the_id_of_an_ended_thread_is_a_new_use(void **state)
{
	struct maps *maps = *state;

	name(maps, 0, 2, 2, "main");
	name(maps, 0, 2, 3, "worker");
	end(maps, 10, 2, 3);
	spawn(maps, 20, 2, 2, 2, 3);
	assert_use(maps, 19, 2, 3, 0, 0, "main");
	assert_use(maps, 20, 2, 3, 0, 1, "main");
	assert_comm(19, 2, 3, "worker");
	assert_comm(20, 2, 3, "main");
	/* Threads of another process that has the PID. */
	end(maps, 30, 2, 2);
	end(maps, 30, 2, 3);
	spawn(maps, 40, 1, 1, 2, 2);
	assert_use(maps, 40, 2, 3, 1, 1, "");
	spawn(maps, 50, 2, 2, 2, 3);
	assert_use(maps, 50, 2, 3, 1, 2, "");
	assert_comm(50, 2, 3, "");
}

/* ID 0 is the idle task of each CPU, or a task of another PID namespace. */
static void ids_0_and_uint32_max_have_one_use(void **state)
{
	static const uint32_t ids[] = { 0, UINT32_MAX };
	struct maps *maps = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		name(maps, 5, ids[i], ids[i], "some");
		end(maps, 10, ids[i], ids[i]);
		spawn(maps, 20, 1, 1, ids[i], ids[i]);
		assert_use(maps, 30, ids[i], ids[i], 0, 0, "some");
	}
}

/* The kernel writes no such records. */
static void forks_with_impossible_ids_are_no_new_use(void **state)
{
	struct maps *maps = *state;

	name(maps, 5, 2, 2, "main");
	name(maps, 5, 2, 3, "worker");
	end(maps, 10, 2, 2);
	end(maps, 10, 2, 3);
	/* A main thread of the same process, another thread of another one. */
	spawn(maps, 20, 2, 3, 2, 2);
	spawn(maps, 20, 1, 1, 2, 3);
	assert_use(maps, 30, 2, 2, 0, 0, "worker");
	assert_use(maps, 30, 2, 3, 0, 0, "worker");
}

static void an_ended_thread_without_a_name_has_an_empty_name(void **state)
{
	struct maps *maps = *state;

	end(maps, 10, 2, 2);
	spawn(maps, 20, 1, 1, 2, 2);
	assert_use(maps, 19, 2, 2, 0, 0, "");
	assert_use(maps, 20, 2, 2, 1, 1, "");
	exec(maps, 30, 2, "second");
	assert_use(maps, 20, 2, 2, 1, 1, "second");
}

/* --- DSOs ----------------------------------------------------------------- */

static uint32_t dso_at(struct maps *maps, uint32_t pid, uint64_t address)
{
	const struct mapping *mapping = maps_find(
		maps, maps_context(maps, pid, pid, 1000).space, address);

	assert_non_null(mapping);
	return mapping->dso;
}

static void one_file_is_one_dso_in_all_processes(void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x1000, 0x1000, 0, "/lib/a");
	map(maps, 11, 1, 0x2000, 0x1000, 0x5000, "/lib/a");
	map(maps, 12, 2, 0x1000, 0x1000, 0, "/lib/a");
	assert_int_equal(maps_n_dsos(maps), 1);
	assert_string_equal(maps_dso(maps, 0)->path, "/lib/a");
	assert_int_equal(maps_dso(maps, 0)->pid, 1);
}

static void a_replaced_file_is_another_dso(void **state)
{
	struct maps *maps = *state;
	struct record_mmap record = { .pid = 1,
		.start = 0x1000,
		.size = 0x1000,
		.inode = 5,
		.path = "/lib/a" };

	maps_add_mmap(maps, &record, 10);
	record.inode = 6;
	record.start = 0x2000;
	maps_add_mmap(maps, &record, 20);
	record.inode = 0;
	record.build_id = (struct build_id){ 2, { 1, 2 } };
	record.start = 0x3000;
	maps_add_mmap(maps, &record, 30);
	record.build_id.bytes[1] = 3;
	record.start = 0x4000;
	maps_add_mmap(maps, &record, 40);
	assert_int_equal(maps_n_dsos(maps), 4);
	assert_int_equal(maps_dso(maps, dso_at(maps, 1, 0x1000))->inode, 5);
	assert_int_equal(maps_dso(maps, dso_at(maps, 1, 0x2000))->inode, 6);
	assert_int_equal(
		maps_dso(maps, dso_at(maps, 1, 0x4000))->build_id.bytes[1], 3);
}

static void each_word_size_has_its_vdso(void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0xf7fb0000, 0x2000, 0, "[vdso]");
	map(maps, 11, 2, 0x7fff12340000, 0x2000, 0, "[vdso]");
	map(maps, 12, 3, 0xf7ea0000, 0x2000, 0, "[vdso]");
	map(maps, 13, 4, 0xfffff000, 0x2000, 0, "[vdso]");
	map(maps, 14, 5, 0xffffe000, 0x2000, 0, "[vdso]");
	map(maps, 15, 6, 0xf7fb0000, 0x2000, 0, "/tmp/[vdso]");
	assert_int_equal(maps_n_dsos(maps), 3);
	assert_string_equal(maps_dso(maps, 0)->path, "[vdso32]");
	assert_string_equal(maps_dso(maps, 1)->path, "[vdso]");
	assert_int_equal(dso_at(maps, 3, 0xf7ea0000), 0);
	assert_int_equal(dso_at(maps, 4, 0xfffff000), 1);
	assert_int_equal(dso_at(maps, 5, 0xffffe000), 0);
	/* Adding an equal DSO returns the index of the first. */
	assert_int_equal(maps_add_dso(maps, maps_dso(maps, 0)), 0);
	assert_int_equal(maps_add_dso(maps, maps_dso(maps, 1)), 1);
}

static void the_anonymous_memory_of_a_process_is_one_dso(void **state)
{
	struct maps *maps = *state;

	map(maps, 10, 1, 0x1000, 0x1000, 0, "//anon");
	map(maps, 11, 2, 0x1000, 0x1000, 0, "//anon");
	map(maps, 12, 2, 0x5000, 0x1000, 0, "//anon");
	assert_int_equal(maps_n_dsos(maps), 2);
	assert_int_equal(maps_dso(maps, dso_at(maps, 1, 0x1000))->pid, 1);
	assert_int_equal(maps_dso(maps, dso_at(maps, 2, 0x1000))->pid, 2);
}

/* --- the kernel ----------------------------------------------------------- */

#define KERNEL_TEXT UINT64_C(0xffffffff81000000)
#define MODULE UINT64_C(0xffffffffc0001000)

static void the_kernel_mapping_extends_up_to_the_modules(void **state)
{
	struct maps *maps = *state;

	map(maps, 0, MAPS_KERNEL_PID, KERNEL_TEXT, 0x1000, KERNEL_TEXT,
		"[kernel.kallsyms]_text");
	map(maps, 0, MAPS_KERNEL_PID, MODULE, 0x1000, 0, "[ext4]");
	assert_string_equal(
		maps_dso(maps, maps_find(maps, MAPS_KERNEL, KERNEL_TEXT)->dso)
			->path,
		"[kernel.kallsyms]_text");
	assert_string_equal(
		maps_dso(maps,
			maps_find(maps, MAPS_KERNEL, KERNEL_TEXT + 0x2000000)
				->dso)
			->path,
		"[kernel.kallsyms]_text");
	assert_string_equal(
		maps_dso(maps, maps_find(maps, MAPS_KERNEL, MODULE)->dso)->path,
		"[ext4]");
	assert_null(maps_find(maps, MAPS_KERNEL, KERNEL_TEXT - 1));
}

static void the_kernel_has_one_address_space_at_all_times(void **state)
{
	struct maps *maps = *state;
	uint32_t before = maps_n_spaces(maps);

	map(maps, 10, MAPS_KERNEL_PID, MODULE, 0x1000, 0, "[old]");
	map(maps, 20, MAPS_KERNEL_PID, MODULE, 0x1000, 0, "[new]");
	assert_int_equal(maps_n_spaces(maps), before);
	assert_string_equal(
		maps_dso(maps, maps_find(maps, MAPS_KERNEL, MODULE)->dso)->path,
		"[new]");
}

/* --- visiting the current state ------------------------------------------- */

struct seen {
	char text[512];
};

static void see_comm(void *data, uint32_t pid, uint32_t tid, const char *comm)
{
	struct seen *seen = data;
	size_t n = strlen(seen->text);

	snprintf(seen->text + n, sizeof(seen->text) - n, "%u/%u %s;", pid, tid,
		comm);
}

static void see_end(void *data, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct seen *seen = data;
	size_t n = strlen(seen->text);

	snprintf(seen->text + n, sizeof(seen->text) - n,
		"%u/%u until %" PRIu64 ";", pid, tid, time);
}

static void see_mapping(void *data, uint32_t pid, const struct mapping *mapping)
{
	struct seen *seen = data;
	size_t n = strlen(seen->text);

	snprintf(seen->text + n, sizeof(seen->text) - n,
		"%u %" PRIx64 "-%" PRIx64 "@%" PRIx64 ";", pid, mapping->start,
		mapping->end, mapping->offset);
}

static void assert_seen(
	const struct maps *maps, uint64_t since, const char *text)
{
	struct seen seen = { "" };
	const struct maps_visitor visitor = { see_comm, see_end, see_mapping,
		&seen };

	maps_visit(maps, since, &visitor);
	assert_string_equal(seen.text, text);
}

static void maps_visit_visits_current_threads_and_mappings(void **state)
{
	struct maps *maps = *state;

	map(maps, 1, MAPS_KERNEL_PID, 0xff000000, 0x1000, 0, "[kernel]");
	name(maps, 1, 5, 5, "old");
	map(maps, 1, 5, 0x9000, 0x1000, 0, "/old");
	exec(maps, 2, 5, "new");
	name(maps, 3, 5, 6, "thread");
	map(maps, 3, 5, 0x4000, 0x3000, 0x100, "/a");
	map(maps, 4, 5, 0x5000, 0x1000, 0x0, "/b");
	assert_seen(maps, 5,
		"5/5 new;5/6 thread;5 4000-5000@100;5 5000-6000@0;"
		"5 6000-7000@2100;");
}

static void a_visitor_of_maps_can_lack_functions(void **state)
{
	struct maps *maps = *state;
	struct seen seen = { "" };

	name(maps, 1, 5, 5, "main");
	map(maps, 1, 5, 0x4000, 0x1000, 0, "/a");
	maps_end_thread(maps, 5, 5, 10);
	maps_visit(maps, 1, &(struct maps_visitor){ .data = &seen });
	assert_string_equal(seen.text, "");
	maps_visit(maps, 1,
		&(struct maps_visitor){ .comm = see_comm, .data = &seen });
	assert_string_equal(seen.text, "5/5 main;");
	seen.text[0] = '\0';
	maps_visit(maps, 1,
		&(struct maps_visitor){ .end = see_end, .data = &seen });
	assert_string_equal(seen.text, "5/5 until 10;");
	seen.text[0] = '\0';
	maps_visit(maps, 1,
		&(struct maps_visitor){
			.mapping = see_mapping, .data = &seen });
	assert_string_equal(seen.text, "5 4000-5000@0;");
}

static void maps_visit_leaves_out_ended_threads_and_processes(void **state)
{
	struct maps *maps = *state;

	name(maps, 1, 5, 5, "main");
	name(maps, 1, 5, 6, "other");
	map(maps, 1, 5, 0x4000, 0x1000, 0, "/a");
	name(maps, 1, 7, 7, "gone");
	map(maps, 1, 7, 0x4000, 0x1000, 0, "/a");
	maps_end_thread(maps, 7, 7, 10);
	maps_end_thread(maps, 5, 5, 10);
	/* Tear-down may still be sampled. */
	assert_seen(maps, 10,
		"5/5 main;5/5 until 10;5/6 other;7/7 gone;7/7 until 10;"
		"5 4000-5000@0;7 4000-5000@0;");
	/* A process continues without its first thread. */
	assert_seen(maps, 11, "5/6 other;5 4000-5000@0;");
	/* The thread ID is used again. */
	spawn(maps, 12, 5, 6, 7, 7);
	assert_seen(
		maps, 13, "5/6 other;7/7 other;5 4000-5000@0;7 4000-5000@0;");
}

static void a_ksymbol_record_maps_kernel_code(void **state)
{
	struct maps *maps = *state;
	struct record_ksymbol symbol = { MODULE, 0x80, 1, 0, "bpf_prog_1" };
	const struct mapping *mapping;

	maps_add_ksymbol(maps, &symbol);
	/* Unregistering: the code was sampled before. */
	symbol.flags = 1;
	maps_add_ksymbol(maps, &symbol);
	mapping = maps_find(maps, MAPS_KERNEL, MODULE + 0x7f);
	assert_non_null(mapping);
	assert_string_equal(maps_dso(maps, mapping->dso)->path, "bpf_prog_1");
	assert_null(maps_find(maps, MAPS_KERNEL, MODULE + 0x80));
}

/*
 * --- comparison with a model -----------------------------------------------
 *
 * The model keeps a picture of a process after every event: the content of each
 * page, and the content before the last exec. A lookup finds the last picture
 * at a time.
 */

#define MODEL_PAGES 48u
#define MODEL_PIDS 6u
#define MODEL_EVENTS 1500u
#define MODEL_QUESTIONS 6000u
#define MODEL_BASE UINT64_C(0x10000)
#define PAGE 0x1000u

/* Content of a page: number of the file and page in it, + 1; 0: unmapped. */
static uint32_t content_of(uint32_t file, uint32_t page)
{
	return file * 256 + page + 1;
}

struct picture {
	uint64_t time;
	uint32_t pid, life; /* exec and fork start another life */
	uint32_t pages[MODEL_PAGES], before[MODEL_PAGES];
	uint32_t comm; /* + 1; 0: unknown */
};

struct model {
	ARRAY(struct picture) pictures;
	uint32_t lives;
	bool forgets;
};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13; /* xorshift64, Marsaglia */
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

/* Index of the last picture of PID at TIME, or SIZE_MAX. */
static size_t last_picture(
	const struct model *model, uint32_t pid, uint64_t time)
{
	size_t i, found = SIZE_MAX;

	for (i = 0; i < model->pictures.n; i++)
		if (model->pictures.at[i].pid == pid &&
			model->pictures.at[i].time <= time)
			found = i;
	return found;
}

/* Copies PID's last picture for the next event. */
static struct picture *next_picture(
	struct model *model, uint32_t pid, uint64_t time)
{
	size_t last = last_picture(model, pid, time);
	struct picture *picture = array_push(&model->pictures);

	if (last != SIZE_MAX)
		*picture = model->pictures.at[last];
	picture->time = time;
	picture->pid = pid;
	return picture;
}

static void random_mmap(struct model *model, struct maps *maps, uint64_t time,
	uint32_t pid, uint64_t *random)
{
	uint32_t start = (uint32_t)(next_random(random) % MODEL_PAGES);
	uint32_t n = 1 + (uint32_t)(next_random(random) % 9);
	uint32_t file = (uint32_t)(next_random(random) % 5);
	/* Few file offsets, so that equal mappings occur. */
	uint32_t page = start + (uint32_t)(next_random(random) % 2) * 50;
	struct picture *picture = next_picture(model, pid, time);
	char path[16];
	uint32_t i;

	for (i = 0; i < n && start + i < MODEL_PAGES; i++)
		picture->pages[start + i] = content_of(file, page + i);
	snprintf(path, sizeof(path), "/file%u", file);
	map(maps, time, pid, MODEL_BASE + start * PAGE, i * PAGE, page * PAGE,
		path);
}

static void random_fork(struct model *model, struct maps *maps, uint64_t time,
	uint32_t pid, uint64_t *random)
{
	uint32_t child = 1 +
		(uint32_t)(pid + next_random(random) % (MODEL_PIDS - 1)) %
			MODEL_PIDS;
	size_t parent = last_picture(model, pid, time);
	struct picture *picture = next_picture(model, child, time);

	*picture = parent == SIZE_MAX ? (struct picture){ 0 }
				      : model->pictures.at[parent];
	picture->time = time;
	picture->pid = child;
	picture->life = ++model->lives;
	spawn(maps, time, pid, pid, child, child);
}

static void random_comm(struct model *model, struct maps *maps, uint64_t time,
	uint32_t pid, uint64_t *random)
{
	struct picture *picture = next_picture(model, pid, time);
	uint32_t comm = (uint32_t)(next_random(random) % 20);
	char text[16];

	picture->comm = comm + 1;
	snprintf(text, sizeof(text), "comm%u", comm);
	if (next_random(random) % 3) {
		name(maps, time, pid, pid, text);
		return;
	}
	memcpy(picture->before, picture->pages, sizeof(picture->before));
	memset(picture->pages, 0, sizeof(picture->pages));
	picture->life = ++model->lives;
	exec(maps, time, pid, text);
}

/* Returns true if PAGE of PID's life at picture I got CONTENT later. */
static bool is_added_later(
	const struct model *model, size_t i, uint32_t page, uint32_t content)
{
	const struct picture *now = &model->pictures.at[i];

	for (; i < model->pictures.n; i++) {
		const struct picture *later = &model->pictures.at[i];

		if (later->pid == now->pid && later->life == now->life &&
			later->pages[page] == content)
			return true;
	}
	return false;
}

static void compare_at(const struct model *model, const struct maps *maps,
	uint64_t time, uint32_t pid, uint32_t page)
{
	struct maps_context context = maps_context(maps, pid, pid, time);
	const struct mapping *mapping =
		maps_find(maps, context.space, MODEL_BASE + page * PAGE + 7);
	size_t i = last_picture(model, pid, time);
	const struct picture *picture =
		i == SIZE_MAX ? NULL : &model->pictures.at[i];
	uint32_t found = 0, file;
	char comm[16] = "";

	if (mapping) {
		const char *path = maps_dso(maps, mapping->dso)->path;
		uint64_t offset = MODEL_BASE + page * PAGE - mapping->start +
			mapping->offset;

		assert_int_equal(sscanf(path, "/file%u", &file), 1);
		found = content_of(file, (uint32_t)(offset / PAGE));
	}
	if (!picture) {
		assert_int_equal(context.space, MAPS_NO_SPACE);
		return;
	}
	if (picture->comm)
		snprintf(comm, sizeof(comm), "comm%u", picture->comm - 1);
	assert_string_equal(maps_comm(maps, context.comm), comm);
	/*
	 * An unmapped page may have the answer of the space before the exec, or
	 * of a mapping that was added later without overlap.
	 */
	if (picture->pages[page])
		assert_int_equal(found, picture->pages[page]);
	else if (found != picture->before[page] && !(model->forgets && !found))
		assert_true(is_added_later(model, i, page, found));
}

static void compare_with_a_model(bool forgets)
{
	uint64_t random, seed, time, first, i;

	for (seed = 1; seed <= 5; seed++) {
		struct maps *maps = maps_create();
		struct model model = { .forgets = forgets };

		random = seed * UINT64_C(0x9e3779b97f4a7c15);
		first = 95;
		for (i = 0, time = 100; i < MODEL_EVENTS; i++) {
			uint32_t pid = 1 +
				(uint32_t)(next_random(&random) % MODEL_PIDS);
			uint64_t kind = next_random(&random) % 20;

			time += next_random(&random) % 3;
			if (kind == 0)
				random_fork(&model, maps, time, pid, &random);
			else if (kind < 3)
				random_comm(&model, maps, time, pid, &random);
			else
				random_mmap(&model, maps, time, pid, &random);
			if (!forgets || i % 300 != 299)
				continue;
			first = time - 200;
			maps_forget(maps, first);
		}
		for (i = 0; i < MODEL_QUESTIONS; i++)
			compare_at(&model, maps,
				first +
					next_random(&random) %
						(time + 10 - first),
				1 +
					(uint32_t)(next_random(&random) %
						MODEL_PIDS),
				(uint32_t)(next_random(&random) % MODEL_PAGES));
		array_free(&model.pictures);
		maps_destroy(maps);
	}
}

static void lookups_after_random_records_agree_with_a_simple_model(
	void **state _unused_)
{
	compare_with_a_model(false);
}

static void maps_forget_does_not_change_later_answers(void **state _unused_)
{
	compare_with_a_model(true);
}

static void leave(struct maps *maps, uint64_t time, uint32_t pid, uint32_t tid)
{
	maps_end_thread(maps, pid, tid, time);
}

static void maps_forget_drops_processes_that_ended_before_the_time(void **state)
{
	struct maps *maps = *state;

	map(maps, 1, 7, 0x1000, 0x1000, 0, "/seven");
	map(maps, 1, 8, 0x1000, 0x1000, 0, "/eight");
	leave(maps, 10, 7, 7);
	leave(maps, 20, 8, 8);
	maps_forget(maps, 15);
	assert_mapped(30, 7, 0x1000, "-");
	assert_mapped(30, 8, 0x1000, "/eight+0");
}

static void maps_forget_keeps_a_child_without_a_name_that_reuses_a_pid(
	void **state)
{
	struct maps *maps = *state;

	map(maps, 1, 6, 0x1000, 0x1000, 0, "/parent");
	leave(maps, 2, 7, 7);
	spawn(maps, 10, 6, 6, 7, 7);
	maps_forget(maps, 20);
	assert_mapped(30, 7, 0x1000, "/parent+0");
}

static void maps_forget_keeps_a_process_until_its_last_thread_ends(void **state)
{
	struct maps *maps = *state;

	name(maps, 1, 7, 7, "seven");
	map(maps, 1, 7, 0x1000, 0x1000, 0, "/seven");
	spawn(maps, 2, 7, 7, 7, 9);
	leave(maps, 10, 7, 7);
	maps_forget(maps, 20);
	assert_mapped(30, 7, 0x1000, "/seven+0");
	assert_comm(30, 7, 9, "seven");
	leave(maps, 30, 7, 9);
	maps_forget(maps, 40);
	assert_mapped(30, 7, 0x1000, "-");
}

static void maps_forget_keeps_a_process_that_reuses_a_pid(void **state)
{
	struct maps *maps = *state;

	name(maps, 1, 1, 1, "one");
	map(maps, 1, 1, 0x1000, 0x1000, 0, "/one");
	spawn(maps, 2, 1, 1, 7, 7);
	leave(maps, 3, 7, 7);
	spawn(maps, 4, 1, 1, 7, 7);
	maps_forget(maps, 20);
	assert_mapped(30, 7, 0x1000, "/one+0");
	assert_comm(30, 7, 7, "one");
}

#define maps_test(function) \
	cmocka_unit_test_setup_teardown(function, make_maps, destroy_maps)

int main(void)
{
	const struct CMUnitTest tests[] = {
		maps_test(new_maps_are_empty),
		maps_test(a_mapping_covers_its_addresses_from_start_to_end),
		maps_test(a_mapping_without_size_is_ignored),
		maps_test(
			a_mapping_that_wraps_around_ends_at_the_highest_address),
		maps_test(
			a_newer_mapping_replaces_the_left_part_of_an_older_one),
		maps_test(
			a_newer_mapping_replaces_the_right_part_of_an_older_one),
		maps_test(
			find_part_returns_the_address_range_of_the_same_mapping),
		maps_test(a_newer_mapping_replaces_the_middle_of_an_older_one),
		maps_test(a_newer_mapping_replaces_all_mappings_that_it_covers),
		maps_test(two_mappings_that_alternate_are_found_by_time),
		maps_test(a_mapping_without_overlap_makes_no_new_address_space),
		maps_test(a_repeated_mapping_makes_no_new_address_space),
		maps_test(a_data_mapping_can_become_code_but_code_stays_code),
		maps_test(an_address_space_is_valid_until_the_next_one_begins),
		maps_test(
			a_mapping_added_with_an_earlier_time_replaces_the_later_one),
		maps_test(an_exec_replaces_the_address_space),
		maps_test(
			addresses_unmapped_by_an_exec_are_found_in_the_space_before),
		maps_test(a_comm_without_the_exec_flag_keeps_the_address_space),
		maps_test(
			a_process_is_one_program_until_an_exec_or_a_reused_pid),
		maps_test(a_fork_copies_the_address_space_of_the_parent),
		maps_test(
			after_a_fork_mappings_of_parent_and_child_are_independent),
		maps_test(address_spaces_of_grandchildren_are_independent),
		maps_test(a_fork_at_time_0_copies_no_mappings),
		maps_test(a_fork_at_time_0_keeps_the_childs_mappings),
		maps_test(a_new_thread_shares_the_address_space_of_its_process),
		maps_test(
			a_child_of_an_unknown_process_has_an_empty_address_space),
		maps_test(a_reused_pid_gets_a_new_address_space),
		maps_test(a_process_has_the_name_of_the_given_time),
		maps_test(threads_can_have_other_names_than_their_process),
		maps_test(a_child_inherits_the_name_of_its_parent_at_the_fork),
		maps_test(a_fork_with_the_pid_of_an_ended_process_is_a_new_use),
		maps_test(an_exec_is_not_a_new_use_of_the_pid),
		maps_test(a_process_found_in_proc_after_its_fork_has_one_use),
		maps_test(a_thread_with_the_id_of_an_ended_thread_is_a_new_use),
		maps_test(ids_0_and_uint32_max_have_one_use),
		maps_test(forks_with_impossible_ids_are_no_new_use),
		maps_test(an_ended_thread_without_a_name_has_an_empty_name),
		maps_test(one_file_is_one_dso_in_all_processes),
		maps_test(a_replaced_file_is_another_dso),
		maps_test(each_word_size_has_its_vdso),
		maps_test(the_anonymous_memory_of_a_process_is_one_dso),
		maps_test(the_kernel_mapping_extends_up_to_the_modules),
		maps_test(the_kernel_has_one_address_space_at_all_times),
		maps_test(a_ksymbol_record_maps_kernel_code),
		maps_test(maps_visit_visits_current_threads_and_mappings),
		maps_test(a_visitor_of_maps_can_lack_functions),
		maps_test(maps_visit_leaves_out_ended_threads_and_processes),
		cmocka_unit_test(
			lookups_after_random_records_agree_with_a_simple_model),
		cmocka_unit_test(maps_forget_does_not_change_later_answers),
		maps_test(
			maps_forget_drops_processes_that_ended_before_the_time),
		maps_test(
			maps_forget_keeps_a_child_without_a_name_that_reuses_a_pid),
		maps_test(
			maps_forget_keeps_a_process_until_its_last_thread_ends),
		maps_test(maps_forget_keeps_a_process_that_reuses_a_pid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
