/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the feature section FILE2, which Android's simpleperf adds to a
 * perf.data. The section has one message for each file that samples hit, with
 * the symbols that were hit: a u32 size, then protobuf fields (1 path, 2 type,
 * 3 lowest code address, 4 symbols, 5 to 7 details that depend on the type), as
 * in record_file.proto of simpleperf.
 */
#ifndef DWELL_COMMON_FILE_SIMPLEPERF_H
#define DWELL_COMMON_FILE_SIMPLEPERF_H

#include "common/file/symbols_section.h"

/*
 * Adds the files listed in B, the content of FILE2, to RET, up to the first
 * damaged message. Symbols of ELF and DEX files have file offsets, symbols of
 * the kernel have addresses. Files of other types are ignored.
 */
void simpleperf_read_files(struct bytes b, struct symbols_section *ret);

#endif
