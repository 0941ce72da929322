/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/stream/sample_filter.h"

static struct sieve *make(const char *first, const char *second)
{
	const char *terms[] = { first, second };
	struct sieve *sieve;

	assert_no_error(sieve_create(terms, second ? 2 : 1, &sieve));
	return sieve;
}

static void refuse(const char *term, const char *text)
{
	struct sieve *sieve;
	struct error *err = sieve_create(&term, 1, &sieve);

	assert_non_null(err);
	assert_int_equal(err->kind, ERROR_USAGE);
	assert_non_null(strstr(err->text, text));
	error_free(err);
	sieve_destroy(sieve);
}

static void see(struct sieve *sieve, struct strbuf *records)
{
	struct record record;

	assert_true(record_at(
		(const uint8_t *)records->at, records->n, false, &record));
	sieve_see(sieve, &record, 50);
	strbuf_free(records);
}

static void see_comm(struct sieve *sieve, uint32_t pid, uint32_t tid,
	const char *name, bool is_exec)
{
	struct record_comm comm = { pid, tid, is_exec, name };
	struct strbuf records = { 0 };

	record_write_comm(&records, &comm, NULL, 0);
	see(sieve, &records);
}

static void see_fork(struct sieve *sieve, uint32_t ppid, uint32_t ptid,
	uint32_t pid, uint32_t tid)
{
	struct record_task fork = { pid, ppid, tid, ptid, 1 };
	struct strbuf records = { 0 };

	record_write_task(&records, RECORD_FORK, &fork, NULL, 0);
	see(sieve, &records);
}

static void see_exit(struct sieve *sieve, uint32_t pid, uint32_t tid)
{
	struct record_task exit = { pid, 1, tid, 1, 1 };
	struct strbuf records = { 0 };

	record_write_task(&records, RECORD_EXIT, &exit, NULL, 0);
	see(sieve, &records);
}

static void test_ids(void **state)
{
	struct sieve *sieve = make("pid=10,20", "tid!=21");

	(void)state;
	assert_true(sieve_keeps(sieve, 10, 11, 100));
	assert_true(sieve_keeps(sieve, 20, 20, 100));
	assert_false(sieve_keeps(sieve, 20, 21, 100));
	assert_false(sieve_keeps(sieve, 30, 10, 100));
	assert_false(sieve_keeps(sieve, UINT32_MAX, UINT32_MAX, 100));
	assert_int_equal(sieve_count(sieve), 3);
	sieve_destroy(sieve);
}

static void test_names_are_of_threads(void **state)
{
	struct sieve *sieve = make("comm=^web", NULL);

	(void)state;
	assert_false(sieve_keeps(sieve, 10, 10, 100));
	see_comm(sieve, 10, 10, "webserver", false);
	assert_true(sieve_keeps(sieve, 10, 10, 100));
	/* A new thread has its parent's name, until it gets another one. */
	see_fork(sieve, 10, 10, 10, 11);
	assert_true(sieve_keeps(sieve, 10, 11, 100));
	see_comm(sieve, 10, 11, "worker", false);
	assert_false(sieve_keeps(sieve, 10, 11, 100));
	/* What it was sampled as before that may come later. */
	assert_true(sieve_keeps(sieve, 10, 11, 49));
	assert_true(sieve_keeps(sieve, 10, 10, 100));
	see_fork(sieve, 10, 11, 12, 12);
	assert_false(sieve_keeps(sieve, 12, 12, 100));
	see_comm(sieve, 12, 12, "web", true);
	assert_true(sieve_keeps(sieve, 12, 12, 100));
	/* The FORK of a child may come after its own name. */
	see_comm(sieve, 13, 13, "web", true);
	see_fork(sieve, 10, 11, 13, 13);
	assert_true(sieve_keeps(sieve, 13, 13, 100));
	/* Another process with the same id. */
	see_exit(sieve, 13, 13);
	assert_true(sieve_keeps(sieve, 13, 13, 100));
	see_fork(sieve, 10, 11, 13, 13);
	assert_false(sieve_keeps(sieve, 13, 13, 100));
	sieve_destroy(sieve);
}

static void test_names_can_be_left_out(void **state)
{
	struct sieve *sieve = make("comm!=^sh$", "comm!=awk");

	(void)state;
	see_comm(sieve, 1, 1, "sh", false);
	see_comm(sieve, 2, 2, "mawk", false);
	see_comm(sieve, 3, 3, "shell", false);
	assert_false(sieve_keeps(sieve, 1, 1, 100));
	assert_false(sieve_keeps(sieve, 2, 2, 100));
	assert_true(sieve_keeps(sieve, 3, 3, 100));
	sieve_destroy(sieve);
}

static void test_users(void **state)
{
	char own[32], other[32];
	struct sieve *sieve;
	uint32_t pid = (uint32_t)getpid();

	(void)state;
	snprintf(own, sizeof(own), "uid=%u", (unsigned)geteuid());
	snprintf(other, sizeof(other), "uid!=%u", (unsigned)geteuid());
	sieve = make(own, NULL);
	assert_true(sieve_keeps(sieve, pid, pid, 100));
	/* A child that was gone at once is told by its parent. */
	see_fork(sieve, pid, pid, 4194303, 4194303);
	assert_true(sieve_keeps(sieve, 4194303, 4194303, 100));
	sieve_destroy(sieve);
	/* Each /etc/passwd has root. */
	sieve = make("uid=4294967294,root", NULL);
	assert_int_equal(sieve_keeps(sieve, pid, pid, 100), geteuid() == 0);
	sieve_destroy(sieve);
	sieve = make(other, NULL);
	assert_false(sieve_keeps(sieve, pid, pid, 100));
	sieve_destroy(sieve);
}

/* Task 0 has no record, and -1, of another namespace, isn't it. */
static bool keeps_idle(const char *term)
{
	struct sieve *sieve = make(term, NULL);
	bool keeps;

	see_comm(sieve, UINT32_MAX, UINT32_MAX, "stranger", false);
	keeps = sieve_keeps(sieve, 0, 0, 100);
	sieve_destroy(sieve);
	return keeps;
}

static void test_idle(void **state)
{
	(void)state;
	assert_true(keeps_idle("comm!=^nginx"));
	assert_true(keeps_idle("comm=^swapper"));
	assert_false(keeps_idle("comm!=swapper"));
	assert_false(keeps_idle("comm=stranger"));
	assert_true(keeps_idle("uid!=1000"));
	assert_false(keeps_idle("uid=0"));
}

static void test_refused(void **state)
{
	(void)state;
	refuse("pid", "'pid' is not understood");
	refuse("user=1", "'user=1' is not understood");
	refuse("pid=", "no list of numbers");
	refuse("pid=1,", "no list of numbers");
	refuse("tid=1;2", "no list of numbers");
	refuse("uid=4294967296", "--record-filter: there is no user '4294967296'");
	refuse("uid=0,", "there is no user ''");
	refuse("comm=(", "'(': ");
	refuse("=1", "is not understood");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_names_are_of_threads),
		cmocka_unit_test(test_names_can_be_left_out),
		cmocka_unit_test(test_users),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
