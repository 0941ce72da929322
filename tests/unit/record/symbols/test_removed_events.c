/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/removed_events.h"

#include "tests/unit/testing.h"

#define REASON                                                           \
	" are missing: the kernel removes the events of a process that " \
	"executes a program which is set-user-ID or set-group-ID, has "  \
	"capabilities, or cannot be read. To record it: dwell record -a"

/* Adds the record in RECORDS, which is empty afterwards. */
static void add(struct removed_events *removed, struct strbuf *records)
{
	struct record record;

	assert_true(record_at(
		(const uint8_t *)records->at, records->n, false, &record));
	removed_events_add_record(removed, &record);
	strbuf_clear(records);
}

static void add_comm(struct removed_events *removed, uint32_t pid, bool is_exec,
	const char *name)
{
	const struct record_comm comm = { pid, pid, is_exec, name };
	_cleanup_strbuf_ struct strbuf records = { 0 };

	record_write_comm(&records, &comm, NULL, 0);
	add(removed, &records);
}

static void add_map(struct removed_events *removed, uint32_t pid)
{
	const struct record_mmap map = { .pid = pid,
		.tid = pid,
		.start = 0x1000,
		.size = 0x1000,
		.path = "/bin/x" };
	_cleanup_strbuf_ struct strbuf records = { 0 };

	record_write_mmap2(&records, MISC_USER, &map, NULL, 0);
	add(removed, &records);
}

static void add_exit(struct removed_events *removed, uint32_t pid, uint32_t tid)
{
	const struct record_task task = { .pid = pid, .tid = tid };
	_cleanup_strbuf_ struct strbuf records = { 0 };

	record_write_task(&records, RECORD_EXIT, &task, NULL, 0);
	add(removed, &records);
}

static void add_lost(struct removed_events *removed)
{
	const uint64_t lost[] = { 1, 2 };
	_cleanup_strbuf_ struct strbuf records = { 0 };

	record_write(&records, RECORD_LOST, 0, lost, sizeof(lost));
	add(removed, &records);
}

/* Asserts the text of REMOVED, and frees REMOVED. */
static void assert_removed(struct removed_events *removed, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	removed_events_put(removed, true, &text);
	assert_text(&text, wanted);
	removed_events_deinit(removed);
}

static void a_program_that_exits_without_a_mapping_lost_its_events(
	void **state _unused_)
{
	struct removed_events removed = { 0 };
	_cleanup_strbuf_ struct strbuf text = { 0 };

	add_comm(&removed, 7, true, "sh");
	add_map(&removed, 7);
	add_comm(&removed, 8, true, "su\033");
	add_map(&removed, 7);
	add_exit(&removed, 8, 8);
	add_exit(&removed, 7, 7);
	removed_events_put(&removed, false, &text);
	assert_text(&text,
		"samples of su\\x1b (PID 8)" REASON
		", or run dwell record as root");
	assert_removed(&removed, "samples of su\\x1b (PID 8)" REASON);
}

static void exits_of_threads_and_mapped_programs_are_not_reported(
	void **state _unused_)
{
	struct removed_events removed = { 0 };

	/* Two programs of a process, and a thread of it. */
	add_comm(&removed, 7, true, "sh");
	add_exit(&removed, 7, 6);
	add_map(&removed, 7);
	add_comm(&removed, 7, true, "env");
	add_map(&removed, 7);
	add_exit(&removed, 7, 7);
	/* A new name without an exec, as of a thread. */
	add_comm(&removed, 8, false, "worker");
	add_exit(&removed, 8, 8);
	/* The mapping can be lost. */
	add_comm(&removed, 9, true, "lost");
	add_lost(&removed);
	add_exit(&removed, 9, 9);
	add_exit(&removed, 10, 10);
	assert_removed(&removed, "");
}

static void each_program_with_removed_events_is_named_once(
	void **state _unused_)
{
	static const char *const names[] = { "su", "ping", "su",
		"a-name-of-sixteen-bytes", "mount", "umount", "su" };
	struct removed_events removed = { 0 };
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		add_comm(&removed, 100 + i, true, names[i]);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		add_exit(&removed, 100 + i, 100 + i);
	assert_removed(&removed,
		"samples of su (PID 100 and 2 more), ping (PID 101), "
		"a-name-of-sixte (PID 103) and 2 other processes" REASON);
}

static void the_number_of_processes_without_an_exit_is_limited(
	void **state _unused_)
{
	struct removed_events removed = { 0 };
	uint32_t pid;

	for (pid = 1; pid < 10000; pid++)
		add_comm(&removed, pid, true, "sh");
	assert_in_range(removed.starting.n, 1, 1024);
	assert_removed(&removed, "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_program_that_exits_without_a_mapping_lost_its_events),
		cmocka_unit_test(
			exits_of_threads_and_mapped_programs_are_not_reported),
		cmocka_unit_test(
			each_program_with_removed_events_is_named_once),
		cmocka_unit_test(
			the_number_of_processes_without_an_exit_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
