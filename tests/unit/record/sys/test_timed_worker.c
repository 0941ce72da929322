/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <poll.h>

#include "common/util/alloc.h"
#include "record/sys/timed_worker.h"

/* A job that reads from a pipe, and writes to another one when it is dropped.
 */
struct read_job {
	struct timed_job job;
	int from, to;
	char letter;
};

struct fixture {
	struct timed_worker *worker;
	int in[2], out[2];
};

static void run_read_job(struct timed_job *job)
{
	struct read_job *own = (struct read_job *)job;

	if (read(own->from, &own->letter, 1) != 1)
		own->letter = '?';
}

static void drop_read_job(struct timed_job *job)
{
	struct read_job *own = (struct read_job *)job;

	if (write(own->to, "d", 1) != 1)
		abort();
	free(own);
}

static struct read_job *make_read_job(const struct fixture *f)
{
	struct read_job *own = xcalloc(1, sizeof(*own));

	own->job = (struct timed_job){ run_read_job, drop_read_job };
	own->from = f->in[0];
	own->to = f->out[1];
	return own;
}

static int make_pipes(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	assert_int_equal(pipe(f->in), 0);
	assert_int_equal(pipe(f->out), 0);
	*state = f;
	return 0;
}

static int close_pipes(void **state)
{
	struct fixture *f = *state;

	timed_worker_destroy(f->worker);
	close(f->in[0]);
	close(f->in[1]);
	close(f->out[0]);
	close(f->out[1]);
	free(f);
	return 0;
}

static void unblock_job(const struct fixture *f)
{
	assert_int_equal(write(f->in[1], "x", 1), 1);
}

static void wait_for_drop(const struct fixture *f)
{
	char letter = 0;

	assert_int_equal(read(f->out[0], &letter, 1), 1);
	assert_int_equal(letter, 'd');
}

static bool was_dropped(const struct fixture *f)
{
	struct pollfd out = { .fd = f->out[0], .events = POLLIN };

	return poll(&out, 1, 0) > 0;
}

static void a_job_that_ends_in_time_is_returned_to_the_caller(void **state)
{
	struct fixture *f = *state;
	int i;

	f->worker = timed_worker_create(60 * 1000);
	for (i = 0; i < 3; i++) {
		struct read_job *own = make_read_job(f);

		unblock_job(f);
		assert_true(timed_worker_run(f->worker, &own->job));
		assert_int_equal(own->letter, 'x');
		free(own);
	}
	assert_false(was_dropped(f));
}

static void a_job_that_exceeds_its_time_is_dropped_when_it_ends(void **state)
{
	struct fixture *f = *state;
	struct read_job *own = make_read_job(f);

	f->worker = timed_worker_create(1000);
	assert_false(timed_worker_run(f->worker, &own->job));
	assert_false(was_dropped(f));
	unblock_job(f);
	wait_for_drop(f);
	own = make_read_job(f);
	unblock_job(f);
	assert_true(timed_worker_run(f->worker, &own->job));
	free(own);
}

static void no_job_is_started_after_three_jobs_that_hang(void **state)
{
	struct fixture *f = *state;
	int i;

	f->worker = timed_worker_create(20);
	for (i = 0; i < 3; i++)
		assert_false(
			timed_worker_run(f->worker, &make_read_job(f)->job));
	assert_false(was_dropped(f));
	assert_false(timed_worker_run(f->worker, &make_read_job(f)->job));
	wait_for_drop(f);
	assert_false(was_dropped(f));
	for (i = 0; i < 3; i++)
		unblock_job(f);
	for (i = 0; i < 3; i++)
		wait_for_drop(f);
}

/* A job that uses the CPU until it is abandoned. */
static void run_endless_job(struct timed_job *job)
{
	while (!job->is_abandoned)
		;
}

static void a_job_that_works_for_too_long_is_stopped_alone(void **state)
{
	struct fixture *f = *state;
	struct read_job *own;
	int i;

	f->worker = timed_worker_create(20);
	for (i = 0; i < 5; i++) {
		own = make_read_job(f);
		own->job.work = run_endless_job;
		assert_false(timed_worker_run(f->worker, &own->job));
		wait_for_drop(f);
	}
	assert_false(timed_worker_is_ended(f->worker));
	timed_worker_destroy(f->worker);
	f->worker = timed_worker_create(60 * 1000);
	own = make_read_job(f);
	unblock_job(f);
	assert_true(timed_worker_run(f->worker, &own->job));
	free(own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_job_that_ends_in_time_is_returned_to_the_caller,
			make_pipes, close_pipes),
		cmocka_unit_test_setup_teardown(
			a_job_that_exceeds_its_time_is_dropped_when_it_ends,
			make_pipes, close_pipes),
		cmocka_unit_test_setup_teardown(
			no_job_is_started_after_three_jobs_that_hang,
			make_pipes, close_pipes),
		cmocka_unit_test_setup_teardown(
			a_job_that_works_for_too_long_is_stopped_alone,
			make_pipes, close_pipes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
