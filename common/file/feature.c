/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one table of all sections; feature_*.c read, write and print them. */
#include "config.h"

#include "common/file/feature.h"

#include "common/file/feature_private.h"

#define ALL(section) \
	feature_read_##section, feature_write_##section, feature_print_##section

static const struct feature_kind {
	const char *name;
	feature_reader *read;
	feature_writer *write;
	feature_writer *print;
	bool is_long;
} kinds[FEATURE_BITS] = {
	[FEATURE_TRACING_DATA] = { "TRACING_DATA", feature_read_tracing_data,
		feature_write_tracing_data, NULL },
	[FEATURE_BUILD_ID] = { "BUILD_ID", feature_read_build_ids,
		feature_write_build_ids, NULL },
	[FEATURE_HOSTNAME] = { "HOSTNAME", ALL(hostname) },
	[FEATURE_OSRELEASE] = { "OSRELEASE", ALL(osrelease) },
	[FEATURE_VERSION] = { "VERSION", ALL(version) },
	[FEATURE_ARCH] = { "ARCH", ALL(arch) },
	[FEATURE_NRCPUS] = { "NRCPUS", ALL(nrcpus) },
	[FEATURE_CPUDESC] = { "CPUDESC", ALL(cpudesc) },
	[FEATURE_CPUID] = { "CPUID", ALL(cpuid) },
	[FEATURE_TOTAL_MEM] = { "TOTAL_MEM", ALL(total_mem) },
	[FEATURE_CMDLINE] = { "CMDLINE", ALL(cmdline) },
	[FEATURE_EVENT_DESC] = { "EVENT_DESC", ALL(event_desc) },
	[FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", ALL(cpus), true },
	[FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", ALL(numa), true },
	[FEATURE_BRANCH_STACK] = { "BRANCH_STACK", NULL, feature_write_branches,
		feature_print_branches },
	[FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", ALL(pmu_mappings) },
	[FEATURE_GROUP_DESC] = { "GROUP_DESC", ALL(group_desc) },
	[FEATURE_AUXTRACE] = { "AUXTRACE", NULL, NULL, feature_print_auxtrace },
	[FEATURE_STAT] = { "STAT", NULL, NULL, feature_print_stat },
	[FEATURE_CACHE] = { "CACHE", ALL(caches), true },
	[FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", ALL(sample_time) },
	[FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", ALL(memory), true },
	[FEATURE_CLOCKID] = { "CLOCKID", ALL(clockid) },
	[FEATURE_DIR_FORMAT] = { "DIR_FORMAT", feature_read_dir_format, NULL,
		feature_print_dir_format },
	[FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", ALL(bpf_programs) },
	[FEATURE_BPF_BTF] = { "BPF_BTF", ALL(bpf_types) },
	[FEATURE_COMPRESSED] = { "COMPRESSED", ALL(compressed) },
	[FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", ALL(cpu_caps) },
	[FEATURE_CLOCK_DATA] = { "CLOCK_DATA", ALL(clock_data) },
	[FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", ALL(hybrid), true },
	[FEATURE_PMU_CAPS] = { "PMU_CAPS", ALL(pmu_caps) },
	[FEATURE_CPU_DOMAIN_INFO] = { "CPU_DOMAIN_INFO", ALL(domains), true },
	[FEATURE_E_MACHINE] = { "E_MACHINE", ALL(elf_machine) },
	[FEATURE_CLN_SIZE] = { "CLN_SIZE", ALL(cacheline) },
	[FEATURE_META_INFO] = { "META_INFO", feature_read_meta_info, NULL,
		feature_print_meta_info },
	[FEATURE_FILE2] = { "FILE2", feature_read_simpleperf_files, NULL, NULL },
};

const char *feature_name(unsigned bit)
{
	return bit < FEATURE_BITS ? kinds[bit].name : NULL;
}

bool feature_read(struct features *features, unsigned bit, struct bytes b)
{
	if (bit >= FEATURE_BITS)
		return false;
	if (kinds[bit].read && !kinds[bit].read(features, &b))
		return false;
	features_mark(features, bit);
	return true;
}

bool feature_write(
	const struct features *features, unsigned bit, struct strbuf *out)
{
	if (bit >= FEATURE_BITS || !kinds[bit].write)
		return false;
	kinds[bit].write(features, out);
	return true;
}

bool feature_is_long(unsigned bit)
{
	return bit < FEATURE_BITS && kinds[bit].is_long;
}

void feature_print(
	const struct features *features, unsigned bit, struct strbuf *out)
{
	if (bit < FEATURE_BITS && kinds[bit].print &&
		feature_is_present(features, bit))
		kinds[bit].print(features, out);
}
