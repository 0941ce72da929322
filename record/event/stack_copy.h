/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples with a copy of the user stack (PERF_SAMPLE_STACK_USER). The kernel
 * always reserves the requested size, and stores behind it how many bytes it
 * filled: copies of a sample contain only these.
 */
#ifndef DWELL_RECORD_EVENT_STACK_COPY_H
#define DWELL_RECORD_EVENT_STACK_COPY_H

#include "common/perf/sample.h"

/*
 * The maximum size in bytes that fits a record, whose size is a u16; a multiple
 * of 8.
 */
#define STACK_COPY_MAX RECORD_SIZE_ALIGNED
/* The size in bytes of a shortened copy: about ten frames. */
#define STACK_COPY_CUT KIB(8)

/* The parts of a sample with a stack copy. */
struct stack_copy {
	const uint8_t *record;
	struct sample sample;
	size_t head;	 /* bytes before the size field of the copy */
	size_t reserved; /* bytes reserved for the copy */
	size_t filled;	 /* bytes of the copy that are filled */
	size_t tail;	 /* offset of the data behind the copy */
	size_t end;	 /* offset of the end of the record */
	/* The user part of the call chain, see stack_copy_move_chain(). */
	size_t chain,
		user; /* offsets: of the chain's length, and of its user part */
	uint64_t n_kernel,
		n_user; /* entries of both parts, without the marker */
};

/*
 * Finds the parts of a sample. Returns false if the record is not a sample with
 * a stack copy.
 */
bool stack_copy_find(const struct sample_layout *layout,
	const struct perf_event_header *header, struct stack_copy *ret);
/*
 * Moves the user part of the call chain behind the contents of the copy
 * (userchain.h), unless the whole copy is removed. The size of the
 * sample stays the same.
 */
void stack_copy_move_chain(struct stack_copy *dump);
/*
 * Returns the size in bytes of the sample with at most KEPT bytes of the copy.
 */
size_t stack_copy_size_with(const struct stack_copy *dump, size_t kept);
/* Writes the sample, stack_copy_size_with() bytes, to OUT. */
void stack_copy_write(const struct stack_copy *dump, size_t kept, uint8_t *out);

/*
 * Returns the number of bytes of a copy to keep if FILL_PERCENT of the queue's
 * memory is in use: all, STACK_COPY_CUT, or 0.
 */
size_t stack_copy_kept(unsigned fill_percent);

#endif
