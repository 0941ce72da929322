/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/timed_worker.h"

#include <pthread.h>
#include <time.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/log.h"

/*
 * Threads that didn't come back. So what hangs, however much there is of it,
 * costs a few seconds and threads, and not a thread and a wait for each file:
 * which file system it is can't be asked without waiting for it.
 */
#define LEFT_MAX 3u

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t given, done;
	struct patience_job *job; /* NULL: none to do */
	bool is_left;             /* nobody waits for it any more */
	bool is_over;             /* no more work will come */
};

struct patience {
	struct worker *worker; /* NULL until needed */
	unsigned limit_ms, n_left;
};

struct patience *patience_create(unsigned limit_ms)
{
	struct patience *patience = xcalloc(1, sizeof(*patience));

	patience->limit_ms = limit_ms;
	return patience;
}

static void free_worker(struct worker *worker)
{
	pthread_mutex_destroy(&worker->lock);
	pthread_cond_destroy(&worker->given);
	pthread_cond_destroy(&worker->done);
	free(worker);
}

static struct patience_job *next_job(struct worker *worker)
{
	struct patience_job *job;

	pthread_mutex_lock(&worker->lock);
	while (!worker->job && !worker->is_over)
		pthread_cond_wait(&worker->given, &worker->lock);
	job = worker->job;
	pthread_mutex_unlock(&worker->lock);
	return job;
}

static void *run(void *data)
{
	struct worker *worker = data;
	struct patience_job *job;
	bool is_left = false;

	while (!is_left && (job = next_job(worker))) {
		job->work(job);
		pthread_mutex_lock(&worker->lock);
		worker->job = NULL;
		is_left = worker->is_left;
		pthread_cond_signal(&worker->done);
		pthread_mutex_unlock(&worker->lock);
	}
	if (is_left) {
		job->drop(job);
		free_worker(worker);
	}
	return NULL;
}

static struct worker *hire(void)
{
	struct worker *worker = xcalloc(1, sizeof(*worker));

	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->given, NULL);
	pthread_cond_init(&worker->done, NULL);
	if (!pthread_create(&worker->thread, NULL, run, worker))
		return worker;
	free_worker(worker);
	return NULL;
}

void patience_destroy(struct patience *patience)
{
	struct worker *worker;

	if (!patience)
		return;
	worker = patience->worker;
	if (worker) {
		pthread_mutex_lock(&worker->lock);
		worker->is_over = true;
		pthread_cond_signal(&worker->given);
		pthread_mutex_unlock(&worker->lock);
		pthread_join(worker->thread, NULL);
		free_worker(worker);
	}
	free(patience);
}

/* Gives JOB to WORKER; false if it isn't done LIMIT_MS from now. */
static bool wait_for(
	struct worker *worker, struct patience_job *job, unsigned limit_ms)
{
	uint64_t until = clock_now_ns() + limit_ms * NSEC_PER_MSEC;
	struct timespec deadline = {
		.tv_sec = (time_t)(until / NSEC_PER_SEC),
		.tv_nsec = (long)(until % NSEC_PER_SEC),
	};
	int late = 0;
	bool is_done;

	pthread_mutex_lock(&worker->lock);
	worker->job = job;
	pthread_cond_signal(&worker->given);
	while (worker->job && !late)
		late = pthread_cond_clockwait(&worker->done, &worker->lock,
			CLOCK_MONOTONIC, &deadline);
	is_done = !worker->job;
	worker->is_left = !is_done;
	if (worker->is_left)
		pthread_detach(worker->thread);
	pthread_mutex_unlock(&worker->lock);
	return is_done;
}

bool patience_run(struct patience *patience, struct patience_job *job)
{
	if (!patience->worker && patience->n_left < LEFT_MAX)
		patience->worker = hire();
	if (!patience->worker) {
		job->drop(job);
		return false;
	}
	if (wait_for(patience->worker, job, patience->limit_ms))
		return true;
	patience->worker = NULL;
	if (++patience->n_left == LEFT_MAX)
		log_note("%u files of other processes don't answer (a file "
			 "system hangs?): no more are opened, and names may "
			 "be missing",
			LEFT_MAX);
	return false;
}
