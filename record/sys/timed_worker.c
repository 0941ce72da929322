/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/timed_worker.h"

#include <pthread.h>
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

struct worker_thread {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t has_job, is_done;
	struct timed_job *job; /* NULL: no job to do */
	bool is_abandoned;     /* the time limit of its job has passed */
	bool is_closed;	       /* no more jobs will come */
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
	pthread_mutex_destroy(&thread->lock);
	pthread_cond_destroy(&thread->has_job);
	pthread_cond_destroy(&thread->is_done);
	free(thread);
}

static struct timed_job *wait_for_job(struct worker_thread *thread)
{
	struct timed_job *job;

	pthread_mutex_lock(&thread->lock);
	while (!thread->job && !thread->is_closed)
		pthread_cond_wait(&thread->has_job, &thread->lock);
	job = thread->job;
	pthread_mutex_unlock(&thread->lock);
	return job;
}

static void *run_timed_jobs(void *data)
{
	struct worker_thread *thread = data;
	struct timed_job *job;
	bool is_abandoned = false;

	while (!is_abandoned && (job = wait_for_job(thread))) {
		job->work(job);
		pthread_mutex_lock(&thread->lock);
		thread->job = NULL;
		is_abandoned = thread->is_abandoned;
		pthread_cond_signal(&thread->is_done);
		pthread_mutex_unlock(&thread->lock);
	}
	if (is_abandoned) {
		job->drop(job);
		free_worker_thread(thread);
	}
	return NULL;
}

static struct worker_thread *create_worker_thread(void)
{
	struct worker_thread *thread = xcalloc(1, sizeof(*thread));

	pthread_mutex_init(&thread->lock, NULL);
	pthread_cond_init(&thread->has_job, NULL);
	pthread_cond_init(&thread->is_done, NULL);
	if (!pthread_create(&thread->thread, NULL, run_timed_jobs, thread))
		return thread;
	free_worker_thread(thread);
	return NULL;
}

void timed_worker_destroy(struct timed_worker *worker)
{
	struct worker_thread *thread;

	if (!worker)
		return;
	thread = worker->thread;
	if (thread) {
		pthread_mutex_lock(&thread->lock);
		thread->is_closed = true;
		pthread_cond_signal(&thread->has_job);
		pthread_mutex_unlock(&thread->lock);
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
	int is_late = 0;
	bool is_done;

	pthread_mutex_lock(&thread->lock);
	thread->job = job;
	pthread_cond_signal(&thread->has_job);
	while (thread->job && !is_late)
		is_late = pthread_cond_clockwait(&thread->is_done,
			&thread->lock, CLOCK_MONOTONIC, &deadline);
	is_done = !thread->job;
	thread->is_abandoned = !is_done;
	if (thread->is_abandoned)
		pthread_detach(thread->thread);
	pthread_mutex_unlock(&thread->lock);
	if (is_done)
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
