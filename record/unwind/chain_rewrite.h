/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rewrites samples with a stack copy as samples with a complete call chain and
 * without a stack copy. The call chain has the kernel part as the kernel
 * recorded it, then the unwound user part. Readers process such a recording as
 * one with frame pointer call chains (doc/format.md).
 */
#ifndef DWELL_RECORD_UNWIND_CHAIN_REWRITE_H
#define DWELL_RECORD_UNWIND_CHAIN_REWRITE_H

#include "common/perf/sample.h"
#include "record/event/selection.h"

/*
 * Changes ATTR of an event with stack copies to the attributes of the written
 * samples. An ATTR without stack copies is not changed. Only the registers in
 * the mask KEPT, which the user requested, remain. sample_stack_user remains:
 * its value shows readers that call chains can contain marks (frame_origin.h).
 */
void chain_rewrite_attr(struct perf_event_attr *attr, uint64_t kept);

/* Returns the attributes of EVENT as the recorder writes them to the file. */
struct perf_event_attr chain_rewrite_written_attr(
	const struct selection *selection, const struct selection_event *event);
/* Returns true if an event has stack copies that are not written. */
bool chain_rewrite_is_needed(const struct selection *selection);

/* A sample from a ring buffer, and the offsets of its fields. */
struct chain_rewrite {
	const uint8_t *record;
	const struct sample_layout *layout; /* borrowed */
	struct sample sample;
	size_t chain, chain_end; /* offsets of the call chain's entry count and
				    of the end of the call chain */
	size_t registers, stack; /* offsets of registers and stack copy */
	size_t tail, end;	 /* offsets of stack copy end and record end */
	uint64_t n_kernel;	 /* chain entries before the user part */
	uint64_t user, n_user;	 /* index and number of user entries in the call
				    chain, without PERF_CONTEXT_USER */
	/* struct chain_linked in the call chain, unaligned; borrowed */
	const uint8_t *linked;
	size_t n_linked;
	uint64_t sampled, kept; /* masks of recorded and of written registers */
};

/* The event of a sample, as the kernel records it. */
struct chain_rewrite_event {
	struct sample_layout layout;
	uint64_t sampled, kept; /* masks of recorded and of written registers */
};
/* Returns entry I, below .n_user, of the user part of the call chain. */
static inline uint64_t chain_rewrite_user_entry(
	const struct chain_rewrite *rewrite, uint64_t i)
{
	return sample_chain_entry(&rewrite->sample, rewrite->user + i);
}

/* Returns false if RECORD is not a sample of EVENT with a stack copy. */
bool chain_rewrite_read(const struct chain_rewrite_event *event,
	const uint8_t *record, struct chain_rewrite *ret);

/*
 * Returns the size of the rewritten sample with N addresses in the user part.
 * The size does not exceed RECORD_SIZE_MAX if N is at most
 * chain_rewrite_max_addresses().
 */
size_t chain_rewrite_size(const struct chain_rewrite *rewrite, size_t n);
size_t chain_rewrite_max_addresses(const struct chain_rewrite *rewrite);
/*
 * Writes the sample with N ADDRESSES as user part: chain_rewrite_size() bytes.
 */
void chain_rewrite_write(const struct chain_rewrite *rewrite,
	const uint64_t *addresses, size_t n, uint8_t *out);
/* Replaces the sampled address in OUT, the rewritten sample, by IP. */
void chain_rewrite_set_ip(
	const struct chain_rewrite *rewrite, uint64_t ip, uint8_t *out);

#endif
