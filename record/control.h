/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the main thread waits for while others record: signals, times,
 * descriptors, and the end of the recording, whatever brings it about.
 * Signals are taken by this thread only, with a signalfd.
 */
#ifndef DWELL_RECORD_CONTROL_H
#define DWELL_RECORD_CONTROL_H

#include "common/util/array.h"
#include "common/util/error.h"
#include "record/open/target.h"
#include "record/sys/workload.h"

enum control_end {
	CONTROL_RUNNING,
	CONTROL_WORKLOAD,    /* the command has ended */
	CONTROL_TARGET,      /* all processes or threads have ended */
	CONTROL_INTERRUPTED, /* SIGINT, SIGTERM, SIGHUP */
	CONTROL_DURATION,
	CONTROL_RANGES,      /* the last range of -D is over */
	CONTROL_SIZE,        /* the file is as large as it may be */
	CONTROL_STOPPED,     /* by --control */
	CONTROL_FAILED,      /* the file can't be written any more */
};

#define CONTROL_NEVER UINT64_MAX

struct control {
	int signal_fd;
	enum control_end end;
	struct workload *workload; /* borrowed */
	/* What -p or -t named and is still there. */
	ARRAY(struct control_task {
		pid_t task;
		int fd; /* a pidfd; -1: the kernel has none for it */
	}) tasks;
	ARRAY(struct control_timer {
		uint64_t at;
		uint64_t (*fire)(void *data, uint64_t now);
		void *data;
	}) timers;
	ARRAY(struct control_source {
		int fd;
		void (*take)(void *data);
		void *data;
	}) sources;
	void (*on_usr2)(void *data);
	void *usr2_data;
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

/*
 * What control_wait() shall call: FIRE at a time (clock_now_ns()), which gives
 * the next one, or CONTROL_NEVER, and whose time changes when it is named
 * again with the same DATA; TAKE when FD can be read or was hung up,
 * until it is forgotten; ON_USR2 for SIGUSR2, which does nothing else.
 */
void control_on_time(struct control *control, uint64_t at,
	uint64_t (*fire)(void *data, uint64_t now), void *data);
void control_on_fd(struct control *control, int fd, void (*take)(void *data),
	void *data);
void control_on_usr2(
	struct control *control, void (*on_usr2)(void *data), void *data);
void control_forget_fd(struct control *control, int fd);

/* Ends control_wait(); the first reason counts. */
void control_stop(struct control *control, enum control_end end);
/* Waits for the end. */
enum control_end control_wait(struct control *control);
/*
 * From now on SIGINT and SIGTERM end the recorder at once: who reads a stream
 * may have stopped reading, and then nothing else would.
 */
void control_let_go(void);
/* Waits for the workload's end, or a signal. */
void control_wait_workload(struct control *control);
const char *control_end_name(enum control_end end);

#endif
