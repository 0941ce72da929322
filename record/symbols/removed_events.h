/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the programs whose samples are missing because the kernel removed the
 * events of their process at the exec (perf_event_exit_task() in
 * begin_new_exec()): programs that run with other privileges than their caller,
 * or that the caller cannot read. The input are sideband records of events that
 * were opened per task. Events that were opened per CPU are not removed.
 */
#ifndef DWELL_RECORD_SYMBOLS_REMOVED_EVENTS_H
#define DWELL_RECORD_SYMBOLS_REMOVED_EVENTS_H

#include "common/perf/record.h"
#include "common/util/array.h"
#include "common/util/strbuf.h"

/* Includes the 0 at the end, as TASK_COMM_LEN of the kernel. */
#define REMOVED_NAME_SIZE 16u

/* A zero-initialized struct is empty. */
struct removed_events {
	/* Processes that executed a program and have no mapping of it yet. */
	ARRAY(struct removed_starting {
		uint32_t pid;
		char name[REMOVED_NAME_SIZE];
	})
	starting;
	/* The first programs whose events were removed, each name once. */
	ARRAY(struct removed_program {
		uint32_t pid; /* of the first of these processes */
		uint64_t n;   /* number of processes */
		char name[REMOVED_NAME_SIZE];
	})
	programs;
	uint64_t n_others; /* processes with other programs */
};

/* Adds a sideband record. Records must be added in the order of time. */
void removed_events_add_record(
	struct removed_events *removed, const struct record *record);
/*
 * Appends a sentence with the programs, the reason and the remedy, escaped for
 * terminals. Appends nothing if no events were removed. IS_ROOT: the recorder
 * ran as root.
 */
void removed_events_put(
	const struct removed_events *removed, bool is_root, struct strbuf *out);
void removed_events_deinit(struct removed_events *removed);

#endif
