/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/open_fallback.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/syscall.h>

#include "common/util/log.h"
#include "record/event/event_filter.h"
#include "record/event/kernel_features.h"
#include "record/sys/sysfile.h"

static int open_kernel(const struct opener *opener,
	const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu,
		opener_group(opener), PERF_FLAG_FD_CLOEXEC);
}

const struct opener opener_kernel = { .open = open_kernel };

uint64_t probe_max_frequency(void)
{
	int64_t limit;

	return sysfile_number(PROC_MAX_RATE, &limit) && limit > 0
		? (uint64_t)limit
		: 0;
}

/* Where and how one event is tried. */
struct trial {
	const struct opener *opener;
	pid_t pid;
	int cpu;
	struct probe_limits *limits;
	uint32_t dropped; /* offers, since the last success */
};

static void tell_lacking(uint32_t offer, int errnum)
{
	const struct offer *lacking = &offers[offer];

	if (!(lacking->traits & OFFER_WISH))
		log_verbose("this kernel doesn't offer: %s (Linux %s does)",
			lacking->name, lacking->since);
	else if (errnum == EACCES)
		log_note("not recorded: %s; that needs root or CAP_PERFMON",
			lacking->name);
	else
		log_note("not recorded: %s; that needs Linux %s", lacking->name,
			lacking->since);
}

static void take_out_lacking(
	struct perf_event_attr *attr, const struct probe_limits *limits)
{
	size_t i;

	for (i = 0; i < n_offers; i++)
		if (limits->lacking & UINT32_C(1) << i &&
			offer_is_in(&offers[i], attr))
			offer_take_out(&offers[i], attr);
}

/* What a kernel took once it knows; a PMU may still refuse its own part. */
static void learn(
	struct trial *trial, const struct perf_event_attr *attr, int errnum)
{
	struct probe_limits *limits = trial->limits;
	uint32_t i;

	for (i = 0; i < n_offers; i++) {
		uint32_t bit = UINT32_C(1) << i;

		if (offer_is_in(&offers[i], attr) &&
			!(offers[i].traits & OFFER_OF_PMU))
			limits->known |= bit;
		if (trial->dropped & ~limits->lacking & bit)
			tell_lacking(i, errnum);
	}
	limits->lacking |= trial->dropped;
	trial->dropped = 0;
}

/* Takes out the newest offer that may be at fault; false: none is left. */
static bool drop_offer(
	struct trial *trial, struct perf_event_attr *attr, int errnum)
{
	uint32_t i;

	for (i = 0; i < n_offers; i++) {
		if (!offer_is_in(&offers[i], attr) ||
			trial->limits->known & UINT32_C(1) << i ||
			(errnum == EACCES && !(offers[i].traits & OFFER_RIGHT)))
			continue;
		offer_take_out(&offers[i], attr);
		trial->dropped |= UINT32_C(1) << i;
		return true;
	}
	return false;
}

/*
 * The kernel's struct ends where it has just written into attr->size. What
 * lies behind and is no offer can't be done without.
 */
static bool cut_attr(
	struct trial *trial, struct perf_event_attr *attr, uint32_t asked)
{
	const uint8_t *raw = (const uint8_t *)attr;
	size_t i;

	if (attr->size < PERF_ATTR_SIZE_VER0 || attr->size >= asked)
		return false;
	for (i = 0; i < n_offers; i++) {
		if (offers[i].place != OFFER_MAX_STACK ||
			attr->size > offsetof(struct perf_event_attr,
					     sample_max_stack) ||
			!offer_is_in(&offers[i], attr))
			continue;
		offer_take_out(&offers[i], attr);
		trial->dropped |= UINT32_C(1) << i;
	}
	for (i = attr->size; i < sizeof(*attr); i++)
		if (raw[i])
			return false;
	return true;
}

/* ASKED is the size that the kernel refused. */
static bool make_older(struct trial *trial, struct perf_event_attr *attr,
	int errnum, uint32_t asked)
{
	switch (errnum) {
	case E2BIG: return cut_attr(trial, attr, asked);
	case EINVAL:
	case EACCES: return drop_offer(trial, attr, errnum);
	default: return false;
	}
}

/* Opens ATTR as it is, or without what this kernel doesn't offer. */
static int open_older(struct trial *trial, struct perf_event_attr *attr)
{
	struct perf_event_attr before = *attr;
	int errnum, first = 0;

	trial->dropped = 0;
	for (;;) {
		uint32_t asked = attr->size;
		int fd = trial->opener->open(
			trial->opener, attr, trial->pid, trial->cpu);

		errnum = errno;
		if (fd >= 0) {
			learn(trial, attr, first);
			return fd;
		}
		first = first ? first : errnum;
		if (!make_older(trial, attr, errnum, asked))
			break;
	}
	/* Another errno is a step ahead; the same one: it was all in vain. */
	if (errnum == first)
		*attr = before;
	else
		learn(trial, attr, first);
	errno = errnum;
	return -1;
}

int probe_sideband(const struct opener *opener, struct perf_event_attr *attr,
	pid_t pid, int cpu, struct probe_limits *limits)
{
	struct trial trial = { opener, pid, cpu, limits, 0 };

	take_out_lacking(attr, limits);
	return open_older(&trial, attr);
}

static bool lower_frequency(struct selected *event, struct probe_limits *limits)
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

static bool give_up_kernel(struct selected *event)
{
	if (event->attr.exclude_kernel || event->has_modifiers)
		return false;
	selected_restrict_to_user(event);
	return true;
}

static bool give_up_counter(struct selected *event)
{
	if (event->attr.type != PERF_TYPE_HARDWARE ||
		(uint32_t)event->attr.config != PERF_COUNT_HW_CPU_CYCLES)
		return false;
	/* Who typed :pp wants precise addresses; the timer has none. */
	if (event->attr.precise_ip && !event->seeks_precise)
		return false;
	selected_become_cpu_clock(event);
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
	case EPERM: return give_up_kernel(event);
	case EINVAL:
		return lower_frequency(event, limits) ||
			give_up_precision(event) || give_up_counter(event);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return give_up_precision(event) || give_up_counter(event);
	default: return false;
	}
}

/* Once it is open: what isn't done after all needs no words. */
static void tell_given_up(const struct selected *event,
	const struct perf_event_attr *before, struct probe_limits *limits)
{
	bool is_user_only =
		event->attr.exclude_kernel && !before->exclude_kernel;
	bool is_clock = event->attr.type != before->type;
	bool is_news = (is_user_only && !limits->has_told_user_only) ||
		(is_clock && !limits->has_told_clock);

	limits->has_told_user_only |= is_user_only;
	limits->has_told_clock |= is_clock;
	if (is_news)
		log_note("%s%s%s%s",
			is_clock
				? "no hardware counter for cycles here (a "
				  "virtual machine?); sampling with the timer, "
				  "cpu-clock"
				: "sampling",
			is_clock && is_user_only ? "," : "",
			is_user_only ? " user space only" : "",
			is_user_only ? "; for the kernel, too, as root: sysctl "
				       "kernel.perf_event_paranoid=1"
				     : "");
}

static void put_back(struct selected *event, const char *name,
	const struct perf_event_attr *attr, bool seeks_precise)
{
	event->attr = *attr;
	event->seeks_precise = seeks_precise;
	free(event->name);
	event->name = xstrdup(name);
}

int probe_event(const struct opener *opener, struct selected *event, pid_t pid,
	int cpu, struct probe_limits *limits)
{
	struct trial trial = { opener, pid, cpu, limits, 0 };
	struct perf_event_attr before = event->attr;
	_cleanup_free_ char *name = xstrdup(event->name);
	bool seeks_precise = event->seeks_precise;
	int fd, errnum;

	take_out_lacking(&event->attr, limits);
	do {
		fd = open_older(&trial, &event->attr);
		errnum = errno;
	} while (fd < 0 && give_up(event, errnum, limits));
	if (fd >= 0)
		errnum = event_filter_set(event, fd);
	if (fd >= 0 && errnum) {
		close(fd);
		fd = -1;
	}
	if (fd >= 0)
		tell_given_up(event, &before, limits);
	else if (errnum != EACCES && errnum != EPERM)
		put_back(event, name, &before, seeks_precise);
	errno = errnum;
	return fd;
}
