/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits in the main thread for signals, timers, descriptors and the end of the
 * target, while other threads record. Signals are blocked in all threads and
 * received by a signalfd.
 */
#ifndef DWELL_RECORD_CONTROL_H
#define DWELL_RECORD_CONTROL_H

#include <signal.h>

#include "common/util/array.h"
#include "common/util/error.h"
#include "record/open/target.h"
#include "record/sys/workload.h"

enum control_end {
	CONTROL_RUNNING,
	CONTROL_WORKLOAD,    /* the command ended */
	CONTROL_TARGET,	     /* all processes or threads of -p or -t ended */
	CONTROL_INTERRUPTED, /* SIGINT, SIGTERM, SIGHUP */
	CONTROL_DURATION,
	CONTROL_RANGES,	 /* the last time range of -D is over */
	CONTROL_SIZE,	 /* the file has reached --max-size */
	CONTROL_STOPPED, /* by the command "stop" of --control */
	CONTROL_FAILED,	 /* the file cannot be written */
};

#define CONTROL_NEVER UINT64_MAX

/* Number of signals whose actions control_init() changes. */
#define CONTROL_ACTIONS 3u

struct control {
	int signal_fd;
	/* The actions of before control_init(). */
	struct sigaction old_actions[CONTROL_ACTIONS];
	enum control_end end;
	bool has_typed_interrupt;  /* Ctrl-C, which the command also gets */
	struct workload *workload; /* borrowed */
	/* The processes or threads of -p or -t that have not ended. */
	ARRAY(struct control_task {
		pid_t task;
		int fd; /* pidfd; -1: not supported by this kernel */
	})
	tasks;
	ARRAY(struct control_timer {
		uint64_t at;
		uint64_t (*fire)(void *data, uint64_t now);
		void *data;
	})
	timers;
	ARRAY(struct control_source {
		int fd;
		void (*take)(void *data);
		void *data;
	})
	sources;
	void (*on_usr2)(void *data);
	void *usr2_data;
};

/*
 * Blocks the signals that control_wait() handles, and opens the signalfd. Call
 * this function after the command is forked and before any thread is started.
 */
struct error *control_init(
	struct control *control, struct workload *workload) _must_check_;
/*
 * Makes control_wait() end when all processes or threads of TARGET have ended.
 */
void control_watch(struct control *control, const struct target *target);
void control_deinit(struct control *control);
/*
 * Restores the actions of signals of before control_init(), which the next
 * command that is forked inherits. The signals stay blocked.
 */
void control_restore_actions(const struct control *control);

/*
 * Register functions that control_wait() calls with DATA:
 * control_on_time(): FIRE at the time AT (clock_now_ns()). FIRE returns the
 * time of its next call, or CONTROL_NEVER. If FIRE and DATA are registered
 * already, only the time changes.
 * control_on_fd(): TAKE when FD is readable or was hung up, until
 * control_forget_fd().
 * control_on_usr2(): ON_USR2 on SIGUSR2, which is ignored otherwise.
 */
void control_on_time(struct control *control, uint64_t at,
	uint64_t (*fire)(void *data, uint64_t now), void *data);
void control_on_fd(
	struct control *control, int fd, void (*take)(void *data), void *data);
void control_on_usr2(
	struct control *control, void (*on_usr2)(void *data), void *data);
void control_forget_fd(struct control *control, int fd);

/* Makes control_wait() return END. Only the first call has an effect. */
void control_stop(struct control *control, enum control_end end);
/*
 * Waits until control_stop() is called, a signal arrives or the target ends.
 * Returns why the recording ended.
 */
enum control_end control_wait(struct control *control);
/*
 * Restores the default actions of SIGINT and SIGTERM, so that they end the
 * recorder at once. Needed while a stream is closed, because the program that
 * reads the stream may have stopped reading.
 */
void control_restore_signals(void);
/*
 * Reads all pending signals. Returns true if one of these signals ends the
 * recording.
 */
bool control_take_signals(struct control *control);
/* Waits until the workload ends or a signal arrives. */
void control_wait_workload(struct control *control);
const char *control_end_name(enum control_end end);

#endif
