/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/refusal.h"

#include <errno.h>
#include <time.h>

#include "common/util/alloc.h"
#include "record/sys/sysfile.h"

/* An address in the upper half is the kernel's (all 64-bit systems). */
#define IS_KERNEL_ADDRESS(address) ((int64_t)(address) < 0)
/* linux/perf_event.h: as far as a raw number can tell, no fixed types. */
#define IS_DYNAMIC(attr) ((attr)->type > PERF_TYPE_BREAKPOINT)

/* What was asked for: */

static bool is_ring(const struct refused *refused)
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

static bool is_hardware(const struct refused *refused)
{
	return refused->attr->type == PERF_TYPE_HARDWARE ||
		refused->attr->type == PERF_TYPE_HW_CACHE ||
		refused->attr->type == PERF_TYPE_RAW;
}

static bool is_dynamic(const struct refused *refused)
{
	return IS_DYNAMIC(refused->attr);
}

static bool is_precise(const struct refused *refused)
{
	return refused->attr->precise_ip;
}

static bool is_too_fast(const struct refused *refused)
{
	int64_t limit;

	return refused->attr->freq && sysfile_number(PROC_MAX_RATE, &limit) &&
		refused->attr->sample_freq > (uint64_t)limit;
}

static bool is_backward(const struct refused *refused)
{
	return refused->attr->write_backward;
}

static bool reads_children(const struct refused *refused)
{
	return refused->attr->inherit &&
		refused->attr->sample_type & PERF_SAMPLE_READ;
}

/* A PMU's interrupt may read two clocks only (the kernel's NMI-safe ones). */
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

/* As --call-graph lbr asks for them. */
static bool has_lbr(const struct refused *refused)
{
	const uint64_t lbr = PERF_SAMPLE_BRANCH_CALL_STACK |
		PERF_SAMPLE_BRANCH_NO_CYCLES;

	return has_branches(refused) &&
		(refused->attr->branch_sample_type & lbr) == lbr;
}

static bool has_registers(const struct refused *refused)
{
	return refused->attr->sample_type &
		(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR);
}

static bool copies_stacks(const struct refused *refused)
{
	return refused->attr->sample_type & PERF_SAMPLE_STACK_USER;
}

static bool is_exclusive(const struct refused *refused)
{
	return refused->attr->exclusive || refused->attr->pinned;
}

static bool has_aux(const struct refused *refused)
{
	return refused->attr->aux_output || refused->attr->aux_sample_size;
}

static bool limits_depth(const struct refused *refused)
{
	return refused->attr->sample_max_stack;
}

static bool is_member(const struct refused *refused)
{
	return refused->is_member;
}

static bool leaves_out(const struct refused *refused)
{
	const struct perf_event_attr *attr = refused->attr;

	return (is_hardware(refused) || is_dynamic(refused)) &&
		(attr->exclude_user || attr->exclude_kernel ||
			attr->exclude_hv || attr->exclude_idle);
}

static bool is_on_cpu(const struct refused *refused)
{
	return refused->pid < 0;
}

static bool is_offline(const struct refused *refused)
{
	_cleanup_free_ char *path =
		xasprintf("/sys/devices/system/cpu/cpu%d/online", refused->cpu);
	int64_t online;

	return refused->cpu >= 0 && sysfile_number(path, &online) && !online;
}

/* Who asked: */

static bool has_no_perf(const struct refused *refused)
{
	return !refused->asker->has_perf_events;
}

static bool has_no_proc(const struct refused *refused)
{
	return refused->asker->has_no_proc;
}

static bool is_root_of_userns(const struct refused *refused)
{
	return refused->asker->is_root && refused->asker->is_in_userns;
}

static bool is_bare_root(const struct refused *refused)
{
	return refused->asker->is_root && !asker_is_free(refused->asker);
}

static bool is_locked_down(const struct refused *refused)
{
	return asker_is_free(refused->asker) &&
		string_is(refused->asker->lockdown, "confidentiality") &&
		(has_registers(refused) || is_tracepoint(refused) ||
			is_dynamic(refused));
}

static bool is_free_but_filtered(const struct refused *refused)
{
	return asker_is_free(refused->asker) && refused->asker->is_filtered;
}

static bool is_free_but_leaves_out(const struct refused *refused)
{
	return asker_is_free(refused->asker) && leaves_out(refused);
}

static bool is_free(const struct refused *refused)
{
	return asker_is_free(refused->asker);
}

static bool is_of_others(const struct refused *refused)
{
	return refused->is_of_others;
}

static bool watches_kernel(const struct refused *refused)
{
	return is_breakpoint(refused) &&
		IS_KERNEL_ADDRESS(refused->attr->bp_addr);
}

/* Its PMU has no fixed number; users know it by how they wrote it. */
static bool is_probe(const struct refused *refused)
{
	return refused->attr->type >= PERF_TYPE_MAX &&
		(string_starts(refused->name, "uprobe:") ||
			string_starts(refused->name, "kprobe:"));
}

/* paranoid 3 and 4 are of Debian, Ubuntu and Android: nothing at all. */
static bool is_all_forbidden(const struct refused *refused)
{
	return refused->asker->paranoid > 2 && refused->attr->exclude_kernel &&
		!is_on_cpu(refused);
}

/* perf_event_open(2), "perf_event_paranoid file". */
int refused_paranoid(const struct refused *refused)
{
	if (is_tracepoint(refused) && !refused->attr->exclude_kernel)
		return -1;
	if (is_on_cpu(refused))
		return 0;
	return refused->attr->exclude_kernel ? 2 : 1;
}

static bool is_paranoid(const struct refused *refused)
{
	return refused->asker->paranoid > refused_paranoid(refused);
}

static bool is_filtered(const struct refused *refused)
{
	return refused->asker->is_filtered;
}

/* The same right is missed under two names. */
#define NO_RIGHT(applies, why, remedy)      \
	{ EACCES, applies, why, remedy },   \
	{                                   \
		EPERM, applies, why, remedy \
	}
#define ALLOW "as root{host}: sysctl kernel.perf_event_paranoid={wanted}{alone}"

const struct refusal refusals[] = {
	{ EPERM, is_ring,
		"a user may lock {memlock} KiB for rings beside "
		"kernel.perf_event_mlock_kb, and it is used up",
		"smaller rings: -m 64K; or as root{host}: "
		"sysctl kernel.perf_event_mlock_kb=4096" },
	NO_RIGHT(has_no_perf, "this kernel was built without perf events",
		"ask for one with CONFIG_PERF_EVENTS=y"),
	NO_RIGHT(is_root_of_userns,
		"this is root in a user namespace, for the kernel an ordinary "
		"user, and kernel.perf_event_paranoid is {paranoid}",
		"on the host, as root: "
		"sysctl kernel.perf_event_paranoid={wanted}"),
	NO_RIGHT(is_bare_root, "root has no CAP_PERFMON in this container",
		"start it with --cap-add PERFMON (before Linux 5.8: "
		"SYS_ADMIN)"),
	NO_RIGHT(is_locked_down,
		"the kernel is locked down for confidentiality",
		"boot with lockdown=integrity"),
	NO_RIGHT(is_free_but_filtered,
		"a seccomp filter forbids perf_event_open",
		"start the container with --security-opt seccomp=unconfined"),
	{ EPERM, is_free_but_leaves_out,
		"this counter can't leave out user, kernel or hypervisor",
		"without the modifiers u, k and h" },
	NO_RIGHT(is_free,
		"a security module forbids perf_event_open even to root",
		"its log tells which rule: journalctl -k -g denied"),
	NO_RIGHT(is_of_others, "process {pid} is another user's",
		"run dwell as root"),
	NO_RIGHT(watches_kernel, "a breakpoint in the kernel needs root",
		"run dwell as root"),
	NO_RIGHT(is_probe, "who sets probes needs CAP_PERFMON",
		"run dwell as root"),
	NO_RIGHT(is_all_forbidden,
		"kernel.perf_event_paranoid is {paranoid}: ordinary users may "
		"sample nothing",
		"ask the administrator for: "
		"sysctl kernel.perf_event_paranoid=2{alone}"),
	NO_RIGHT(
		is_paranoid, "kernel.perf_event_paranoid is {paranoid}", ALLOW),
	NO_RIGHT(is_filtered, "a seccomp filter forbids perf_event_open",
		"ask the administrator for a container with "
		"--security-opt seccomp=unconfined"),
	NO_RIGHT(NULL, "a security module forbids it",
		"ask the administrator to allow perf_event_open to dwell"),

	{ E2BIG, limits_depth, "this kernel knows no limit for call chains",
		"without --max-stack; Linux 4.8 has it" },
	{ E2BIG, NULL, "this kernel knows no event with so many settings",
		"fewer terms in -e, or a newer kernel" },
	{ EBADF, NULL, "its cgroup or its group's first event is gone",
		"begin again when the cgroup is there" },
	{ EBUSY, is_breakpoint, "the debug registers are in use",
		"end the debugger that watches addresses" },
	{ EBUSY, NULL, "another profiler holds the counter for itself",
		"end it, or sample with the timer: -e cpu-clock" },
	{ EFAULT, is_dynamic, "the kernel can't read what the event names",
		"check the path and symbol behind -e" },
	{ EFAULT, NULL, "the kernel can't read the request",
		"that is dwell's fault: please report it, with -v" },
	{ EINTR, NULL, "ftrace uses the same probe",
		"remove it there: echo > /sys/kernel/tracing/uprobe_events" },

	{ EINVAL, is_ring, "its ring is no size that this kernel maps",
		"another size: -m 512K" },
	{ EINVAL, is_member,
		"it can't be counted together with the others of its group",
		"rather no group than that: W behind its braces" },
	{ EINVAL, is_too_fast, "the kernel allows {max_rate} Hz at most now",
		"-F max, or as root: "
		"sysctl kernel.perf_event_max_sample_rate={rate}" },
	{ EINVAL, is_backward, "this kernel writes no ring backward",
		"without --overwrite; Linux 4.7 can" },
	{ EINVAL, reads_children,
		"this kernel reads no counters of children beside samples",
		"without children: -i; Linux 6.13 can" },
	{ EINVAL, has_slow_clock, "its interrupt can't read that clock",
		"-k CLOCK_MONOTONIC" },
	{ EINVAL, is_breakpoint,
		"the processor watches 1, 2, 4 or 8 bytes, "
		"at a multiple of their number",
		"another length: mem:ADDRESS/LENGTH" },
	{ EINVAL, is_precise, "it has no precise addresses here",
		"as precise as can be: the modifier P" },
	{ EINVAL, has_lbr,
		"the processor records no branches, or none of that kind",
		"callers: --call-graph dwarf, not lbr" },
	{ EINVAL, has_branches,
		"the processor records no branches, or none of that kind",
		"without -b and -j" },
	{ EINVAL, is_exclusive, "it can't have the counters for itself",
		"without the modifiers D and e" },
	{ EINVAL, copies_stacks, "this kernel copies no stacks of that size",
		"--call-graph fp" },
	{ EINVAL, has_registers, "this kernel doesn't know these registers",
		"fewer of them, or without -I and --user-regs" },
	{ EINVAL, is_hardware, "the processor's counters don't know it",
		"what there is: dwell list" },
	{ EINVAL, is_dynamic, "its PMU doesn't take these settings",
		"what it takes: ls /sys/bus/event_source/devices/*/format" },
	{ EINVAL, NULL, "this kernel doesn't take one of its settings",
		"what was tried: -v; what this kernel knows: dwell doctor" },

	{ EMFILE, NULL,
		"each thread needs a descriptor per CPU and event, "
		"and {nofile} is the limit",
		"raise it, as root: ulimit -Hn 1000000" },
	{ ENFILE, NULL, "the system has no more descriptors",
		"raise the limit, as root: sysctl fs.file-max=10000000" },
	{ ENODEV, is_offline, "CPU {cpu} is offline",
		"as root: echo 1 > /sys/devices/system/cpu/cpu{cpu}/online" },
	{ ENODEV, NULL, "this processor has no counter for it",
		"-e cpu-clock works everywhere" },
	{ ENOENT, is_tracepoint, "the kernel has removed this tracepoint",
		"load its module again, and see: dwell list" },
	{ ENOENT, is_dynamic, "its PMU is gone",
		"load its module again, and see: dwell list" },
	{ ENOENT, NULL, "this machine has no counter for it",
		"-e cpu-clock works everywhere" },
	{ ENOMEM, is_ring, "the kernel has no memory for its ring",
		"a smaller one: -m 64K" },
	{ ENOMEM, NULL, "the kernel has no memory for it",
		"fewer events, threads or CPUs: -e, -t, -C" },
	{ ENOSPC, is_breakpoint, "the processor has no debug register left",
		"fewer mem: events, or end the debugger that uses them" },
	{ ENOSPC, NULL, "there are no counters left for it",
		"fewer events at once" },
	{ ENOSYS, copies_stacks, "this processor's kernel copies no stacks",
		"--call-graph fp" },
	{ ENOSYS, is_filtered, "a seccomp filter hides perf_event_open",
		"start the container with --security-opt seccomp=unconfined" },
	{ ENOSYS, NULL, "this kernel has no perf events",
		"ask for one with CONFIG_PERF_EVENTS=y" },
	{ EOPNOTSUPP, has_lbr,
		"only hardware counters record branches, and not on every "
		"processor",
		"callers: --call-graph dwarf, not lbr" },
	{ EOPNOTSUPP, has_branches,
		"only hardware counters record branches, and not on every "
		"processor",
		"without -b and -j" },
	{ EOPNOTSUPP, has_aux, "this machine traces no instructions",
		"record it without AUX data" },
	{ EOPNOTSUPP, is_precise, "it has no precise addresses here",
		"as precise as can be: the modifier P" },
	{ EOPNOTSUPP, is_breakpoint, "this processor has no such breakpoint",
		"watch writes: mem:ADDRESS:w" },
	{ EOPNOTSUPP, NULL,
		"this machine has no counter for it that can interrupt (a "
		"virtual machine?)",
		"-e cpu-clock works everywhere" },
	{ EOVERFLOW, NULL,
		"its call chains are deeper than "
		"kernel.perf_event_max_stack, {max_stack}",
		"--max-stack {max_stack}, or as root: "
		"sysctl kernel.perf_event_max_stack={depth}" },
	{ ESRCH, has_no_proc,
		"threads are looked up in /proc, and that is not mounted here",
		"as root: mount -t proc proc /proc" },
	{ ESRCH, NULL, "no process or thread {pid} (any more)",
		"those that run: ps -eL" },
	{ 0, NULL, NULL, "what was tried: -v" },
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
