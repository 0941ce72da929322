/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/depths.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/uio.h>
#include <time.h>

#include "common/alloc.h"
#include "record/clocks.h"
#include "record/priority.h"
#include "record/shelf.h"

/* Questions that wait; a power of two. */
#define QUESTIONS 256u
/* The last ones, which a later sample may tell to be gone. */
#define SEEN 64u
#define ANSWERS 512u
#define ANSWERS_BYTES MIB(32)
#define LATER_BYTES MIB(2)
/* Threads whose stack's beginning is known; a power of two. */
#define TOPS 4096u
/* The beginning may have been found a few frames from its end. */
#define BEYOND_TOP KIB(4)
#define SIZE_FIRST KIB(128)
#define PATIENCE_NS (100 * NSEC_PER_MSEC)
/* So long after a sample the next one of its thread is waited for. */
#define LATER_NS (30 * NSEC_PER_MSEC)

/*
 * Who looks for a question may meet one that takes an old one's place, and then
 * sees that it is another: so its fields are atomic, too.
 */
struct asked {
	struct depths_question question;
	uint64_t read_at; /* atomic; 0: not yet */
	bool is_gone;     /* atomic: it was read too late */
	bool is_seen;     /* atomic: a sample came afterwards */
};

/* What is known of a thread; atomic one by one: wrong ones are a detour. */
struct place {
	uint64_t tid, address;
};

struct depths {
	struct asked questions[QUESTIONS];
	uint64_t asked, taken; /* only the drain writes the first */
	sem_t news;
	uint64_t answered; /* of the questions, guarded by lock, */
	struct shelf *answers;	/* as this */
	pthread_mutex_t lock;
	struct shelf *later; /* guarded by */
	pthread_mutex_t later_lock;
	pthread_cond_t has_answered;
	struct place tops[TOPS]; /* its stack's beginning */
	struct place ends[TOPS]; /* where nothing could be read */
	struct {
		uint32_t tid;
		size_t size;
	} tries[TOPS]; /* of the reading thread */
	bool is_running, is_over;
	int realtime;
	pthread_t thread;
	uint8_t read[DEPTHS_SIZE_MAX];
};

struct depths *depths_create(void)
{
	struct depths *depths = xcalloc(1, sizeof(*depths));
	pthread_mutexattr_t attr;
	pthread_condattr_t clock;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&depths->lock, &attr);
	pthread_mutex_init(&depths->later_lock, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&depths->has_answered, &clock);
	pthread_condattr_destroy(&clock);
	sem_init(&depths->news, 0, 0);
	depths->answers = shelf_create(ANSWERS, ANSWERS_BYTES, NULL, NULL);
	depths->later = shelf_create(ANSWERS, LATER_BYTES, NULL, NULL);
	return depths;
}

void depths_destroy(struct depths *depths)
{
	if (!depths)
		return;
	if (depths->is_running) {
		__atomic_store_n(&depths->is_over, true, __ATOMIC_RELEASE);
		sem_post(&depths->news);
		pthread_join(depths->thread, NULL);
	}
	shelf_destroy(depths->answers);
	shelf_destroy(depths->later);
	sem_destroy(&depths->news);
	pthread_mutex_destroy(&depths->lock);
	pthread_mutex_destroy(&depths->later_lock);
	pthread_cond_destroy(&depths->has_answered);
	free(depths);
}

static struct asked *question_at(struct depths *depths, uint64_t i)
{
	return &depths->questions[i & (QUESTIONS - 1)];
}

static void note(struct place *places, uint32_t tid, uint64_t address)
{
	struct place *place = &places[tid & (TOPS - 1)];

	__atomic_store_n(&place->tid, tid, __ATOMIC_RELAXED);
	__atomic_store_n(&place->address, address, __ATOMIC_RELAXED);
}

/* 0: nothing is known of TID. */
static uint64_t noted(const struct place *places, uint32_t tid)
{
	const struct place *place = &places[tid & (TOPS - 1)];

	if (__atomic_load_n(&place->tid, __ATOMIC_RELAXED) != tid)
		return 0;
	return __atomic_load_n(&place->address, __ATOMIC_RELAXED);
}

/*
 * Up to the stack's beginning. Where that isn't known, more each time, until it
 * is.
 */
static size_t size_to_read(
	struct depths *depths, const struct depths_question *question)
{
	size_t i = question->tid & (TOPS - 1), size;
	uint64_t top = noted(depths->tops, question->tid);

	if (top <= question->address) {
		if (depths->tries[i].tid != question->tid)
			depths->tries[i].size = SIZE_FIRST;
		depths->tries[i].tid = question->tid;
		size = depths->tries[i].size;
		depths->tries[i].size = MIN(2 * size, DEPTHS_SIZE_MAX);
		return size;
	}
	return MIN(top - question->address + question->overlap + BEYOND_TOP,
		(uint64_t)DEPTHS_SIZE_MAX);
}

bool depths_is_beyond(
	const struct depths *depths, uint32_t tid, uint64_t address)
{
	uint64_t top = noted(depths->tops, tid);

	return top && address > top && address - top < DEPTHS_SIZE_MAX;
}

/* It may have ended, or be no child of a user who may look at it. */
static void answer(struct depths *depths, struct asked *asked)
{
	const struct depths_question *question = &asked->question;
	struct iovec ours = { depths->read, size_to_read(depths, question) };
	struct iovec theirs = { .iov_len = ours.iov_len };
	struct shelf_item item = {
		.key = { question->time, question->tid },
		.data = depths->read,
	};
	ssize_t n;

	theirs.iov_base =
		(void *)(uintptr_t)(question->address - question->overlap);
	n = process_vm_readv((pid_t)question->pid, &ours, 1, &theirs, 1, 0);
	__atomic_store_n(&asked->read_at, clocks_now(), __ATOMIC_RELAXED);
	/* Most copies are shorter than they may be as the stack ends there. */
	if (n <= (ssize_t)question->overlap)
		note(depths->ends, question->tid, question->address);
	pthread_mutex_lock(&depths->lock);
	item.size = n > 0 ? (uint32_t)n : 0;
	if (item.size)
		shelf_put(depths->answers, &item);
	depths->answered++;
	pthread_cond_broadcast(&depths->has_answered);
	pthread_mutex_unlock(&depths->lock);
}

static void *run(void *data)
{
	struct depths *depths = data;

	priority_raise(depths->realtime, -20);
	while (!__atomic_load_n(&depths->is_over, __ATOMIC_ACQUIRE)) {
		while (depths->taken != __atomic_load_n(&depths->asked,
						__ATOMIC_ACQUIRE)) {
			answer(depths, question_at(depths, depths->taken));
			__atomic_store_n(&depths->taken, depths->taken + 1,
				__ATOMIC_RELEASE);
		}
		sem_wait(&depths->news);
	}
	return NULL;
}

struct error *depths_start(struct depths *depths, int realtime)
{
	int errnum;

	depths->realtime = realtime;
	errnum = pthread_create(&depths->thread, NULL, run, depths);
	if (errnum)
		return error_errno(errnum, "starting the thread for stacks");
	depths->is_running = true;
	return NULL;
}

static void write_question(
	struct asked *asked, const struct depths_question *question)
{
	struct depths_question *to = &asked->question;

	__atomic_store_n(&to->time, question->time, __ATOMIC_RELAXED);
	__atomic_store_n(&to->tid, question->tid, __ATOMIC_RELAXED);
	to->pid = question->pid;
	to->address = question->address;
	to->overlap = question->overlap;
	__atomic_store_n(&asked->read_at, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&asked->is_gone, false, __ATOMIC_RELAXED);
	__atomic_store_n(&asked->is_seen, false, __ATOMIC_RELAXED);
}

static bool is_question(const struct asked *asked, const struct shelf_key *key)
{
	const struct depths_question *question = &asked->question;

	return __atomic_load_n(&question->tid, __ATOMIC_RELAXED) == key->tid &&
		__atomic_load_n(&question->time, __ATOMIC_RELAXED) ==
		key->cookie;
}

bool depths_ask(struct depths *depths, const struct depths_question *question)
{
	uint64_t asked = depths->asked;

	if (noted(depths->ends, question->tid) == question->address ||
		depths_is_beyond(depths, question->tid, question->address))
		return false;
	if (asked - __atomic_load_n(&depths->taken, __ATOMIC_ACQUIRE) ==
		QUESTIONS)
		return false;
	write_question(question_at(depths, asked), question);
	__atomic_store_n(&depths->asked, asked + 1, __ATOMIC_RELEASE);
	sem_post(&depths->news);
	return true;
}

/* Only what both have: it need not reach as far, or begins behind it. */
static void keep_later(struct depths *depths,
	const struct depths_question *question, const struct depths_seen *seen)
{
	uint64_t from = MAX(
		question->address - question->overlap, seen->stack_pointer);
	struct shelf_item item = { .key = { question->time, question->tid } };

	if (from >= question->address ||
		question->address - seen->stack_pointer > seen->size)
		return;
	item.data = seen->bytes + (from - seen->stack_pointer);
	item.size = (uint32_t)(question->address - from);
	pthread_mutex_lock(&depths->later_lock);
	shelf_put(depths->later, &item);
	pthread_mutex_unlock(&depths->later_lock);
}

void depths_see(struct depths *depths, const struct depths_seen *seen)
{
	uint64_t i = depths->asked - MIN(depths->asked, (uint64_t)SEEN);

	for (; i < depths->asked; i++) {
		struct asked *asked = question_at(depths, i);
		const struct depths_question *question = &asked->question;
		uint64_t read_at =
			__atomic_load_n(&asked->read_at, __ATOMIC_RELAXED);

		if (question->tid != seen->tid || question->time >= seen->time)
			continue;
		if (!read_at || seen->time <= read_at) {
			if (question->address < seen->stack_pointer)
				__atomic_store_n(&asked->is_gone, true,
					__ATOMIC_RELAXED);
		} else if (!asked->is_seen) {
			keep_later(depths, question, seen);
			__atomic_store_n(
				&asked->is_seen, true, __ATOMIC_RELEASE);
		}
	}
}

/* From question number FIRST on; NULL: it wasn't asked, or long ago. */
static const struct asked *find_question(
	struct depths *depths, const struct shelf_key *key, uint64_t first)
{
	uint64_t n = __atomic_load_n(&depths->asked, __ATOMIC_ACQUIRE), i;

	for (i = first; i < n; i++) {
		const struct asked *asked = question_at(depths, i);

		if (is_question(asked, key))
			return asked;
	}
	return NULL;
}

/* With the lock: whether it was asked, and nobody has looked yet. */
static bool is_awaited(struct depths *depths, const struct shelf_key *key)
{
	return find_question(depths, key, depths->answered);
}

/* With the lock: the thread had returned from there when it was read. */
static bool is_gone(struct depths *depths, const struct shelf_key *key)
{
	uint64_t kept = MIN(depths->answered, (uint64_t)QUESTIONS);
	const struct asked *asked =
		find_question(depths, key, depths->answered - kept);

	return asked && __atomic_load_n(&asked->is_gone, __ATOMIC_RELAXED);
}

/* When to wait no more, CLOCK_MONOTONIC. */
static struct timespec patience_end(void)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += (long)PATIENCE_NS;
	if (end.tv_nsec >= (long)NSEC_PER_SEC) {
		end.tv_nsec -= (long)NSEC_PER_SEC;
		end.tv_sec++;
	}
	return end;
}

size_t depths_find(
	struct depths *depths, uint32_t tid, uint64_t time, uint8_t *ret)
{
	const struct timespec end = patience_end();
	const struct shelf_key key = { time, tid };
	struct shelf_item item = { 0 };
	bool is_there;
	int errnum = 0;

	pthread_mutex_lock(&depths->lock);
	while (!(is_there = shelf_take(depths->answers, &key, &item)) &&
		!errnum && is_awaited(depths, &key))
		errnum = pthread_cond_timedwait(
			&depths->has_answered, &depths->lock, &end);
	is_there = is_there && !is_gone(depths, &key);
	if (is_there)
		memcpy(ret, item.data, item.size);
	pthread_mutex_unlock(&depths->lock);
	return is_there ? item.size : 0;
}

/* The thread may have been put to sleep: then no sample comes for long. */
static void await_later(struct depths *depths, const struct shelf_key *key)
{
	const struct timespec tick = { .tv_nsec = NSEC_PER_MSEC };
	uint64_t n = __atomic_load_n(&depths->asked, __ATOMIC_ACQUIRE);
	const struct asked *asked = find_question(
		depths, key, n - MIN(n, (uint64_t)QUESTIONS));

	while (asked && is_question(asked, key) &&
		clocks_now() < key->cookie + LATER_NS &&
		!__atomic_load_n(&asked->is_seen, __ATOMIC_ACQUIRE))
		nanosleep(&tick, NULL);
}

size_t depths_find_later(
	struct depths *depths, uint32_t tid, uint64_t time, uint8_t *ret)
{
	const struct shelf_key key = { time, tid };
	struct shelf_item item = { 0 };

	await_later(depths, &key);
	pthread_mutex_lock(&depths->later_lock);
	if (shelf_take(depths->later, &key, &item))
		memcpy(ret, item.data, item.size);
	pthread_mutex_unlock(&depths->later_lock);
	return item.size;
}

void depths_learn(struct depths *depths, uint32_t tid, uint64_t top)
{
	note(depths->tops, tid, top);
}
