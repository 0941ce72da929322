/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/file_head.h"

#include <ctype.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>

#include "common/file/block.h"
#include "common/util/clock.h"
#include "record/event/group.h"
#include "record/event/tracefs.h"
#include "record/queue/deferred.h"
#include "record/sys/clocks.h"
#include "record/sys/hardware.h"
#include "record/sys/sysfile.h"
#include "record/unwind/chain_rewrite.h"

/*
 * The version in the header. Readers compare it with versions of perf: hotspot
 * sorts the whole file only from 3.17 on.
 */
#define VERSION_TEXT "7.0 (dwell " PACKAGE_VERSION ")"

static uint64_t read_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return clock_ns(&t);
}

void file_head_read_clocks(uint64_t *wall_ns, uint64_t *record_ns)
{
	*record_ns = read_clock_ns(clocks_chosen());
	*wall_ns = read_clock_ns(CLOCK_REALTIME);
}

static void set_text_feature(
	struct features *features, unsigned bit, char **field, const char *text)
{
	free(*field);
	*field = xstrdup(text);
	features_mark(features, bit);
}

/*
 * Returns the value of KEY ("key : value") in TEXT, the contents of
 * /proc/cpuinfo, or "". The caller frees the string.
 */
static char *cpuinfo_value(const char *text, const char *key)
{
	const char *line = text;

	while (line) {
		if (string_starts(line, key)) {
			const char *at = line + strlen(key);

			at += strspn(at, " \t");
			if (*at == ':') {
				at++;
				at += strspn(at, " \t");
				return xstrndup(at, strcspn(at, "\n"));
			}
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return xstrdup("");
}

static void describe_cpu(struct features *ret)
{
	_cleanup_strbuf_ struct strbuf info = { 0 };
	_cleanup_free_ char *model = NULL;
	_cleanup_free_ char *vendor = NULL;
	_cleanup_free_ char *family = NULL;
	_cleanup_free_ char *number = NULL;
	_cleanup_free_ char *stepping = NULL;
	_cleanup_free_ char *id = NULL;

	if (!sysfile_slurp(AT_FDCWD, "/proc/cpuinfo", &info) || !info.n)
		return;
	model = cpuinfo_value(info.at, "model name");
	vendor = cpuinfo_value(info.at, "vendor_id");
	family = cpuinfo_value(info.at, "cpu family");
	number = cpuinfo_value(info.at, "model");
	stepping = cpuinfo_value(info.at, "stepping");
	if (*model)
		set_text_feature(ret, FEATURE_CPUDESC, &ret->cpudesc, model);
	if (!*vendor || !*family)
		return;
	id = xasprintf("%s,%s,%s,%s", vendor, family, number, stepping);
	set_text_feature(ret, FEATURE_CPUID, &ret->cpuid, id);
}

static void describe_host(
	int argc, char **argv, const struct pmus *pmus, struct features *ret)
{
	struct utsname names;
	int i;

	if (uname(&names) == 0) {
		set_text_feature(
			ret, FEATURE_HOSTNAME, &ret->hostname, names.nodename);
		set_text_feature(
			ret, FEATURE_OSRELEASE, &ret->osrelease, names.release);
		set_text_feature(ret, FEATURE_ARCH, &ret->arch, names.machine);
	}
	set_text_feature(ret, FEATURE_VERSION, &ret->version, VERSION_TEXT);
	for (i = 0; i < argc; i++)
		*array_push(&ret->cmdline) = xstrdup(argv[i]);
	features_mark(ret, FEATURE_CMDLINE);
	array_each(&pmus->list, pmu)
		*array_push(&ret->pmus) =
			(struct feature_pmu){ pmu->type, xstrdup(pmu->name) };
	features_mark(ret, FEATURE_PMU_MAPPINGS);
	describe_cpu(ret);
	struct sysinfo info;

	if (sysinfo(&info) >= 0) {
		ret->total_memory =
			(uint64_t)info.totalram * info.mem_unit / 1024;
		features_mark(ret, FEATURE_TOTAL_MEM);
	}
	struct cpus online = { 0 };

	sysfile_cpus_online(&online);
	ret->cpus_available = sysfile_cpus_possible();
	ret->cpus_online = (uint32_t)online.list.n;
	features_mark(ret, FEATURE_NRCPUS);
	cpus_deinit(&online);
	hardware_cpu_read("", ret);
	hardware_memory_read("", ret);
	struct timespec resolution;

	if (clock_getres(clocks_chosen(), &resolution) == 0) {
		ret->clock_resolution = (uint64_t)resolution.tv_nsec;
		features_mark(ret, FEATURE_CLOCKID);
	}
	ret->clockid = clocks_chosen();
	file_head_read_clocks(&ret->clock_wall, &ret->clock_time);
	features_mark(ret, FEATURE_CLOCK_DATA);
}

static void add_head_event(struct features *head, const char *name,
	const struct perf_event_attr *attr, uint64_t id)
{
	struct event *event = array_push(&head->events);

	event->attr = *attr;
	deferred_clear_request(&event->attr);
	event->name = xstrdup(name);
	*array_push(&event->ids) = id;
}

static void describe_tracepoints(
	const struct selection *selection, struct features *head)
{
	ARRAY(const char *) names = { 0 };

	array_each(&selection->events, event)
		if (event->tracepoint)
			*array_push(&names) = event->tracepoint;
	if (names.n) {
		/*
		 * Add the formats with which other tools decode raw data of
		 * tracepoints.
		 */
		struct tracefs tracefs = { -1 };
		struct strbuf blob = { 0 };
		struct error *err = tracefs_open(NULL, &tracefs);

		if (!err &&
			tracefs_tracing_data(
				&tracefs, names.at, names.n, &blob)) {
			head->tracing_data_size = blob.n;
			head->tracing_data = (uint8_t *)take_pointer(blob.at);
			features_mark(head, FEATURE_TRACING_DATA);
		}
		error_free(err);
		tracefs_close(&tracefs);
		strbuf_free(&blob);
	}
	array_free(&names);
}

/* The name that perf gives to groups without a name. */
#define GROUP_NAME "{anon_group}"

/*
 * Events with PERF_SAMPLE_READ list the IDs of all their counters, as the
 * kernel assigned them: each counter has its own value, and readers must not
 * mix them up.
 */
void file_head_add_ids(const struct event_fds *opened, struct features *head)
{
	array_each(&head->events, event)
		if (event->attr.sample_type & PERF_SAMPLE_READ)
			event->ids.n = 1;
	array_each(&opened->fds, fd) {
		struct event *event = &head->events.at[fd->event];

		if (event->attr.sample_type & PERF_SAMPLE_READ)
			*array_push(&event->ids) = fd->id;
	}
}

void file_head_describe(const struct event_fds *opened, const struct pmus *pmus,
	int level, int argc, char **argv, struct features *ret)
{
	_cleanup_free_ char *sideband = attr_name(&opened->sideband_attr);

	describe_host(argc, argv, pmus, ret);
	array_each(&opened->selection->events, event) {
		struct perf_event_attr attr =
			chain_rewrite_written_attr(opened->selection, event);

		/*
		 * attr.config1 of a probe is an address in the recorder, which
		 * is useless to other programs.
		 */
		if (event->probed)
			attr.config1 = 0;
		add_head_event(ret, event->name, &attr, event->id);
	}
	add_head_event(
		ret, sideband, &opened->sideband_attr, opened->sideband_id);
	features_mark(ret, FEATURE_EVENT_DESC);
	file_head_add_ids(opened, ret);
	size_t i, n;

	for (i = 0; i < opened->selection->events.n; i += n) {
		n = group_count_members(opened->selection, i);
		if (n > 1)
			*array_push(&ret->groups) =
				(struct feature_group){ xstrdup(GROUP_NAME),
					(uint32_t)i, (uint32_t)n };
	}
	if (ret->groups.n)
		features_mark(ret, FEATURE_GROUP_DESC);
	/*
	 * Mark BRANCH_STACK as present if an event records branches. With
	 * BRANCH_STACK, perf report shows branches by default.
	 */
	array_each(&opened->selection->events, event)
		if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK &&
			!(event->attr.branch_sample_type &
				PERF_SAMPLE_BRANCH_CALL_STACK))
			features_mark(ret, FEATURE_BRANCH_STACK);
	describe_tracepoints(opened->selection, ret);
	if (!level)
		return;
	ret->compression_level = (uint32_t)level;
	ret->compression_ratio = 1;
	ret->mmap_len = BLOCK_MMAP_LEN;
	features_mark(ret, FEATURE_COMPRESSED);
}
