/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deferred user callchains (Linux 6.19). A sample that is taken in the kernel
 * says in its chain only "the user's part follows", with a cookie; the kernel
 * walks the user's stack when the thread returns to it, once for all samples
 * of that entry, and writes a CALLCHAIN_DEFERRED record. Both are joined here,
 * so that the file has whole samples and no such record: readers of today
 * refuse it.
 *
 * Which of both comes out of the rings first isn't certain: they stand in
 * different rings. So both wait, as long as there is room. A sample whose
 * chain never comes (a thread that doesn't return) is put with what it has.
 */
#ifndef DWELL_RECORD_QUEUE_DEFERRED_H
#define DWELL_RECORD_QUEUE_DEFERRED_H

#include "common/perf/sample.h"
#include "record/event/event.h"

/*
 * Asks for them: all EVENTS with callchains, unless stacks are copied anyway,
 * and who writes the records.
 */
void deferred_ask(
	struct selection *selection, struct perf_event_attr *sideband);
/* Whether the kernel has agreed, after probing. */
bool deferred_is_on(const struct perf_event_attr *sideband);
/* Takes out what readers of the file need not know. */
void deferred_hide(struct perf_event_attr *attr);

struct deferred;

/*
 * PUT gets each sample that has waited, borrowed for the call. N_CPUS decides
 * how many chains must be able to wait.
 */
struct deferred *deferred_create(size_t n_cpus,
	void (*put)(void *data, const struct perf_event_header *sample),
	void *data);
void deferred_destroy(struct deferred *deferred);

/* True: the sample was put, or is held; false: it lacks nothing. */
bool deferred_take_sample(struct deferred *deferred,
	const struct sample_layout *layout,
	const struct perf_event_header *header);
/* A CALLCHAIN_DEFERRED; LAYOUT is that of its trailer. */
void deferred_take_chain(struct deferred *deferred,
	const struct sample_layout *layout,
	const struct perf_event_header *header);
/* Nothing more comes: puts what is held. */
void deferred_finish(struct deferred *deferred);
/* Samples that were put without the user's part. */
uint64_t deferred_unjoined(const struct deferred *deferred);

#endif
