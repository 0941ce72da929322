/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the size of stack copies and of the ring buffers for them. The kernel
 * takes the whole size of a copy from the ring buffer, however deep the stack
 * is, so both sizes depend on each other and on the sampling rate.
 */
#ifndef DWELL_RECORD_OPEN_STACK_COPY_SIZE_H
#define DWELL_RECORD_OPEN_STACK_COPY_SIZE_H

#include "record/event/selection.h"

/* Returns whether any event has stack copies. */
bool stack_copy_is_sampled(const struct selection *selection);

/*
 * Limits the stack copy of each event so that a sample with all other fields
 * fits a record. MAX_STACK is the kernel's limit of call chain entries.
 */
void stack_copy_fit_records(struct selection *selection, uint32_t max_stack);

/*
 * Returns the size in bytes, a power of two and at least LEAST, of a ring
 * buffer that holds the samples of 50 ms, limited to 64 MiB, and to 1 GiB for
 * all N_CPUS ring buffers together.
 */
size_t stack_copy_ring_size(
	const struct selection *selection, size_t n_cpus, size_t least);

/*
 * Limits all stack copies so that a ring buffer of RING_SIZE bytes holds the
 * samples of 50 ms, but to no less than 4 KiB, unless the ring buffer then
 * holds fewer than two samples. Returns the new size of stack copies in bytes,
 * or 0 if nothing changed.
 */
uint32_t stack_copy_fit_ring(struct selection *selection, size_t ring_size);
/*
 * If a ring buffer of RING_SIZE bytes holds no sample at all, so that the
 * kernel would lose each sample, limits all stack copies so that it holds two.
 * Returns the new size of stack copies in bytes, or 0 if nothing changed.
 */
uint32_t stack_copy_fit_any(struct selection *selection, size_t ring_size);
/*
 * Returns how many samples of the largest size a ring buffer of RING_SIZE bytes
 * holds. Sets IS_ENOUGH_RET if the ring buffer holds the samples of 50 ms.
 */
size_t stack_copy_samples_in_ring(const struct selection *selection,
	size_t ring_size, bool *is_enough_ret);

#endif
