/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>

#include "common/clock.h"

/* linux/pidfd.h, Linux 6.9: a pidfd of a thread. */
#define PIDFD_OF_THREAD O_EXCL
/* How often tasks without a pidfd are looked at. */
#define LOOK_NS (100 * NSEC_PER_MSEC)
/* The descriptors beside those of the tasks. */
#define FIXED_FDS 2

static bool is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 &&
		action.sa_handler == SIG_IGN;
}

struct error *control_init(struct control *control, struct workload *workload)
{
	sigset_t signals;

	*control = (struct control){ .signal_fd = -1, .workload = workload };
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGCHLD);
	/* Under nohup it stays ignored. */
	if (!is_ignored(SIGHUP))
		sigaddset(&signals, SIGHUP);
	/* An ignored SIGCHLD would take the workload's status away. */
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	/* A file size limit is an error of write(), as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	control->failed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	control->signal_fd =
		signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (control->failed_fd < 0 || control->signal_fd < 0)
		return error_errno(errno, "signalfd");
	return NULL;
}

static void watch_task(struct control *control, pid_t task, unsigned flags)
{
	int fd = (int)syscall(SYS_pidfd_open, task, flags);

	*array_push(&control->tasks) = (struct control_task){ task, fd };
}

void control_watch(struct control *control, const struct target *target)
{
	if (target->kind == TARGET_PROCESSES)
		array_each(&target->pids.list, pid)
			watch_task(control, *pid, 0);
	if (target->kind == TARGET_THREADS)
		array_each(&target->tids.list, tid)
			watch_task(control, *tid, PIDFD_OF_THREAD);
}

void control_deinit(struct control *control)
{
	array_each(&control->tasks, task)
		if (task->fd >= 0)
			close(task->fd);
	array_free(&control->tasks);
	if (control->signal_fd >= 0)
		close(control->signal_fd);
	if (control->failed_fd >= 0)
		close(control->failed_fd);
}

/* Takes all signals that wait. True if one of them asks to end. */
static bool take_signals(struct control *control)
{
	struct signalfd_siginfo info;
	bool is_asked = false;

	while (read(control->signal_fd, &info, sizeof(info)) == sizeof(info))
		is_asked |= info.ssi_signo != SIGCHLD;
	return is_asked;
}

static void forget_task(struct control *control, size_t i)
{
	struct control_task *task = &control->tasks.at[i];

	if (task->fd >= 0)
		close(task->fd);
	*task = control->tasks.at[--control->tasks.n];
}

/* Forgets the tasks that have ended; POLLS has their pidfds. */
static void forget_ended(struct control *control, const struct pollfd *polls)
{
	size_t i = control->tasks.n;

	while (i-- > 0) {
		bool has_ended = control->tasks.at[i].fd >= 0
			? polls[FIXED_FDS + i].revents != 0
			: target_owner(control->tasks.at[i].task) == 0;

		if (has_ended)
			forget_task(control, i);
	}
}

static bool needs_looking(const struct control *control)
{
	array_each(&control->tasks, task)
		if (task->fd < 0)
			return true;
	return false;
}

static struct pollfd *make_polls(const struct control *control)
{
	struct pollfd *polls = xcalloc(
		FIXED_FDS + control->tasks.n, sizeof(struct pollfd));
	size_t i;

	polls[0] = (struct pollfd){ control->signal_fd, POLLIN, 0 };
	polls[1] = (struct pollfd){ control->failed_fd, POLLIN, 0 };
	for (i = 0; i < control->tasks.n; i++)
		polls[FIXED_FDS + i] = (struct pollfd){
			control->tasks.at[i].fd, POLLIN, 0 };
	return polls;
}

/* Waits until something happens, or NEXT (ns) has come. */
static void wait_until(struct control *control, struct pollfd *polls,
	uint64_t next)
{
	uint64_t left, t = clock_now_ns();
	struct timespec timeout;

	if (needs_looking(control))
		next = MIN(next, t + LOOK_NS);
	left = next > t ? next - t : 0;
	timeout = (struct timespec){ (time_t)(left / NSEC_PER_SEC),
		(long)(left % NSEC_PER_SEC) };
	ppoll(polls, FIXED_FDS + control->tasks.n, &timeout, NULL);
}

/* The times at which something is due; UINT64_MAX: never. */
struct due {
	uint64_t end, delay, second;
};

static void do_what_is_due(const struct control_wish *wish, struct due *due)
{
	uint64_t t = clock_now_ns();

	if (t >= due->delay) {
		due->delay = UINT64_MAX;
		wish->on_delay(wish->data);
	}
	if (t >= due->second) {
		due->second = t + NSEC_PER_SEC;
		wish->on_second(wish->data);
	}
}

enum control_end control_wait(
	struct control *control, const struct control_wish *wish)
{
	bool has_tasks = control->tasks.n > 0;
	uint64_t start = clock_now_ns(), next;
	struct due due = {
		.end = wish->duration_ns ? start + wish->duration_ns
					 : UINT64_MAX,
		.delay = wish->delay_ns ? start + wish->delay_ns : UINT64_MAX,
		.second = start + NSEC_PER_SEC,
	};

	for (;;) {
		_cleanup_free_ struct pollfd *polls = make_polls(control);

		next = MIN(due.end, due.delay);
		wait_until(control, polls, MIN(next, due.second));
		if (take_signals(control))
			return CONTROL_INTERRUPTED;
		if (polls[1].revents)
			return CONTROL_FAILED;
		if (control->workload->pid > 0 &&
			workload_has_ended(control->workload))
			return CONTROL_WORKLOAD;
		forget_ended(control, polls);
		if (has_tasks && !control->tasks.n)
			return CONTROL_TARGET;
		if (clock_now_ns() >= due.end)
			return CONTROL_DURATION;
		do_what_is_due(wish, &due);
	}
}

void control_wait_workload(struct control *control)
{
	struct pollfd poll_signals = { control->signal_fd, POLLIN, 0 };

	while (!workload_has_ended(control->workload)) {
		ppoll(&poll_signals, 1, NULL, NULL);
		if (take_signals(control))
			return;
	}
}

const char *control_end_name(enum control_end end)
{
	switch (end) {
	case CONTROL_WORKLOAD:
		return "command ended";
	case CONTROL_TARGET:
		return "target ended";
	case CONTROL_INTERRUPTED:
		return "interrupted";
	case CONTROL_DURATION:
		return "duration";
	default:
		return "failed";
	}
}
