/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples with a copy of the user's stack (PERF_SAMPLE_STACK_USER). The kernel
 * reserves the whole size that was asked for, and says behind it how much of
 * that it has filled: whoever copies such a sample copies only this.
 */
#ifndef DWELL_RECORD_EVENT_STACK_COPY_H
#define DWELL_RECORD_EVENT_STACK_COPY_H

#include "common/perf/sample.h"

/* What a record can hold (its size is a u16); a multiple of 8. */
#define DUMP_SIZE_MAX RECORD_SIZE_ALIGNED
/* What is left of a copy when it is cut: some ten frames. */
#define DUMP_CUT_SIZE KIB(8)

/* Where a sample has what. */
struct dump {
	const uint8_t *record;
	struct sample sample;
	size_t head;     /* bytes before the copy and its size */
	size_t reserved; /* bytes of the copy, of which */
	size_t filled;   /* so many hold something */
	size_t tail;     /* offset of what comes behind the copy, */
	size_t end;      /* up to the record's end */
	/* What of the chain is to stand aside, see dump_set_aside(). */
	size_t chain, user; /* offsets: of the chain's size, and its user's part */
	uint64_t n_kernel, n_user; /* entries of both, without the marker */
};

/* False if the sample has no copy, or isn't one: then nothing can be saved. */
bool dump_find(const struct sample_layout *layout,
	const struct perf_event_header *header, struct dump *ret);
/*
 * The user's part of the call chain is to be written behind what the copy holds
 * (frame_pointer_chain.h), unless nothing of it is kept. That takes the same room.
 */
void dump_set_aside(struct dump *dump);
/* How long the sample is with the first KEPT bytes of the copy at most. */
size_t dump_size_with(const struct dump *dump, size_t kept);
/* Writes it so: dump_size_with() bytes. */
void dump_write(const struct dump *dump, size_t kept, uint8_t *out);

/*
 * How much of a copy is kept when so much of the queue's memory is in use:
 * all, what a cut leaves, nothing.
 */
size_t dump_kept(unsigned fill_percent);

#endif
