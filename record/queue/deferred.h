/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins deferred user call chains to their samples (Linux 6.19). The chain of a
 * sample in the kernel then contains only a cookie for its user part. The
 * kernel unwinds the user stack when the thread returns to user space, once for
 * all samples with that cookie, and writes a CALLCHAIN_DEFERRED record. The
 * file gets complete samples and none of these records, which current readers
 * reject.
 *
 * Samples and chains can come in either order, because they are in different
 * ring buffers. Both wait while there is room. A sample whose chain never comes
 * (the thread does not return) is written without the user part.
 */
#ifndef DWELL_RECORD_QUEUE_DEFERRED_H
#define DWELL_RECORD_QUEUE_DEFERRED_H

#include "common/perf/sample.h"
#include "record/event/event.h"

/*
 * Requests deferred chains for all EVENTS with call chains but without stack
 * copies, and the records from SIDEBAND.
 */
void deferred_request(
	struct selection *selection, struct perf_event_attr *sideband);
/* Returns whether the kernel supports them; valid after SIDEBAND was opened. */
bool deferred_is_on(const struct perf_event_attr *sideband);
/* Removes the request from an attribute for the file. */
void deferred_clear_request(struct perf_event_attr *attr);

struct deferred;

/*
 * Calls PUT for each sample that has waited; the sample is borrowed during the
 * call. N_CPUS determines how many chains can wait.
 */
struct deferred *deferred_create(size_t n_cpus,
	void (*put)(void *data, const struct perf_event_header *sample),
	void *data);
void deferred_destroy(struct deferred *deferred);

/*
 * Returns true if the sample was put or is held; false if it does not wait for
 * a chain.
 */
bool deferred_take_sample(struct deferred *deferred,
	const struct sample_layout *layout,
	const struct perf_event_header *header);
/* Takes a CALLCHAIN_DEFERRED record; LAYOUT is that of its trailer. */
void deferred_take_chain(struct deferred *deferred,
	const struct sample_layout *layout,
	const struct perf_event_header *header);
/* Puts all held samples; call it at the end. */
void deferred_finish(struct deferred *deferred);
/* Returns the number of samples that were put without their user part. */
uint64_t deferred_unjoined(const struct deferred *deferred);

#endif
