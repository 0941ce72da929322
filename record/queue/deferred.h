/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins deferred user call chains to their samples (Linux 6.19). The chain of a
 * sample in the kernel then contains only a cookie for its user part. The
 * kernel unwinds the user stack when the thread returns to user space, once for
 * all samples with that cookie, and writes a CALLCHAIN_DEFERRED record. The
 * file gets complete samples and no CALLCHAIN_DEFERRED records, which current
 * readers reject.
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
 * Requests deferred call chains for all events of SELECTION with call chains
 * but without stack copies, and CALLCHAIN_DEFERRED records from SIDEBAND.
 */
void deferred_request(
	struct selection *selection, struct perf_event_attr *sideband);
/*
 * Returns whether the kernel supports deferred call chains; valid after
 * SIDEBAND was opened.
 */
bool deferred_is_on(const struct perf_event_attr *sideband);
/*
 * Removes the request for deferred call chains from ATTR, which is written to
 * the file.
 */
void deferred_clear_request(struct perf_event_attr *attr);

struct deferred;

/*
 * PUT is called with DATA for each sample that has waited for its call chain;
 * the sample is borrowed during the call. N_CPUS determines how many call
 * chains can wait.
 */
struct deferred *deferred_create(size_t n_cpus,
	void (*put)(void *data, const struct perf_event_header *sample),
	void *data);
void deferred_destroy(struct deferred *deferred);

/*
 * Takes a sample. Returns true if the sample was passed to PUT or is held until
 * its call chain arrives; false if the sample needs no deferred call chain.
 */
bool deferred_take_sample(struct deferred *deferred,
	const struct sample_layout *layout,
	const struct perf_event_header *header);
/*
 * Takes a CALLCHAIN_DEFERRED record, whose sample_id has LAYOUT, and passes the
 * samples that wait for this call chain to PUT.
 */
void deferred_take_chain(struct deferred *deferred,
	const struct sample_layout *layout,
	const struct perf_event_header *header);
/* Passes all held samples to PUT; call this function at the end. */
void deferred_finish(struct deferred *deferred);
/*
 * Returns the number of samples that were passed to PUT without their user
 * part.
 */
uint64_t deferred_unjoined(const struct deferred *deferred);

#endif
