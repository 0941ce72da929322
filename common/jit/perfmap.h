/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a perf-PID.map, as runtimes write them for the code that they
 * make: "START SIZE name", the numbers in hexadecimal (perf's
 * Documentation/jit-interface.txt). Hostile: lines that aren't that are passed
 * over, names are cut, and what is beyond PERFMAP_SIZE_MAX isn't read.
 */
#ifndef DWELL_COMMON_JIT_PERFMAP_H
#define DWELL_COMMON_JIT_PERFMAP_H

#include "common/util/base.h"

#define PERFMAP_SIZE_MAX MIB(256)
#define PERFMAP_NAME_MAX 1024u /* NUL included */

struct perfmap_entry {
	uint64_t start, size; /* addresses; the sum doesn't overflow */
	const char *name;     /* borrowed until the next entry */
};

struct perfmap;

/* FD is borrowed, and read from its beginning. */
struct perfmap *perfmap_open(int fd);
void perfmap_close(struct perfmap *map);

/* The next one, in the file's order: later ones replace what they overlap. */
bool perfmap_next(struct perfmap *map, struct perfmap_entry *ret);

/* Whether a line was passed over, so far, that is longer than any may be. */
bool perfmap_has_endless(const struct perfmap *map);

#endif
