/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the kernel; their meanings are told by sysctl/kernel.rst. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/util/alloc.h"
#include "record/doctor/check.h"
#include "record/event/kernel_features.h"
#include "record/sys/sysfile.h"

#define SYSCTL "/proc/sys/kernel/"
/* What dwell asks for when nothing is said: -F, and rings for each CPU. */
#define DEFAULT_RATE 4000
#define DEFAULT_DEPTH 127
#define SAMPLE_RING KIB(512)
#define THREADS_ENOUGH 1000

static void missing(struct finding *ret, const char *meaning)
{
	ret->status = CHECK_LIMITED;
	strbuf_puts(&ret->value, "not told");
	ret->meaning = meaning;
}

void check_kernel(const struct facts *facts, struct finding *ret)
{
	_cleanup_free_ char *path =
		xasprintf("%s" SYSCTL "osrelease", facts->root);
	unsigned major = 0, minor = 0;
	char text[128];

	if (!sysfile_line(path, text, sizeof(text)) ||
		sscanf(text, "%u.%u", &major, &minor) != 2) {
		missing(ret, "its age can't be told");
		return;
	}
	strbuf_puts(&ret->value, text);
	ret->meaning = "new enough for all that matters";
	if (major >= 6)
		return;
	ret->status = CHECK_LIMITED;
	ret->meaning = major > 4 || (major == 4 && minor >= 1)
		? "lost samples are counted less exactly than since Linux 6.0"
		: "too old for one clock in all records, which Linux 4.1 has";
	strbuf_puts(&ret->remedy, "a newer kernel");
}

void check_paranoid(const struct facts *facts, struct finding *ret)
{
	static const char *const meanings[] = {
		"users: all but raw tracepoints",
		"users: their own processes, in the kernel, too",
		"users: their own processes, user space only",
		"users: nothing at all, on the kernels that know this value",
	};
	int64_t paranoid = facts->asker.paranoid;

	if (!facts->asker.has_perf_events) {
		missing(ret, "the kernel has no perf events");
		ret->status = CHECK_NO;
		strbuf_puts(&ret->remedy, "a kernel with CONFIG_PERF_EVENTS=y");
		return;
	}
	strbuf_printf(&ret->value, "%" PRId64, paranoid);
	if (paranoid < 0)
		ret->meaning = "users: everything";
	else
		ret->meaning = meanings[MIN(paranoid, 3)];
	if (asker_is_free(&facts->asker) || paranoid < 0)
		return;
	ret->status = CHECK_LIMITED;
	strbuf_printf(&ret->remedy,
		"as root%s: sysctl "
		"kernel.perf_event_paranoid=%d",
		facts->asker.is_contained ? " on the host" : "",
		paranoid > 2 ? 2 : (int)paranoid - 1);
}

/* Addresses that are hidden are all 0. */
void check_kernel_symbols(const struct facts *facts, struct finding *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/kallsyms", facts->root);
	int64_t restricted = -1;
	char line[64];

	facts_number(facts, SYSCTL "kptr_restrict", &restricted);
	strbuf_printf(&ret->value, "kptr_restrict is %" PRId64, restricted);
	ret->meaning = "functions of the kernel have names";
	if (sysfile_line(path, line, sizeof(line)) &&
		line[strspn(line, "0")] != ' ')
		return;
	ret->status = CHECK_LIMITED;
	ret->meaning = "functions of the kernel have no names";
	/* With kptr_restrict 0 it is the right to sample the kernel. */
	strbuf_printf(&ret->remedy, "as root%s: sysctl kernel.%s",
		facts->asker.is_contained ? " on the host" : "",
		restricted ? "kptr_restrict=0" : "perf_event_paranoid=1");
}

void check_sample_rate(const struct facts *facts, struct finding *ret)
{
	int64_t rate;

	if (!facts_number(facts, SYSCTL "perf_event_max_sample_rate", &rate)) {
		missing(ret, "-F may be lowered");
		return;
	}
	strbuf_printf(&ret->value, "%" PRId64 " Hz", rate);
	ret->meaning = "the most that -F can be";
	if (rate >= DEFAULT_RATE)
		return;
	ret->status = CHECK_LIMITED;
	ret->meaning = "less than the usual -F 4000";
	strbuf_puts(&ret->remedy,
		"as root: sysctl "
		"kernel.perf_event_max_sample_rate=100000");
}

void check_cpu_time(const struct facts *facts, struct finding *ret)
{
	int64_t percent;

	if (!facts_number(
		    facts, SYSCTL "perf_cpu_time_max_percent", &percent)) {
		missing(ret, "the kernel may lower the rate");
		return;
	}
	strbuf_printf(&ret->value, "%" PRId64 " %%", percent);
	ret->meaning = "beyond this share of a CPU the rate is lowered";
	if (percent == 0 || percent == 100) {
		ret->meaning = "the kernel never lowers the rate";
	} else if (percent < 10) {
		ret->status = CHECK_LIMITED;
		strbuf_puts(&ret->remedy,
			"as root: sysctl "
			"kernel.perf_cpu_time_max_percent=25");
	}
}

void check_stack_depth(const struct facts *facts, struct finding *ret)
{
	int64_t depth;

	if (!facts_number(facts, SYSCTL "perf_event_max_stack", &depth)) {
		missing(ret, "call chains have at most 127 entries");
		return;
	}
	strbuf_printf(&ret->value, "%" PRId64 " entries", depth);
	ret->meaning = "deeper call chains are cut";
	if (depth >= DEFAULT_DEPTH)
		return;
	ret->status = CHECK_LIMITED;
	strbuf_puts(&ret->remedy,
		"as root: sysctl kernel.perf_event_max_stack=127");
}

void check_rings(const struct facts *facts, struct finding *ret)
{
	size_t ring = facts_ring_size(facts);
	int64_t kib = 0;

	if (ring == SIZE_MAX) {
		strbuf_puts(&ret->value, "of any size");
		ret->meaning = "no limit for locked memory applies";
		return;
	}
	facts_number(facts, SYSCTL "perf_event_mlock_kb", &kib);
	strbuf_printf(&ret->value,
		"%zu KiB per CPU (perf_event_mlock_kb is %" PRId64 ")",
		ring / 1024, kib);
	ret->meaning = "fits what dwell asks for";
	if (ring >= SAMPLE_RING)
		return;
	ret->status = CHECK_LIMITED;
	ret->meaning = "smaller rings lose samples sooner";
	strbuf_puts(&ret->remedy,
		"as root: sysctl kernel.perf_event_mlock_kb=4096");
}

/* Each thread needs a descriptor per CPU for samples and one for sideband. */
void check_descriptors(const struct facts *facts, struct finding *ret)
{
	uint64_t per_thread = 2 * MAX(facts->n_cpus, UINT64_C(1));

	strbuf_printf(&ret->value, "%" PRIu64 ", for %" PRIu64 " threads",
		facts->nofile, facts->nofile / per_thread);
	ret->meaning = "the most that -p and -t can join";
	if (facts->nofile / per_thread >= THREADS_ENOUGH)
		return;
	ret->status = CHECK_LIMITED;
	strbuf_puts(&ret->remedy, "as root: ulimit -Hn 1000000");
}

void check_lockdown(const struct facts *facts, struct finding *ret)
{
	const char *level = facts->asker.lockdown;

	strbuf_puts(&ret->value, *level ? level : "none");
	ret->meaning = "the kernel hides nothing from root";
	if (!string_is(level, "confidentiality"))
		return;
	ret->status = CHECK_LIMITED;
	ret->meaning = "no tracepoints, probes and registers, even for root";
	strbuf_puts(&ret->remedy, "boot with lockdown=integrity");
}

static bool is_lacking(const struct facts *facts, const struct offer *offer)
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

	offer_put(offer, &attr);
	fd = facts->opener->open(facts->opener, &attr, 0, -1);
	if (fd >= 0)
		close(fd);
	return fd < 0 && (errno == EINVAL || errno == E2BIG);
}

void check_features(const struct facts *facts, struct finding *ret)
{
	size_t i, n = 0;

	for (i = 0; i < n_offers; i++)
		if (is_lacking(facts, &offers[i]))
			strbuf_printf(&ret->value, "%s%s (%s)",
				n++ ? ", " : "lacks ", offers[i].name,
				offers[i].since);
	ret->meaning = "dwell does without";
	if (!n) {
		strbuf_puts(&ret->value, "all that dwell knows");
		ret->meaning = "nothing is left out";
	}
}
