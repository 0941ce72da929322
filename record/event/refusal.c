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

/* Functions for refusal.applies: conditions on the event. */

static bool is_ring_refused(const struct refused *refused)
{
	return refused->is_ring;
}

static bool is_tracepoint(const struct refused *refused)
{
	return refused->attr->type == PERF_TYPE_TRACEPOINT;
}

static bool is_breakpoint(const struct refused *refused)
{
	return refused->attr->type == PERF_TYPE_BREAKPOINT;
}

static bool is_hardware_event(const struct refused *refused)
{
	return refused->attr->type == PERF_TYPE_HARDWARE ||
		refused->attr->type == PERF_TYPE_HW_CACHE ||
		refused->attr->type == PERF_TYPE_RAW;
}

static bool is_pmu_event(const struct refused *refused)
{
	return IS_DYNAMIC(refused->attr);
}

static bool is_precise_event(const struct refused *refused)
{
	return refused->attr->precise_ip;
}

static bool is_rate_too_high(const struct refused *refused)
{
	int64_t limit;

	return refused->attr->freq && sysfile_number(PROC_MAX_RATE, &limit) &&
		refused->attr->sample_freq > (uint64_t)limit;
}

static bool has_backward_ring(const struct refused *refused)
{
	return refused->attr->write_backward;
}

static bool reads_counters_of_children(const struct refused *refused)
{
	return refused->attr->inherit &&
		refused->attr->sample_type & PERF_SAMPLE_READ;
}

/* The interrupt of a PMU can read only the kernel's two NMI-safe clocks. */
static bool has_slow_clock(const struct refused *refused)
{
	return refused->attr->use_clockid &&
		refused->attr->type != PERF_TYPE_SOFTWARE &&
		refused->attr->clockid != CLOCK_MONOTONIC &&
		refused->attr->clockid != CLOCK_MONOTONIC_RAW;
}

static bool has_branches(const struct refused *refused)
{
	return refused->attr->sample_type & PERF_SAMPLE_BRANCH_STACK;
}

/* Returns whether the event has the attributes of --call-graph lbr. */
static bool has_lbr(const struct refused *refused)
{
	const uint64_t lbr =
		PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_CYCLES;

	return has_branches(refused) &&
		(refused->attr->branch_sample_type & lbr) == lbr;
}

static bool has_registers(const struct refused *refused)
{
	return refused->attr->sample_type &
		(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR);
}

static bool has_stack_copy(const struct refused *refused)
{
	return refused->attr->sample_type & PERF_SAMPLE_STACK_USER;
}

static bool is_exclusive_event(const struct refused *refused)
{
	return refused->attr->exclusive || refused->attr->pinned;
}

static bool has_aux_data(const struct refused *refused)
{
	return refused->attr->aux_output || refused->attr->aux_sample_size;
}

static bool limits_callchain_depth(const struct refused *refused)
{
	return refused->attr->sample_max_stack;
}

static bool is_group_member(const struct refused *refused)
{
	return refused->is_member;
}

static bool excludes_levels(const struct refused *refused)
{
	const struct perf_event_attr *attr = refused->attr;

	return (is_hardware_event(refused) || is_pmu_event(refused)) &&
		(attr->exclude_user || attr->exclude_kernel ||
			attr->exclude_hv || attr->exclude_idle);
}

/* Other events can also be refused for themselves. */
static bool is_cgroup_refused(const struct refused *refused)
{
	return refused->has_cgroup &&
		(refused->attr->type == PERF_TYPE_SOFTWARE ||
			is_tracepoint(refused));
}

static bool is_cpu_wide(const struct refused *refused)
{
	return refused->pid < 0;
}

static bool is_cpu_offline(const struct refused *refused)
{
	_cleanup_free_ char *path =
		xasprintf("/sys/devices/system/cpu/cpu%d/online", refused->cpu);
	int64_t online;

	return refused->cpu >= 0 && sysfile_number(path, &online) && !online;
}

/* Functions for refusal.applies: conditions on the caller. */

static bool has_no_perf(const struct refused *refused)
{
	return !refused->caller->has_perf_events;
}

static bool has_no_proc(const struct refused *refused)
{
	return refused->caller->has_no_proc;
}

static bool is_root_of_userns(const struct refused *refused)
{
	return refused->caller->is_root && refused->caller->is_in_userns;
}

static bool is_root_without_perfmon(const struct refused *refused)
{
	return refused->caller->is_root &&
		!caller_caps_are_full(refused->caller);
}

static bool is_kernel_locked_down(const struct refused *refused)
{
	return caller_caps_are_full(refused->caller) &&
		string_is(refused->caller->lockdown, "confidentiality") &&
		(has_registers(refused) || is_tracepoint(refused) ||
			is_pmu_event(refused));
}

static bool is_privileged_but_filtered(const struct refused *refused)
{
	return caller_caps_are_full(refused->caller) &&
		refused->caller->is_filtered;
}

static bool is_privileged_but_excludes_levels(const struct refused *refused)
{
	return caller_caps_are_full(refused->caller) &&
		excludes_levels(refused);
}

static bool is_privileged_caller(const struct refused *refused)
{
	return caller_caps_are_full(refused->caller);
}

static bool is_process_of_others(const struct refused *refused)
{
	return refused->is_of_others;
}

static bool is_kernel_breakpoint(const struct refused *refused)
{
	return is_breakpoint(refused) &&
		IS_KERNEL_ADDRESS(refused->attr->bp_addr);
}

/*
 * Returns whether the event is a uprobe or kprobe: their PMUs have no fixed
 * type numbers, so the name decides.
 */
static bool is_probe_event(const struct refused *refused)
{
	return refused->attr->type >= PERF_TYPE_MAX &&
		(string_starts(refused->name, "uprobe:") ||
			string_starts(refused->name, "kprobe:"));
}

/* perf_event_paranoid 3 and 4 (Debian, Ubuntu, Android) forbid all events. */
static bool is_every_event_forbidden(const struct refused *refused)
{
	return refused->caller->paranoid > 2 && refused->attr->exclude_kernel &&
		!is_cpu_wide(refused);
}

/* The levels are from perf_event_open(2), "perf_event_paranoid file". */
int refused_paranoid(const struct refused *refused)
{
	if (is_tracepoint(refused) && !refused->attr->exclude_kernel)
		return -1;
	if (is_cpu_wide(refused))
		return 0;
	return refused->attr->exclude_kernel ? 2 : 1;
}

static bool is_paranoid_too_high(const struct refused *refused)
{
	return refused->caller->paranoid > refused_paranoid(refused);
}

static bool has_seccomp_filter(const struct refused *refused)
{
	return refused->caller->is_filtered;
}

/* The kernel reports a missing privilege as EACCES or EPERM. */
#define NO_PRIVILEGE(applies, why, remedy)  \
	{ EACCES, applies, why, remedy },   \
	{                                   \
		EPERM, applies, why, remedy \
	}
#define ALLOW "as root{host}: sysctl kernel.perf_event_paranoid={wanted}{alone}"

const struct refusal refusals[] = {
	{ EPERM, is_ring_refused,
		"the user's limit of locked memory for ring buffers ({memlock} "
		"KiB and kernel.perf_event_mlock_kb) is reached",
		"use smaller ring buffers: -m 64K; or as root{host}: sysctl "
		"kernel.perf_event_mlock_kb=4096" },
	NO_PRIVILEGE(has_no_perf, "this kernel was built without perf events",
		"use a kernel with CONFIG_PERF_EVENTS=y"),
	NO_PRIVILEGE(is_root_of_userns,
		"the kernel treats root in a user namespace as an ordinary "
		"user, and kernel.perf_event_paranoid is {paranoid}",
		"on the host, as root: "
		"sysctl kernel.perf_event_paranoid={wanted}"),
	NO_PRIVILEGE(is_root_without_perfmon,
		"root has no CAP_PERFMON in this container",
		"start the container with --cap-add PERFMON (before Linux 5.8: "
		"SYS_ADMIN)"),
	NO_PRIVILEGE(is_kernel_locked_down,
		"the kernel is locked down for confidentiality",
		"boot with lockdown=integrity"),
	NO_PRIVILEGE(is_privileged_but_filtered,
		"a seccomp filter forbids perf_event_open",
		"start the container with --security-opt seccomp=unconfined"),
	{ EPERM, is_privileged_but_excludes_levels,
		"this counter cannot exclude user space, kernel or hypervisor",
		"remove the modifiers u, k and h" },
	NO_PRIVILEGE(is_privileged_caller,
		"a security module forbids perf_event_open even to root",
		"find the rule in the kernel's log: journalctl -k -g denied"),
	NO_PRIVILEGE(is_process_of_others,
		"process {pid} belongs to another user", "run dwell as root"),
	NO_PRIVILEGE(is_kernel_breakpoint,
		"a breakpoint in the kernel needs root", "run dwell as root"),
	NO_PRIVILEGE(
		is_probe_event, "probes need CAP_PERFMON", "run dwell as root"),
	NO_PRIVILEGE(is_every_event_forbidden,
		"kernel.perf_event_paranoid is {paranoid}: ordinary users "
		"cannot sample",
		"as root{host}: sysctl kernel.perf_event_paranoid=2{alone}"),
	NO_PRIVILEGE(is_paranoid_too_high,
		"kernel.perf_event_paranoid is {paranoid}", ALLOW),
	NO_PRIVILEGE(has_seccomp_filter,
		"a seccomp filter forbids perf_event_open",
		"start the container with --security-opt seccomp=unconfined"),
	NO_PRIVILEGE(NULL, "a security module forbids perf_event_open",
		"allow perf_event_open for dwell in the policy of the security "
		"module"),

	{ E2BIG, limits_callchain_depth,
		"this kernel does not support a maximum depth of call chains",
		"remove --max-stack, or use Linux 4.8 or later" },
	{ E2BIG, NULL, "this kernel does not support all settings of the event",
		"use fewer terms in -e, or a newer kernel" },
	{ EBADF, NULL, "the cgroup or the first event of the group was closed",
		"start dwell again when the cgroup exists" },
	{ EBUSY, is_breakpoint, "all debug registers are in use",
		"end the debugger that watches addresses" },
	{ EBUSY, NULL, "another profiler uses the hardware counter exclusively",
		"end that profiler, or use the timer: -e cpu-clock" },
	{ EFAULT, is_pmu_event,
		"the kernel cannot read the path or symbol of the event",
		"check the path and symbol of -e" },
	{ EFAULT, NULL, "the kernel cannot read the attributes of the event",
		"please report this bug of dwell with the output of -v" },
	{ EINTR, NULL, "ftrace uses the same probe",
		"remove it from ftrace: echo > "
		"/sys/kernel/tracing/uprobe_events" },

	{ EINVAL, is_ring_refused,
		"the kernel does not support ring buffers of this size",
		"use another size: -m 512K" },
	{ EINVAL, is_group_member,
		"the event cannot be counted together with its group",
		"allow dwell to split the group: put the modifier W after its "
		"braces" },
	{ EINVAL, is_rate_too_high,
		"the kernel's current limit is {max_rate} Hz",
		"use -F max, or as root: sysctl "
		"kernel.perf_event_max_sample_rate={rate}" },
	{ EINVAL, has_backward_ring,
		"this kernel does not support overwritable ring buffers",
		"remove --overwrite, or use Linux 4.7 or later" },
	{ EINVAL, reads_counters_of_children,
		"this kernel does not support counter values in samples of "
		"children",
		"do not sample children: -i; or use Linux 6.13 or later" },
	{ EINVAL, has_slow_clock,
		"the interrupt of the counter cannot read this clock",
		"use -k CLOCK_MONOTONIC" },
	{ EINVAL, is_breakpoint,
		"a breakpoint watches 1, 2, 4 or 8 bytes at an address that is "
		"a multiple of this length",
		"use another length: mem:ADDRESS/LENGTH" },
	{ EINVAL, is_precise_event,
		"the event has no precise addresses on this machine",
		"use the highest precision that exists: the modifier P" },
	{ EINVAL, has_lbr,
		"the processor does not record branches, or not of this kind",
		"use -g instead of --call-graph lbr" },
	{ EINVAL, has_branches,
		"the processor does not record branches, or not of this kind",
		"remove -b and -j" },
	{ EINVAL, is_exclusive_event,
		"the event cannot use the counters exclusively",
		"remove the modifiers D and e" },
	{ EINVAL, has_stack_copy,
		"this kernel does not support stack copies of this size",
		"use --call-graph fp" },
	{ EINVAL, has_registers, "this kernel does not support these registers",
		"use fewer registers, or remove -I and --user-regs" },
	{ EINVAL, is_hardware_event,
		"the processor's counters do not support the event",
		"list the supported events: dwell list" },
	{ EINVAL, is_pmu_event, "the PMU does not support these settings",
		"list the supported terms: ls "
		"/sys/bus/event_source/devices/*/format" },
	{ EINVAL, NULL,
		"this kernel does not support one of the event's settings",
		"see the settings with -v, and the kernel's features with: "
		"dwell doctor" },

	{ EMFILE, NULL,
		"each thread needs a file descriptor per CPU and event, and "
		"the limit is {nofile}",
		"raise the limit, as root: ulimit -Hn 1000000" },
	{ ENFILE, NULL, "the limit of open files of the system is reached",
		"raise the limit, as root: sysctl fs.file-max=10000000" },
	{ ENODEV, is_cpu_offline, "CPU {cpu} is offline",
		"as root: echo 1 > /sys/devices/system/cpu/cpu{cpu}/online" },
	{ ENODEV, NULL, "this processor has no counter for the event",
		"use the timer event, which every machine has: -e cpu-clock" },
	{ ENOENT, is_cgroup_refused,
		"the cgroup was removed, or the perf_event hierarchy of cgroup "
		"v1 is in use and not mounted here",
		"as root: mount -t cgroup -o perf_event none DIRECTORY" },
	{ ENOENT, is_tracepoint, "the kernel has removed this tracepoint",
		"load its kernel module again; list the events: dwell list" },
	{ ENOENT, is_pmu_event, "the kernel has removed the PMU of the event",
		"load its kernel module again; list the events: dwell list" },
	{ ENOENT, NULL, "this machine has no hardware counter for the event",
		"use the timer event, which every machine has: -e cpu-clock" },
	{ ENOMEM, is_ring_refused,
		"the kernel has no memory for the ring buffer",
		"use a smaller ring buffer: -m 64K" },
	{ ENOMEM, NULL, "the kernel has no memory for the event",
		"use fewer events (-e), threads (-t) or CPUs (-C)" },
	{ ENOSPC, is_breakpoint,
		"all debug registers of the processor are in use",
		"use fewer mem: events, or end the debugger that uses them" },
	{ ENOSPC, NULL, "all hardware counters are in use",
		"record fewer events at once" },
	{ ENOSYS, has_stack_copy,
		"the kernel does not support stack copies on this processor",
		"use --call-graph fp" },
	{ ENOSYS, has_seccomp_filter, "a seccomp filter blocks perf_event_open",
		"start the container with --security-opt seccomp=unconfined" },
	{ ENOSYS, NULL, "this kernel has no perf events",
		"use a kernel with CONFIG_PERF_EVENTS=y" },
	{ EOPNOTSUPP, has_lbr,
		"only hardware counters record branches, and not on every "
		"processor",
		"use -g instead of --call-graph lbr" },
	{ EOPNOTSUPP, has_branches,
		"only hardware counters record branches, and not on every "
		"processor",
		"remove -b and -j" },
	{ EOPNOTSUPP, has_aux_data,
		"this machine does not support instruction tracing",
		"record without AUX data" },
	{ EOPNOTSUPP, is_precise_event,
		"the event has no precise addresses on this machine",
		"use the highest precision that exists: the modifier P" },
	{ EOPNOTSUPP, is_breakpoint,
		"this processor does not support this kind of breakpoint",
		"watch only writes: mem:ADDRESS:w" },
	{ EOPNOTSUPP, NULL,
		"this machine has no counter for the event that can interrupt "
		"(a virtual machine?)",
		"use the timer event, which every machine has: -e cpu-clock" },
	{ EOVERFLOW, NULL,
		"the depth of call chains is above "
		"kernel.perf_event_max_stack, {max_stack}",
		"use --max-stack {max_stack}, or as root: sysctl "
		"kernel.perf_event_max_stack={depth}" },
	{ ESRCH, has_no_proc,
		"dwell finds threads in /proc, which is not mounted",
		"as root: mount -t proc proc /proc" },
	{ ESRCH, NULL, "there is no process or thread {pid}",
		"list the running ones: ps -eL" },
	{ 0, NULL, NULL, "see the settings with -v" },
};
const size_t n_refusals = ARRAY_SIZE(refusals);

const struct refusal *refusal_find(const struct refused *refused)
{
	const struct refusal *row = refusals;

	while (row->errnum &&
		(row->errnum != refused->errnum ||
			(row->applies && !row->applies(refused))))
		row++;
	return row;
}
