/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a jitdump, version 1, which a runtime writes about its JIT code
 * (tools/perf/Documentation/jitdump-specification.txt): addresses, load times,
 * unwind information and source lines. The file is untrusted and may still
 * grow: an incomplete record is treated as not yet there.
 */
#ifndef DWELL_COMMON_JIT_JITDUMP_H
#define DWELL_COMMON_JIT_JITDUMP_H

#include "common/util/base.h"
#include "common/util/strbuf.h"

#define JITDUMP_NAME_MAX 1024u /* bytes with the NUL; the rest is left out */

/* A JIT_CODE_UNWINDING_INFO record that preceded a code; size 0: none. */
struct jitdump_unwinding {
	uint64_t at; /* file offset of the unwinding data */
	uint32_t size, header_size;
};
/* A JIT_CODE_DEBUG_INFO record that preceded a code; size 0: none. */
struct jitdump_debug {
	uint64_t at;
	uint32_t size;
};

struct jitdump_code {
	/* the record is a JIT_CODE_MOVE, which has no name */
	bool is_moved;
	uint64_t time;	      /* time in the jitdump, for jitdump_time() */
	uint64_t start, size; /* address range; start + size doesn't overflow */
	/* code index, which stays the same when the code moves */
	uint64_t index;
	uint64_t name_at; /* file offset of the name; 0: none */
	uint64_t code_at; /* file offset of the .size code bytes; 0: none */
	char name[JITDUMP_NAME_MAX];
	/* .unwinding and .debug are empty if .is_moved */
	struct jitdump_unwinding unwinding;
	struct jitdump_debug debug;
};

/* Larger unwinding information of a code is ignored. */
#define JITDUMP_UNWINDING_MAX KIB(64)

/*
 * The processor's time-stamp counter, which some runtimes write as time. Ticks
 * of the counter are converted to nanoseconds by a line through two readings of
 * both clocks.
 */

/*
 * Returns the processor's time-stamp counter, or 0 if user code cannot read the
 * counter.
 */
static inline uint64_t jitdump_ticks_now(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

struct jitdump_ticks {
	uint64_t ticks[2], ns[2]; /* equal ticks: the line is unknown */
};

static inline bool jitdump_ticks_are_known(const struct jitdump_ticks *line)
{
	return line->ticks[0] != line->ticks[1];
}

/*
 * Converts TICKS to nanoseconds by LINE. Returns 0 if LINE is unknown or the
 * result does not fit.
 */
static inline uint64_t jitdump_ticks_to_ns(
	const struct jitdump_ticks *line, uint64_t ticks)
{
	__int128 run = (__int128)line->ticks[1] - line->ticks[0];
	__int128 rise = (__int128)line->ns[1] - line->ns[0];
	__int128 way = (__int128)ticks - line->ticks[0], ns;
	/* Both factors have at most 64 bits. */
	unsigned __int128 size = (unsigned __int128)(way < 0 ? -way : way) *
		(unsigned __int128)(rise < 0 ? -rise : rise);

	if (!run || size >> 127)
		return 0;
	ns = (way < 0) == (rise < 0) ? (__int128)size : -(__int128)size;
	ns = line->ns[0] + ns / run;
	return ns < 0 || ns > (__int128)UINT64_MAX ? 0 : (uint64_t)ns;
}

/* The clock to which times of a jitdump are converted. */
struct jitdump_clock {
	bool is_monotonic;	    /* the clock is CLOCK_MONOTONIC */
	struct jitdump_ticks ticks; /* converts the time-stamp counter */
};

struct jitdump;

/*
 * FD is borrowed. Returns NULL if FD is not a jitdump in this machine's byte
 * order.
 */
struct jitdump *jitdump_open(int fd);
void jitdump_close(struct jitdump *dump);

/*
 * Returns true if the times in DUMP are CLOCK_MONOTONIC in ns, false if they
 * are ticks of the processor's time-stamp counter.
 */
bool jitdump_is_monotonic(const struct jitdump *dump);
/* Returns true if the times in DUMP can be converted to CLOCK. */
bool jitdump_has_times(
	const struct jitdump *dump, const struct jitdump_clock *clock);
/*
 * Converts TIME, a time in DUMP, to CLOCK. Returns 0 if TIME cannot be
 * converted.
 */
uint64_t jitdump_time(const struct jitdump *dump,
	const struct jitdump_clock *clock, uint64_t time);
/* Returns the ELF e_machine of the JIT code, or 0 if the header has none. */
unsigned jitdump_machine(const struct jitdump *dump);
/*
 * Reads the next JIT_CODE_LOAD or JIT_CODE_MOVE record, in file order, into
 * RET. Returns false at the current end of the file; call again when the file
 * has grown.
 */
bool jitdump_next(struct jitdump *dump, struct jitdump_code *ret);

/* How the records of a jitdump end. */
enum jitdump_ending {
	JITDUMP_WHOLE,
	JITDUMP_EMPTY,	   /* no record with a name: it may be incomplete */
	JITDUMP_CUT,	   /* the file ends inside the last record */
	JITDUMP_DAMAGED,   /* a record is smaller than the head of a record */
	JITDUMP_NO_HEADER, /* the file is not a jitdump */
};
struct jitdump_end {
	enum jitdump_ending ending;
	uint64_t at;	  /* file offset of the end or of the bad record */
	uint64_t n_names; /* that were read before */
};
/* Returns how DUMP ends. Call this after jitdump_next() has returned false. */
struct jitdump_end jitdump_end(const struct jitdump *dump);
/*
 * Appends what END means for the names to OUT: "incomplete record at offset
 * 0x6e; names that were read: 16". Appends nothing for JITDUMP_WHOLE.
 */
void jitdump_end_put(const struct jitdump_end *end, struct strbuf *out);
/* Copies the name at file offset NAME_AT to NAME. */
void jitdump_name(const struct jitdump *dump, uint64_t name_at,
	char name[JITDUMP_NAME_MAX]);
/*
 * Copies up to SIZE code bytes at file offset AT to OUT. Returns the number of
 * bytes copied.
 */
size_t jitdump_read(
	const struct jitdump *dump, uint64_t at, void *out, size_t size);
/*
 * Returns the .eh_frame in UNWINDING, *SIZE_RET bytes owned by the caller, or
 * NULL if UNWINDING is empty or cannot be read. Runtimes compute the relative
 * addresses in the .eh_frame for this layout: the code, padding to a multiple
 * of 8, the .eh_frame, the .eh_frame_hdr.
 */
uint8_t *jitdump_unwinding(const struct jitdump *dump,
	const struct jitdump_unwinding *unwinding, size_t *size_ret);

#define JITDUMP_DEBUG_MAX MIB(1)
/*
 * Sets *LINE_RET to the source line of the code at ADDRESS (the last line entry
 * at or before ADDRESS), and appends the name of the source file to FILE.
 * Returns false if DEBUG has no line for ADDRESS.
 */
bool jitdump_line(const struct jitdump *dump, const struct jitdump_debug *debug,
	uint64_t address, struct strbuf *file, uint32_t *line_ret);

/* Makes the next jitdump_next() return the first JIT code in the file again. */
void jitdump_rewind(struct jitdump *dump);

#endif
