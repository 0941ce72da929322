/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The encoding of call chains in memory: the numbers of the locations (or of the
 * frames) of a call chain, leaf frame first, seven bits per byte, with the
 * top bit set in all but the last byte of each number. Chains can be read from
 * either end, and most numbers take one byte.
 */
#ifndef DWELL_REPORT_SCAN_CHAIN_H
#define DWELL_REPORT_SCAN_CHAIN_H

#include "common/util/base.h"

#define CHAIN_NUMBER_SIZE 5u /* bytes of a number, at most */

/* The unread part of a chain; borrowed from the table of chains. */
struct chain {
	const uint8_t *at, *end;
};

static inline bool chain_is_empty(const struct chain *chain)
{
	return chain->at == chain->end;
}

/* Removes and returns the first (innermost) number of CHAIN. */
static inline uint32_t chain_next(struct chain *chain)
{
	uint32_t number = *chain->at & 0x7f;
	unsigned shift = 0;

	while (unlikely(*chain->at++ & 0x80))
		number |= (uint32_t)(*chain->at & 0x7f) << (shift += 7);
	return number;
}

/* Removes and returns the last (outermost) number of CHAIN. */
static inline uint32_t chain_last(struct chain *chain)
{
	uint32_t number = *--chain->end;

	while (chain->end != chain->at && unlikely(chain->end[-1] & 0x80))
		number = number << 7 | (*--chain->end & 0x7f);
	return number;
}

/* Writes NUMBER to OUT and returns the end of the written bytes. */
static inline uint8_t *chain_put(uint8_t *out, uint32_t number)
{
	for (; number >= 0x80; number >>= 7)
		*out++ = (uint8_t)number | 0x80;
	*out++ = (uint8_t)number;
	return out;
}

/*
 * A chain before resolving: its numbers are those of frames, while the numbers of a
 * struct chain are those of locations. Two types, so that a mix-up does not compile.
 */
struct chain_raw {
	struct chain frames;
};

static inline bool chain_raw_is_empty(const struct chain_raw *chain)
{
	return chain_is_empty(&chain->frames);
}

/* Removes and returns the first (innermost) frame number of CHAIN. */
static inline uint32_t chain_raw_next(struct chain_raw *chain)
{
	return chain_next(&chain->frames);
}

#endif
