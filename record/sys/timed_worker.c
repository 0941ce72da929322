/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/timed_worker.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/log.h"

/*
 * The maximum number of threads that hang. This limits the cost of a hanging
 * file system to three threads and three times LIMIT_MS, however many files of
 * the file system are opened. The file system of a file cannot be determined
 * without a system call that may hang, too.
 */
#define HANGING_THREADS_MAX 3u

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

/*
 * Waits until DEADLINE for the job of THREAD. Returns false if the job is not
 * done; THREAD is then abandoned.
 */
static bool wait_for_end(
	struct worker_thread *thread, const struct timespec *deadline)
{
	pthread_t number = thread->thread;

	while (sem_clockwait(&thread->is_done, CLOCK_MONOTONIC, deadline)) {
		if (errno == EINTR)
			continue;
		if (__atomic_exchange_n(&thread->state, JOB_IS_ABANDONED,
			    __ATOMIC_ACQ_REL) != JOB_IS_DONE) {
			/* THREAD can be freed now. */
			pthread_detach(number);
			return false;
		}
		/* The job ended at the deadline. */
		while (sem_wait(&thread->is_done))
			;
		break;
	}
	return true;
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

bool timed_worker_run(struct timed_worker *worker, struct timed_job *job)
{
	if (!worker->thread && worker->n_hanging < HANGING_THREADS_MAX)
		worker->thread = create_worker_thread();
	if (!worker->thread) {
		job->drop(job);
		return false;
	}
	/*
	 * Pass JOB to the thread, and abandon the thread if JOB is not done in
	 * time.
	 */
	struct worker_thread *thread = worker->thread;
	uint64_t until = clock_now_ns() + worker->limit_ms * NSEC_PER_MSEC;
	struct timespec deadline = {
		.tv_sec = (time_t)(until / NSEC_PER_SEC),
		.tv_nsec = (long)(until % NSEC_PER_SEC),
	};

	thread->job = job;
	thread->state = JOB_RUNS;
	sem_post(&thread->has_job);
	if (wait_for_end(thread, &deadline))
		return true;
	worker->thread = NULL;
	if (++worker->n_hanging == HANGING_THREADS_MAX)
		log_note("cannot read %u files of sampled processes: a file "
			 "system does not respond. No more files of "
			 "sampled processes are read, and symbols may be "
			 "missing",
			HANGING_THREADS_MAX);
	return false;
}
