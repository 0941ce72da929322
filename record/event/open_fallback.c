/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/open_fallback.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "common/elf/cache.h"
#include "common/util/log.h"
#include "record/event/event_filter.h"
#include "record/event/kernel_features.h"
#include "record/sys/sysfile.h"

#define NOTE_MAGIC UINT64_C(0x2e65746f6e772e64)

/*
 * Returns whether the note NAME, about a permanent property of this machine, is
 * to be printed: it was not yet printed on this machine for this user, or
 * messages are verbose. Then remembers NAME. If only errors are printed (-q),
 * returns false and remembers nothing. A note that was not due for a month is
 * forgotten. Without a cache folder each note counts as a new one.
 */
static bool first_note_is_due(const char *name)
{
	struct cache_place place = { .magic = NOTE_MAGIC };
	_cleanup_free_ uint8_t *stored = NULL;
	const uint8_t mark = 1;
	struct utsname machine;
	struct cache *cache;
	size_t size;

	if (log_get_level() == LOG_QUIET)
		return false;
	/* Several machines can share one home directory. */
	place.key = cache_checksum(NOTE_MAGIC, name, strlen(name));
	if (uname(&machine) == 0)
		place.key = cache_checksum(
			place.key, machine.nodename, strlen(machine.nodename));
	place.id.size = sizeof(place.key);
	memcpy(place.id.bytes, &place.key, sizeof(place.key));
	cache = cache_open("notes", NULL);
	if (cache)
		stored = cache_load(cache, &place, sizeof(mark), &size);
	if (cache && !stored)
		cache_store(cache, &place, &mark, sizeof(mark));
	cache_close(cache);
	return !stored || log_get_level() == LOG_VERBOSE;
}

static int open_with_syscall(const struct opener *opener,
	const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;

	if (opener->cgroup) {
		pid = *opener->cgroup;
		flags |= PERF_FLAG_PID_CGROUP;
	}
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu,
		opener_group(opener), flags);
}

const struct opener opener_kernel = { .open = open_with_syscall };

uint64_t open_fallback_max_frequency(void)
{
	int64_t limit;

	return sysfile_number(PROC_MAX_RATE, &limit) && limit > 0
		? (uint64_t)limit
		: 0;
}

/* The arguments of one attempt to open an event. */
struct open_trial {
	const struct opener *opener;
	pid_t pid;
	int cpu;
	struct open_fallback *limits;
	uint32_t dropped; /* features removed since the last success */
};

static void remove_lacking_features(
	struct perf_event_attr *attr, const struct open_fallback *limits)
{
	size_t i;

	for (i = 0; i < n_kernel_features; i++)
		if (limits->lacking & UINT32_C(1) << i &&
			kernel_feature_is_in(&kernel_features[i], attr))
			kernel_feature_remove(&kernel_features[i], attr);
}

/*
 * Records which features the kernel accepted and which it lacks. Features with
 * KERNEL_FEATURE_PER_PMU are not recorded as accepted, because PMUs can differ.
 */
static void record_features(struct open_trial *trial,
	const struct perf_event_attr *attr, int errnum)
{
	struct open_fallback *limits = trial->limits;
	uint32_t i;

	for (i = 0; i < n_kernel_features; i++) {
		uint32_t bit = UINT32_C(1) << i;

		if (kernel_feature_is_in(&kernel_features[i], attr) &&
			!(kernel_features[i].traits & KERNEL_FEATURE_PER_PMU))
			limits->known |= bit;
		if (trial->dropped & ~limits->lacking & bit) {
			const struct kernel_feature *lacking =
				&kernel_features[i];

			if (!(lacking->traits & KERNEL_FEATURE_REQUESTED))
				log_verbose(
					"this kernel does not support %s (needs Linux %s)",
					lacking->name, lacking->since);
			else if (errnum == EACCES)
				log_note(
					"not recorded: %s; this needs root or CAP_PERFMON",
					lacking->name);
			else
				log_note(
					"not recorded: %s; this needs Linux %s",
					lacking->name, lacking->since);
		}
	}
	limits->lacking |= trial->dropped;
	trial->dropped = 0;
}

/*
 * Removes from ATTR a feature that can be the cause of ERRNUM. TRIED_SIZE is
 * the size of ATTR that was refused. Returns false if there is no such feature.
 */
static bool remove_feature(struct open_trial *trial,
	struct perf_event_attr *attr, int errnum, uint32_t tried_size)
{
	const uint8_t *raw = (const uint8_t *)attr;
	size_t i;

	switch (errnum) {
	case E2BIG:
		/*
		 * Remove the features behind the end of the kernel's struct
		 * perf_event_attr, whose size the kernel has written to
		 * attr->size, unless other settings are behind this end.
		 */
		if (attr->size < PERF_ATTR_SIZE_VER0 ||
			attr->size >= tried_size)
			return false;
		for (i = 0; i < n_kernel_features; i++) {
			if (kernel_features[i].place !=
					KERNEL_FEATURE_IN_MAX_STACK ||
				attr->size > offsetof(struct perf_event_attr,
						     sample_max_stack) ||
				!kernel_feature_is_in(
					&kernel_features[i], attr))
				continue;
			kernel_feature_remove(&kernel_features[i], attr);
			trial->dropped |= UINT32_C(1) << i;
		}
		for (i = attr->size; i < sizeof(*attr); i++)
			if (raw[i])
				return false;
		return true;
	case EINVAL:
	case EACCES:
		/* Remove the newest feature that can be the cause. */
		for (i = 0; i < n_kernel_features; i++) {
			if (!kernel_feature_is_in(&kernel_features[i], attr) ||
				trial->limits->known & UINT32_C(1) << i ||
				(errnum == EACCES &&
					!(kernel_features[i].traits &
						KERNEL_FEATURE_PRIVILEGED)))
				continue;
			kernel_feature_remove(&kernel_features[i], attr);
			trial->dropped |= UINT32_C(1) << i;
			return true;
		}
		return false;
	default: return false;
	}
}

/* Opens ATTR, without the features that this kernel lacks. */
static int open_without_new_features(
	struct open_trial *trial, struct perf_event_attr *attr)
{
	struct perf_event_attr before = *attr;
	int errnum, first = 0;

	trial->dropped = 0;
	for (;;) {
		uint32_t tried_size = attr->size;
		int fd = trial->opener->open(
			trial->opener, attr, trial->pid, trial->cpu);

		errnum = errno;
		if (fd >= 0) {
			record_features(trial, attr, first);
			return fd;
		}
		first = first ? first : errnum;
		if (!remove_feature(trial, attr, errnum, tried_size))
			break;
	}
	/*
	 * An errno other than the first means that the removals helped. With
	 * the same errno, they did not help and are undone.
	 */
	if (errnum == first)
		*attr = before;
	else
		record_features(trial, attr, first);
	errno = errnum;
	return -1;
}

int open_fallback_sideband(const struct opener *opener,
	struct perf_event_attr *attr, pid_t pid, int cpu,
	struct open_fallback *limits)
{
	struct open_trial trial = { opener, pid, cpu, limits, 0 };

	remove_lacking_features(attr, limits);
	return open_without_new_features(&trial, attr);
}

bool open_fallback_lacks(
	const struct opener *opener, const struct kernel_feature *feature)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd;

	kernel_feature_add(feature, &attr);
	fd = opener->open(opener, &attr, 0, -1);
	if (fd >= 0)
		close(fd);
	return fd < 0 && (errno == EINVAL || errno == E2BIG);
}

static bool lower_frequency(
	struct selection_event *event, struct open_fallback *limits)
{
	uint64_t limit = open_fallback_max_frequency();

	if (!event->attr.freq || !limit || event->attr.sample_freq <= limit)
		return false;
	event->attr.sample_freq = limit;
	if (!limits->has_reported_frequency)
		log_note(
			"sampling at %" PRIu64
			" Hz, the current limit of the kernel; to raise it, as "
			"root: sysctl kernel.perf_event_max_sample_rate=100000",
			limit);
	limits->has_reported_frequency = true;
	return true;
}

static bool give_up_counter(struct selection_event *event)
{
	if (event->attr.type != PERF_TYPE_HARDWARE ||
		(uint32_t)event->attr.config != PERF_COUNT_HW_CPU_CYCLES)
		return false;
	/* An explicit :pp needs precise addresses, which the timer lacks. */
	if (event->attr.precise_ip && !event->seeks_precise)
		return false;
	selection_event_become_cpu_clock(event);
	return true;
}

static bool give_up_precision(struct selection_event *event)
{
	if (!event->seeks_precise || !event->attr.precise_ip)
		return false;
	event->attr.precise_ip--;
	log_verbose("%s: trying precise_ip %u", event->name,
		(unsigned)event->attr.precise_ip);
	return true;
}

static bool give_up_property(
	struct selection_event *event, int errnum, struct open_fallback *limits)
{
	switch (errnum) {
	case EACCES:
	case EPERM:
		if (event->attr.exclude_kernel || event->has_modifiers)
			return false;
		selection_event_restrict_to_user(event);
		return true;
	case EINVAL:
		return lower_frequency(event, limits) ||
			give_up_precision(event) ||
			(!limits->counts && give_up_counter(event));
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return give_up_precision(event) ||
			(!limits->counts && give_up_counter(event));
	default: return false;
	}
}

int open_fallback_event(const struct opener *opener,
	struct selection_event *event, pid_t pid, int cpu,
	struct open_fallback *limits)
{
	struct open_trial trial = { opener, pid, cpu, limits, 0 };
	struct perf_event_attr before = event->attr;
	_cleanup_free_ char *name = xstrdup(event->name);
	bool seeks_precise = event->seeks_precise;
	int fd, errnum;

	remove_lacking_features(&event->attr, limits);
	do {
		fd = open_without_new_features(&trial, &event->attr);
		errnum = errno;
	} while (fd < 0 && give_up_property(event, errnum, limits));
	if (fd >= 0)
		errnum = event_filter_set(event, fd);
	if (fd >= 0 && errnum) {
		close(fd);
		fd = -1;
	}
	if (fd >= 0) {
		/*
		 * Report which properties EVENT has lost since BEFORE, after
		 * EVENT is open.
		 */
		bool is_user_only =
			event->attr.exclude_kernel && !before.exclude_kernel;
		bool is_clock = event->attr.type != before.type;
		bool is_unreported =
			(is_user_only && !limits->has_reported_user_only) ||
			(is_clock && !limits->has_reported_clock);

		limits->has_reported_user_only |= is_user_only;
		limits->has_reported_clock |= is_clock;
		if (is_unreported && is_clock)
			is_clock = first_note_is_due(
				"cpu-clock instead of cycles");
		if (limits->counts && is_unreported)
			log_note(
				"counting user space only; to count the kernel too, "
				"as root: sysctl kernel.perf_event_paranoid=1");
		else if (is_unreported && (is_clock || is_user_only))
			log_note("%s%s%s%s",
				is_clock
					? "this machine has no hardware counter for "
					  "cycles (a virtual machine?); sampling with "
					  "the timer event cpu-clock"
					: "sampling",
				is_clock && is_user_only ? "," : "",
				is_user_only ? " user space only" : "",
				is_user_only
					? "; to sample the kernel too, as root: "
					  "sysctl kernel.perf_event_paranoid=1"
					: "");
	} else if (errnum != EACCES && errnum != EPERM) {
		event->attr = before;
		event->seeks_precise = seeks_precise;
		free(event->name);
		event->name = xstrdup(name);
	}
	errno = errnum;
	return fd;
}
