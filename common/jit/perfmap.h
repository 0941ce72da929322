/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a perf map (perf-PID.map), which a runtime writes about its JIT code:
 * lines "START SIZE name", numbers in hexadecimal (perf's
 * Documentation/jit-interface.txt). The file is untrusted: malformed lines are
 * skipped, long names are shortened, and bytes beyond PERFMAP_SIZE_MAX are
 * ignored.
 */
#ifndef DWELL_COMMON_JIT_PERFMAP_H
#define DWELL_COMMON_JIT_PERFMAP_H

#include "common/util/base.h"

#define PERFMAP_SIZE_MAX MIB(256)
#define PERFMAP_NAME_MAX 1024u /* bytes of a name, with the NUL */

struct perfmap_entry {
	uint64_t start, size; /* address range; start + size doesn't overflow */
	const char *name;     /* borrowed until the next entry */
};

struct perfmap;

/* Opens the perf map in FD, which is borrowed and read from its beginning. */
struct perfmap *perfmap_open(int fd);
void perfmap_close(struct perfmap *map);

/*
 * Reads the next valid line into RET, in file order. Returns false at the end
 * of the file. If two entries overlap, the later entry replaces the earlier
 * entry.
 */
bool perfmap_next(struct perfmap *map, struct perfmap_entry *ret);

/* Returns true if a line longer than 64 KiB was skipped so far. */
bool perfmap_has_long_line(const struct perfmap *map);

#endif
