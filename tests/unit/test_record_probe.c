/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "testing.h"

#include <errno.h>

#include "common/log.h"
#include "record/probe.h"

/* A kernel that refuses what it is told to. */
struct fake {
	uint64_t max_precise;
	bool has_no_counters; /* hardware events: ENOENT */
	bool is_user_only;    /* exclude_kernel or EACCES */
	bool is_old;          /* before 5.1: EINVAL for everything newer */
	unsigned calls;
};

static int open_fake(
	void *data, const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct fake *fake = data;

	(void)pid;
	(void)cpu;
	fake->calls++;
	if (fake->is_old &&
		(attr->read_format & ABI_FORMAT_LOST || attr->build_id ||
			attr->ksymbol || attr->bpf_event))
		errno = EINVAL;
	else if (fake->is_user_only && !attr->exclude_kernel)
		errno = EACCES;
	else if (attr->type == PERF_TYPE_HARDWARE && fake->has_no_counters)
		errno = ENOENT;
	else if (attr->precise_ip > fake->max_precise)
		errno = EOPNOTSUPP;
	else
		return 1000;
	return -1;
}

static const struct pmus no_pmus;

static struct selection default_selection(void)
{
	struct selection selection = { 0 };
	struct sampling sampling = { .frequency = 100 };

	selection_add_default(&selection, &no_pmus);
	selection_configure(&selection, &sampling);
	return selection;
}

static void probe(struct fake fake, const char *name, unsigned precise)
{
	struct opener opener = { open_fake, &fake };
	struct selection selection = default_selection();
	struct selected *event = &selection.events.at[0];
	struct probe_limits limits = { 0 };

	assert_int_equal(probe_event(&opener, event, 0, 0, &limits), 1000);
	assert_string_equal(event->name, name);
	assert_int_equal(event->attr.precise_ip, precise);
	selection_deinit(&selection);
}

static void test_default_event(void **state)
{
	(void)state;
	probe((struct fake){ .max_precise = 3 }, "cycles:P", 3);
	probe((struct fake){ .max_precise = 2 }, "cycles:P", 2);
	probe((struct fake){ 0 }, "cycles:P", 0);
	probe((struct fake){ .max_precise = 1, .is_user_only = true },
		"cycles:Pu", 1);
	probe((struct fake){ .has_no_counters = true }, "cpu-clock", 0);
	probe((struct fake){ .has_no_counters = true, .is_user_only = true },
		"cpu-clock:u", 0);
}

static int probe_named(struct fake fake, const char *text, int *errnum)
{
	struct opener opener = { open_fake, &fake };
	struct sampling sampling = { .frequency = 100 };
	struct probe_limits limits = { 0 };
	struct selection selection = { 0 };
	int fd;

	assert_no_error(selection_add(&selection, text, &no_pmus));
	selection_configure(&selection, &sampling);
	fd = probe_event(&opener, &selection.events.at[0], 0, 0, &limits);
	*errnum = errno;
	selection_deinit(&selection);
	return fd;
}

/* But for cycles without a counter, nobody gets another event than asked for. */
static void test_asked_for(void **state)
{
	int errnum;

	(void)state;
	assert_int_equal(probe_named((struct fake){ .has_no_counters = true },
				 "instructions", &errnum),
		-1);
	assert_int_equal(errnum, ENOENT);
	assert_int_equal(probe_named((struct fake){ .has_no_counters = true },
				 "cycles", &errnum),
		1000);
	assert_int_equal(probe_named((struct fake){ .is_user_only = true },
				 "cycles:k", &errnum),
		-1);
	assert_int_equal(errnum, EACCES);
	assert_int_equal(probe_named((struct fake){ .is_user_only = true },
				 "cycles", &errnum),
		1000);
	assert_int_equal(
		probe_named((struct fake){ 0 }, "cycles:pp", &errnum), -1);
}

static void test_old_kernel(void **state)
{
	struct fake fake = { .is_old = true };
	struct opener opener = { open_fake, &fake };
	struct selection selection = default_selection();
	struct perf_event_attr attr = event_sideband(false, true);
	struct probe_limits limits = { 0 };

	(void)state;
	assert_int_equal(probe_sideband(&opener, &attr, -1, 0, &limits), 1000);
	assert_int_equal(attr.read_format, PERF_FORMAT_ID);
	assert_false(attr.build_id || attr.ksymbol || attr.bpf_event);
	assert_true(attr.mmap2 && attr.comm_exec);
	/* What was learned is not tried again. */
	fake.max_precise = 3;
	fake.calls = 0;
	assert_int_equal(probe_event(&opener, &selection.events.at[0], -1, 0,
				 &limits),
		1000);
	assert_int_equal(fake.calls, 1);
	assert_int_equal(
		selection.events.at[0].attr.read_format, PERF_FORMAT_ID);
	selection_deinit(&selection);
}

static void explained(int errnum, const char *wanted)
{
	struct error *err = probe_explain(errnum, "cycles", 42);

	assert_non_null(strstr(err->text, wanted));
	error_free(err);
}

static void test_explained(void **state)
{
	(void)state;
	explained(ESRCH, "no process or thread 42");
	explained(EMFILE, "ulimit");
	explained(ENOENT, "no counter for it");
	explained(EBUSY, "another profiler");
	explained(ENOSYS, "no perf events");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_event),
		cmocka_unit_test(test_asked_for),
		cmocka_unit_test(test_old_kernel),
		cmocka_unit_test(test_explained),
	};

	log_set_level(LOG_QUIET);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
