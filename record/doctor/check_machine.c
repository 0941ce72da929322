/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the machine has to record with: counters, probes, tracepoints. */
#include "config.h"

#include <errno.h>

#include "common/util/alloc.h"
#include "record/doctor/check.h"
#include "record/event/tracefs.h"

/* Whether cycles of user space can be sampled so precisely. */
static bool has_cycles(const struct facts *facts, unsigned precise)
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

static void put_pmus(const struct facts *facts, struct finding *ret)
{
	bool is_first = true;

	/* Core PMUs of one kind only have no file "cpus". */
	array_each (&facts->pmus.list, pmu) {
		if (!pmu->is_core && !string_is(pmu->name, "cpu"))
			continue;
		strbuf_printf(
			&ret->value, "%s%s", is_first ? "" : ", ", pmu->name);
		is_first = false;
	}
	if (is_first)
		strbuf_puts(&ret->value, "yes");
}

void check_pmu(const struct facts *facts, struct finding *ret)
{
	ret->meaning = "cycles and other counters of the processor";
	if (has_cycles(facts, 0)) {
		put_pmus(facts, ret);
		return;
	}
	ret->status = CHECK_LIMITED;
	strbuf_puts(&ret->value, "none (a virtual machine?)");
	ret->meaning = "dwell samples with the timer, cpu-clock";
	strbuf_puts(&ret->remedy,
		"give the machine a virtual PMU; libvirt: <pmu state='on'/>");
}

void check_precision(const struct facts *facts, struct finding *ret)
{
	unsigned precise = 3;

	ret->meaning = "how near a sample's address is to its cause (:P)";
	while (precise && !has_cycles(facts, precise))
		precise--;
	if (precise) {
		strbuf_printf(&ret->value, "precise_ip 0 to %u", precise);
		return;
	}
	ret->status = CHECK_LIMITED;
	strbuf_puts(&ret->value, "precise_ip 0 only");
	ret->meaning = "addresses may be some instructions late";
}

void check_watchdog(const struct facts *facts, struct finding *ret)
{
	int64_t is_on = 0;

	facts_number(facts, "/proc/sys/kernel/nmi_watchdog", &is_on);
	strbuf_puts(&ret->value, is_on ? "on" : "off");
	ret->meaning = "takes no counter";
	if (!is_on || !has_cycles(facts, 0))
		return;
	ret->status = CHECK_LIMITED;
	ret->meaning = "takes one counter on each CPU";
	strbuf_puts(&ret->remedy, "as root: sysctl kernel.nmi_watchdog=0");
}

void check_tracepoints(const struct facts *facts, struct finding *ret)
{
	_cleanup_free_ char *events =
		xasprintf("%s/sys/kernel/tracing/events", facts->root);
	bool is_there = access(events, R_OK | X_OK) == 0;
	bool is_hidden = !is_there && errno == EACCES;

	ret->meaning = "events like sched:sched_switch";
	if (is_there) {
		strbuf_puts(&ret->value, "tracefs is mounted and readable");
	} else if (facts->asker.is_root) {
		strbuf_puts(&ret->value, "tracefs isn't mounted");
		ret->meaning = "dwell finds it as root";
	} else {
		ret->status = CHECK_LIMITED;
		ret->meaning = "no tracepoints";
		strbuf_puts(&ret->value,
			is_hidden ? "tracefs isn't readable"
				  : "tracefs isn't mounted");
		strbuf_puts(&ret->remedy,
			is_hidden ? "as root: " TRACEFS_OPEN_COMMAND
				  : "as root: " TRACEFS_MOUNT_COMMAND);
	}
}

static void check_probes(const struct facts *facts, const char *name,
	const char *config, struct finding *ret)
{
	bool is_there = false;

	array_each (&facts->pmus.list, pmu)
		is_there |= string_is(pmu->name, name);
	strbuf_puts(&ret->value, is_there ? "yes" : "no");
	if (!is_there) {
		ret->status = CHECK_LIMITED;
		strbuf_printf(&ret->remedy, "a kernel with %s=y", config);
	} else if (!asker_is_free(&facts->asker)) {
		ret->status = CHECK_LIMITED;
		strbuf_puts(&ret->value, ", for root");
		strbuf_puts(&ret->remedy, "run dwell as root");
	}
}

void check_uprobes(const struct facts *facts, struct finding *ret)
{
	ret->meaning = "samples at functions of programs";
	check_probes(facts, "uprobe", "CONFIG_UPROBE_EVENTS", ret);
}

void check_kprobes(const struct facts *facts, struct finding *ret)
{
	ret->meaning = "samples at functions of the kernel";
	check_probes(facts, "kprobe", "CONFIG_KPROBE_EVENTS", ret);
}

void check_cgroups(const struct facts *facts, struct finding *ret)
{
	bool is_v2 = facts_has(facts, "/sys/fs/cgroup/cgroup.controllers") ||
		facts_has(facts, "/sys/fs/cgroup/unified/cgroup.procs");
	bool is_v1 = facts_has(facts, "/sys/fs/cgroup/perf_event");

	ret->meaning = "recording by cgroup";
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

void check_types(const struct facts *facts, struct finding *ret)
{
	ret->meaning = "BTF, for BPF programs; recording needs none";
	strbuf_puts(&ret->value,
		facts_has(facts, "/sys/kernel/btf/vmlinux") ? "yes" : "no");
	if (ret->value.at[0] == 'y')
		return;
	ret->status = CHECK_LIMITED;
	strbuf_puts(&ret->remedy, "a kernel with CONFIG_DEBUG_INFO_BTF=y");
}
