/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples with a copy of the user stack (PERF_SAMPLE_STACK_USER). The kernel
 * always reserves the requested size, and stores the number of filled bytes
 * behind the copy. stack_copy_write() keeps only filled bytes.
 */
#ifndef DWELL_RECORD_EVENT_STACK_COPY_H
#define DWELL_RECORD_EVENT_STACK_COPY_H

#include "common/perf/sample.h"

/*
 * The maximum size of a stack copy in bytes that fits a record, whose size is a
 * u16; a multiple of 8.
 */
#define STACK_COPY_MAX RECORD_SIZE_ALIGNED
/* The size in bytes of a shortened stack copy: about ten frames. */
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
		user; /* offsets: length, and user part, of the call chain */
	uint64_t n_kernel,
		n_user; /* call chain entries, without PERF_CONTEXT_USER */
};

/*
 * Finds the parts of a sample. Returns false if the record is not a sample with
 * a stack copy.
 */
bool stack_copy_find(const struct sample_layout *layout,
	const struct perf_event_header *header, struct stack_copy *ret);
/*
 * Makes stack_copy_write() move the user part of the call chain behind the
 * bytes of the stack copy (userchain.h), unless the whole copy is removed. The
 * size of the sample stays the same.
 */
void stack_copy_move_chain(struct stack_copy *dump);
/*
 * Returns the size in bytes of the sample with at most KEPT bytes of the stack
 * copy.
 */
size_t stack_copy_size_with(const struct stack_copy *dump, size_t kept);
/*
 * Writes the sample with at most KEPT bytes of the stack copy to OUT,
 * stack_copy_size_with() bytes.
 */
void stack_copy_write(const struct stack_copy *dump, size_t kept, uint8_t *out);

/*
 * Returns the number of bytes of a stack copy to keep if FILL_PERCENT of the
 * queue's memory is in use: all, STACK_COPY_CUT, or 0.
 */
size_t stack_copy_kept(unsigned fill_percent);

#endif
