/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes the entries of a recording's section "losses", version 2. An
 * entry has the numbers of recorded and lost samples of one event on one CPU.
 */
#ifndef DWELL_COMMON_PERF_LOSS_H
#define DWELL_COMMON_PERF_LOSS_H

#include "common/util/bytes.h"
#include "common/util/strbuf.h"

#define LOSS_VERSION 2u
#define LOSS_SIZE 48u
#define LOSS_ANY_CPU UINT32_MAX /* all CPUs, or unknown CPU */

struct loss {
	uint64_t id; /* one of the IDs of the event */
	uint32_t cpu;
	uint64_t samples;   /* samples in the file */
	uint64_t kernel;    /* lost in a full ring buffer; can be too low */
	uint64_t dropped;   /* dropped because the recorder's queue was full */
	uint64_t throttled; /* how often the kernel paused the event */
};

/* Appends LOSS as an entry of LOSS_SIZE bytes to OUT. */
void loss_write(const struct loss *loss, struct strbuf *out);
/* Reads one entry from B. Returns false if B is too short. */
bool loss_read(struct bytes *b, struct loss *ret);
/* Returns true if samples were lost or dropped, or the event was throttled. */
bool loss_is_any(const struct loss *loss);
/* Appends the counts in LOSS, of event NAME, in one line without a newline. */
void loss_print(const struct loss *loss, const char *name, struct strbuf *out);
/* Add or subtract LOSS's counts; .id and .cpu of SUM and REST do not change. */
void loss_add(struct loss *sum, const struct loss *loss);
void loss_subtract(struct loss *rest, const struct loss *loss);

#endif
