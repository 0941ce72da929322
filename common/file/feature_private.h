/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declares the functions that read, write and print each section, for the table
 * in feature.c, and helpers of feature_*.c.
 */
#ifndef DWELL_COMMON_FILE_FEATURE_PRIVATE_H
#define DWELL_COMMON_FILE_FEATURE_PRIVATE_H

#include "common/file/features.h"

/* perf pads each text of a section to a multiple of this size. */
#define FEATURE_TEXT_ALIGN 64u

/* As feature_read(), feature_write() and feature_print(). */
typedef bool feature_reader(struct features *f, struct bytes *b);
typedef void feature_writer(const struct features *f, struct strbuf *out);

#define DECLARE_FEATURE(section)               \
	feature_reader feature_read_##section; \
	feature_writer feature_write_##section, feature_print_##section

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
/* simpleperf's */
feature_writer feature_print_meta_info;

/* feature_machine.c */
DECLARE_FEATURE(cmdline);
DECLARE_FEATURE(nrcpus);
DECLARE_FEATURE(total_mem);
DECLARE_FEATURE(sample_time);
DECLARE_FEATURE(clockid);
DECLARE_FEATURE(clock_data);
feature_reader feature_read_cpus, feature_read_numa;
feature_writer feature_print_cpus;

/* feature_bpf.c */
feature_writer feature_print_bpf_programs, feature_print_bpf_types;

/*
 * Reads a text of a section. Returns NULL if it is damaged; owned by the
 * caller.
 */
char *feature_take_text(struct bytes *b);
/* Replaces INTO by a copy of the rest of B. */
void feature_keep(struct feature_bytes *into, struct bytes *b);
struct bytes feature_kept(const struct feature_bytes *kept);

#endif
