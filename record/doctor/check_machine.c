/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of the events that the machine has, and of stack copies. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>

#include "common/util/alloc.h"
#include "record/doctor/check.h"
#include "record/event/stack_copy.h"
#include "record/event/tracefs.h"
#include "record/open/stack_copy_size.h"

#define DEFAULT_FREQUENCY 4000u /* Hz */
#define PTRACE_SCOPE "/proc/sys/kernel/yama/ptrace_scope"

/* Returns whether the cycles of user space can be sampled with precise_ip
 * PRECISE. */
static bool has_cycles_event(const struct facts *facts, unsigned precise)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1000000,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.precise_ip = precise & 3,
	};
	int fd = facts->opener->open(facts->opener, &attr, 0, -1);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void check_pmu(const struct facts *facts, struct check_finding *ret)
{
	ret->meaning = "cycles and other hardware counters";
	if (has_cycles_event(facts, 0)) {
		bool is_first = true;

		/* If all cores are of one kind, their PMU has no file "cpus". */
		array_each(&facts->pmus.list, pmu) {
			if (!pmu->is_core && !string_is(pmu->name, "cpu"))
				continue;
			strbuf_printf(&ret->value, "%s%s", is_first ? "" : ", ",
				pmu->name);
			is_first = false;
		}
		if (is_first)
			strbuf_puts(&ret->value, "yes");
		return;
	}
	ret->status = CHECK_LIMITED;
	strbuf_puts(&ret->value, "none (a virtual machine?)");
	ret->meaning = "dwell samples with the timer event cpu-clock";
	strbuf_puts(&ret->remedy, CHECK_ENABLE_PMU);
}

void check_precision(const struct facts *facts, struct check_finding *ret)
{
	unsigned precise = 3;

	ret->meaning = "how exact the addresses of samples can be (:P)";
	while (precise && !has_cycles_event(facts, precise))
		precise--;
	if (precise) {
		strbuf_printf(&ret->value, "precise_ip 0 to %u", precise);
		return;
	}
	ret->status = CHECK_LIMITED;
	strbuf_puts(&ret->value, "precise_ip 0 only");
	ret->meaning = "sampled addresses can be some instructions late";
}

void check_watchdog(const struct facts *facts, struct check_finding *ret)
{
	int64_t is_on = 0;

	facts_number(facts, "/proc/sys/kernel/nmi_watchdog", &is_on);
	strbuf_puts(&ret->value, is_on ? "on" : "off");
	ret->meaning = "uses no hardware counter";
	if (!is_on || !has_cycles_event(facts, 0))
		return;
	ret->status = CHECK_LIMITED;
	ret->meaning = "uses one hardware counter on each CPU";
	strbuf_puts(&ret->remedy, "as root: sysctl kernel.nmi_watchdog=0");
}

void check_tracepoints(const struct facts *facts, struct check_finding *ret)
{
	_cleanup_free_ char *events =
		xasprintf("%s/sys/kernel/tracing/events", facts->root);
	bool is_there = access(events, R_OK | X_OK) == 0;
	bool is_hidden = !is_there && errno == EACCES;

	ret->meaning = "events such as sched:sched_switch";
	if (is_there) {
		strbuf_puts(&ret->value, "tracefs is mounted and readable");
	} else if (facts->caller.is_root) {
		strbuf_puts(&ret->value, "tracefs is not mounted");
		ret->meaning = "root can record tracepoints without the mount";
	} else {
		ret->status = CHECK_LIMITED;
		ret->meaning = "tracepoints cannot be recorded";
		strbuf_puts(&ret->value,
			is_hidden ? "tracefs is not readable"
				  : "tracefs is not mounted");
		strbuf_puts(&ret->remedy,
			is_hidden ? "as root: " TRACEFS_OPEN_COMMAND
				  : "as root: " TRACEFS_MOUNT_COMMAND);
	}
}

static void check_probe_pmu(const struct facts *facts, const char *name,
	const char *config, struct check_finding *ret)
{
	bool is_there = false;

	array_each(&facts->pmus.list, pmu)
		is_there |= string_is(pmu->name, name);
	strbuf_puts(&ret->value, is_there ? "yes" : "no");
	if (!is_there) {
		ret->status = CHECK_LIMITED;
		strbuf_printf(&ret->remedy, "use a kernel with %s=y", config);
	} else if (!caller_caps_are_full(&facts->caller)) {
		ret->status = CHECK_LIMITED;
		strbuf_puts(&ret->value, ", for root only");
		strbuf_puts(&ret->remedy, "run dwell as root");
	}
}

void check_uprobes(const struct facts *facts, struct check_finding *ret)
{
	ret->meaning = "sampling at functions of programs";
	check_probe_pmu(facts, "uprobe", "CONFIG_UPROBE_EVENTS", ret);
}

void check_kprobes(const struct facts *facts, struct check_finding *ret)
{
	ret->meaning = "sampling at functions of the kernel";
	check_probe_pmu(facts, "kprobe", "CONFIG_KPROBE_EVENTS", ret);
}

void check_cgroups(const struct facts *facts, struct check_finding *ret)
{
	bool is_v2 = facts_has(facts, "/sys/fs/cgroup/cgroup.controllers") ||
		facts_has(facts, "/sys/fs/cgroup/unified/cgroup.procs");
	bool is_v1 = facts_has(facts, "/sys/fs/cgroup/perf_event");

	ret->meaning = "recording the processes of a cgroup";
	if (is_v1 && is_v2)
		strbuf_puts(&ret->value, "v1 and v2");
	else if (is_v1 || is_v2)
		strbuf_puts(&ret->value, is_v2 ? "v2" : "v1");
	if (ret->value.n)
		return;
	ret->status = CHECK_LIMITED;
	strbuf_puts(&ret->value, "not mounted");
	strbuf_puts(
		&ret->remedy, "as root: mount -t cgroup2 none /sys/fs/cgroup");
}

void check_types(const struct facts *facts, struct check_finding *ret)
{
	ret->meaning = "BTF for BPF programs; recording does not need it";
	strbuf_puts(&ret->value,
		facts_has(facts, "/sys/kernel/btf/vmlinux") ? "yes" : "no");
	if (ret->value.at[0] == 'y')
		return;
	ret->status = CHECK_LIMITED;
	strbuf_puts(&ret->remedy, "use a kernel with CONFIG_DEBUG_INFO_BTF=y");
}

void check_stacks(const struct facts *facts, struct check_finding *ret)
{
	struct selection_event event = { .attr = {
						 .freq = 1,
						 .sample_freq =
							 DEFAULT_FREQUENCY,
						 .sample_type =
							 PERF_SAMPLE_STACK_USER,
						 .sample_stack_user =
							 STACK_COPY_MAX,
					 } };
	struct selection selection = { 0 };
	int64_t scope = 0;
	uint32_t size;

	/* How many bytes of a stack a sample can hold. */
	*array_push(&selection.events) = event;
	size = stack_copy_fit_ring(&selection, facts_ring_size(facts))
		?: STACK_COPY_MAX;
	array_free(&selection.events);
	facts_number(facts, PTRACE_SCOPE, &scope);
	strbuf_printf(&ret->value, "%" PRIu32 " bytes at %u Hz", size,
		DEFAULT_FREQUENCY);
	ret->meaning = "-g records complete stacks";
	if (size < STACK_COPY_MAX) {
		ret->status = CHECK_LIMITED;
		ret->meaning = "-g copies more with larger "
			       "ring buffers or a lower -F";
		strbuf_puts(&ret->remedy,
			"as root: sysctl "
			"kernel.perf_event_mlock_kb=16640");
	} else if (scope &&
		!caller_caps_has(&facts->caller, CALLER_CAP_SYS_PTRACE)) {
		/*
		 * dwell cannot read the memory of processes that it did not
		 * start (ptrace(2), PTRACE_MODE_ATTACH): Yama restricts such
		 * reads to the parent.
		 */
		ret->status = CHECK_LIMITED;
		ret->meaning = "stacks that are deeper are complete only in "
			       "commands that dwell starts";
		strbuf_puts(&ret->remedy,
			"as root: sysctl kernel.yama.ptrace_scope=0");
	}
}

void check_unwinding(const struct facts *facts, struct check_finding *ret)
{
	if (!facts->bpf_refusal) {
		strbuf_puts(&ret->value, "in the kernel");
		ret->meaning =
			"-g copies few stacks, and reads "
			"functions of Python, PHP, Ruby and Perl at the sample";
		return;
	}
	ret->status = CHECK_LIMITED;
	strbuf_printf(&ret->value, "of stack copies: %s", facts->bpf_refusal);
	ret->meaning =
		"-g copies all stacks, which costs "
		"more; functions of Python and PHP are read some "
		"milliseconds after the sample, those of Ruby and Perl not";
	if (!caller_caps_are_full(&facts->caller) ||
		!caller_caps_has(&facts->caller, CALLER_CAP_BPF))
		strbuf_puts(&ret->remedy, CHECK_SETCAP);
}
