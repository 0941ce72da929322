/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <poll.h>

#include "common/util/alloc.h"
#include "record/sys/timed_worker.h"

/* Reads from a pipe, and writes into another when it is dropped. */
struct reading {
	struct patience_job job;
	int from, to;
	char letter;
};

struct fixture {
	struct patience *patience;
	int in[2], out[2];
};

static void work(struct patience_job *job)
{
	struct reading *own = (struct reading *)job;

	if (read(own->from, &own->letter, 1) != 1)
		own->letter = '?';
}

static void drop(struct patience_job *job)
{
	struct reading *own = (struct reading *)job;

	if (write(own->to, "d", 1) != 1)
		abort();
	free(own);
}

static struct reading *make(const struct fixture *f)
{
	struct reading *own = xcalloc(1, sizeof(*own));

	own->job = (struct patience_job){ work, drop };
	own->from = f->in[0];
	own->to = f->out[1];
	return own;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->patience = patience_create(20);
	assert_int_equal(pipe(f->in), 0);
	assert_int_equal(pipe(f->out), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	patience_destroy(f->patience);
	close(f->in[0]);
	close(f->in[1]);
	close(f->out[0]);
	close(f->out[1]);
	free(f);
	return 0;
}

static void put_letter(const struct fixture *f)
{
	assert_int_equal(write(f->in[1], "x", 1), 1);
}

static void await_drop(const struct fixture *f)
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

static void work_that_is_done_comes_back(void **state)
{
	struct fixture *f = *state;
	int i;

	for (i = 0; i < 3; i++) {
		struct reading *own = make(f);

		put_letter(f);
		assert_true(patience_run(f->patience, &own->job));
		assert_int_equal(own->letter, 'x');
		free(own);
	}
	assert_false(was_dropped(f));
}

static void what_hangs_is_left_and_dropped_when_it_comes_back(void **state)
{
	struct fixture *f = *state;
	struct reading *own = make(f);

	assert_false(patience_run(f->patience, &own->job));
	assert_false(was_dropped(f));
	put_letter(f);
	await_drop(f);
	own = make(f);
	put_letter(f);
	assert_true(patience_run(f->patience, &own->job));
	free(own);
}

static void after_three_that_hang_nothing_is_begun(void **state)
{
	struct fixture *f = *state;
	int i;

	for (i = 0; i < 3; i++)
		assert_false(patience_run(f->patience, &make(f)->job));
	assert_false(was_dropped(f));
	assert_false(patience_run(f->patience, &make(f)->job));
	await_drop(f);
	assert_false(was_dropped(f));
	for (i = 0; i < 3; i++)
		put_letter(f);
	for (i = 0; i < 3; i++)
		await_drop(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			work_that_is_done_comes_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_hangs_is_left_and_dropped_when_it_comes_back,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			after_three_that_hang_nothing_is_begun, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
