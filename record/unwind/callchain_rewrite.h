/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples with a copy of the stack, written as samples with a whole call chain
 * and no copy: what the kernel told of itself, then the user's part as it was
 * unwound. So readers see a recording by frame pointers (doc/format.md).
 */
#ifndef DWELL_RECORD_UNWIND_CALLCHAIN_REWRITE_H
#define DWELL_RECORD_UNWIND_CALLCHAIN_REWRITE_H

#include "common/perf/sample.h"
#include "record/event/selected.h"

/*
 * Makes the kernel's ATTR the one of what is written; one without copies stays.
 * Of the registers those in the mask KEPT stay, which the user asked for. How
 * large copies were stays: readers know by it that callchains may have marks
 * (frame_origin.h).
 */
void plain_attr(struct perf_event_attr *attr, uint64_t kept);

/* EVENT's attr as it is written. */
struct perf_event_attr plain_written(
	const struct selection *selection, const struct selected *event);
/* Whether any event has copies that aren't kept. */
bool plain_is_needed(const struct selection *selection);

/* A sample as it came out of the ring, and where it has what. */
struct plain {
	const uint8_t *record;
	struct sample sample;
	size_t chain, chain_end; /* offsets: the number of entries, and behind */
	size_t registers, stack; /* where both begin, and */
	size_t tail, end;        /* where they end, as does the record */
	uint64_t n_kernel;       /* entries before the user's part */
	uint64_t user, n_user;   /* those of it, without the marker */
	uint64_t sampled, kept;  /* masks of registers: there; to be written */
};

/* Of what event a sample is, as the kernel has it. */
struct plain_event {
	struct sample_layout layout;
	uint64_t sampled, kept; /* as above */
};
/* False if the record isn't a sample of EVENT with a copy. */
bool plain_read(const struct plain_event *event, const uint8_t *record,
	struct plain *ret);

/*
 * How long the sample is with N addresses in the user's part; RECORD_SIZE_MAX
 * is never exceeded by plain_room() of them.
 */
size_t plain_size(const struct plain *plain, size_t n);
size_t plain_room(const struct plain *plain);
/* Writes it: plain_size() bytes. */
void plain_write(const struct plain *plain, const uint64_t *addresses,
	size_t n, uint8_t *out);

#endif
