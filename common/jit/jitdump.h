/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A jitdump file, version 1, as runtimes write it for the code that they make
 * (tools/perf/Documentation/jitdump-specification.txt): which code lay where
 * since when, how to unwind it, and which lines it was made from. Hostile, and
 * still being written to: a record that isn't whole isn't there yet.
 */
#ifndef DWELL_COMMON_JIT_JITDUMP_H
#define DWELL_COMMON_JIT_JITDUMP_H

#include "common/jit/ticks.h"
#include "common/util/base.h"
#include "common/util/strbuf.h"

#define JITDUMP_NAME_MAX 1024u /* NUL included; longer ones are cut */

/* Of a JIT_CODE_UNWINDING_INFO that stood before a code; size 0: none. */
struct jitdump_unwinding {
	uint64_t at; /* in the file */
	uint32_t size, header_size;
};
/* Of a JIT_CODE_DEBUG_INFO, likewise. */
struct jitdump_debug {
	uint64_t at;
	uint32_t size;
};

struct jitdump_code {
	bool is_moved;        /* by a JIT_CODE_MOVE, which tells no name */
	uint64_t time;        /* for jitdump_time() */
	uint64_t start, size; /* addresses; the sum doesn't overflow */
	uint64_t index;       /* the same for all places of one code */
	uint64_t name_at;     /* in the file; 0: none */
	uint64_t code_at;     /* its SIZE bytes, in the file; 0: none */
	char name[JITDUMP_NAME_MAX];
	struct jitdump_unwinding unwinding; /* not of what is moved, as DEBUG */
	struct jitdump_debug debug;
};

/* More for one piece of code isn't read. */
#define JITDUMP_UNWINDING_MAX KIB(64)

/* The clock of those who ask, as far as a jitdump's times can be told in it. */
struct jitdump_clock {
	bool is_monotonic;       /* it is CLOCK_MONOTONIC */
	struct ticks_line ticks; /* of the processor's counter */
};

struct jitdump;

/* FD is borrowed. NULL if it is no jitdump of this machine's byte order. */
struct jitdump *jitdump_open(int fd);
void jitdump_close(struct jitdump *dump);

/* Times are CLOCK_MONOTONIC in ns; false: ticks of the processor's own. */
bool jitdump_is_monotonic(const struct jitdump *dump);
/* Whether times can be told on CLOCK. */
bool jitdump_has_times(
	const struct jitdump *dump, const struct jitdump_clock *clock);
/* TIME on CLOCK; 0 where that can't be told. */
uint64_t jitdump_time(const struct jitdump *dump,
	const struct jitdump_clock *clock, uint64_t time);
/* The e_machine of its code; 0: it doesn't say. */
unsigned jitdump_machine(const struct jitdump *dump);
/*
 * The next one, in the file's order. False where the file ends by now: ask
 * again when it has grown.
 */
bool jitdump_next(struct jitdump *dump, struct jitdump_code *ret);
/* Whether the file ends in the middle of the record that would come next. */
bool jitdump_is_cut(const struct jitdump *dump);
/* The name that lies at NAME_AT. */
void jitdump_name(const struct jitdump *dump, uint64_t name_at,
	char name[JITDUMP_NAME_MAX]);
/* Up to SIZE bytes that lie AT, of code, to OUT; how many these are. */
size_t jitdump_read(
	const struct jitdump *dump, uint64_t at, void *out, size_t size);
/*
 * An .eh_frame for a code, of *SIZE_RET bytes; NULL if it has none. Owned by the
 * caller. Behind it in memory would be the .eh_frame_hdr, and before it, up to
 * a multiple of 8, the code: so do runtimes count the distances in there.
 */
uint8_t *jitdump_unwinding(const struct jitdump *dump,
	const struct jitdump_unwinding *unwinding, size_t *size_ret);

#define JITDUMP_DEBUG_MAX MIB(1)
/*
 * The line that the code at ADDRESS was made from, and its file to FILE; false
 * if nobody tells. The last entry at or before ADDRESS counts.
 */
bool jitdump_line(const struct jitdump *dump,
	const struct jitdump_debug *debug, uint64_t address,
	struct strbuf *file, uint32_t *line_ret);

/* The next jitdump_next() gives the first one again. */
void jitdump_rewind(struct jitdump *dump);

#endif
