/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <errno.h>

#include "tests/unit/make_folder.h"
#include "record/doctor/doctor.h"

/* Each test has what stands for / there, empty at first. */
static int set_up(void **state)
{
	struct folder *root = malloc(sizeof(*root));

	assert_non_null(root);
	folder_make(root);
	*state = root;
	return 0;
}

static int tear_down(void **state)
{
	folder_remove(*state);
	free(*state);
	return 0;
}

struct kernel {
	bool has_counters;
	int64_t paranoid; /* -2: asks nobody's rights */
	int errnum;	  /* of everything, if not 0 */
};

static int open_fake(const struct opener *opener,
	const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	const struct kernel *kernel = opener->data;

	(void)cpu;
	errno = kernel->errnum;
	if (!errno && attr->type == PERF_TYPE_HARDWARE)
		errno = !kernel->has_counters  ? ENOENT
			: attr->precise_ip > 2 ? EOPNOTSUPP
					       : 0;
	if (!errno &&
		((!attr->exclude_kernel && kernel->paranoid > 1) ||
			(pid < 0 && kernel->paranoid > 0)))
		errno = EACCES;
	if (!errno && attr->read_format & ABI_FORMAT_LOST)
		errno = EINVAL;
	/* No descriptor, but nothing that close() would mind. */
	return errno ? -1 : 1000;
}

/* The finding of one check: "status value - meaning -> remedy". */
static void found(const struct folder *root, struct kernel kernel,
	const char *name, const char *wanted)
{
	struct opener opener = { .open = open_fake, .data = &kernel };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct finding finding = { 0 };
	struct facts facts;
	size_t i;

	facts_read(root->path, &opener, &facts);
	facts.n_cpus = 2;
	facts.memlock = 0;
	facts.nofile = 1024;
	for (i = 0; i < n_checks; i++)
		if (string_is(checks[i].name, name))
			checks[i].look(&facts, &finding);
	strbuf_printf(&text, "%d %s - %s", (int)finding.status,
		finding.value.at, finding.meaning);
	if (finding.remedy.n)
		strbuf_printf(&text, " -> %s", finding.remedy.at);
	assert_string_equal(text.at, wanted);
	strbuf_free(&finding.value);
	strbuf_free(&finding.remedy);
	facts_deinit(&facts);
}

static void make_users_root(const struct folder *root)
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

static void test_users_machine(void **state)
{
	struct kernel kernel = { .has_counters = true, .paranoid = 2 };
	const struct folder *root = *state;

	make_users_root(root);
	found(root, kernel, "own_processes",
		"0 yes - your own processes, in user space");
	found(root, kernel, "paranoid",
		"1 2 - users: their own processes, user space only -> as "
		"root: sysctl kernel.perf_event_paranoid=1");
	found(root, kernel, "kernel",
		"1 5.10.0-8-amd64 - lost samples are counted less exactly "
		"than since Linux 6.0 -> a newer kernel");
	found(root, kernel, "kernel_symbols",
		"1 kptr_restrict is 1 - functions of the kernel have no "
		"names -> as root: sysctl kernel.kptr_restrict=0");
	found(root, kernel, "pmu",
		"0 cpu - cycles and other counters of the processor");
	found(root, kernel, "precision",
		"0 precise_ip 0 to 2 - how near a sample's address is to its "
		"cause (:P)");
	found(root, kernel, "nmi_watchdog",
		"1 on - takes one counter on each CPU -> as root: sysctl "
		"kernel.nmi_watchdog=0");
	found(root, kernel, "sample_rate",
		"1 63 Hz - less than the usual -F 4000 -> as root: sysctl "
		"kernel.perf_event_max_sample_rate=100000");
	/* 256 + 4 + 128 + 4 KiB of 516; 512 would be too much. */
	found(root, kernel, "rings",
		"1 256 KiB per CPU (perf_event_mlock_kb is 516) - smaller "
		"rings lose samples sooner -> as root: sysctl "
		"kernel.perf_event_mlock_kb=4096");
	found(root, kernel, "stacks",
		"1 4096 bytes at 4000 Hz - --call-graph dwarf copies more with "
		"larger rings, or a lower -F -> as root: sysctl "
		"kernel.perf_event_mlock_kb=16640");
	folder_put(root, "proc/sys/kernel/perf_event_mlock_kb", "16640\n");
	found(root, kernel, "stacks",
		"0 65528 bytes at 4000 Hz - --call-graph dwarf has whole "
		"stacks");
	folder_put(root, "proc/sys/kernel/yama/ptrace_scope", "1\n");
	found(root, kernel, "stacks",
		"1 65528 bytes at 4000 Hz - deeper ones are completed only in "
		"commands that dwell starts -> as root: sysctl "
		"kernel.yama.ptrace_scope=0");
	/* 4 KiB less than two rings and their first pages take. */
	folder_put(root, "proc/sys/kernel/perf_event_mlock_kb", "388\n");
	found(root, kernel, "rings",
		"1 128 KiB per CPU (perf_event_mlock_kb is 388) - smaller "
		"rings lose samples sooner -> as root: sysctl "
		"kernel.perf_event_mlock_kb=4096");
	found(root, kernel, "descriptors",
		"1 1024, for 256 threads - the most that -p and -t can join "
		"-> as root: ulimit -Hn 1000000");
	found(root, kernel, "uprobes",
		"1 yes, for root - samples at functions of programs -> run "
		"dwell as root");
	found(root, kernel, "cgroups", "0 v1 - recording by cgroup");
	found(root, kernel, "kernel_features",
		"0 lacks exact counts of lost samples (6.0) - dwell does "
		"without");
}

static void test_container_with_seccomp(void **state)
{
	struct kernel kernel = { .errnum = EPERM };
	const struct folder *root = *state;

	folder_put(root, ".dockerenv", "");
	folder_put(root, "proc/self/status",
		"Uid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\nSeccomp:\t2\n");
	folder_put(root, "proc/self/uid_map", " 0 0 4294967295\n");
	folder_put(root, "proc/sys/kernel/perf_event_paranoid", "2\n");
	found(root, kernel, "own_processes",
		"2 no: root has no CAP_PERFMON in this container - your own "
		"processes, in user space -> start it with --cap-add PERFMON "
		"(before Linux 5.8: SYS_ADMIN)");
	found(root, kernel, "container",
		"0 yes, a seccomp filter - sysctls are the host's");
}

static void test_user_namespace(void **state)
{
	struct kernel kernel = { .paranoid = 2 };
	const struct folder *root = *state;

	folder_put(root, "proc/self/status",
		"Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n");
	folder_put(root, "proc/self/uid_map", " 0 1000 1\n");
	folder_put(root, "proc/sys/kernel/perf_event_paranoid", "2\n");
	folder_put(root, "sys/kernel/security/lockdown",
		"none integrity [confidentiality]\n");
	found(root, kernel, "container",
		"1 no, a user namespace - for the kernel even root is an "
		"ordinary user here -> run dwell on the host");
	found(root, kernel, "capabilities",
		"1 none - an ordinary user's rights -> as root: setcap "
		"cap_perfmon,cap_sys_ptrace,cap_ipc_lock=ep dwell-record");
	found(root, kernel, "lockdown",
		"1 confidentiality - no tracepoints, probes and registers, "
		"even for root -> boot with lockdown=integrity");
	found(root, kernel, "pmu",
		"1 none (a virtual machine?) - dwell samples with the timer, "
		"cpu-clock -> give the machine a virtual PMU; libvirt: <pmu "
		"state='on'/>");
}

/* Nothing can be read, and nothing opens: still every check has words. */
static void test_empty_machine(void **state)
{
	struct kernel kernel = { .errnum = ENOSYS };
	struct opener opener = { .open = open_fake, .data = &kernel };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct facts facts;
	const struct folder *root = *state;
	size_t i, lines = 0;

	facts_read(root->path, &opener, &facts);
	assert_false(doctor_look(&facts, DOCTOR_TEXT, &text));
	assert_null(strstr(text.at, "(null)"));
	assert_null(strchr(text.at, '\33'));
	assert_non_null(strstr(text.at,
		"no       own_processes    no: this "
		"kernel has no perf events - "));
	for (i = 0; i < text.n; i++)
		lines += text.at[i] == '\n';
	assert_true(lines >= n_checks);
	strbuf_clear(&text);
	assert_false(doctor_look(&facts, DOCTOR_COLOURED, &text));
	assert_non_null(strstr(text.at, "\33[31mno      \33[0m own_proc"));
	facts_deinit(&facts);
}

static void test_json(void **state)
{
	struct kernel kernel = { .has_counters = true, .paranoid = -1 };
	struct opener opener = { .open = open_fake, .data = &kernel };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct facts facts;
	const struct folder *root = *state;

	make_users_root(root);
	facts_read(root->path, &opener, &facts);
	assert_true(doctor_look(&facts, DOCTOR_JSON, &text));
	assert_true(string_starts(text.at,
		"{\"version\": 1, \"can_record\": true, \"checks\": [\n  "
		"{\"name\": \"own_processes\", \"status\": \"ok\", \"value\": "
		"\"yes\", \"meaning\": \"your own processes, in user space\", "
		"\"remedy\": null},\n  {"));
	assert_non_null(strstr(
		text.at, "\"status\": \"limited\", \"value\": \"63 Hz\""));
	facts_deinit(&facts);
}

/* A file of /proc that somebody else wrote. */
static void test_hostile_files(void **state)
{
	struct kernel kernel = { .has_counters = true };
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
	found(root, kernel, "paranoid",
		"1 9223372036854775807 - users: nothing at all, on the kernels "
		"that know this value -> as root: sysctl "
		"kernel.perf_event_paranoid=2");
	found(root, kernel, "rings",
		"1 0 KiB per CPU (perf_event_mlock_kb is "
		"-9223372036854775807) - smaller rings lose samples sooner -> "
		"as root: sysctl kernel.perf_event_mlock_kb=4096");
	found(root, kernel, "kernel", "1 not told - its age can't be told");
	found(root, kernel, "lockdown",
		"0 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa - the kernel hides nothing "
		"from root");
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_ROOT(test_users_machine),
		IN_ROOT(test_container_with_seccomp),
		IN_ROOT(test_user_namespace),
		IN_ROOT(test_empty_machine),
		IN_ROOT(test_json),
		IN_ROOT(test_hostile_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
