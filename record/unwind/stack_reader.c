/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/stack_reader.h"

#include <errno.h>
#include <sys/uio.h>
#include <time.h>

#include "common/util/alloc.h"
#include "record/sys/clocks.h"
#include "record/sys/priority.h"
#include "record/unwind/signal_frames.h"
#include "record/unwind/stack_reader_private.h"

/* The last ones, which a later sample may tell to be gone. */
#define SEEN 64u
#define ANSWERS 512u
#define ANSWERS_BYTES MIB(32)
#define LATER_BYTES MIB(2)
#define PATIENCE_NS (100 * NSEC_PER_MSEC)
/* So long after a sample the next one of its thread is waited for. */
#define LATER_NS (30 * NSEC_PER_MSEC)

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

/* It may have ended, or be no child of a user who may look at it. */
static void answer(struct depths *depths, struct asked *asked)
{
	const struct depths_question *question = &asked->question;
	struct iovec ours = { depths->read.bytes,
		depths_size(depths, question) };
	struct iovec theirs[] = {
		{ (void *)(uintptr_t)(question->address - question->overlap),
			question->overlap },
		{ (void *)(uintptr_t)question->from,
			ours.iov_len - question->overlap },
	};
	struct shelf_item item = {
		.key = { question->time, question->tid },
		.data = (const uint8_t *)&depths->read,
	};
	ssize_t n;

	depths->read.place =
		(struct depths_place){ question->address, question->from };
	n = process_vm_readv((pid_t)question->pid, &ours, 1, theirs,
		ARRAY_SIZE(theirs), 0);
	/* Once the handler is over, what it had interrupted goes on. */
	if (question->from != question->address &&
		!handlers_run((pid_t)question->pid, (pid_t)question->tid,
			question->mask))
		n = 0;
	__atomic_store_n(&asked->read_at, clocks_now(), __ATOMIC_RELAXED);
	/* Most copies are shorter than they may be as the stack ends there. */
	if (n && n <= (ssize_t)question->overlap)
		depths_learn_end(depths, question->tid, question->from);
	pthread_mutex_lock(&depths->lock);
	item.size = n > 0 ? (uint32_t)(sizeof(depths->read.place) + (size_t)n)
			  : 0;
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
	to->start = question->start;
	to->address = question->address;
	to->overlap = question->overlap;
	to->mask = question->mask;
	to->from = question->from;
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
	struct depths_question own = *question;
	uint64_t asked = depths->asked;

	if (!own.from)
		own.from = own.address;
	if (depths_is_end(depths, own.tid, own.from) ||
		(own.from == own.address &&
			depths_is_beyond(depths, own.pid, own.start, own.from)))
		return false;
	if (asked - __atomic_load_n(&depths->taken, __ATOMIC_ACQUIRE) ==
		QUESTIONS)
		return false;
	write_question(question_at(depths, asked), &own);
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

size_t depths_find(struct depths *depths, uint32_t tid, uint64_t time,
	uint8_t *ret, struct depths_place *place_ret)
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
	if (is_there) {
		memcpy(place_ret, item.data, sizeof(*place_ret));
		item.size -= (uint32_t)sizeof(*place_ret);
		memcpy(ret, item.data + sizeof(*place_ret), item.size);
	}
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
