/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A jitdump file, version 1, as runtimes write it for the code that they make
 * (tools/perf/Documentation/jitdump-specification.txt): which code lay where
 * since when. Its debug and unwinding records are passed over. Hostile, and
 * still being written to.
 */
#ifndef DWELL_JITDUMP_H
#define DWELL_JITDUMP_H

#include "common/base.h"

#define JITDUMP_NAME_MAX 1024u /* NUL included; longer ones are cut */

struct jitdump_code {
	bool is_moved;        /* by a JIT_CODE_MOVE, which tells no name */
	uint64_t time;        /* in jitdump_has_monotonic()'s clock */
	uint64_t start, size; /* addresses; the sum doesn't overflow */
	uint64_t index;       /* the same for all places of one code */
	char name[JITDUMP_NAME_MAX];
};

struct jitdump;

/* FD is borrowed. NULL if it is no jitdump of this machine's byte order. */
struct jitdump *jitdump_open(int fd);
void jitdump_close(struct jitdump *dump);

/* Times are CLOCK_MONOTONIC in ns; false: the processor's own, of no use. */
bool jitdump_is_monotonic(const struct jitdump *dump);
/* The next one, in the file's order. */
bool jitdump_next(struct jitdump *dump, struct jitdump_code *ret);
/* The next jitdump_next() gives the first one again. */
void jitdump_rewind(struct jitdump *dump);

#endif
