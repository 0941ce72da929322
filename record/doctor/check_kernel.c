/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of the kernel's version, features and sysctl settings
 * (sysctl/kernel.rst). */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/util/alloc.h"
#include "record/doctor/check.h"
#include "record/event/kernel_features.h"
#include "record/sys/sysfile.h"

#define SYSCTL "/proc/sys/kernel/"
/*
 * The defaults of dwell record: frequency in Hz, entries of a call chain, bytes
 * of a ring buffer per CPU.
 */
#define DEFAULT_RATE 4000
#define DEFAULT_DEPTH 127
#define SAMPLE_RING KIB(512)
/* check_descriptors() reports a limit below this number of threads. */
#define THREADS_ENOUGH 1000

static void set_unknown(struct check_finding *ret, const char *meaning)
{
	ret->status = CHECK_LIMITED;
	strbuf_puts(&ret->value, "unknown");
	ret->meaning = meaning;
}

void check_kernel(const struct facts *facts, struct check_finding *ret)
{
	_cleanup_free_ char *path =
		xasprintf("%s" SYSCTL "osrelease", facts->root);
	unsigned major = 0, minor = 0;
	char text[128];

	if (!sysfile_line(path, text, sizeof(text)) ||
		sscanf(text, "%u.%u", &major, &minor) != 2) {
		set_unknown(ret, "the version of the kernel cannot be read");
		return;
	}
	strbuf_puts(&ret->value, text);
	ret->meaning = "new enough for all features of dwell";
	if (major >= 6)
		return;
	ret->status = CHECK_LIMITED;
	ret->meaning = major > 4 || (major == 4 && minor >= 1)
		? "the counts of lost samples are not exact before Linux 6.0"
		: "records of different kinds have different clocks before 4.1";
	strbuf_puts(&ret->remedy, "install a newer kernel");
}

void check_paranoid(const struct facts *facts, struct check_finding *ret)
{
	static const char *const meanings[] = {
		"users can record everything but raw tracepoints",
		"users can record their own processes and the kernel in them",
		"users can record their own processes in user space only",
		"users can record nothing, if the kernel has this value",
	};
	int64_t paranoid = facts->caller.paranoid;

	if (!facts->caller.has_perf_events) {
		set_unknown(ret, "the kernel has no perf events");
		ret->status = CHECK_NO;
		strbuf_puts(
			&ret->remedy, "use a kernel with CONFIG_PERF_EVENTS=y");
		return;
	}
	strbuf_printf(&ret->value, "%" PRId64, paranoid);
	if (paranoid < 0)
		ret->meaning = "users can record everything";
	else
		ret->meaning = meanings[MIN(paranoid, 3)];
	if (caller_caps_are_full(&facts->caller) || paranoid < 0)
		return;
	ret->status = CHECK_LIMITED;
	strbuf_printf(&ret->remedy,
		"as root%s: sysctl "
		"kernel.perf_event_paranoid=%d",
		facts->caller.is_contained ? " on the host" : "",
		paranoid > 2 ? 2 : (int)paranoid - 1);
}

/* Reads an address in kallsyms: if the kernel hides addresses, all are 0. */
void check_kernel_symbols(const struct facts *facts, struct check_finding *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/kallsyms", facts->root);
	int64_t restricted = -1;
	char line[64];

	facts_number(facts, SYSCTL "kptr_restrict", &restricted);
	strbuf_printf(&ret->value, "kptr_restrict is %" PRId64, restricted);
	ret->meaning = "kernel functions have names";
	if (sysfile_line(path, line, sizeof(line)) &&
		line[strspn(line, "0")] != ' ')
		return;
	ret->status = CHECK_LIMITED;
	ret->meaning = "kernel functions have no names";
	/* With kptr_restrict 0, users who may sample the kernel see addresses.
	 */
	strbuf_printf(&ret->remedy, "as root%s: sysctl kernel.%s",
		facts->caller.is_contained ? " on the host" : "",
		restricted ? "kptr_restrict=0" : "perf_event_paranoid=1");
}

void check_sample_rate(const struct facts *facts, struct check_finding *ret)
{
	int64_t rate;

	if (!facts_number(facts, SYSCTL "perf_event_max_sample_rate", &rate)) {
		set_unknown(ret, "the kernel may lower -F");
		return;
	}
	strbuf_printf(&ret->value, "%" PRId64 " Hz", rate);
	ret->meaning = "the maximum of -F";
	if (rate >= DEFAULT_RATE)
		return;
	ret->status = CHECK_LIMITED;
	ret->meaning = "lower than the default of -F, 4000 Hz";
	strbuf_puts(&ret->remedy,
		"as root: sysctl "
		"kernel.perf_event_max_sample_rate=100000");
}

void check_cpu_time(const struct facts *facts, struct check_finding *ret)
{
	int64_t percent;

	if (!facts_number(
		    facts, SYSCTL "perf_cpu_time_max_percent", &percent)) {
		set_unknown(ret, "the kernel may lower the sampling frequency");
		return;
	}
	strbuf_printf(&ret->value, "%" PRId64 " %%", percent);
	ret->meaning = "if sampling takes more CPU time, the kernel lowers -F";
	if (percent == 0 || percent == 100) {
		ret->meaning = "the kernel never lowers the sampling frequency";
	} else if (percent < 10) {
		ret->status = CHECK_LIMITED;
		strbuf_puts(&ret->remedy,
			"as root: sysctl "
			"kernel.perf_cpu_time_max_percent=25");
	}
}

void check_stack_depth(const struct facts *facts, struct check_finding *ret)
{
	int64_t depth;

	if (!facts_number(facts, SYSCTL "perf_event_max_stack", &depth)) {
		set_unknown(ret, "call chains have at most 127 entries");
		return;
	}
	strbuf_printf(&ret->value, "%" PRId64 " entries", depth);
	ret->meaning = "longer call chains are truncated";
	if (depth >= DEFAULT_DEPTH)
		return;
	ret->status = CHECK_LIMITED;
	strbuf_puts(&ret->remedy,
		"as root: sysctl kernel.perf_event_max_stack=127");
}

void check_rings(const struct facts *facts, struct check_finding *ret)
{
	size_t ring = facts_ring_size(facts);
	int64_t kib = 0;

	if (ring == SIZE_MAX) {
		strbuf_puts(&ret->value, "unlimited");
		ret->meaning = "the limit of locked memory does not apply";
		return;
	}
	facts_number(facts, SYSCTL "perf_event_mlock_kb", &kib);
	strbuf_printf(&ret->value,
		"%zu KiB per CPU (perf_event_mlock_kb is %" PRId64 ")",
		ring / 1024, kib);
	ret->meaning = "large enough for the default ring buffers";
	if (ring >= SAMPLE_RING)
		return;
	ret->status = CHECK_LIMITED;
	ret->meaning = "smaller ring buffers lose samples sooner";
	strbuf_puts(&ret->remedy,
		"as root: sysctl kernel.perf_event_mlock_kb=4096");
}

/*
 * Each thread needs one descriptor per CPU for samples and one descriptor per
 * CPU for sideband.
 */
void check_descriptors(const struct facts *facts, struct check_finding *ret)
{
	uint64_t per_thread = 2 * MAX(facts->n_cpus, UINT64_C(1));

	strbuf_printf(&ret->value, "%" PRIu64 ", for %" PRIu64 " threads",
		facts->nofile, facts->nofile / per_thread);
	ret->meaning = "the limit of existing threads to sample (-p, -t)";
	if (facts->nofile / per_thread >= THREADS_ENOUGH)
		return;
	ret->status = CHECK_LIMITED;
	strbuf_puts(&ret->remedy, "as root: ulimit -Hn 1000000");
}

void check_lockdown(const struct facts *facts, struct check_finding *ret)
{
	const char *level = facts->caller.lockdown;

	strbuf_puts(&ret->value, *level ? level : "none");
	ret->meaning = "lockdown does not restrict root";
	if (!string_is(level, "confidentiality"))
		return;
	ret->status = CHECK_LIMITED;
	ret->meaning = "root cannot record tracepoints, probes and registers";
	strbuf_puts(&ret->remedy, "boot with lockdown=integrity");
}

void check_features(const struct facts *facts, struct check_finding *ret)
{
	size_t i, n = 0;

	for (i = 0; i < n_kernel_features; i++)
		if (open_fallback_lacks(facts->opener, &kernel_features[i]))
			strbuf_printf(&ret->value, "%s%s (%s)",
				n++ ? ", " : "lacks ", kernel_features[i].name,
				kernel_features[i].since);
	ret->meaning = "dwell records without these features";
	if (!n) {
		strbuf_puts(&ret->value, "all features that dwell can use");
		ret->meaning = "recordings are complete";
	}
}
