/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files that make up feature.h know of each other: how each section is
 * read, written and printed, for the table in feature.c, and what several of
 * them need.
 */
#ifndef DWELL_COMMON_FILE_FEATURE_PRIVATE_H
#define DWELL_COMMON_FILE_FEATURE_PRIVATE_H

#include "common/file/features.h"

/* perf pads every text of a section to a multiple of this. */
#define FEATURE_TEXT_ALIGN 64u

/* As feature_read(), feature_write() and feature_print(). */
typedef bool feature_reader(struct features *f, struct bytes *b);
typedef void feature_writer(const struct features *f, struct strbuf *out);

#define DECLARE_FEATURE(section)               \
	feature_reader feature_read_##section; \
	feature_writer feature_write_##section, feature_print_##section

/* feature_text.c */
DECLARE_FEATURE(hostname);
DECLARE_FEATURE(osrelease);
DECLARE_FEATURE(version);
DECLARE_FEATURE(arch);
DECLARE_FEATURE(cpudesc);
DECLARE_FEATURE(cpuid);
DECLARE_FEATURE(cmdline);

/* feature_events.c */
DECLARE_FEATURE(event_desc);
DECLARE_FEATURE(pmu_mappings);
DECLARE_FEATURE(group_desc);
feature_reader feature_read_tracing_data;
feature_writer feature_write_tracing_data;

/* feature_files.c */
DECLARE_FEATURE(compressed);
feature_reader feature_read_build_ids, feature_read_dir_format;
feature_writer feature_write_build_ids, feature_print_dir_format;
feature_writer feature_write_branches, feature_print_branches;
feature_writer feature_print_auxtrace, feature_print_stat;

/* feature_simpleperf.c */
feature_reader feature_read_meta_info, feature_read_simpleperf_files;
feature_writer feature_print_meta_info;

/* feature_time.c */
DECLARE_FEATURE(sample_time);
DECLARE_FEATURE(clockid);
DECLARE_FEATURE(clock_data);

/* feature_machine.c */
DECLARE_FEATURE(nrcpus);
DECLARE_FEATURE(total_mem);
DECLARE_FEATURE(cpus);
DECLARE_FEATURE(numa);
DECLARE_FEATURE(caches);
DECLARE_FEATURE(memory);
DECLARE_FEATURE(cpu_caps);
DECLARE_FEATURE(pmu_caps);
DECLARE_FEATURE(hybrid);
DECLARE_FEATURE(domains);
DECLARE_FEATURE(elf_machine);
DECLARE_FEATURE(cacheline);

/* feature_bpf.c */
DECLARE_FEATURE(bpf_programs);
DECLARE_FEATURE(bpf_types);

/* A text as sections have it; NULL if there is none, else owned. */
char *feature_take_text(struct bytes *b);
/* The rest of B as it lies in the file, in place of what INTO had. */
void feature_keep(struct feature_bytes *into, struct bytes *b);
void feature_put_kept(const struct feature_bytes *kept, struct strbuf *out);
struct bytes feature_kept(const struct feature_bytes *kept);

#endif
