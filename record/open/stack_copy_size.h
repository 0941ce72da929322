/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of a stack is copied with each sample, and how large the rings are
 * for it. The kernel takes the whole size from the ring however shallow the
 * stack is: so both depend on each other, and on the rate.
 */
#ifndef DWELL_RECORD_OPEN_STACK_COPY_SIZE_H
#define DWELL_RECORD_OPEN_STACK_COPY_SIZE_H

#include "record/event/selected.h"

/* Whether samples of any event have a copy. */
bool dumping_is_wanted(const struct selection *selection);

/*
 * Makes each copy so small that the record holds it, with all that stands
 * behind it; MAX_STACK is the kernel's limit for call chains.
 */
void dumping_fit_records(struct selection *selection, uint32_t max_stack);

/*
 * Bytes of a ring, a power of two, that holds the samples of 50 ms, for N_CPUS
 * of them; at least LEAST. Root may lock 64 MiB per CPU, and 1 GiB in all.
 */
size_t dumping_ring_size(
	const struct selection *selection, size_t n_cpus, size_t least);

/*
 * Makes all copies so small that a ring of RING_SIZE holds those 50 ms, but no
 * smaller than 4 KiB, unless it holds no two samples then. Returns the new
 * size; 0 if nothing had to change.
 */
uint32_t dumping_fit_ring(struct selection *selection, size_t ring_size);
/* The same only if it holds no sample: the kernel would lose each of them. */
uint32_t dumping_fit_any(struct selection *selection, size_t ring_size);
/*
 * How many samples a ring holds, the largest ones; and whether that are those
 * of 50 ms.
 */
size_t dumping_held(const struct selection *selection, size_t ring_size,
	bool *is_enough_ret);

#endif
