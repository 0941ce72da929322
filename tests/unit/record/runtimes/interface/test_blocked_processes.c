/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests blocked_processes.h. The list of the module lives as long as the program: each test
 * has users and processes of its own, and the last test fills the list.
 */
#include "config.h"

#include "record/runtimes/interface/blocked_processes.h"

#include "common/util/log.h"
#include "tests/unit/testing.h"

static struct strbuf notes;

static void add_note(void *context, const char *line)
{
	strbuf_printf(context, "%s\n", line);
}

static int forget_notes(void **state)
{
	(void)state;
	strbuf_free(&notes);
	return 0;
}

static void assert_blocked(
	uint32_t pid, uint32_t user, enum blocked_reason wanted)
{
	unsigned limit_ms;

	assert_int_equal(blocked_processes_check(pid, user, &limit_ms), wanted);
}

static void only_the_process_that_blocks_is_left_out(void **state)
{
	(void)state;
	assert_blocked(100, 1, BLOCKED_NOT);
	blocked_processes_add(100, 1);
	assert_blocked(100, 1, BLOCKED_PROCESS);
	assert_blocked(101, 1, BLOCKED_NOT);
	assert_blocked(102, 2, BLOCKED_NOT);
	assert_text(&notes,
		"process 100 blocks readers of its memory: functions of its "
		"language runtimes have no names. If it maps files of a "
		"network or FUSE file system, check that the file system "
		"responds\n");
}

static void reads_of_a_user_whose_process_blocked_have_a_shorter_limit(
	void **state)
{
	unsigned of_user, of_other;

	(void)state;
	blocked_processes_add(200, 3);
	blocked_processes_check(201, 3, &of_user);
	blocked_processes_check(202, 4, &of_other);
	assert_int_equal(of_user, BLOCKED_AGAIN_LIMIT_MS);
	assert_int_equal(of_other, BLOCKED_LIMIT_MS);
}

static void a_user_with_many_processes_that_block_is_left_out_alone(
	void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < BLOCKED_PER_USER_MAX; i++) {
		assert_blocked(300 + i, 5, BLOCKED_NOT);
		blocked_processes_add(300 + i, 5);
	}
	assert_blocked(400, 5, BLOCKED_USER);
	assert_blocked(400, 6, BLOCKED_NOT);
	assert_non_null(strstr(notes.at,
		"16 processes of user 5 block readers of their memory: no "
		"more processes of this user are read"));
}

static void the_number_of_processes_that_block_is_limited(void **state)
{
	unsigned limit_ms;
	uint32_t i;

	(void)state;
	for (i = 0; !blocked_processes_check(1000 + i, 100 + i, &limit_ms); i++)
		blocked_processes_add(1000 + i, 100 + i);
	assert_in_range(i, 1, BLOCKED_MAX);
	assert_blocked(1000 + i, 100 + i, BLOCKED_ALL);
	assert_non_null(strstr(notes.at,
		"128 processes block readers of their memory: no more "
		"processes are read"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			only_the_process_that_blocks_is_left_out, forget_notes),
		cmocka_unit_test_teardown(
			reads_of_a_user_whose_process_blocked_have_a_shorter_limit,
			forget_notes),
		cmocka_unit_test_teardown(
			a_user_with_many_processes_that_block_is_left_out_alone,
			forget_notes),
		cmocka_unit_test_teardown(
			the_number_of_processes_that_block_is_limited,
			forget_notes),
	};

	log_divert((struct log_receiver){ add_note, &notes });
	return cmocka_run_group_tests(tests, NULL, NULL);
}
