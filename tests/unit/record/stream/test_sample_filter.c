/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/stream/sample_filter.h"

static struct sample_filter *make(const char *first, const char *second)
{
	const char *terms[] = { first, second };
	struct sample_filter *filter;

	assert_no_error(sample_filter_create(terms, second ? 2 : 1, &filter));
	return filter;
}

static void refuse(const char *term, const char *text)
{
	struct sample_filter *filter;
	struct error *err = sample_filter_create(&term, 1, &filter);

	assert_non_null(err);
	assert_int_equal(err->kind, ERROR_USAGE);
	assert_non_null(strstr(err->text, text));
	error_free(err);
	sample_filter_destroy(filter);
}

static void see(struct sample_filter *filter, struct strbuf *records)
{
	struct record record;

	assert_true(record_at(
		(const uint8_t *)records->at, records->n, false, &record));
	sample_filter_add_record(filter, &record, 50);
	strbuf_free(records);
}

static void see_comm(struct sample_filter *filter, uint32_t pid, uint32_t tid,
	const char *name, bool is_exec)
{
	struct record_comm comm = { pid, tid, is_exec, name };
	struct strbuf records = { 0 };

	record_write_comm(&records, &comm, NULL, 0);
	see(filter, &records);
}

static void see_fork(struct sample_filter *filter, uint32_t ppid, uint32_t ptid,
	uint32_t pid, uint32_t tid)
{
	struct record_task fork = { pid, ppid, tid, ptid, 1 };
	struct strbuf records = { 0 };

	record_write_task(&records, RECORD_FORK, &fork, NULL, 0);
	see(filter, &records);
}

static void see_exit(struct sample_filter *filter, uint32_t pid, uint32_t tid)
{
	struct record_task exit = { pid, 1, tid, 1, 1 };
	struct strbuf records = { 0 };

	record_write_task(&records, RECORD_EXIT, &exit, NULL, 0);
	see(filter, &records);
}

static void terms_pid_and_tid_select_samples(void **state)
{
	struct sample_filter *filter = make("pid=10,20", "tid!=21");

	(void)state;
	assert_true(sample_filter_accepts(filter, 10, 11, 100));
	assert_true(sample_filter_accepts(filter, 20, 20, 100));
	assert_false(sample_filter_accepts(filter, 20, 21, 100));
	assert_false(sample_filter_accepts(filter, 30, 10, 100));
	assert_false(
		sample_filter_accepts(filter, UINT32_MAX, UINT32_MAX, 100));
	assert_int_equal(sample_filter_n_rejected(filter), 3);
	sample_filter_destroy(filter);
}

static void term_comm_matches_the_name_of_the_thread(void **state)
{
	struct sample_filter *filter = make("comm=^web", NULL);

	(void)state;
	assert_false(sample_filter_accepts(filter, 10, 10, 100));
	see_comm(filter, 10, 10, "webserver", false);
	assert_true(sample_filter_accepts(filter, 10, 10, 100));
	/* A new thread has its parent's name until it gets its own. */
	see_fork(filter, 10, 10, 10, 11);
	assert_true(sample_filter_accepts(filter, 10, 11, 100));
	see_comm(filter, 10, 11, "worker", false);
	assert_false(sample_filter_accepts(filter, 10, 11, 100));
	/* Older samples can be read later. */
	assert_true(sample_filter_accepts(filter, 10, 11, 49));
	assert_true(sample_filter_accepts(filter, 10, 10, 100));
	see_fork(filter, 10, 11, 12, 12);
	assert_false(sample_filter_accepts(filter, 12, 12, 100));
	see_comm(filter, 12, 12, "web", true);
	assert_true(sample_filter_accepts(filter, 12, 12, 100));
	/* The FORK of a child can be read after its COMM. */
	see_comm(filter, 13, 13, "web", true);
	see_fork(filter, 10, 11, 13, 13);
	assert_true(sample_filter_accepts(filter, 13, 13, 100));
	/* Another process with the same ID. */
	see_exit(filter, 13, 13);
	assert_true(sample_filter_accepts(filter, 13, 13, 100));
	see_fork(filter, 10, 11, 13, 13);
	assert_false(sample_filter_accepts(filter, 13, 13, 100));
	sample_filter_destroy(filter);
}

static void term_comm_can_exclude_names(void **state)
{
	struct sample_filter *filter = make("comm!=^sh$", "comm!=awk");

	(void)state;
	see_comm(filter, 1, 1, "sh", false);
	see_comm(filter, 2, 2, "mawk", false);
	see_comm(filter, 3, 3, "shell", false);
	assert_false(sample_filter_accepts(filter, 1, 1, 100));
	assert_false(sample_filter_accepts(filter, 2, 2, 100));
	assert_true(sample_filter_accepts(filter, 3, 3, 100));
	sample_filter_destroy(filter);
}

static void term_uid_selects_samples_by_user(void **state)
{
	char own[32], other[32];
	struct sample_filter *filter;
	uint32_t pid = (uint32_t)getpid();

	(void)state;
	snprintf(own, sizeof(own), "uid=%u", (unsigned)geteuid());
	snprintf(other, sizeof(other), "uid!=%u", (unsigned)geteuid());
	filter = make(own, NULL);
	assert_true(sample_filter_accepts(filter, pid, pid, 100));
	/* A child that ended at once has the user of its parent. */
	see_fork(filter, pid, pid, 4194303, 4194303);
	assert_true(sample_filter_accepts(filter, 4194303, 4194303, 100));
	sample_filter_destroy(filter);
	/* Every /etc/passwd contains root. */
	filter = make("uid=4294967294,root", NULL);
	assert_int_equal(
		sample_filter_accepts(filter, pid, pid, 100), geteuid() == 0);
	sample_filter_destroy(filter);
	filter = make(other, NULL);
	assert_false(sample_filter_accepts(filter, pid, pid, 100));
	sample_filter_destroy(filter);
}

/* Task 0 has no record, and -1, a task of another namespace, is not task 0. */
static bool keeps_idle(const char *term)
{
	struct sample_filter *filter = make(term, NULL);
	bool keeps;

	see_comm(filter, UINT32_MAX, UINT32_MAX, "stranger", false);
	keeps = sample_filter_accepts(filter, 0, 0, 100);
	sample_filter_destroy(filter);
	return keeps;
}

static void term_comm_matches_the_idle_task_as_swapper(void **state)
{
	(void)state;
	assert_true(keeps_idle("comm!=^nginx"));
	assert_true(keeps_idle("comm=^swapper"));
	assert_false(keeps_idle("comm!=swapper"));
	assert_false(keeps_idle("comm=stranger"));
	assert_true(keeps_idle("uid!=1000"));
	assert_false(keeps_idle("uid=0"));
}

static void invalid_terms_of_the_filter_are_errors(void **state)
{
	(void)state;
	refuse("pid", "'pid' is not a valid term");
	refuse("user=1", "'user=1' is not a valid term");
	refuse("pid=", "is not a list of numbers");
	refuse("pid=1,", "is not a list of numbers");
	refuse("tid=1;2", "is not a list of numbers");
	refuse("uid=4294967296",
		"--record-filter: there is no user '4294967296'");
	refuse("uid=0,", "there is no user ''");
	refuse("comm=(", "'(': ");
	refuse("=1", "is not a valid term");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms_pid_and_tid_select_samples),
		cmocka_unit_test(term_comm_matches_the_name_of_the_thread),
		cmocka_unit_test(term_comm_can_exclude_names),
		cmocka_unit_test(term_uid_selects_samples_by_user),
		cmocka_unit_test(term_comm_matches_the_idle_task_as_swapper),
		cmocka_unit_test(invalid_terms_of_the_filter_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
