/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contents of the HEADER_* feature sections of a perf.data: facts about the
 * recording and its host. feature.h reads, writes and prints them.
 */
#ifndef DWELL_COMMON_FILE_FEATURES_H
#define DWELL_COMMON_FILE_FEATURES_H

#include "common/perf/attr.h"
#include "common/perf/machine.h"
#include "common/perf/record.h"
#include "common/util/array.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"

enum feature_bit {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_BRANCH_STACK = 15,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_GROUP_DESC = 17,
	FEATURE_AUXTRACE = 18,
	FEATURE_STAT = 19,
	FEATURE_CACHE = 20,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_MEM_TOPOLOGY = 22,
	FEATURE_CLOCKID = 23,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_BPF_PROG_INFO = 25,
	FEATURE_BPF_BTF = 26,
	FEATURE_COMPRESSED = 27,
	FEATURE_CPU_PMU_CAPS = 28,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_HYBRID_TOPOLOGY = 30,
	FEATURE_PMU_CAPS = 31,
	FEATURE_CPU_DOMAIN_INFO = 32,
	FEATURE_E_MACHINE = 33,
	FEATURE_CLN_SIZE = 34,
	/* Added by simpleperf. */
	FEATURE_META_INFO = 129,
	FEATURE_FILE2 = 132,
	FEATURE_BITS = 256, /* bits of the feature bitmap in the file header */
};

struct feature_build_id {
	uint32_t pid;	 /* UINT32_MAX: kernel, or a file of any process */
	uint8_t cpumode; /* MISC_KERNEL or MISC_USER */
	struct build_id id;
	char *path; /* owned */
};

/* The content of a feature section, as in the file. */
struct feature_bytes {
	uint8_t *at; /* owned */
	size_t n;
	bool swap;
};

/*
 * The parsed content of a recording's feature sections. Texts are owned. A
 * member is NULL or 0 if the recording does not have its section.
 */
struct features {
	uint64_t present[FEATURE_BITS / 64];
	char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t cpus_available, cpus_online;
	uint64_t total_memory; /* KiB */
	ARRAY(char *) cmdline;
	struct machine_topology topology;
	ARRAY(struct event) events; /* of EVENT_DESC: names, attributes, IDs */
	ARRAY(struct feature_pmu {
		uint32_t type;
		char *name;
	})
	pmus;
	ARRAY(struct feature_group {
		char *name;
		/*
		 * index of the group's first event in .events; number of the
		 * group's events
		 */
		uint32_t leader, n;
	})
	groups;
	ARRAY(struct feature_build_id) build_ids;
	uint64_t first_time, last_time;
	uint64_t clock_resolution;
	int32_t clockid;
	/* of both clocks, in ns, at the same instant */
	uint64_t clock_wall, clock_time;
	uint32_t compression_level, compression_ratio, mmap_len;
	uint8_t *tracing_data; /* content of TRACING_DATA, as in the file */
	size_t tracing_data_size;
	struct feature_bytes cpus, numa, caches, memory;
	struct feature_bytes cpu_caps, pmu_caps, hybrid;
	struct feature_bytes domains, elf_machine, cacheline;
	struct feature_bytes bpf_programs, bpf_types;
	struct feature_bytes meta_info, simpleperf_files;
	uint64_t dir_version;
};

void features_deinit(struct features *features);

static inline bool feature_is_present(const struct features *f, unsigned bit)
{
	return f->present[bit / 64] >> (bit % 64) & 1;
}

static inline void features_mark(struct features *features, unsigned bit)
{
	features->present[bit / 64] |= UINT64_C(1) << bit % 64;
}

#endif
