/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The identity of a thread. The kernel gives the IDs of ended processes and
 * threads to new ones, so that PID and TID alone are no identity: the uses
 * (maps_context()) tell the processes and threads with equal IDs apart.
 */
#ifndef DWELL_REPORT_SURVEY_THREAD_IDS_H
#define DWELL_REPORT_SURVEY_THREAD_IDS_H

#include <inttypes.h>

#include "common/maps/maps.h"
#include "common/perf/sample.h"
#include "common/util/base.h"
#include "common/util/hash.h"
#include "common/util/strbuf.h"

struct thread_ids {
	uint32_t pid, pid_use;
	uint32_t tid, tid_use;
};

/* Returns the thread of SAMPLE. AT is the thread's context at that time. */
static inline struct thread_ids thread_ids_of(
	const struct sample *sample, const struct maps_context *at)
{
	return (struct thread_ids){ sample->pid, at->pid_use, sample->tid,
		at->tid_use };
}

static inline int thread_ids_compare(
	const struct thread_ids *a, const struct thread_ids *b)
{
	if (a->pid != b->pid)
		return COMPARE(a->pid, b->pid);
	if (a->pid_use != b->pid_use)
		return COMPARE(a->pid_use, b->pid_use);
	if (a->tid != b->tid)
		return COMPARE(a->tid, b->tid);
	return COMPARE(a->tid_use, b->tid_use);
}

static inline uint64_t thread_ids_hash(const struct thread_ids *ids)
{
	return hash_words((uint64_t)ids->pid << 32 | ids->tid,
		(uint64_t)ids->pid_use << 32 | ids->tid_use);
}

/*
 * Appends a process or thread ID: "1234", and "1234.1" for the second process or
 * thread with this ID.
 */
static inline void thread_ids_put(uint32_t id, uint32_t use, struct strbuf *out)
{
	strbuf_printf(out, "%" PRIu32, id);
	if (use)
		strbuf_printf(out, ".%" PRIu32, use);
}

#endif
