/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a recording ends: a signal, its time, its target's end, or a failure.
 * Signals are taken by the main thread only, with a signalfd.
 */
#ifndef DWELL_RECORD_CONTROL_H
#define DWELL_RECORD_CONTROL_H

#include "common/array.h"
#include "common/error.h"
#include "record/target.h"
#include "record/workload.h"

enum control_end {
	CONTROL_WORKLOAD,    /* the command has ended */
	CONTROL_TARGET,      /* all processes or threads have ended */
	CONTROL_INTERRUPTED, /* SIGINT, SIGTERM, SIGHUP */
	CONTROL_DURATION,
	CONTROL_FAILED,      /* the writing thread says so */
};

struct control {
	int signal_fd;
	int failed_fd; /* eventfd that the writing thread writes to */
	struct workload *workload; /* borrowed */
	/* What -p or -t named and is still there. */
	ARRAY(struct control_task {
		pid_t task;
		int fd; /* a pidfd; -1: the kernel has none for it */
	}) tasks;
};

/*
 * Takes over the signals: to be called when the workload is forked and before
 * any thread is started.
 */
struct error *control_init(
	struct control *control, struct workload *workload) _must_check_;
/* Watches what TARGET names for its end. */
void control_watch(struct control *control, const struct target *target);
void control_deinit(struct control *control);

struct control_wish {
	uint64_t duration_ns; /* 0: no limit; counted from the call */
	uint64_t delay_ns;    /* 0: none; ON_DELAY is called once after it */
	void (*on_delay)(void *data);
	void (*on_second)(void *data); /* called about once a second */
	void *data;
};
/* Waits for the end. */
enum control_end control_wait(
	struct control *control, const struct control_wish *wish);
/* Waits for the workload's end, or a signal. */
void control_wait_workload(struct control *control);
const char *control_end_name(enum control_end end);

#endif
