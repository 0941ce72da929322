/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/refusal.h"

#include <errno.h>
#include <time.h>

#include "common/util/alloc.h"
#include "record/sys/sysfile.h"

/* On all 64-bit systems, addresses of the kernel are in the upper half. */
#define IS_KERNEL_ADDRESS(address) ((int64_t)(address) < 0)
/* Types above this number are types of PMUs in sysfs (linux/perf_event.h). */
#define IS_DYNAMIC(attr) ((attr)->type > PERF_TYPE_BREAKPOINT)

/* The branch type of --call-graph lbr. */
#define LBR_TYPE (PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_CYCLES)

static bool is_tracepoint(const struct refusal_case *refused)
{
	return refused->attr->type == PERF_TYPE_TRACEPOINT;
}

static bool is_pmu_event(const struct refusal_case *refused)
{
	return IS_DYNAMIC(refused->attr);
}

static bool is_cpu_wide(const struct refusal_case *refused)
{
	return refused->pid < 0;
}

static bool is_offline(int cpu)
{
	_cleanup_free_ char *path =
		xasprintf("/sys/devices/system/cpu/cpu%d/online", cpu);
	int64_t online;

	return cpu >= 0 && sysfile_number(path, &online) && !online;
}

/* The levels are from perf_event_open(2), "perf_event_paranoid file". */
int refusal_paranoid(const struct refusal_case *refused)
{
	if (is_tracepoint(refused) && !refused->attr->exclude_kernel)
		return -1;
	if (is_cpu_wide(refused))
		return 0;
	return refused->attr->exclude_kernel ? 2 : 1;
}

static bool applies_to_caller(
	enum refusal_condition condition, const struct refusal_case *refused)
{
	const struct perf_event_attr *attr = refused->attr;
	const struct caller_caps *caller = refused->caller;

	switch (condition) {
	case REFUSAL_IF_NO_PERF: return !caller->has_perf_events;
	case REFUSAL_IF_NO_PROC: return caller->has_no_proc;
	case REFUSAL_IF_ROOT_OF_USERNS:
		return caller->is_root && caller->is_in_userns;
	case REFUSAL_IF_ROOT_WITHOUT_PERFMON:
		return caller->is_root && !caller_caps_are_full(caller);
	case REFUSAL_IF_KERNEL_LOCKED_DOWN:
		return caller_caps_are_full(caller) &&
			string_is(caller->lockdown, "confidentiality") &&
			((attr->sample_type &
				 (PERF_SAMPLE_REGS_USER |
					 PERF_SAMPLE_REGS_INTR)) ||
				is_tracepoint(refused) ||
				is_pmu_event(refused));
	case REFUSAL_IF_PRIVILEGED_BUT_FILTERED:
		return caller_caps_are_full(caller) && caller->is_filtered;
	case REFUSAL_IF_PRIVILEGED_BUT_EXCLUDES_LEVELS:
		return caller_caps_are_full(caller) &&
			(((attr->type == PERF_TYPE_HARDWARE ||
				  attr->type == PERF_TYPE_HW_CACHE ||
				  attr->type == PERF_TYPE_RAW) ||
				 is_pmu_event(refused)) &&
				(attr->exclude_user || attr->exclude_kernel ||
					attr->exclude_hv ||
					attr->exclude_idle));
	case REFUSAL_IF_PRIVILEGED_CALLER: return caller_caps_are_full(caller);
	case REFUSAL_IF_PROCESS_OF_OTHERS: return refused->is_of_others;
	case REFUSAL_IF_KERNEL_BREAKPOINT:
		return attr->type == PERF_TYPE_BREAKPOINT &&
			IS_KERNEL_ADDRESS(attr->bp_addr);
	/*
	 * A uprobe or kprobe: their PMUs have no fixed type numbers, so the
	 * name decides.
	 */
	case REFUSAL_IF_PROBE_EVENT:
		return attr->type >= PERF_TYPE_MAX &&
			(string_starts(refused->name, "uprobe:") ||
				string_starts(refused->name, "kprobe:"));
	/*
	 * perf_event_paranoid 3 and 4 (Debian, Ubuntu, Android) forbid all
	 * events.
	 */
	case REFUSAL_IF_EVERY_EVENT_FORBIDDEN:
		return caller->paranoid > 2 && attr->exclude_kernel &&
			!is_cpu_wide(refused);
	case REFUSAL_IF_PARANOID_TOO_HIGH:
		return caller->paranoid > refusal_paranoid(refused);
	case REFUSAL_IF_SECCOMP_FILTER: return caller->is_filtered;
	default: return false;
	}
}

static bool refusal_applies(
	enum refusal_condition condition, const struct refusal_case *refused)
{
	const struct perf_event_attr *attr = refused->attr;
	int64_t number;

	switch (condition) {
	case REFUSAL_ALWAYS: return true;
	case REFUSAL_IF_RING_REFUSED: return refused->is_ring;
	case REFUSAL_IF_TRACEPOINT: return is_tracepoint(refused);
	case REFUSAL_IF_BREAKPOINT: return attr->type == PERF_TYPE_BREAKPOINT;
	case REFUSAL_IF_HARDWARE_EVENT:
		return attr->type == PERF_TYPE_HARDWARE ||
			attr->type == PERF_TYPE_HW_CACHE ||
			attr->type == PERF_TYPE_RAW;
	case REFUSAL_IF_PMU_EVENT: return is_pmu_event(refused);
	case REFUSAL_IF_PRECISE_EVENT: return attr->precise_ip;
	case REFUSAL_IF_RATE_TOO_HIGH:
		return attr->freq && sysfile_number(PROC_MAX_RATE, &number) &&
			attr->sample_freq > (uint64_t)number;
	case REFUSAL_IF_BACKWARD_RING: return attr->write_backward;
	case REFUSAL_IF_READS_COUNTERS_OF_CHILDREN:
		return attr->inherit && attr->sample_type & PERF_SAMPLE_READ;
	/*
	 * The interrupt of a PMU can read only the kernel's two NMI-safe
	 * clocks.
	 */
	case REFUSAL_IF_SLOW_CLOCK:
		return attr->use_clockid && attr->type != PERF_TYPE_SOFTWARE &&
			attr->clockid != CLOCK_MONOTONIC &&
			attr->clockid != CLOCK_MONOTONIC_RAW;
	case REFUSAL_IF_BRANCHES:
		return attr->sample_type & PERF_SAMPLE_BRANCH_STACK;
	/* The attributes of --call-graph lbr. */
	case REFUSAL_IF_LBR:
		return (attr->sample_type & PERF_SAMPLE_BRANCH_STACK) &&
			(attr->branch_sample_type & LBR_TYPE) == LBR_TYPE;
	case REFUSAL_IF_REGISTERS:
		return attr->sample_type &
			(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR);
	case REFUSAL_IF_STACK_COPY:
		return attr->sample_type & PERF_SAMPLE_STACK_USER;
	case REFUSAL_IF_EXCLUSIVE_EVENT: return attr->exclusive || attr->pinned;
	case REFUSAL_IF_AUX_DATA:
		return attr->aux_output || attr->aux_sample_size;
	case REFUSAL_IF_LIMITS_CALLCHAIN_DEPTH: return attr->sample_max_stack;
	case REFUSAL_IF_GROUP_MEMBER: return refused->is_member;
	/* Other events can also be refused for themselves. */
	case REFUSAL_IF_CGROUP_REFUSED:
		return refused->has_cgroup &&
			(attr->type == PERF_TYPE_SOFTWARE ||
				is_tracepoint(refused));
	case REFUSAL_IF_CPU_OFFLINE: return is_offline(refused->cpu);
	default: return applies_to_caller(condition, refused);
	}
}

/* The kernel reports a missing privilege as EACCES or EPERM. */
#define NO_PRIVILEGE(condition, why, remedy)  \
	{ EACCES, condition, why, remedy },   \
	{                                     \
		EPERM, condition, why, remedy \
	}
#define ALLOW "as root{host}: sysctl kernel.perf_event_paranoid={wanted}{alone}"

const struct refusal refusals[] = {
	{ EPERM, REFUSAL_IF_RING_REFUSED,
		"the user's limit of locked memory for ring buffers ({memlock} "
		"KiB and kernel.perf_event_mlock_kb) is reached",
		"use smaller ring buffers: -m 64K; or as root{host}: sysctl "
		"kernel.perf_event_mlock_kb=4096" },
	NO_PRIVILEGE(REFUSAL_IF_NO_PERF,
		"this kernel was built without perf events",
		"use a kernel with CONFIG_PERF_EVENTS=y"),
	NO_PRIVILEGE(REFUSAL_IF_ROOT_OF_USERNS,
		"the kernel treats root in a user namespace as an ordinary "
		"user, and kernel.perf_event_paranoid is {paranoid}",
		"on the host, as root: "
		"sysctl kernel.perf_event_paranoid={wanted}"),
	NO_PRIVILEGE(REFUSAL_IF_ROOT_WITHOUT_PERFMON,
		"root has no CAP_PERFMON in this container",
		"start the container with --cap-add PERFMON (before Linux 5.8: "
		"SYS_ADMIN)"),
	NO_PRIVILEGE(REFUSAL_IF_KERNEL_LOCKED_DOWN,
		"the kernel is locked down for confidentiality",
		"boot with lockdown=integrity"),
	NO_PRIVILEGE(REFUSAL_IF_PRIVILEGED_BUT_FILTERED,
		"a seccomp filter forbids perf_event_open",
		"start the container with --security-opt seccomp=unconfined"),
	{ EPERM, REFUSAL_IF_PRIVILEGED_BUT_EXCLUDES_LEVELS,
		"this counter cannot exclude user space, kernel or hypervisor",
		"remove the modifiers u, k and h" },
	NO_PRIVILEGE(REFUSAL_IF_PRIVILEGED_CALLER,
		"a security module forbids perf_event_open even to root",
		"find the rule in the kernel's log: journalctl -k -g denied"),
	NO_PRIVILEGE(REFUSAL_IF_PROCESS_OF_OTHERS,
		"process {pid} belongs to another user", "run dwell as root"),
	NO_PRIVILEGE(REFUSAL_IF_KERNEL_BREAKPOINT,
		"a breakpoint in the kernel needs root", "run dwell as root"),
	NO_PRIVILEGE(REFUSAL_IF_PROBE_EVENT, "probes need CAP_PERFMON",
		"run dwell as root"),
	NO_PRIVILEGE(REFUSAL_IF_EVERY_EVENT_FORBIDDEN,
		"kernel.perf_event_paranoid is {paranoid}: ordinary users "
		"cannot sample",
		"as root{host}: sysctl kernel.perf_event_paranoid=2{alone}"),
	NO_PRIVILEGE(REFUSAL_IF_PARANOID_TOO_HIGH,
		"kernel.perf_event_paranoid is {paranoid}", ALLOW),
	NO_PRIVILEGE(REFUSAL_IF_SECCOMP_FILTER,
		"a seccomp filter forbids perf_event_open",
		"start the container with --security-opt seccomp=unconfined"),
	NO_PRIVILEGE(REFUSAL_ALWAYS,
		"a security module forbids perf_event_open",
		"allow perf_event_open for dwell in the policy of the security "
		"module"),

	{ E2BIG, REFUSAL_IF_LIMITS_CALLCHAIN_DEPTH,
		"this kernel does not support a maximum depth of call chains",
		"remove --max-stack, or use Linux 4.8 or later" },
	{ E2BIG, REFUSAL_ALWAYS,
		"this kernel does not support all settings of the event",
		"use fewer terms in -e, or a newer kernel" },
	{ EBADF, REFUSAL_ALWAYS,
		"the cgroup or the first event of the group was closed",
		"start dwell again when the cgroup exists" },
	{ EBUSY, REFUSAL_IF_BREAKPOINT, "all debug registers are in use",
		"end the debugger that watches addresses" },
	{ EBUSY, REFUSAL_ALWAYS,
		"another profiler uses the hardware counter exclusively",
		"end that profiler, or use the timer: -e cpu-clock" },
	{ EFAULT, REFUSAL_IF_PMU_EVENT,
		"the kernel cannot read the path or symbol of the event",
		"check the path and symbol of -e" },
	{ EFAULT, REFUSAL_ALWAYS,
		"the kernel cannot read the attributes of the event",
		"please report this bug of dwell with the output of -v" },
	{ EINTR, REFUSAL_ALWAYS, "ftrace uses the same probe",
		"remove it from ftrace: echo > "
		"/sys/kernel/tracing/uprobe_events" },

	{ EINVAL, REFUSAL_IF_RING_REFUSED,
		"the kernel does not support ring buffers of this size",
		"use another size: -m 512K" },
	{ EINVAL, REFUSAL_IF_GROUP_MEMBER,
		"the event cannot be counted together with its group",
		"allow dwell to split the group: put the modifier W after its "
		"braces" },
	{ EINVAL, REFUSAL_IF_RATE_TOO_HIGH,
		"the kernel's current limit is {max_rate} Hz",
		"use -F max, or as root: sysctl "
		"kernel.perf_event_max_sample_rate={rate}" },
	{ EINVAL, REFUSAL_IF_BACKWARD_RING,
		"this kernel does not support overwritable ring buffers",
		"remove --overwrite, or use Linux 4.7 or later" },
	{ EINVAL, REFUSAL_IF_READS_COUNTERS_OF_CHILDREN,
		"this kernel does not support counter values in samples of "
		"children",
		"do not sample children: -i; or use Linux 6.13 or later" },
	{ EINVAL, REFUSAL_IF_SLOW_CLOCK,
		"the interrupt of the counter cannot read this clock",
		"use -k CLOCK_MONOTONIC" },
	{ EINVAL, REFUSAL_IF_BREAKPOINT,
		"a breakpoint watches 1, 2, 4 or 8 bytes at an address that is "
		"a multiple of this length",
		"use another length: mem:ADDRESS/LENGTH" },
	{ EINVAL, REFUSAL_IF_PRECISE_EVENT,
		"the event has no precise addresses on this machine",
		"use the highest precision that exists: the modifier P" },
	{ EINVAL, REFUSAL_IF_LBR,
		"the processor does not record branches, or not of this kind",
		"use -g instead of --call-graph lbr" },
	{ EINVAL, REFUSAL_IF_BRANCHES,
		"the processor does not record branches, or not of this kind",
		"remove -b and -j" },
	{ EINVAL, REFUSAL_IF_EXCLUSIVE_EVENT,
		"the event cannot use the counters exclusively",
		"remove the modifiers D and e" },
	{ EINVAL, REFUSAL_IF_STACK_COPY,
		"this kernel does not support stack copies of this size",
		"use --call-graph fp" },
	{ EINVAL, REFUSAL_IF_REGISTERS,
		"this kernel does not support these registers",
		"use fewer registers, or remove -I and --user-regs" },
	{ EINVAL, REFUSAL_IF_HARDWARE_EVENT,
		"the processor's counters do not support the event",
		"list the supported events: dwell list" },
	{ EINVAL, REFUSAL_IF_PMU_EVENT,
		"the PMU does not support these settings",
		"list the supported terms: ls "
		"/sys/bus/event_source/devices/*/format" },
	{ EINVAL, REFUSAL_ALWAYS,
		"this kernel does not support one of the event's settings",
		"see the settings with -v, and the kernel's features with: "
		"dwell doctor" },

	{ EMFILE, REFUSAL_ALWAYS,
		"each thread needs a file descriptor per CPU and event, and "
		"the limit is {nofile}",
		"raise the limit, as root: ulimit -Hn 1000000" },
	{ ENFILE, REFUSAL_ALWAYS,
		"the limit of open files of the system is reached",
		"raise the limit, as root: sysctl fs.file-max=10000000" },
	{ ENODEV, REFUSAL_IF_CPU_OFFLINE, "CPU {cpu} is offline",
		"as root: echo 1 > /sys/devices/system/cpu/cpu{cpu}/online" },
	{ ENODEV, REFUSAL_ALWAYS, "this processor has no counter for the event",
		"use the timer event, which every machine has: -e cpu-clock" },
	{ ENOENT, REFUSAL_IF_CGROUP_REFUSED,
		"the cgroup was removed, or the perf_event hierarchy of cgroup "
		"v1 is in use and not mounted here",
		"as root: mount -t cgroup -o perf_event none DIRECTORY" },
	{ ENOENT, REFUSAL_IF_TRACEPOINT,
		"the kernel has removed this tracepoint",
		"load its kernel module again; list the events: dwell list" },
	{ ENOENT, REFUSAL_IF_PMU_EVENT,
		"the kernel has removed the PMU of the event",
		"load its kernel module again; list the events: dwell list" },
	{ ENOENT, REFUSAL_ALWAYS,
		"this machine has no hardware counter for the event",
		"use the timer event, which every machine has: -e cpu-clock" },
	{ ENOMEM, REFUSAL_IF_RING_REFUSED,
		"the kernel has no memory for the ring buffer",
		"use a smaller ring buffer: -m 64K" },
	{ ENOMEM, REFUSAL_ALWAYS, "the kernel has no memory for the event",
		"use fewer events (-e), threads (-t) or CPUs (-C)" },
	{ ENOSPC, REFUSAL_IF_BREAKPOINT,
		"all debug registers of the processor are in use",
		"use fewer mem: events, or end the debugger that uses them" },
	{ ENOSPC, REFUSAL_ALWAYS, "all hardware counters are in use",
		"record fewer events at once" },
	{ ENOSYS, REFUSAL_IF_STACK_COPY,
		"the kernel does not support stack copies on this processor",
		"use --call-graph fp" },
	{ ENOSYS, REFUSAL_IF_SECCOMP_FILTER,
		"a seccomp filter blocks perf_event_open",
		"start the container with --security-opt seccomp=unconfined" },
	{ ENOSYS, REFUSAL_ALWAYS, "this kernel has no perf events",
		"use a kernel with CONFIG_PERF_EVENTS=y" },
	{ EOPNOTSUPP, REFUSAL_IF_LBR,
		"only hardware counters record branches, and not on every "
		"processor",
		"use -g instead of --call-graph lbr" },
	{ EOPNOTSUPP, REFUSAL_IF_BRANCHES,
		"only hardware counters record branches, and not on every "
		"processor",
		"remove -b and -j" },
	{ EOPNOTSUPP, REFUSAL_IF_AUX_DATA,
		"this machine does not support instruction tracing",
		"record without AUX data" },
	{ EOPNOTSUPP, REFUSAL_IF_PRECISE_EVENT,
		"the event has no precise addresses on this machine",
		"use the highest precision that exists: the modifier P" },
	{ EOPNOTSUPP, REFUSAL_IF_BREAKPOINT,
		"this processor does not support this kind of breakpoint",
		"watch only writes: mem:ADDRESS:w" },
	{ EOPNOTSUPP, REFUSAL_ALWAYS,
		"this machine has no counter for the event that can interrupt "
		"(a virtual machine?)",
		"use the timer event, which every machine has: -e cpu-clock" },
	{ EOVERFLOW, REFUSAL_ALWAYS,
		"the depth of call chains is above "
		"kernel.perf_event_max_stack, {max_stack}",
		"use --max-stack {max_stack}, or as root: sysctl "
		"kernel.perf_event_max_stack={depth}" },
	{ ESRCH, REFUSAL_IF_NO_PROC,
		"dwell finds threads in /proc, which is not mounted",
		"as root: mount -t proc proc /proc" },
	{ ESRCH, REFUSAL_ALWAYS, "there is no process or thread {pid}",
		"list the running ones: ps -eL" },
	{ 0, REFUSAL_ALWAYS, NULL, "see the settings with -v" },
};
const size_t n_refusals = ARRAY_SIZE(refusals);

const struct refusal *refusal_find(const struct refusal_case *refused)
{
	const struct refusal *row = refusals;

	while (row->errnum &&
		(row->errnum != refused->errnum ||
			!refusal_applies(row->condition, refused)))
		row++;
	return row;
}
