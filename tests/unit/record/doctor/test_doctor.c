/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <errno.h>

#include "tests/unit/make_folder.h"
#include "record/doctor/doctor.h"

/* Each test gets an empty directory that is used as the root directory. */
static int make_root(void **state)
{
	struct folder *root = malloc(sizeof(*root));

	assert_non_null(root);
	folder_make(root);
	*state = root;
	return 0;
}

static int remove_root(void **state)
{
	folder_remove(*state);
	free(*state);
	return 0;
}

/* What perf_event_open() of a simulated kernel allows. */
struct kernel {
	unsigned n_counters; /* hardware counters */
	unsigned n_counting; /* events of the last group */
	int64_t paranoid;    /* kernel.perf_event_paranoid */
	int errnum;	     /* if not 0, each call fails with it */
};

static int open_fake(const struct opener *opener,
	const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct kernel *kernel = opener->data;

	(void)cpu;
	errno = kernel->errnum;
	kernel->n_counting = opener->leader ? kernel->n_counting + 1 : 1;
	if (!errno && attr->type == PERF_TYPE_HARDWARE)
		errno = !kernel->n_counters			  ? ENOENT
			: attr->precise_ip > 2			  ? EOPNOTSUPP
			: kernel->n_counting > kernel->n_counters ? EINVAL
								  : 0;
	if (!errno &&
		((!attr->exclude_kernel && kernel->paranoid > 1) ||
			(pid < 0 && kernel->paranoid > 0)))
		errno = EACCES;
	if (!errno && attr->read_format & ABI_FORMAT_LOST)
		errno = EINVAL;
	/* Not an open descriptor: close() fails without an effect. */
	return errno ? -1 : 1000;
}

/*
 * Compares the finding of check NAME: "status value - meaning -> remedy". If
 * EXPECTED ends in "...", the finding may be longer.
 */
static void assert_finding(const struct folder *root, struct kernel kernel,
	const char *name, const char *expected)
{
	struct opener opener = { .open = open_fake, .data = &kernel };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *expected_end = strstr(expected, "...");
	struct check_finding finding = { 0 };
	struct facts facts;
	size_t i;

	facts_read(root->path, &opener, &facts);
	facts.n_cpus = 2;
	facts.memlock = 0;
	facts.nofile = 1024;
	for (i = 0; i < n_doctor_checks; i++)
		if (string_is(checks[i].name, name))
			checks[i].run(&facts, &finding);
	strbuf_printf(&text, "%d %s - %s", (int)finding.status,
		finding.value.at, finding.meaning);
	if (finding.remedy.n)
		strbuf_printf(&text, " -> %s", finding.remedy.at);
	if (!expected_end)
		assert_string_equal(text.at, expected);
	else if (strncmp(text.at, expected, (size_t)(expected_end - expected)))
		fail_msg("%s", text.at);
	finding_deinit(&finding);
	facts_deinit(&facts);
}

static void make_files_of_user(const struct folder *root)
{
	folder_put(root, "proc/self/status",
		"Name:\tx\nUid:\t1000\t1000\t1000\t1000\n"
		"CapEff:\t0000000000000000\nSeccomp:\t0\n");
	folder_put(root, "proc/self/uid_map", " 0 0 4294967295\n");
	folder_put(root, "proc/sys/kernel/perf_event_paranoid", "2\n");
	folder_put(root, "proc/sys/kernel/perf_event_mlock_kb", "516\n");
	folder_put(root, "proc/sys/kernel/osrelease", "5.10.0-8-amd64\n");
	folder_put(root, "proc/sys/kernel/kptr_restrict", "1\n");
	folder_put(root, "proc/sys/kernel/nmi_watchdog", "1\n");
	folder_put(root, "proc/sys/kernel/perf_event_max_sample_rate", "63\n");
	folder_put(root, "proc/kallsyms", "0000000000000000 T _text\n");
	folder_put(root, "sys/bus/event_source/devices/cpu/type", "4\n");
	folder_put(root, "sys/bus/event_source/devices/uprobe/type", "9\n");
	folder_put(root, "sys/kernel/btf/vmlinux", "");
	folder_put(root, "sys/fs/cgroup/perf_event/tasks", "");
}

static void each_limit_of_an_unprivileged_user_is_reported_with_a_remedy(
	void **state)
{
	struct kernel kernel = { .n_counters = 6, .paranoid = 2 };
	const struct folder *root = *state;

	make_files_of_user(root);
	assert_finding(root, kernel, "own_processes",
		"0 yes - sampling your own processes in user space");
	assert_finding(root, kernel, "paranoid",
		"1 2 - users can record their own processes in user space only "
		"-> as root: sysctl kernel.perf_event_paranoid=1");
	assert_finding(root, kernel, "kernel",
		"1 5.10.0-8-amd64 - the counts of lost samples are not exact "
		"before Linux 6.0 -> install a newer kernel");
	assert_finding(root, kernel, "kernel_symbols",
		"1 kptr_restrict is 1 - kernel functions have no names -> as "
		"root: sysctl kernel.kptr_restrict=0");
	assert_finding(root, kernel, "pmu",
		"0 cpu - cycles and other hardware counters");
	assert_finding(root, kernel, "precision",
		"0 precise_ip 0 to 2 - how exact the addresses of samples can "
		"be (:P)");
	assert_finding(root, kernel, "nmi_watchdog",
		"1 on - uses one hardware counter on each CPU -> as root: "
		"sysctl kernel.nmi_watchdog=0");
	assert_finding(root, kernel, "sample_rate",
		"1 63 Hz - lower than the default of -F, 4000 Hz -> as root: "
		"sysctl kernel.perf_event_max_sample_rate=100000");
	/* 256 + 4 + 128 + 4 KiB of 516 KiB; 512 KiB does not fit. */
	assert_finding(root, kernel, "rings",
		"1 256 KiB per CPU (perf_event_mlock_kb is 516) - smaller ring "
		"buffers lose samples sooner -> as root: sysctl "
		"kernel.perf_event_mlock_kb=4096");
	assert_finding(root, kernel, "stacks",
		"1 4096 bytes at 4000 Hz - -g copies more with "
		"larger ring buffers or a lower -F -> as root: sysctl "
		"kernel.perf_event_mlock_kb=16640");
	folder_put(root, "proc/sys/kernel/perf_event_mlock_kb", "16640\n");
	assert_finding(root, kernel, "stacks",
		"0 65528 bytes at 4000 Hz - -g records "
		"complete stacks");
	folder_put(root, "proc/sys/kernel/yama/ptrace_scope", "1\n");
	assert_finding(root, kernel, "stacks",
		"1 65528 bytes at 4000 Hz - stacks that are deeper are "
		"complete only in commands that dwell starts -> as root: "
		"sysctl kernel.yama.ptrace_scope=0");
	/* 4 KiB less than the previous two ring buffers need. */
	folder_put(root, "proc/sys/kernel/perf_event_mlock_kb", "388\n");
	assert_finding(root, kernel, "rings",
		"1 128 KiB per CPU (perf_event_mlock_kb is 388) - smaller ring "
		"buffers lose samples sooner -> as root: sysctl "
		"kernel.perf_event_mlock_kb=4096");
	assert_finding(root, kernel, "descriptors",
		"1 1024, for 256 threads - the limit of existing threads to "
		"sample (-p, -t) -> as root: ulimit -Hn 1000000");
	assert_finding(root, kernel, "uprobes",
		"1 yes, for root only - sampling at functions of programs -> "
		"run dwell as root");
	assert_finding(root, kernel, "cgroups",
		"0 v1 - recording the processes of a cgroup");
	assert_finding(root, kernel, "kernel_features",
		"0 lacks exact counts of lost samples (6.0) - dwell records "
		"without these features");
}

static void the_events_that_dwell_stat_can_count_are_reported(void **state)
{
	struct kernel kernel = { .n_counters = 6, .paranoid = 2 };
	struct kernel virtual = { .paranoid = -1 };
	const struct folder *root = *state;

	make_files_of_user(root);
	assert_finding(root, kernel, "counting",
		"1 hardware events, 5 at once, and software events - dwell "
		"stat counts your own processes in user space -> as root: "
		"sysctl kernel.perf_event_paranoid=0...");
	kernel.paranoid = 1;
	folder_put(root, "proc/sys/kernel/nmi_watchdog", "0\n");
	assert_finding(root, kernel, "counting",
		"1 hardware events, 6 at once, and software events - dwell "
		"stat counts your own processes -> as root: sysctl "
		"kernel.perf_event_paranoid=0...");
	kernel.paranoid = 0;
	kernel.n_counters = 1000;
	assert_finding(root, kernel, "counting",
		"0 hardware events, 64 at once, and software events - dwell "
		"stat counts all processes");
	assert_finding(root, virtual, "counting",
		"1 software events - dwell stat counts all processes -> "
		"enable the PMU of the virtual machine; libvirt: <pmu "
		"state='on'/>");
	kernel.errnum = ENOSYS;
	assert_finding(root, kernel, "counting",
		"1 no events - dwell stat counts nothing -> use a kernel with "
		"CONFIG_PERF_EVENTS=y");
}

static void whether_programs_can_read_their_counters_is_reported(void **state)
{
	struct kernel kernel = { .n_counters = 6 };
	const struct folder *root = *state;

	make_files_of_user(root);
	assert_finding(root, kernel, "own_counters",
		"1 by a system call - programs read their own hardware "
		"counters (dwell/count.h)");
	folder_put(root, "sys/bus/event_source/devices/cpu/rdpmc", "0\n");
	assert_finding(root, kernel, "own_counters",
		"1 by a system call: /sys/bus/event_source/devices/cpu/rdpmc "
		"is 0 - programs read their own hardware counters "
		"(dwell/count.h) -> as root: sh -c 'echo 1 "
		">/sys/bus/event_source/devices/cpu/rdpmc'");
	folder_put(root, "sys/bus/event_source/devices/cpu/rdpmc", "1\n");
	assert_finding(root, kernel, "own_counters",
		"0 without a system call: "
		"/sys/bus/event_source/devices/cpu/rdpmc is 1 - programs read "
		"their own hardware counters (dwell/count.h)");
	/* The setting of aarch64. */
	folder_put(root, "proc/sys/kernel/perf_user_access", "0\n");
	assert_finding(root, kernel, "own_counters",
		"1 by a system call: kernel.perf_user_access is 0 - programs "
		"read their own hardware counters (dwell/count.h) -> as root: "
		"sysctl kernel.perf_user_access=1");
}

static void a_missing_capability_in_a_container_is_reported(void **state)
{
	struct kernel kernel = { .errnum = EPERM };
	const struct folder *root = *state;

	folder_put(root, ".dockerenv", "");
	folder_put(root, "proc/self/status",
		"Uid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\nSeccomp:\t2\n");
	folder_put(root, "proc/self/uid_map", " 0 0 4294967295\n");
	folder_put(root, "proc/sys/kernel/perf_event_paranoid", "2\n");
	assert_finding(root, kernel, "own_processes",
		"2 no: root has no CAP_PERFMON in this container - sampling "
		"your own processes in user space -> start the container with "
		"--cap-add PERFMON (before Linux 5.8: SYS_ADMIN)");
	assert_finding(root, kernel, "container",
		"0 yes, below a seccomp filter - sysctl settings are those of "
		"the host");
}

static void root_of_a_user_namespace_is_reported_as_an_ordinary_user(
	void **state)
{
	struct kernel kernel = { .paranoid = 2 };
	const struct folder *root = *state;

	folder_put(root, "proc/self/status",
		"Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n");
	folder_put(root, "proc/self/uid_map", " 0 1000 1\n");
	folder_put(root, "proc/sys/kernel/perf_event_paranoid", "2\n");
	folder_put(root, "sys/kernel/security/lockdown",
		"none integrity [confidentiality]\n");
	assert_finding(root, kernel, "container",
		"1 no, in a user namespace - the kernel treats root as an "
		"ordinary user -> run dwell on the host");
	assert_finding(root, kernel, "capabilities",
		"1 none - perf_event_paranoid restricts dwell -> as root: "
		"setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_ipc_lock=ep "
		"dwell-record; all users who can execute it can then read the "
		"memory of all processes");
	assert_finding(root, kernel, "lockdown",
		"1 confidentiality - root cannot record tracepoints, probes "
		"and registers -> boot with lockdown=integrity");
	assert_finding(root, kernel, "pmu",
		"1 none (a virtual machine?) - dwell samples with the timer "
		"event cpu-clock -> enable the PMU of the virtual machine; "
		"libvirt: <pmu state='on'/>");
}

/* Each check has a finding even if no file and no event can be opened. */
static void each_check_has_a_line_on_a_machine_without_files(void **state)
{
	struct kernel kernel = { .errnum = ENOSYS };
	struct opener opener = { .open = open_fake, .data = &kernel };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct facts facts;
	const struct folder *root = *state;
	size_t i, lines = 0;

	facts_read(root->path, &opener, &facts);
	assert_false(doctor_run(&facts, DOCTOR_TEXT, &text));
	assert_null(strstr(text.at, "(null)"));
	assert_null(strchr(text.at, '\33'));
	assert_non_null(strstr(text.at,
		"no       own_processes    no: this "
		"kernel has no perf events - "));
	for (i = 0; i < text.n; i++)
		lines += text.at[i] == '\n';
	assert_true(lines >= n_doctor_checks);
	strbuf_clear(&text);
	assert_false(doctor_run(&facts, DOCTOR_COLOURED, &text));
	assert_non_null(strstr(text.at, "\33[31mno      \33[0m own_proc"));
	facts_deinit(&facts);
}

static void the_json_has_name_status_value_meaning_and_remedy(void **state)
{
	struct kernel kernel = { .n_counters = 6, .paranoid = -1 };
	struct opener opener = { .open = open_fake, .data = &kernel };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct facts facts;
	const struct folder *root = *state;

	make_files_of_user(root);
	facts_read(root->path, &opener, &facts);
	assert_true(doctor_run(&facts, DOCTOR_JSON, &text));
	assert_true(string_starts(text.at,
		"{\"version\": 1, \"can_record\": true, \"checks\": [\n  "
		"{\"name\": \"own_processes\", \"status\": \"ok\", \"value\": "
		"\"yes\", \"meaning\": \"sampling your own processes in user "
		"space\", "
		"\"remedy\": null},\n  {"));
	assert_non_null(strstr(
		text.at, "\"status\": \"limited\", \"value\": \"63 Hz\""));
	facts_deinit(&facts);
}

/* Files of /proc with any content do no harm. */
static void malformed_files_of_proc_and_sys_give_valid_findings(void **state)
{
	struct kernel kernel = { .n_counters = 6 };
	const struct folder *root = *state;

	folder_put(root, "proc/self/status", "Uid\nCapEff:");
	folder_put(root, "proc/self/uid_map", "x");
	folder_put(root, "proc/sys/kernel/perf_event_paranoid",
		"9223372036854775807");
	folder_put(root, "proc/sys/kernel/perf_event_mlock_kb",
		"-9223372036854775807");
	folder_put(root, "proc/sys/kernel/osrelease", "\33[2J");
	folder_put(root, "sys/kernel/security/lockdown",
		"[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	assert_finding(root, kernel, "paranoid",
		"1 9223372036854775807 - users can record nothing, if the "
		"kernel has this value -> as root: sysctl "
		"kernel.perf_event_paranoid=2");
	assert_finding(root, kernel, "rings",
		"1 0 KiB per CPU (perf_event_mlock_kb is -9223372036854775807) "
		"- smaller ring buffers lose samples sooner -> as root: sysctl "
		"kernel.perf_event_mlock_kb=4096");
	assert_finding(root, kernel, "kernel",
		"1 unknown - the version of the kernel cannot be read");
	assert_finding(root, kernel, "lockdown",
		"0 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa - lockdown does not "
		"restrict root");
}

#define IN_ROOT(test) \
	cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_ROOT(each_limit_of_an_unprivileged_user_is_reported_with_a_remedy),
		IN_ROOT(the_events_that_dwell_stat_can_count_are_reported),
		IN_ROOT(whether_programs_can_read_their_counters_is_reported),
		IN_ROOT(a_missing_capability_in_a_container_is_reported),
		IN_ROOT(root_of_a_user_namespace_is_reported_as_an_ordinary_user),
		IN_ROOT(each_check_has_a_line_on_a_machine_without_files),
		IN_ROOT(the_json_has_name_status_value_meaning_and_remedy),
		IN_ROOT(malformed_files_of_proc_and_sys_give_valid_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
