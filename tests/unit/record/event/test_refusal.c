/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <ctype.h>
#include <errno.h>
#include <time.h>

#include "record/event/explain.h"

/* The branch type of --call-graph lbr. */
#define LBR (PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_CYCLES)

/* perf_event_open(2), ERRORS. */
static const int manual[] = { E2BIG, EACCES, EBADF, EBUSY, EFAULT, EINVAL,
	EINTR, EMFILE, ENODEV, ENOENT, ENOSPC, ENOSYS, EOPNOTSUPP, EOVERFLOW,
	EPERM, ESRCH };
/* Further errors of this call, or of mapping the ring buffer. */
static const int other_errnos[] = { ENOMEM, ENFILE };

#define PERFMON (UINT64_C(1) << CALLER_CAP_PERFMON)

static const struct caller_caps free_root = {
	.is_root = true,
	.has_perf_events = true,
	.capabilities = PERFMON,
	.paranoid = 2,
};
static const struct caller_caps user = { .has_perf_events = true,
	.paranoid = 2 };

static struct error *explain_plain(int errnum, const struct caller_caps *caller)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };
	struct refusal_case refused = { .errnum = errnum,
		.name = "cpu-clock",
		.attr = &attr,
		.pid = 42,
		.cpu = 0,
		.caller = caller };

	return explain_to_caller(&refused);
}

static void check_line(int errnum, const struct caller_caps *caller)
{
	struct error *err = explain_plain(errnum, caller);

	assert_non_null(strstr(err->text, "; "));
	assert_null(strpbrk(err->text, "{}\n"));
	assert_int_equal(err->errnum, errnum);
	assert_int_equal(err->kind, ERROR_FAILED);
	/* The text of strerror() is not enough. */
	assert_null(strstr(err->text, strerror(errnum)));
	error_free(err);
}

static void every_errno_of_the_manual_is_explained(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(manual); i++) {
		check_line(manual[i], &free_root);
		check_line(manual[i], &user);
	}
	for (i = 0; i < ARRAY_SIZE(other_errnos); i++)
		check_line(other_errnos[i], &user);
}

/* Rows of an errno are adjacent, and only the last one has no condition. */
static void only_the_last_refusal_of_an_errno_has_no_condition(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i + 1 < n_refusals; i++) {
		const struct refusal *row = &refusals[i];
		size_t later;

		assert_true(row->errnum > 0);
		assert_true(islower((unsigned char)row->why[0]) ||
			isupper((unsigned char)row->why[0]));
		assert_true(strlen(row->remedy) > 3);
		assert_null(strpbrk(row->why, "\n"));
		assert_int_not_equal(row->why[strlen(row->why) - 1], '.');
		assert_int_not_equal(row->remedy[strlen(row->remedy) - 1], '.');
		for (later = i + 1; later < n_refusals; later++)
			if (refusals[later].errnum == row->errnum)
				assert_int_not_equal(row->condition, 0);
	}
	/* The row for other errors. */
	assert_int_equal(refusals[i].errnum, 0);
	assert_int_equal(refusals[i].condition, 0);
}

static struct error *explain_unknown(void)
{
	return explain_plain(EXDEV, &user);
}

static void an_unknown_errno_has_the_text_of_strerror(void **state)
{
	(void)state;
	assert_error(explain_unknown(),
		"cannot open event 'cpu-clock': Invalid cross-device link; see "
		"the settings with -v");
}

/* For each row, a refused event and parts of the expected message. */
static const struct refused_case {
	struct refusal_case refused;
	struct perf_event_attr attr;
	struct caller_caps caller;
	const char *why, *remedy;
} cases[] = {
	{ { EACCES, .pid = 42 }, { .exclude_kernel = 1 },
		{ .is_root = true, .has_perf_events = false },
		"built without perf events", "CONFIG_PERF_EVENTS" },
	{ { EACCES, .pid = 42 }, { 0 },
		{ .is_root = true,
			.is_in_userns = true,
			.has_perf_events = true,
			.capabilities = PERFMON,
			.paranoid = 2 },
		"user namespace",
		"on the host, as root: "
		"sysctl kernel.perf_event_paranoid=1" },
	{ { EPERM, .pid = -1 }, { 0 },
		{ .is_root = true, .has_perf_events = true, .paranoid = 2 },
		"no CAP_PERFMON", "--cap-add PERFMON" },
	{ { EPERM, .pid = 42 }, { .sample_type = PERF_SAMPLE_REGS_INTR },
		{ .is_root = true,
			.has_perf_events = true,
			.capabilities = PERFMON,
			.lockdown = "confidentiality" },
		"locked down", "lockdown=integrity" },
	{ { EPERM, .pid = 42 }, { 0 },
		{ .is_root = true,
			.has_perf_events = true,
			.capabilities = PERFMON,
			.is_filtered = true },
		"seccomp", "seccomp=unconfined" },
	{ { EPERM, .pid = 42 }, { .exclude_kernel = 1 },
		{ .is_root = true,
			.has_perf_events = true,
			.capabilities = PERFMON },
		"cannot exclude", "remove the modifiers" },
	{ { EPERM, .pid = 42 }, { .type = PERF_TYPE_SOFTWARE },
		{ .is_root = true,
			.has_perf_events = true,
			.capabilities = PERFMON },
		"security module", "journalctl" },
	{ { EACCES, .pid = 42, .is_of_others = true }, { 0 },
		{ .has_perf_events = true, .paranoid = 2 },
		"process 42 belongs to another user", "run dwell as root" },
	{ { EPERM, .pid = 42 },
		{ .type = PERF_TYPE_BREAKPOINT, .bp_addr = UINT64_MAX },
		{ .has_perf_events = true, .paranoid = 1 },
		"breakpoint in the kernel", "run dwell as root" },
	{ { EACCES, .name = "uprobe:/bin/sh:main", .pid = 42 }, { .type = 9 },
		{ .has_perf_events = true, .paranoid = 2 },
		"probes need CAP_PERFMON", "run dwell as root" },
	{ { EACCES, .pid = 42 }, { .exclude_kernel = 1 },
		{ .has_perf_events = true, .paranoid = 3 },
		"paranoid is 3: ordinary users cannot",
		"as root: sysctl kernel.perf_event_paranoid=2" },
	{ { EACCES, .pid = 42 }, { 0 },
		{ .has_perf_events = true, .paranoid = 2 }, "paranoid is 2",
		"as root: sysctl kernel.perf_event_paranoid=1, or for dwell "
		"only: setcap cap_perfmon=ep /" },
	{ { EACCES, .pid = -1 }, { .exclude_kernel = 1 },
		{ .has_perf_events = true, .paranoid = 4 }, "paranoid is 4",
		"sysctl kernel.perf_event_paranoid=0" },
	{ { EPERM, .pid = 42 }, { .type = PERF_TYPE_TRACEPOINT },
		{ .has_perf_events = true, .paranoid = 0 }, "paranoid is 0",
		"sysctl kernel.perf_event_paranoid=-1" },
	{ { EPERM, .pid = 42 }, { .exclude_kernel = 1 },
		{ .has_perf_events = true, .paranoid = 2, .is_filtered = true },
		"seccomp", "seccomp=unconfined" },
	{ { EPERM, .pid = 42 }, { .exclude_kernel = 1 },
		{ .has_perf_events = true, .paranoid = 2 }, "security module",
		"in the policy" },
	{ { EPERM, .pid = 42, .is_ring = true }, { 0 },
		{ .has_perf_events = true, .paranoid = 2 },
		"locked memory for ring buffers",
		"kernel.perf_event_mlock_kb" },
	{ { E2BIG }, { .sample_max_stack = 9 }, { 0 }, "call chains",
		"--max-stack" },
	{ { E2BIG }, { 0 }, { 0 }, "all settings", "newer kernel" },
	{ { EBADF }, { 0 }, { 0 }, "cgroup", "again" },
	{ { EBUSY }, { .type = PERF_TYPE_BREAKPOINT }, { 0 }, "debug registers",
		"debugger" },
	{ { EBUSY }, { 0 }, { 0 }, "another profiler", "cpu-clock" },
	{ { EFAULT }, { .type = 9 }, { 0 }, "path or symbol",
		"path and symbol" },
	{ { EFAULT }, { 0 }, { 0 }, "cannot read", "report" },
	{ { EINTR }, { .type = 9 }, { 0 }, "ftrace", "uprobe_events" },
	{ { EINVAL, .is_ring = true }, { 0 }, { 0 }, "ring", "-m " },
	{ { EINVAL }, { .freq = 1, .sample_freq = UINT64_C(1) << 40 }, { 0 },
		"current limit is",
		"perf_event_max_sample_rate=1099511627776" },
	{ { EINVAL, .is_member = true }, { 0 }, { 0 }, "together",
		"the modifier W" },
	{ { EINVAL }, { .write_backward = 1 }, { 0 }, "overwritable", "4.7" },
	{ { EINVAL }, { .inherit = 1, .sample_type = PERF_SAMPLE_READ }, { 0 },
		"children", "-i" },
	{ { EINVAL }, { .use_clockid = 1, .clockid = CLOCK_BOOTTIME }, { 0 },
		"clock", "-k CLOCK_MONOTONIC" },
	{ { EINVAL }, { .type = PERF_TYPE_BREAKPOINT }, { 0 },
		"1, 2, 4 or 8 bytes", "mem:ADDRESS/LENGTH" },
	{ { EINVAL }, { .precise_ip = 2 }, { 0 }, "precise", "modifier P" },
	{ { EINVAL }, { .sample_type = PERF_SAMPLE_BRANCH_STACK }, { 0 },
		"branches", "remove -b and -j" },
	{ { EINVAL },
		{ .sample_type = PERF_SAMPLE_BRANCH_STACK,
			.branch_sample_type = LBR },
		{ 0 }, "branches", "-g instead of --call-graph lbr" },
	{ { EINVAL }, { .exclusive = 1 }, { 0 }, "exclusively", "D and e" },
	{ { EINVAL }, { .sample_type = PERF_SAMPLE_STACK_USER }, { 0 },
		"stack copies", "--call-graph fp" },
	{ { EINVAL }, { .sample_type = PERF_SAMPLE_REGS_USER }, { 0 },
		"registers", "remove -I" },
	{ { EINVAL }, { .type = PERF_TYPE_RAW }, { 0 },
		"counters do not support", "dwell list" },
	{ { EINVAL }, { .type = 9 }, { 0 }, "PMU", "format" },
	{ { EINVAL }, { .type = PERF_TYPE_SOFTWARE }, { 0 }, "settings",
		"dwell doctor" },
	{ { EMFILE }, { 0 }, { 0 }, "descriptor", "ulimit -Hn" },
	{ { ENFILE }, { 0 }, { 0 }, "open files", "fs.file-max" },
	{ { ENODEV, .cpu = -1 }, { 0 }, { 0 }, "counter", "cpu-clock" },
	{ { ENOENT }, { .type = PERF_TYPE_TRACEPOINT }, { 0 }, "tracepoint",
		"dwell list" },
	{ { ENOENT, .has_cgroup = true }, { .type = PERF_TYPE_SOFTWARE }, { 0 },
		"cgroup v1", "mount -t cgroup -o perf_event" },
	{ { ENOENT }, { .type = 9 }, { 0 }, "removed the PMU", "dwell list" },
	{ { ENOENT }, { 0 }, { 0 }, "counter", "cpu-clock" },
	{ { ENOMEM, .is_ring = true }, { 0 }, { 0 }, "ring", "-m 64K" },
	{ { ENOMEM }, { 0 }, { 0 }, "no memory", "fewer" },
	{ { ENOSPC }, { .type = PERF_TYPE_BREAKPOINT }, { 0 }, "debug register",
		"fewer mem:" },
	{ { ENOSPC }, { 0 }, { 0 }, "all hardware counters", "fewer" },
	{ { ENOSYS }, { .sample_type = PERF_SAMPLE_STACK_USER }, { 0 },
		"stack copies", "--call-graph fp" },
	{ { ENOSYS }, { 0 }, { .is_filtered = true }, "seccomp",
		"seccomp=unconfined" },
	{ { ENOSYS }, { 0 }, { 0 }, "no perf events", "CONFIG_PERF_EVENTS" },
	{ { EOPNOTSUPP }, { .sample_type = PERF_SAMPLE_BRANCH_STACK }, { 0 },
		"branches", "remove -b and -j" },
	{ { EOPNOTSUPP },
		{ .sample_type = PERF_SAMPLE_BRANCH_STACK,
			.branch_sample_type = LBR },
		{ 0 }, "branches", "-g instead of --call-graph lbr" },
	{ { EOPNOTSUPP }, { .aux_output = 1 }, { 0 }, "instruction tracing",
		"AUX" },
	{ { EOPNOTSUPP }, { .precise_ip = 1 }, { 0 }, "precise", "modifier P" },
	{ { EOPNOTSUPP }, { .type = PERF_TYPE_BREAKPOINT }, { 0 }, "breakpoint",
		":w" },
	{ { EOPNOTSUPP }, { 0 }, { 0 }, "interrupt", "cpu-clock" },
	{ { EOVERFLOW }, { .sample_max_stack = 500 }, { 0 },
		"perf_event_max_stack", "perf_event_max_stack=500" },
	{ { ESRCH, .pid = 42 }, { 0 }, { .has_no_proc = true }, "not mounted",
		"mount -t proc" },
	{ { ESRCH, .pid = 42 }, { 0 }, { 0 }, "no process or thread 42",
		"ps -eL" },
};

static void each_simulated_refusal_has_its_cause_and_remedy(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct refused_case *refused_case = &cases[i];
		struct refusal_case refused = refused_case->refused;
		struct error *err;

		if (!refused.name)
			refused.name = "some-event";
		refused.attr = &refused_case->attr;
		refused.caller = &refused_case->caller;
		err = explain_to_caller(&refused);
		if (!strstr(err->text, refused_case->why) ||
			!strstr(err->text, refused_case->remedy))
			fail_msg("%s: '%s', '%s'", err->text, refused_case->why,
				refused_case->remedy);
		assert_null(strpbrk(err->text, "{}\n"));
		error_free(err);
	}
}

static bool leads_to(const struct refused_case *refused_case, int errnum,
	const struct refusal *row)
{
	struct refusal_case refused = refused_case->refused;

	refused.errnum = errnum;
	refused.attr = &refused_case->attr;
	refused.caller = &refused_case->caller;
	return errnum == row->errnum && refusal_find(&refused) == row;
}

static bool is_right(int errnum)
{
	return errnum == EACCES || errnum == EPERM;
}

/* No row is hidden by the rows before it. */
static void each_row_of_the_refusal_table_is_reachable(void **state)
{
	size_t row, i;

	(void)state;
	for (row = 0; row + 1 < n_refusals; row++) {
		int errnum = refusals[row].errnum;
		/* This cannot be simulated here. */
		bool is_answer = strstr(refusals[row].why, "offline");

		for (i = 0; i < ARRAY_SIZE(cases); i++)
			if (cases[i].refused.errnum == errnum ||
				(is_right(errnum) &&
					is_right(cases[i].refused.errnum)))
				is_answer |= leads_to(
					&cases[i], errnum, &refusals[row]);
		if (!is_answer)
			fail_msg("nothing leads to '%s'", refusals[row].why);
	}
}

/* The sysctls of the host cannot be set in a container. */
static void the_remedy_in_a_container_names_the_host(void **state)
{
	struct caller_caps contained = user;
	struct error *err;

	(void)state;
	contained.is_contained = true;
	err = explain_plain(EACCES, &contained);
	assert_non_null(strstr(err->text, "as root on the host: sysctl"));
	assert_null(strstr(err->text, "setcap"));
	error_free(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_errno_of_the_manual_is_explained),
		cmocka_unit_test(
			only_the_last_refusal_of_an_errno_has_no_condition),
		cmocka_unit_test(an_unknown_errno_has_the_text_of_strerror),
		cmocka_unit_test(
			each_simulated_refusal_has_its_cause_and_remedy),
		cmocka_unit_test(each_row_of_the_refusal_table_is_reachable),
		cmocka_unit_test(the_remedy_in_a_container_names_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
