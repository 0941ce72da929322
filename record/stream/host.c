/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/host.h"

#include <ctype.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>

#include "common/util/clock.h"
#include "record/sys/clocks.h"
#include "record/sys/hardware_cpu.h"
#include "record/sys/hardware_memory.h"
#include "record/sys/sysfile.h"

/*
 * What follows a perf of 3.17 or later, for readers that look: hotspot sorts
 * the whole file only then.
 */
#define VERSION_TEXT "7.0 (dwell " PACKAGE_VERSION ")"

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return clock_ns(&t);
}

void host_read_clocks(uint64_t *wall_ns, uint64_t *record_ns)
{
	*record_ns = nanoseconds(clocks_chosen());
	*wall_ns = nanoseconds(CLOCK_REALTIME);
}

static void set_text(
	struct features *features, unsigned bit, char **field, const char *text)
{
	free(*field);
	*field = xstrdup(text);
	features_mark(features, bit);
}

/* The value of "key : value" in the text of /proc/cpuinfo; "" if none. */
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
		set_text(ret, FEATURE_CPUDESC, &ret->cpudesc, model);
	if (!*vendor || !*family)
		return;
	id = xasprintf("%s,%s,%s,%s", vendor, family, number, stepping);
	set_text(ret, FEATURE_CPUID, &ret->cpuid, id);
}

static void describe_memory(struct features *ret)
{
	struct sysinfo info;

	if (sysinfo(&info) < 0)
		return;
	ret->total_memory = (uint64_t)info.totalram * info.mem_unit / 1024;
	features_mark(ret, FEATURE_TOTAL_MEM);
}

static void describe_cpus(struct features *ret)
{
	struct cpus online = { 0 };

	sysfile_cpus_online(&online);
	ret->cpus_available = sysfile_cpus_possible();
	ret->cpus_online = (uint32_t)online.list.n;
	features_mark(ret, FEATURE_NRCPUS);
	cpus_deinit(&online);
}

static void describe_clock(struct features *ret)
{
	struct timespec resolution;

	if (clock_getres(clocks_chosen(), &resolution) == 0) {
		ret->clock_resolution = (uint64_t)resolution.tv_nsec;
		features_mark(ret, FEATURE_CLOCKID);
	}
	ret->clockid = clocks_chosen();
	host_read_clocks(&ret->clock_wall, &ret->clock_time);
	features_mark(ret, FEATURE_CLOCK_DATA);
}

void host_describe(
	int argc, char **argv, const struct pmus *pmus, struct features *ret)
{
	struct utsname names;
	int i;

	if (uname(&names) == 0) {
		set_text(ret, FEATURE_HOSTNAME, &ret->hostname,
			names.nodename);
		set_text(ret, FEATURE_OSRELEASE, &ret->osrelease,
			names.release);
		set_text(ret, FEATURE_ARCH, &ret->arch, names.machine);
	}
	set_text(ret, FEATURE_VERSION, &ret->version, VERSION_TEXT);
	for (i = 0; i < argc; i++)
		*array_push(&ret->cmdline) = xstrdup(argv[i]);
	features_mark(ret, FEATURE_CMDLINE);
	array_each(&pmus->list, pmu)
		*array_push(&ret->pmus) = (struct feature_pmu){
			pmu->type, xstrdup(pmu->name) };
	features_mark(ret, FEATURE_PMU_MAPPINGS);
	describe_cpu(ret);
	describe_memory(ret);
	describe_cpus(ret);
	hardware_cpu_describe("", ret);
	hardware_memory_describe("", ret);
	describe_clock(ret);
}
