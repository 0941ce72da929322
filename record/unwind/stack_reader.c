/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/stack_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>

#include "common/util/alloc.h"
#include "record/sys/clocks.h"
#include "record/sys/priority.h"
#include "record/sys/sysfile.h"
#include "record/unwind/stack_reader_private.h"

/*
 * Offset of uc_sigmask from the stack pointer in struct ucontext of Linux
 * (asm-generic and x86).
 */
#ifdef __aarch64__
#define MASK_FROM_SP (-392)
#else
#define MASK_FROM_SP 136
#endif
/* Size of the saved stack pointer and of the saved PC, which follows. */
#define END_FROM_SP 16u

bool stack_signal_frames_read(const uint8_t *bytes, size_t size, uint64_t start,
	uint64_t at, struct stack_signal_frame *ret)
{
	uint64_t sp = at - start, mask = sp + (uint64_t)MASK_FROM_SP;

	if (size < END_FROM_SP || sp > size - END_FROM_SP ||
		mask > size - sizeof(ret->mask))
		return false;
	memcpy(&ret->from, bytes + sp, sizeof(ret->from));
	memcpy(&ret->mask, bytes + mask, sizeof(ret->mask));
	ret->end = (size_t)sp + END_FROM_SP;
	return ret->from - start > size;
}

bool stack_signal_handler_runs(pid_t pid, pid_t tid, uint64_t mask)
{
	_cleanup_free_ char *path =
		xasprintf("/proc/%d/task/%d/status", (int)pid, (int)tid);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *blocked;

	if (!sysfile_slurp(AT_FDCWD, path, &text) || !text.n)
		return false;
	blocked = strstr(text.at, "\nSigBlk:");
	return blocked &&
		strtoull(blocked + strlen("\nSigBlk:"), NULL, 16) != mask;
}

/* Number of recent requests that a later sample can cancel. */
#define RECENT_JOBS 64u
#define ANSWERS 512u
#define ANSWERS_BYTES MIB(32)
#define LATER_BYTES MIB(2)
#define READ_TIMEOUT_NS (100 * NSEC_PER_MSEC)
/*
 * stack_reader_find_overlap() waits for the next sample of the thread until
 * this time after the sample of the request.
 */
#define LATER_NS (30 * NSEC_PER_MSEC)

struct stack_reader *stack_reader_create(void)
{
	struct stack_reader *reader = xcalloc(1, sizeof(*reader));
	pthread_mutexattr_t attr;
	pthread_condattr_t clock;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&reader->lock, &attr);
	pthread_mutex_init(&reader->later_lock, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&reader->has_answered, &clock);
	pthread_condattr_destroy(&clock);
	sem_init(&reader->news, 0, 0);
	reader->answers =
		bounded_store_create(ANSWERS, ANSWERS_BYTES, NULL, NULL);
	reader->later = bounded_store_create(ANSWERS, LATER_BYTES, NULL, NULL);
	return reader;
}

void stack_reader_destroy(struct stack_reader *reader)
{
	if (!reader)
		return;
	if (reader->is_running) {
		__atomic_store_n(&reader->is_over, true, __ATOMIC_RELEASE);
		sem_post(&reader->news);
		pthread_join(reader->thread, NULL);
	}
	bounded_store_destroy(reader->answers);
	bounded_store_destroy(reader->later);
	sem_destroy(&reader->news);
	pthread_mutex_destroy(&reader->lock);
	pthread_mutex_destroy(&reader->later_lock);
	pthread_cond_destroy(&reader->has_answered);
	free(reader);
}

static struct stack_reader_job *job_at(struct stack_reader *reader, uint64_t i)
{
	return &reader->jobs[i & (JOBS_MAX - 1)];
}

/*
 * Reads the stack of JOB. Nothing is read if the process has ended or this user
 * has no permission to read its memory.
 */
static void read_requested_stack(
	struct stack_reader *reader, struct stack_reader_job *job)
{
	const struct stack_request *request = &job->request;
	struct iovec ours = { reader->read.bytes,
		stack_reader_read_size(reader, request) };
	struct iovec theirs[] = {
		{ (void *)(uintptr_t)(request->address - request->overlap),
			request->overlap },
		{ (void *)(uintptr_t)request->from,
			ours.iov_len - request->overlap },
	};
	struct bounded_item item = {
		.key = { request->time, request->tid },
		.data = (const uint8_t *)&reader->read,
	};
	ssize_t n;

	reader->read.location =
		(struct stack_location){ request->address, request->from };
	n = process_vm_readv(
		(pid_t)request->pid, &ours, 1, theirs, ARRAY_SIZE(theirs), 0);
	/*
	 * Without a handler, the interrupted code runs: the data are not valid.
	 */
	if (request->from != request->address &&
		!stack_signal_handler_runs((pid_t)request->pid,
			(pid_t)request->tid, request->mask))
		n = 0;
	__atomic_store_n(&job->read_at, clocks_now(), __ATOMIC_RELAXED);
	/* If nothing is beyond the copy, the stack ends there, as most do. */
	if (n && n <= (ssize_t)request->overlap)
		stack_reader_set_end(reader, request->tid, request->from);
	pthread_mutex_lock(&reader->lock);
	item.size = n > 0
		? (uint32_t)(sizeof(reader->read.location) + (size_t)n)
		: 0;
	if (item.size)
		bounded_store_put(reader->answers, &item);
	reader->answered++;
	pthread_cond_broadcast(&reader->has_answered);
	pthread_mutex_unlock(&reader->lock);
}

static void *run_stack_reader(void *data)
{
	struct stack_reader *reader = data;

	priority_raise(reader->realtime, -20);
	while (!__atomic_load_n(&reader->is_over, __ATOMIC_ACQUIRE)) {
		while (reader->taken !=
			__atomic_load_n(&reader->requested, __ATOMIC_ACQUIRE)) {
			read_requested_stack(
				reader, job_at(reader, reader->taken));
			__atomic_store_n(&reader->taken, reader->taken + 1,
				__ATOMIC_RELEASE);
		}
		sem_wait(&reader->news);
	}
	return NULL;
}

struct error *stack_reader_start(struct stack_reader *reader, int realtime)
{
	int errnum;

	reader->realtime = realtime;
	errnum =
		pthread_create(&reader->thread, NULL, run_stack_reader, reader);
	if (errnum)
		return error_errno(
			errnum, "cannot start the thread that reads stacks");
	reader->is_running = true;
	return NULL;
}

static bool is_job_for(
	const struct stack_reader_job *job, const struct bounded_key *key)
{
	const struct stack_request *request = &job->request;

	return __atomic_load_n(&request->tid, __ATOMIC_RELAXED) == key->tid &&
		__atomic_load_n(&request->time, __ATOMIC_RELAXED) ==
		key->cookie;
}

bool stack_reader_request(
	struct stack_reader *reader, const struct stack_request *request)
{
	struct stack_request own = *request;
	uint64_t n = reader->requested;

	if (!own.from)
		own.from = own.address;
	if (stack_reader_is_end(reader, own.tid, own.from) ||
		(own.from == own.address &&
			stack_reader_is_beyond(
				reader, own.pid, own.start, own.from)))
		return false;
	if (n - __atomic_load_n(&reader->taken, __ATOMIC_ACQUIRE) == JOBS_MAX)
		return false;
	struct stack_reader_job *job = job_at(reader, n);
	struct stack_request *to = &job->request;
	__atomic_store_n(&to->time, own.time, __ATOMIC_RELAXED);
	__atomic_store_n(&to->tid, own.tid, __ATOMIC_RELAXED);
	to->pid = own.pid;
	to->start = own.start;
	to->address = own.address;
	to->overlap = own.overlap;
	to->mask = own.mask;
	to->from = own.from;
	__atomic_store_n(&job->read_at, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&job->is_gone, false, __ATOMIC_RELAXED);
	__atomic_store_n(&job->is_seen, false, __ATOMIC_RELAXED);
	__atomic_store_n(&reader->requested, n + 1, __ATOMIC_RELEASE);
	sem_post(&reader->news);
	return true;
}

void stack_reader_observe(struct stack_reader *reader,
	const struct stack_observation *observation)
{
	uint64_t i = reader->requested -
		MIN(reader->requested, (uint64_t)RECENT_JOBS);

	for (; i < reader->requested; i++) {
		struct stack_reader_job *job = job_at(reader, i);
		const struct stack_request *request = &job->request;
		uint64_t read_at =
			__atomic_load_n(&job->read_at, __ATOMIC_RELAXED);

		if (request->tid != observation->tid ||
			request->time >= observation->time)
			continue;
		if (!read_at || observation->time <= read_at) {
			if (request->address < observation->stack_pointer)
				__atomic_store_n(
					&job->is_gone, true, __ATOMIC_RELAXED);
		} else if (!job->is_seen) {
			/*
			 * Keep the part of the later copy that overlaps with
			 * REQUEST. The later copy can be shorter, or start
			 * behind the requested overlap.
			 */
			uint64_t from = MAX(request->address - request->overlap,
				observation->stack_pointer);
			struct bounded_item item = { .key = { request->time,
							     request->tid } };
			if (from < request->address &&
				request->address - observation->stack_pointer <=
					observation->size) {
				item.data = observation->bytes +
					(from - observation->stack_pointer);
				item.size = (uint32_t)(request->address - from);
				pthread_mutex_lock(&reader->later_lock);
				bounded_store_put(reader->later, &item);
				pthread_mutex_unlock(&reader->later_lock);
			}
			__atomic_store_n(&job->is_seen, true, __ATOMIC_RELEASE);
		}
	}
}

/* Returns the request of KEY with a number of at least FIRST, or NULL. */
static const struct stack_reader_job *find_job(struct stack_reader *reader,
	const struct bounded_key *key, uint64_t first)
{
	uint64_t n = __atomic_load_n(&reader->requested, __ATOMIC_ACQUIRE), i;

	for (i = first; i < n; i++) {
		const struct stack_reader_job *job = job_at(reader, i);

		if (is_job_for(job, key))
			return job;
	}
	return NULL;
}

size_t stack_reader_find(struct stack_reader *reader, uint32_t tid,
	uint64_t time, uint8_t *ret, struct stack_location *place_ret)
{
	const struct bounded_key key = { time, tid };
	struct bounded_item item = { 0 };
	struct timespec end;
	bool is_there;
	int errnum = 0;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += (long)READ_TIMEOUT_NS;
	if (end.tv_nsec >= (long)NSEC_PER_SEC) {
		end.tv_nsec -= (long)NSEC_PER_SEC;
		end.tv_sec++;
	}
	pthread_mutex_lock(&reader->lock);
	while (!(is_there = bounded_store_take(reader->answers, &key, &item)) &&
		!errnum && find_job(reader, &key, reader->answered))
		errnum = pthread_cond_timedwait(
			&reader->has_answered, &reader->lock, &end);
	uint64_t kept = MIN(reader->answered, (uint64_t)JOBS_MAX);
	const struct stack_reader_job *job = is_there
		? find_job(reader, &key, reader->answered - kept)
		: NULL;

	/* The thread had returned from these frames before they were read. */
	if (job && __atomic_load_n(&job->is_gone, __ATOMIC_RELAXED))
		is_there = false;
	if (is_there) {
		memcpy(place_ret, item.data, sizeof(*place_ret));
		item.size -= (uint32_t)sizeof(*place_ret);
		memcpy(ret, item.data + sizeof(*place_ret), item.size);
	}
	pthread_mutex_unlock(&reader->lock);
	return is_there ? item.size : 0;
}

size_t stack_reader_find_overlap(
	struct stack_reader *reader, uint32_t tid, uint64_t time, uint8_t *ret)
{
	const struct bounded_key key = { time, tid };
	struct bounded_item item = { 0 };

	/*
	 * Wait for a later sample of the thread, at most LATER_NS: it may
	 * sleep.
	 */
	const struct timespec tick = { .tv_nsec = NSEC_PER_MSEC };
	uint64_t n = __atomic_load_n(&reader->requested, __ATOMIC_ACQUIRE);
	const struct stack_reader_job *job =
		find_job(reader, &key, n - MIN(n, (uint64_t)JOBS_MAX));
	while (job && is_job_for(job, &key) &&
		clocks_now() < key.cookie + LATER_NS &&
		!__atomic_load_n(&job->is_seen, __ATOMIC_ACQUIRE))
		nanosleep(&tick, NULL);
	pthread_mutex_lock(&reader->later_lock);
	if (bounded_store_take(reader->later, &key, &item))
		memcpy(ret, item.data, item.size);
	pthread_mutex_unlock(&reader->later_lock);
	return item.size;
}
