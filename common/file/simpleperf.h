/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What simpleperf (Android's) adds to the header of a perf.data. FILE2: of each
 * file that samples hit, a message with the symbols that were hit: a u32 with its
 * size, then protobuf fields (path 1, type 2, lowest address of code 3, symbols 4,
 * facts by type 5 to 7), as record_file.proto in simpleperf's sources has them.
 */
#ifndef DWELL_COMMON_FILE_SIMPLEPERF_H
#define DWELL_COMMON_FILE_SIMPLEPERF_H

#include "common/file/symbols_section.h"

/*
 * Adds the files of the section in B to RET, as far as it is sound: symbols of
 * ELF and DEX files by file offset, the kernel's by address. Files of other types
 * are left out.
 */
void simpleperf_read_files(struct bytes b, struct bundle *ret);

#endif
