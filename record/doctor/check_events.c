/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of which events the kernel opens, for which processes. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>

#include "common/util/alloc.h"
#include "record/doctor/check.h"
#include "record/event/explain.h"

#define EVENTS_AT_ONCE_MAX 64u
#define DEVICES "/sys/bus/event_source/devices/"
#define USER_ACCESS "kernel.perf_user_access"

/*
 * Opens cpu-clock for PID (-1: all processes on CPU 0). If the kernel refuses,
 * the finding has STATUS, the reason and a remedy.
 */
static void check_timer(const struct facts *facts, bool is_kernel_too,
	pid_t pid, enum check_status status, struct check_finding *ret)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.disabled = 1,
		.exclude_kernel = !is_kernel_too,
		.exclude_hv = 1,
	};
	struct refusal_case refused = { .name = "cpu-clock",
		.attr = &attr,
		.pid = pid,
		.cpu = pid < 0 ? 0 : -1,
		.caller = &facts->caller };
	int fd = facts->opener->open(facts->opener, &attr, pid, refused.cpu);

	if (fd >= 0) {
		close(fd);
		strbuf_puts(&ret->value, "yes");
		return;
	}
	refused.errnum = errno;
	ret->status = status;
	strbuf_puts(&ret->value, "no: ");
	explain_cause(&refused, &ret->value, &ret->remedy);
}

void check_own_processes(const struct facts *facts, struct check_finding *ret)
{
	ret->meaning = "sampling your own processes in user space";
	check_timer(facts, false, 0, CHECK_NO, ret);
}

void check_own_kernel(const struct facts *facts, struct check_finding *ret)
{
	ret->meaning = "sampling your own processes in the kernel";
	check_timer(facts, true, 0, CHECK_LIMITED, ret);
}

void check_whole_system(const struct facts *facts, struct check_finding *ret)
{
	ret->meaning = "sampling the whole machine (-a, -C)";
	check_timer(facts, true, -1, CHECK_LIMITED, ret);
}

void check_counting(const struct facts *facts, struct check_finding *ret)
{
	struct check_finding own = { 0 }, kernel = { 0 }, all = { 0 };
	/*
	 * How many hardware events can be counted at the same time? The kernel
	 * refuses a group that needs more counters, but it does not consider
	 * the counter of the NMI watchdog.
	 */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct opener opener = *facts->opener;
	int fds[EVENTS_AT_ONCE_MAX];
	int64_t has_watchdog = 0;
	size_t i, most;

	for (most = 0; most < EVENTS_AT_ONCE_MAX; most++) {
		fds[most] = opener.open(&opener, &attr, 0, -1);
		if (fds[most] < 0)
			break;
		opener.leader = fds;
		/* Of this event, all counters can be used. */
		attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	}
	for (i = 0; i < most; i++)
		close(fds[i]);
	facts_number(facts, "/proc/sys/kernel/nmi_watchdog", &has_watchdog);
	size_t n = most > 1 && has_watchdog ? most - 1 : most;

	check_timer(facts, false, 0, CHECK_LIMITED, &own);
	check_timer(facts, true, 0, CHECK_LIMITED, &kernel);
	check_timer(facts, true, -1, CHECK_LIMITED, &all);
	ret->status = n ? all.status : CHECK_LIMITED;
	ret->meaning = own.status ? "dwell stat counts nothing"
		: kernel.status	  ? "dwell stat counts your own processes "
				    "in user space"
		: all.status	  ? "dwell stat counts your own processes"
				  : "dwell stat counts all processes";
	if (own.status)
		strbuf_puts(&ret->value, "no events");
	else if (n)
		strbuf_printf(&ret->value,
			"hardware events, %zu at once, and software events", n);
	else
		strbuf_puts(&ret->value, "software events");
	if (all.status)
		strbuf_puts(&ret->remedy, all.remedy.at ? all.remedy.at : "");
	else if (!n)
		strbuf_puts(&ret->remedy, CHECK_ENABLE_PMU);
	finding_deinit(&own);
	finding_deinit(&kernel);
	finding_deinit(&all);
}

void check_own_counters(const struct facts *facts, struct check_finding *ret)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };
	int64_t access = 0;

	ret->meaning = "programs read their own hardware counters "
		       "(dwell/count.h)";
	bool is_found = facts_number(
		facts, "/proc/sys/kernel/perf_user_access", &access);

	if (is_found)
		strbuf_puts(&name, USER_ACCESS);
	/* On x86, each core PMU has a file that permits this. */
	array_each(&facts->pmus.list, pmu) {
		_cleanup_free_ char *path =
			xasprintf(DEVICES "%s/rdpmc", pmu->name);

		if (is_found || !facts_number(facts, path, &access))
			continue;
		is_found = true;
		strbuf_puts(&name, path);
	}
	if (!is_found) {
		ret->status = CHECK_LIMITED;
		strbuf_puts(&ret->value, "by a system call");
		return;
	}
	strbuf_printf(&ret->value, "%s: %s is %" PRId64,
		access ? "without a system call" : "by a system call", name.at,
		access);
	if (access)
		return;
	ret->status = CHECK_LIMITED;
	if (string_is(name.at, USER_ACCESS))
		strbuf_puts(&ret->remedy, "as root: sysctl " USER_ACCESS "=1");
	else
		strbuf_printf(
			&ret->remedy, "as root: sh -c 'echo 1 >%s'", name.at);
}
