/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/workers.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "common/util/alloc.h"

struct worker {
	struct workers *workers;
	size_t share;
	bool is_running;
	sem_t given;
	pthread_t thread;
};

struct workers {
	size_t n, n_started;
	void (*work)(void *data, size_t share);
	void *data;
	bool is_over; /* atomic */
	sem_t done;
	struct worker each[]; /* each[0] is the calling thread */
};

struct workers *workers_create(
	size_t n, void (*work)(void *data, size_t share), void *data)
{
	struct workers *workers =
		xcalloc(1, sizeof(*workers) + n * sizeof(workers->each[0]));
	size_t i;

	workers->n = n;
	workers->work = work;
	workers->data = data;
	sem_init(&workers->done, 0, 0);
	for (i = 0; i < n; i++) {
		workers->each[i].workers = workers;
		workers->each[i].share = i;
		sem_init(&workers->each[i].given, 0, 0);
	}
	return workers;
}

void workers_destroy(struct workers *workers)
{
	size_t i;

	if (!workers)
		return;
	__atomic_store_n(&workers->is_over, true, __ATOMIC_RELEASE);
	for (i = 0; i < workers->n; i++) {
		struct worker *worker = &workers->each[i];

		if (worker->is_running) {
			sem_post(&worker->given);
			pthread_join(worker->thread, NULL);
		}
		sem_destroy(&worker->given);
	}
	sem_destroy(&workers->done);
	free(workers);
}

static void wait_for_semaphore(sem_t *semaphore)
{
	while (sem_wait(semaphore) < 0 && errno == EINTR)
		;
}

static void *run_worker(void *data)
{
	struct worker *worker = data;
	struct workers *workers = worker->workers;

	for (;;) {
		wait_for_semaphore(&worker->given);
		if (__atomic_load_n(&workers->is_over, __ATOMIC_ACQUIRE))
			return NULL;
		workers->work(workers->data, worker->share);
		sem_post(&workers->done);
	}
}

void workers_run(struct workers *workers)
{
	size_t n_given = 0, i;

	for (i = 1; i < workers->n; i++) {
		struct worker *worker = &workers->each[i];

		if (!worker->is_running)
			worker->is_running = !pthread_create(
				&worker->thread, NULL, run_worker, worker);
		if (worker->is_running) {
			sem_post(&worker->given);
			n_given++;
		}
	}
	for (i = 0; i < workers->n; i++)
		if (!workers->each[i].is_running)
			workers->work(workers->data, i);
	workers->n_started = n_given;
	while (n_given--)
		wait_for_semaphore(&workers->done);
}

size_t workers_started(const struct workers *workers)
{
	return workers->n_started;
}
