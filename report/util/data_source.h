/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a sample's memory access was served from: PERF_SAMPLE_DATA_SRC
 * (linux/perf_event.h, union perf_mem_data_src) in perf's words.
 */
#ifndef DWELL_REPORT_UTIL_DATA_SOURCE_H
#define DWELL_REPORT_UTIL_DATA_SOURCE_H

#include "common/util/strbuf.h"

/* Each appends the words of one part of VALUE, "N/A" where nothing is told. */
void data_source_level(uint64_t value, struct strbuf *out);
void data_source_snoop(uint64_t value, struct strbuf *out);
void data_source_tlb(uint64_t value, struct strbuf *out);
void data_source_lock(uint64_t value, struct strbuf *out);
void data_source_block(uint64_t value, struct strbuf *out);

/* All of them: "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A". */
void data_source_print(uint64_t value, struct strbuf *out);

#endif
