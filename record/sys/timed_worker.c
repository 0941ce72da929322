/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/timed_worker.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/log.h"
#include "record/sys/sysfile.h"

/*
 * The maximum number of threads that hang. This limits the cost of a hanging
 * file system to three threads and three times LIMIT_MS, however many files of
 * the file system are opened. The file system of a file cannot be determined
 * without a system call that may hang, too.
 */
#define HANGING_THREADS_MAX 3u
/* A stopped job may take the CPU time of its limit again until it ends. */
#define STOPPED_LIMITS 2u
/* The share of the limit after which the times of a thread are read: most jobs end before. */
#define FIRST_SHARE 8u

enum job_state {
	JOB_RUNS,
	JOB_IS_DONE,
	JOB_IS_ABANDONED, /* the time limit of the job has passed */
};

/*
 * Each job takes one wakeup of the thread and one of the caller: no lock is held
 * at a wakeup, which the woken thread would have to wait for.
 */
struct worker_thread {
	pthread_t thread;
	pid_t tid; /* atomic; 0 until the thread runs */
	sem_t has_job, is_done;
	struct timed_job *job; /* NULL: no more jobs will come */
	enum job_state state;  /* atomic */
};

struct timed_worker {
	struct worker_thread *thread; /* runs the jobs; NULL until needed */
	unsigned limit_ms, n_hanging;
};

struct timed_worker *timed_worker_create(unsigned limit_ms)
{
	struct timed_worker *worker = xcalloc(1, sizeof(*worker));

	worker->limit_ms = limit_ms;
	return worker;
}

static void free_worker_thread(struct worker_thread *thread)
{
	sem_destroy(&thread->has_job);
	sem_destroy(&thread->is_done);
	free(thread);
}

static struct timed_job *wait_for_job(struct worker_thread *thread)
{
	while (sem_wait(&thread->has_job))
		;
	return thread->job;
}

static void *run_timed_jobs(void *data)
{
	struct worker_thread *thread = data;
	struct timed_job *job;

	__atomic_store_n(&thread->tid, gettid(), __ATOMIC_RELAXED);
	while ((job = wait_for_job(thread))) {
		job->work(job);
		if (__atomic_exchange_n(&thread->state, JOB_IS_DONE,
			    __ATOMIC_ACQ_REL) == JOB_IS_ABANDONED) {
			job->drop(job);
			free_worker_thread(thread);
			break;
		}
		sem_post(&thread->is_done);
	}
	return NULL;
}

static struct worker_thread *create_worker_thread(void)
{
	struct worker_thread *thread = xcalloc(1, sizeof(*thread));

	sem_init(&thread->has_job, 0, 0);
	sem_init(&thread->is_done, 0, 0);
	if (!pthread_create(&thread->thread, NULL, run_timed_jobs, thread))
		return thread;
	free_worker_thread(thread);
	return NULL;
}

/* Times of a thread, in nanoseconds. */
struct thread_times {
	uint64_t now, cpu;
	uint64_t delay; /* for which it could run, but waited for a CPU */
};

static struct thread_times read_thread_times(const struct worker_thread *thread)
{
	struct thread_times times = { .now = clock_now_ns() };
	_cleanup_free_ char *path = xasprintf("/proc/self/task/%d/schedstat",
		(int)__atomic_load_n(&thread->tid, __ATOMIC_RELAXED));
	struct timespec cpu;
	char line[128];
	clockid_t clock;

	if (!pthread_getcpuclockid(thread->thread, &clock) &&
		!clock_gettime(clock, &cpu))
		times.cpu = clock_ns(&cpu);
	/* Kernels without CONFIG_SCHED_INFO do not have this file. */
	if (sysfile_line(path, line, sizeof(line)))
		sscanf(line, "%*u %" SCNu64, &times.delay);
	return times;
}

/* How long a job took, in nanoseconds. */
struct job_times {
	uint64_t blocked, cpu;
};

static struct job_times job_times_since(
	const struct worker_thread *thread, const struct thread_times *start)
{
	struct thread_times end = read_thread_times(thread);
	uint64_t cpu = end.cpu - start->cpu;
	uint64_t delay =
		end.delay > start->delay ? end.delay - start->delay : 0;
	uint64_t active = cpu + delay;
	uint64_t all = end.now - start->now;

	return (struct job_times){ all - MIN(all, active), cpu };
}

/*
 * Waits for NS nanoseconds, at least one millisecond. Returns true if the job of THREAD is
 * done.
 */
static bool wait_for_end(struct worker_thread *thread, uint64_t ns)
{
	uint64_t until = clock_now_ns() + MAX(ns, NSEC_PER_MSEC);
	struct timespec deadline = {
		.tv_sec = (time_t)(until / NSEC_PER_SEC),
		.tv_nsec = (long)(until % NSEC_PER_SEC),
	};

	while (sem_clockwait(&thread->is_done, CLOCK_MONOTONIC, &deadline))
		if (errno != EINTR)
			return false;
	/* The thread sanitizer does not know sem_clockwait(). */
	return __atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) == JOB_IS_DONE;
}

/*
 * Waits until the job of THREAD exceeds a limit. Returns true if the job is done.
 * *IS_BLOCKED_RET is true if it was blocked for longer than LIMIT_NS.
 */
static bool wait_within_limits(
	struct worker_thread *thread, uint64_t limit_ns, bool *is_blocked_ret)
{
	struct job_times times = { 0 };
	struct thread_times start;

	*is_blocked_ret = false;
	if (wait_for_end(thread, limit_ns / FIRST_SHARE))
		return true;
	start = read_thread_times(thread);
	while (times.blocked < limit_ns &&
		times.cpu < STOPPED_LIMITS * limit_ns) {
		/* The next time at which the job can have exceeded a limit. */
		uint64_t cpu_limit = times.cpu < limit_ns
			? limit_ns
			: STOPPED_LIMITS * limit_ns;

		if (wait_for_end(thread,
			    MIN(limit_ns - times.blocked,
				    cpu_limit - times.cpu)))
			return true;
		times = job_times_since(thread, &start);
		if (MAX(times.blocked, times.cpu) >= limit_ns)
			thread->job->is_abandoned = true;
	}
	*is_blocked_ret = times.blocked >= limit_ns;
	return false;
}

/*
 * Abandons THREAD, which can be freed then, with its job. Returns false if the job has
 * ended meanwhile.
 */
static bool abandon_worker_thread(struct worker_thread *thread)
{
	pthread_t number = thread->thread;

	if (__atomic_exchange_n(&thread->state, JOB_IS_ABANDONED,
		    __ATOMIC_ACQ_REL) != JOB_IS_DONE) {
		pthread_detach(number);
		return true;
	}
	while (sem_wait(&thread->is_done))
		;
	return false;
}

void timed_worker_destroy(struct timed_worker *worker)
{
	struct worker_thread *thread;

	if (!worker)
		return;
	thread = worker->thread;
	if (thread) {
		thread->job = NULL;
		sem_post(&thread->has_job);
		pthread_join(thread->thread, NULL);
		free_worker_thread(thread);
	}
	free(worker);
}

bool timed_worker_is_ended(const struct timed_worker *worker)
{
	return worker->n_hanging == HANGING_THREADS_MAX;
}

bool timed_worker_run(struct timed_worker *worker, struct timed_job *job)
{
	if (!worker->thread && !timed_worker_is_ended(worker))
		worker->thread = create_worker_thread();
	if (!worker->thread) {
		job->drop(job);
		return false;
	}
	/*
	 * Pass JOB to the thread, and abandon the thread if JOB does not end.
	 */
	struct worker_thread *thread = worker->thread;
	bool is_blocked;

	thread->job = job;
	thread->state = JOB_RUNS;
	sem_post(&thread->has_job);
	if (wait_within_limits(
		    thread, worker->limit_ms * NSEC_PER_MSEC, &is_blocked) ||
		!abandon_worker_thread(thread)) {
		bool is_abandoned = job->is_abandoned;

		if (is_abandoned)
			job->drop(job);
		return !is_abandoned;
	}
	worker->thread = NULL;
	worker->n_hanging++;
	if (timed_worker_is_ended(worker))
		log_note("cannot read %u files of sampled processes: %s. No "
			 "more files of sampled processes are read, and "
			 "symbols may be missing",
			HANGING_THREADS_MAX,
			is_blocked ? "a file system does not respond"
				   : "they take too much CPU time");
	return false;
}
