/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The constants of the perf ABI: linux/perf_event.h of the system, and
 * constants that older versions of that header lack. Sources:
 * linux/perf_event.h of Linux 7.2, and tools/lib/perf/include/perf/event.h for
 * record types from 64 on.
 */
#ifndef DWELL_COMMON_PERF_ABI_H
#define DWELL_COMMON_PERF_ABI_H

#include <linux/perf_event.h>
#include <stdint.h>

/* The first 8 bytes of a file, an integer in the recording byte order. */
#define ABI_FILE_MAGIC UINT64_C(0x32454c4946524550)
#define ABI_FORMAT_LOST (1u << 4)	      /* PERF_FORMAT_LOST, Linux 6.0 */
#define ABI_SAMPLE_AUX (UINT64_C(1) << 20)    /* PERF_SAMPLE_AUX, 5.5 */
#define ABI_SAMPLE_CGROUP (UINT64_C(1) << 21) /* PERF_SAMPLE_CGROUP, 5.7 */
#define ABI_SAMPLE_DATA_PAGE_SIZE (UINT64_C(1) << 22) /* 5.11 */
#define ABI_SAMPLE_CODE_PAGE_SIZE (UINT64_C(1) << 23) /* 5.11 */
#define ABI_SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)  /* 5.12 */
#define ABI_SW_CGROUP_SWITCHES 11		      /* 5.13 */
#define ABI_MEM_BLK_SHIFT 40			      /* 5.12 */
#define ABI_MEM_HOPS_SHIFT 43			      /* 5.16 */
#define ABI_BRANCH_HW_INDEX (1u << 17)
#define ABI_BRANCH_PRIV_SAVE (1u << 18) /* 6.1 */
#define ABI_BRANCH_COUNTERS (1u << 19)
/* Numbers of flag bits of perf_event_attr, Linux 5.12 and 6.19. */
#define ABI_FLAG_BUILD_ID 34
#define ABI_FLAG_DEFER_CALLCHAIN 38
#define ABI_FLAG_DEFER_OUTPUT 39
#define ABI_CONTEXT_USER_DEFERRED ((uint64_t)-640)
/* Call chain entries from this value on are markers, not addresses. */
#define ABI_CONTEXT_FIRST ((uint64_t)-4095)

/* PERF_RECORD_*: the kernel writes 1..22; tools write types from 64 on. */
enum record_type {
	RECORD_MMAP = 1,
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_EXIT = 4,
	RECORD_THROTTLE = 5,
	RECORD_UNTHROTTLE = 6,
	RECORD_FORK = 7,
	RECORD_READ = 8,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10,
	RECORD_AUX = 11,
	RECORD_ITRACE_START = 12,
	RECORD_LOST_SAMPLES = 13,
	RECORD_SWITCH = 14,
	RECORD_SWITCH_CPU_WIDE = 15,
	RECORD_NAMESPACES = 16,
	RECORD_KSYMBOL = 17,
	RECORD_BPF_EVENT = 18,
	RECORD_CGROUP = 19,
	RECORD_TEXT_POKE = 20,
	RECORD_AUX_OUTPUT_HW_ID = 21,
	RECORD_CALLCHAIN_DEFERRED = 22,

	RECORD_USER_FIRST = 64,
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_EVENT_TYPE = 65, /* obsolete: readers skip the record */
	RECORD_HEADER_TRACING_DATA = 66,
	RECORD_HEADER_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_AUXTRACE_ERROR = 72,
	RECORD_THREAD_MAP = 73,
	RECORD_CPU_MAP = 74,
	RECORD_STAT_CONFIG = 75,
	RECORD_STAT = 76,
	RECORD_STAT_ROUND = 77,
	RECORD_EVENT_UPDATE = 78,
	RECORD_TIME_CONV = 79,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_FINISHED_INIT = 82,
	RECORD_COMPRESSED2 = 83,
	RECORD_BPF_METADATA = 84,
	RECORD_SCHEDSTAT_CPU = 85,
	RECORD_SCHEDSTAT_DOMAIN = 86,
	RECORD_END, /* types from this value on are unknown */
};

/* PERF_RECORD_MISC_*: bits of the misc field of a record. */
#define MISC_CPUMODE 7u
#define MISC_KERNEL 1u
#define MISC_USER 2u
#define MISC_HYPERVISOR 3u
#define MISC_GUEST_KERNEL 4u
#define MISC_GUEST_USER 5u
#define MISC_MMAP_DATA (1u << 13)     /* MMAP, MMAP2 */
#define MISC_COMM_EXEC (1u << 13)     /* COMM */
#define MISC_SWITCH_OUT (1u << 13)    /* SWITCH, SWITCH_CPU_WIDE */
#define MISC_MMAP_BUILD_ID (1u << 14) /* MMAP2 */
#define MISC_SWITCH_OUT_PREEMPT (1u << 14)
#define MISC_BUILD_ID_SIZE (1u << 15) /* HEADER_BUILD_ID */

/* Kinds of EVENT_UPDATE records. */
#define EVENT_UPDATE_UNIT 0u
#define EVENT_UPDATE_SCALE 1u
#define EVENT_UPDATE_NAME 2u
#define EVENT_UPDATE_CPUS 3u

#endif
