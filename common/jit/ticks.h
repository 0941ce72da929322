/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts the processor's counter, which some runtimes write as time into a
 * jitdump, to nanoseconds: by a line through two readings of both clocks.
 */
#ifndef DWELL_COMMON_JIT_TICKS_H
#define DWELL_COMMON_JIT_TICKS_H

#include "common/util/base.h"

/* Returns the counter, or 0 if user code cannot read one. */
static inline uint64_t ticks_now(void)
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

struct ticks_line {
	uint64_t ticks[2], ns[2]; /* equal ticks: not known */
};

static inline bool ticks_are_known(const struct ticks_line *line)
{
	return line->ticks[0] != line->ticks[1];
}

/* Returns 0 if the result does not fit. */
static inline uint64_t ticks_to_ns(
	const struct ticks_line *line, uint64_t ticks)
{
	__int128 run = (__int128)line->ticks[1] - line->ticks[0];
	__int128 rise = (__int128)line->ns[1] - line->ns[0];
	__int128 way = (__int128)ticks - line->ticks[0], ns;

	if (!run || __builtin_mul_overflow(way, rise, &ns))
		return 0;
	ns = line->ns[0] + ns / run;
	return ns < 0 || ns > (__int128)UINT64_MAX ? 0 : (uint64_t)ns;
}

#endif
