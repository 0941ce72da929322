/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random changes of bytes and of runs of records, for mutate.c. */
#ifndef DWELL_FUZZ_MUTATE_RECORDS_H
#define DWELL_FUZZ_MUTATE_RECORDS_H

#include "common/util/strbuf.h"

/* A sequence of random numbers; .state is not 0. */
struct dice {
	uint64_t state;
};

struct dice dice_of(unsigned seed);
/* Returns a number from 0 to N - 1; N is at most 2^32. */
size_t dice_below(struct dice *dice, size_t n);

/* Changes or resizes BYTES. It grows by at most ROOM bytes. */
void mutate_bytes(struct strbuf *bytes, size_t room, struct dice *dice);
/*
 * Changes one record of RECORDS: its payload, type, or misc field, its place,
 * or the number of its copies. The result is a run of whole records again.
 */
void mutate_records(struct strbuf *records, struct dice *dice);

#endif
