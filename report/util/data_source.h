/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats the memory level and other facts of a sample's access
 * (PERF_SAMPLE_DATA_SRC; linux/perf_event.h, union perf_mem_data_src) as perf
 * does.
 */
#ifndef DWELL_REPORT_UTIL_DATA_SOURCE_H
#define DWELL_REPORT_UTIL_DATA_SOURCE_H

#include "common/util/strbuf.h"

/*
 * Each function appends one field of VALUE (level, snoop, ...), or "N/A" if the
 * field was not recorded.
 */
void data_source_level(uint64_t value, struct strbuf *out);
void data_source_snoop(uint64_t value, struct strbuf *out);
void data_source_tlb(uint64_t value, struct strbuf *out);
void data_source_lock(uint64_t value, struct strbuf *out);
void data_source_block(uint64_t value, struct strbuf *out);

/* Appends "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A". */
void data_source_print(uint64_t value, struct strbuf *out);

#endif
