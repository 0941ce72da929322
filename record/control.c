/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>

#include "common/util/clock.h"

/* PIDFD_THREAD of linux/pidfd.h (Linux 6.9): open a pidfd of a thread. */
#define PIDFD_OF_THREAD O_EXCL
/* The interval at which tasks without a pidfd are checked. */
#define TASK_CHECK_NS (100 * NSEC_PER_MSEC)

static const int changed_actions[CONTROL_ACTIONS] = { SIGCHLD, SIGPIPE,
	SIGXFSZ };

struct error *control_init(struct control *control, struct workload *workload)
{
	sigset_t signals;
	size_t i;

	*control = (struct control){ .signal_fd = -1, .workload = workload };
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGUSR2);
	/* nohup ignores SIGHUP; keep SIGHUP ignored. */
	struct sigaction action;
	if (!(sigaction(SIGHUP, NULL, &action) == 0 &&
		    action.sa_handler == SIG_IGN))
		sigaddset(&signals, SIGHUP);
	for (i = 0; i < CONTROL_ACTIONS; i++)
		sigaction(changed_actions[i], NULL, &control->old_actions[i]);
	/* If SIGCHLD were ignored, waitpid() would not return the status. */
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	/* Makes write() fail with EFBIG at the file size limit. */
	signal(SIGXFSZ, SIG_IGN);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	control->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (control->signal_fd < 0)
		return error_errno(errno, "cannot create a signalfd");
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
	array_free(&control->timers);
	array_free(&control->sources);
	if (control->signal_fd >= 0)
		close(control->signal_fd);
}

void control_on_time(struct control *control, uint64_t at,
	uint64_t (*fire)(void *data, uint64_t now), void *data)
{
	array_each(&control->timers, timer) {
		if (timer->fire == fire && timer->data == data) {
			timer->at = at;
			return;
		}
	}
	*array_push(&control->timers) =
		(struct control_timer){ at, fire, data };
}

void control_on_fd(
	struct control *control, int fd, void (*take)(void *data), void *data)
{
	*array_push(&control->sources) =
		(struct control_source){ fd, take, data };
}

void control_on_usr2(
	struct control *control, void (*on_usr2)(void *data), void *data)
{
	control->on_usr2 = on_usr2;
	control->usr2_data = data;
}

/*
 * Keeps the element in .sources: a TAKE function may call control_forget_fd()
 * while .sources is iterated.
 */
void control_forget_fd(struct control *control, int fd)
{
	array_each(&control->sources, source)
		if (source->fd == fd)
			source->fd = -1;
}

void control_stop(struct control *control, enum control_end end)
{
	if (control->end == CONTROL_RUNNING)
		control->end = end;
}

bool control_take_signals(struct control *control)
{
	struct signalfd_siginfo info;
	bool ends_recording = false;

	while (read(control->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR2 && control->on_usr2)
			control->on_usr2(control->usr2_data);
		control->has_typed_interrupt |=
			info.ssi_signo == SIGINT && info.ssi_code == SI_KERNEL;
		ends_recording |=
			info.ssi_signo != SIGUSR2 && info.ssi_signo != SIGCHLD;
	}
	return ends_recording;
}

/*
 * Removes the tasks that have ended. POLLS contains the poll(2) results of the
 * pidfds, in the order of .tasks.
 */
static void forget_ended(struct control *control, const struct pollfd *polls)
{
	size_t i = control->tasks.n;

	while (i-- > 0) {
		bool has_ended = control->tasks.at[i].fd >= 0
			? polls[i].revents != 0
			: task_owner(control->tasks.at[i].task) == 0;

		if (has_ended) {
			struct control_task *task = &control->tasks.at[i];

			if (task->fd >= 0)
				close(task->fd);
			*task = control->tasks.at[--control->tasks.n];
		}
	}
}

enum control_end control_wait(struct control *control)
{
	while (control->end == CONTROL_RUNNING) {
		_cleanup_free_ struct pollfd *polls =
			xcalloc(control->tasks.n + control->sources.n + 1,
				sizeof(*polls));
		const struct pollfd *sources = polls + control->tasks.n;
		uint64_t next = CONTROL_NEVER;
		bool needs_polling = false;
		nfds_t n = 0;

		array_each(&control->timers, timer)
			next = MIN(next, timer->at);
		array_each(&control->tasks, task) {
			needs_polling |= task->fd < 0;
			polls[n++] = (struct pollfd){ task->fd, POLLIN, 0 };
		}
		array_each(&control->sources, source)
			polls[n++] = (struct pollfd){ source->fd, POLLIN, 0 };
		polls[n++] = (struct pollfd){ control->signal_fd, POLLIN, 0 };
		if (needs_polling)
			next = MIN(next, clock_now_ns() + TASK_CHECK_NS);
		uint64_t t = clock_now_ns(), left = next > t ? next - t : 0;
		struct timespec timeout = { (time_t)(left / NSEC_PER_SEC),
			(long)(left % NSEC_PER_SEC) };

		ppoll(polls, n, next == CONTROL_NEVER ? NULL : &timeout, NULL);
		if (control_take_signals(control))
			control_stop(control, CONTROL_INTERRUPTED);
		size_t i, n_sources = control->sources.n;

		for (i = 0; i < n_sources; i++)
			if (sources[i].revents)
				control->sources.at[i].take(
					control->sources.at[i].data);
		bool has_tasks = control->tasks.n > 0;

		if (control->workload->pid > 0 &&
			workload_has_ended(control->workload))
			control_stop(control, CONTROL_WORKLOAD);
		forget_ended(control, polls);
		if (has_tasks && !control->tasks.n)
			control_stop(control, CONTROL_TARGET);
		if (control->end != CONTROL_RUNNING)
			break;
		t = clock_now_ns();
		array_each(&control->timers, timer)
			if (t >= timer->at)
				timer->at = timer->fire(timer->data, t);
	}
	return control->end;
}

void control_restore_actions(const struct control *control)
{
	size_t i;

	for (i = 0; i < CONTROL_ACTIONS; i++)
		sigaction(changed_actions[i], &control->old_actions[i], NULL);
}

void control_restore_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	/*
	 * Unblocking is not enough: a shell starts background jobs with SIGINT
	 * ignored.
	 */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

void control_wait_workload(struct control *control)
{
	struct pollfd poll_signals = { control->signal_fd, POLLIN, 0 };

	while (!workload_has_ended(control->workload)) {
		ppoll(&poll_signals, 1, NULL, NULL);
		if (control_take_signals(control))
			return;
	}
}

const char *control_end_name(enum control_end end)
{
	switch (end) {
	case CONTROL_WORKLOAD: return "command ended";
	case CONTROL_TARGET: return "target ended";
	case CONTROL_INTERRUPTED: return "interrupted";
	case CONTROL_DURATION: return "duration";
	case CONTROL_RANGES: return "ranges over";
	case CONTROL_SIZE: return "size reached";
	case CONTROL_STOPPED: return "stopped";
	default: return "failed";
	}
}
