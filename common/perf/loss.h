/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of a recording's loss accounts (section "losses", version 2): what
 * became of the samples of one event on one CPU.
 */
#ifndef DWELL_COMMON_PERF_LOSS_H
#define DWELL_COMMON_PERF_LOSS_H

#include "common/util/bytes.h"
#include "common/util/strbuf.h"

#define LOSS_VERSION 2u
#define LOSS_SIZE 48u
#define LOSS_ANY_CPU UINT32_MAX /* or not known */

struct loss {
	uint64_t id;        /* the event's, as in its attr */
	uint32_t cpu;
	uint64_t samples;   /* that are in the file */
	uint64_t kernel;    /* lost, a ring being full: exact if it can tell */
	uint64_t dropped;   /* given up by the recorder, its queue being full */
	uint64_t throttled; /* how often the kernel paused the event */
};

/* Appends LOSS_SIZE bytes to OUT. */
void loss_write(const struct loss *loss, struct strbuf *out);
/* False at the end. */
bool loss_read(struct bytes *b, struct loss *ret);
/* Whether there is more to tell than samples. */
bool loss_is_any(const struct loss *loss);
/* Appends who lost how much, and why, of the event NAME: no newline. */
void loss_print(const struct loss *loss, const char *name, struct strbuf *out);
/* Adds and takes away what happened, not where. */
void loss_add(struct loss *sum, const struct loss *loss);
void loss_subtract(struct loss *rest, const struct loss *loss);

#endif
