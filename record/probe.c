/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "common/log.h"
#include "record/sysfile.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

static int open_kernel(void *data, const struct perf_event_attr *attr,
	pid_t pid, int cpu)
{
	(void)data;
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1,
		PERF_FLAG_FD_CLOEXEC);
}

const struct opener opener_kernel = { open_kernel, NULL };

uint64_t probe_max_frequency(void)
{
	int64_t limit;

	return sysfile_number(MAX_RATE, &limit) && limit > 0 ? (uint64_t)limit
							     : 0;
}

/* Takes out the newest thing that this attr asks for; false: nothing left. */
static bool give_up_sideband(
	struct perf_event_attr *attr, struct probe_limits *limits)
{
	if (attr->read_format & ABI_FORMAT_LOST) { /* Linux 6.0 */
		log_verbose("this kernel doesn't count lost samples exactly");
		attr->read_format &= ~(uint64_t)ABI_FORMAT_LOST;
		limits->read_format |= ABI_FORMAT_LOST;
	} else if (attr->build_id) { /* 5.12 */
		log_verbose("this kernel doesn't tell build IDs of mappings");
		attr->build_id = 0;
	} else if (attr->ksymbol || attr->bpf_event) { /* 5.1 */
		attr->ksymbol = 0;
		attr->bpf_event = 0;
	} else if (attr->exclude_guest) {
		attr->exclude_guest = 0;
	} else {
		return false;
	}
	return true;
}

int probe_sideband(const struct opener *opener, struct perf_event_attr *attr,
	pid_t pid, int cpu, struct probe_limits *limits)
{
	for (;;) {
		int fd = opener->open(opener->data, attr, pid, cpu);

		if (fd >= 0)
			return fd;
		if (errno == EACCES && (attr->ksymbol || attr->bpf_event)) {
			attr->ksymbol = 0;
			attr->bpf_event = 0;
			continue;
		}
		if (errno != EINVAL || !give_up_sideband(attr, limits))
			return -1;
	}
}

static bool lower_frequency(
	struct selected *event, struct probe_limits *limits)
{
	uint64_t limit = probe_max_frequency();

	if (!event->attr.freq || !limit || event->attr.sample_freq <= limit)
		return false;
	event->attr.sample_freq = limit;
	if (!limits->has_told_frequency)
		log_note("sampling at %" PRIu64 " Hz, the kernel's limit now; "
			 "more: sysctl kernel.perf_event_max_sample_rate",
			limit);
	limits->has_told_frequency = true;
	return true;
}

static bool give_up_kernel(
	struct selected *event, struct probe_limits *limits)
{
	if (event->attr.exclude_kernel || event->has_modifiers)
		return false;
	selected_restrict_to_user(event);
	if (!limits->has_told_user_only)
		log_note("sampling user space only; for the kernel, too, as "
			 "root: sysctl kernel.perf_event_paranoid=1");
	limits->has_told_user_only = true;
	return true;
}

static bool give_up_counter(
	struct selected *event, struct probe_limits *limits)
{
	if (event->attr.type != PERF_TYPE_HARDWARE ||
		(uint32_t)event->attr.config != PERF_COUNT_HW_CPU_CYCLES)
		return false;
	/* Who typed :pp wants precise addresses; the timer has none. */
	if (event->attr.precise_ip && !event->seeks_precise)
		return false;
	selected_become_cpu_clock(event);
	if (!limits->has_told_clock)
		log_note("no hardware counter for cycles here (a virtual "
			 "machine?); sampling with the timer, cpu-clock");
	limits->has_told_clock = true;
	return true;
}

static bool give_up_precision(struct selected *event)
{
	if (!event->seeks_precise || !event->attr.precise_ip)
		return false;
	event->attr.precise_ip--;
	log_verbose("%s: trying precise_ip %u", event->name,
		(unsigned)event->attr.precise_ip);
	return true;
}

static bool give_up(
	struct selected *event, int errnum, struct probe_limits *limits)
{
	switch (errnum) {
	case EACCES:
	case EPERM:
		return give_up_kernel(event, limits);
	case EINVAL:
		if (lower_frequency(event, limits) ||
			give_up_precision(event))
			return true;
		if (event->attr.exclude_guest) {
			event->attr.exclude_guest = 0;
			return true;
		}
		return give_up_counter(event, limits);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return give_up_precision(event) ||
			give_up_counter(event, limits);
	default:
		return false;
	}
}

int probe_event(const struct opener *opener, struct selected *event, pid_t pid,
	int cpu, struct probe_limits *limits)
{
	event->attr.read_format &= ~limits->read_format;
	for (;;) {
		int fd = opener->open(opener->data, &event->attr, pid, cpu);

		if (fd >= 0 || !give_up(event, errno, limits))
			return fd;
	}
}

static bool is_of_others(pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d", (int)pid);
	struct stat status;

	return pid > 0 && stat(path, &status) == 0 &&
		status.st_uid != geteuid();
}

static struct error *explain_access(int errnum, const char *name, pid_t pid)
{
	struct error *err = error_errno(errnum, "%s", name);
	int64_t paranoid;

	if (!sysfile_number(PARANOID, &paranoid))
		return error_hint(err, "this kernel offers no perf events");
	if (is_of_others(pid))
		return error_hint(err, "process %d is another user's; it "
				       "needs root or CAP_PERFMON",
			(int)pid);
	if (geteuid() == 0 || paranoid < 0)
		return error_hint(err, "a container or security module "
				       "forbids perf_event_open");
	return error_hint(err,
		"kernel.perf_event_paranoid is %d; as root: "
		"sysctl kernel.perf_event_paranoid=%d",
		(int)paranoid, pid >= 0 ? 1 : strchr(name, ':') ? -1 : 0);
}

struct error *probe_explain(int errnum, const char *name, pid_t pid)
{
	switch (errnum) {
	case EACCES:
	case EPERM:
		return explain_access(errnum, name, pid);
	case ESRCH:
		return error_new("no process or thread %d", (int)pid);
	case EMFILE:
		return error_hint(error_errno(errnum, "%s", name),
			"each thread needs a descriptor per CPU and event; "
			"raise the limit, as root: ulimit -Hn 1000000");
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return error_hint(
			error_errno(errnum, "%s can't be sampled", name),
			"this machine has no counter for it; "
			"-e cpu-clock works everywhere");
	case EBUSY:
		return error_hint(error_errno(errnum, "%s", name),
			"another profiler holds the counter");
	case ENOSYS:
		return error_new("this kernel has no perf events");
	default:
		return error_errno(errnum, "%s can't be opened", name);
	}
}
