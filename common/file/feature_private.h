/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declares the functions that read, write and print each feature section, for
 * the table in feature.c, and helpers of feature_*.c.
 */
#ifndef DWELL_COMMON_FILE_FEATURE_PRIVATE_H
#define DWELL_COMMON_FILE_FEATURE_PRIVATE_H

#include "common/file/features.h"

/* perf pads each text of a feature section to a multiple of this many bytes. */
#define FEATURE_TEXT_ALIGN 64u

/*
 * Functions of one feature section. A reader parses B into F and returns false
 * if B is damaged. A writer appends the content of the section, or the lines
 * that --header prints for the section, to OUT.
 */
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
/* META_INFO is a section that simpleperf adds. */
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
 * Reads a text of a feature section from B. Returns the text, owned by the
 * caller, or NULL if the text is damaged.
 */
char *feature_take_text(struct bytes *b);
/* Replaces the content of INTO by a copy of the unread bytes of B. */
void feature_keep(struct feature_bytes *into, struct bytes *b);
struct bytes feature_kept(const struct feature_bytes *kept);

#endif
