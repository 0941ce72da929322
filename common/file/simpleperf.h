/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads FILE2, which Android's simpleperf adds to the header of a perf.data.
 * The section has one message for each file that samples hit, with the symbols
 * that were hit: a u32 size, then protobuf fields (1 path, 2 type, 3 lowest
 * code address, 4 symbols, 5 to 7 facts by type), as in record_file.proto of
 * simpleperf.
 */
#ifndef DWELL_COMMON_FILE_SIMPLEPERF_H
#define DWELL_COMMON_FILE_SIMPLEPERF_H

#include "common/file/symbols_section.h"

/*
 * Adds the files of the section in B to RET, up to the first damaged one.
 * Symbols of ELF and DEX files are by file offset, the kernel's by address.
 * Files of other types are ignored.
 */
void simpleperf_read_files(struct bytes b, struct symbols_section *ret);

#endif
