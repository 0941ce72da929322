/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of a recording's section "losses", version 2: how many samples of
 * one event on one CPU were recorded and lost.
 */
#ifndef DWELL_COMMON_PERF_LOSS_H
#define DWELL_COMMON_PERF_LOSS_H

#include "common/util/bytes.h"
#include "common/util/strbuf.h"

#define LOSS_VERSION 2u
#define LOSS_SIZE 48u
#define LOSS_ANY_CPU UINT32_MAX /* all CPUs, or unknown */

struct loss {
	uint64_t id;        /* one of the IDs of the event */
	uint32_t cpu;
	uint64_t samples;   /* samples in the file */
	uint64_t kernel;    /* lost: ring buffer full; can be a lower bound */
	uint64_t dropped;   /* dropped because the recorder's queue was full */
	uint64_t throttled; /* how often the kernel paused the event */
};

/* Appends LOSS_SIZE bytes to OUT. */
void loss_write(const struct loss *loss, struct strbuf *out);
/* Returns false if B ends before the entry does. */
bool loss_read(struct bytes *b, struct loss *ret);
/* Returns true if samples were lost or dropped, or the event throttled. */
bool loss_is_any(const struct loss *loss);
/* Appends the counts of the event NAME in one line, without a newline. */
void loss_print(const struct loss *loss, const char *name, struct strbuf *out);
/* Add or subtract the counts; .id and .cpu do not change. */
void loss_add(struct loss *sum, const struct loss *loss);
void loss_subtract(struct loss *rest, const struct loss *loss);

#endif
