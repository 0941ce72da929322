/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A jitdump file, version 1, as runtimes write it for the code that they make
 * (tools/perf/Documentation/jitdump-specification.txt): which code lay where
 * since when, and how to unwind it. Its debug records are passed over. Hostile,
 * and still being written to.
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
	/* Of a JIT_CODE_UNWINDING_INFO that stood before it; size 0: none. */
	uint64_t unwinding_at; /* in the file */
	uint32_t unwinding_size, unwinding_header_size;
};

/* More for one piece of code isn't read. */
#define JITDUMP_UNWINDING_MAX KIB(64)

struct jitdump;

/* FD is borrowed. NULL if it is no jitdump of this machine's byte order. */
struct jitdump *jitdump_open(int fd);
void jitdump_close(struct jitdump *dump);

/* Times are CLOCK_MONOTONIC in ns; false: the processor's own, of no use. */
bool jitdump_is_monotonic(const struct jitdump *dump);
/* The next one, in the file's order. */
bool jitdump_next(struct jitdump *dump, struct jitdump_code *ret);
/*
 * An .eh_frame for CODE, of *SIZE_RET bytes; NULL if it has none. Owned by the
 * caller. Behind it in memory would be the .eh_frame_hdr, and before it, up to
 * a multiple of 8, the code: so do runtimes count the distances in there.
 */
uint8_t *jitdump_unwinding(const struct jitdump *dump,
	const struct jitdump_code *code, size_t *size_ret);
/* The next jitdump_next() gives the first one again. */
void jitdump_rewind(struct jitdump *dump);

#endif
