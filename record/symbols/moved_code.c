/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/moved_code.h"

#include <pthread.h>

#include "common/maps/maps.h"
#include "common/util/address_ranges.h"
#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/hash.h"
#include "record/synth/mapped_file.h"
#include "record/synth/process_maps.h"

/*
 * The timeout for opening one file: on a busy machine, opening can take long.
 */
#define OPEN_TIMEOUT_MS 3000u
/* Limit of the requests that wait; others are dropped. */
#define REQUESTS_MAX 256u
/*
 * A copy can be incomplete when its memory becomes executable. It is compared
 * again after 20 ms, and each further time after four times as long.
 */
#define RETRY_NS (20 * NSEC_PER_MSEC)
#define TRIES_MAX 5u
/*
 * A process that made JIT code where a library was has no copies. After its
 * second failure its mappings are ignored for 100 ms, after each further one
 * for twice as long, up to 51 s. Until then, so many of its mappings can wait.
 */
#define IGNORED_NS (100 * NSEC_PER_MSEC)
#define DOUBLINGS_MAX 9u
#define WAITING_MAX 4u
/* The mappings of a process are read again after this time for its samples. */
#define READ_AGAIN_NS (100 * NSEC_PER_MSEC)
/* The thread rests this many times as long as an answer took. */
#define REST_FACTOR 4u
#define PAGE_MASK (~UINT64_C(4095))
/* The kernel's record of a file has this path if the path is longer than 4,095 bytes. */
#define TOO_LONG "//toolong"
/* Sizes of the tables; powers of two. A new element replaces an old one. */
#define PROCESSES_MAX 4096u
#define READS_MAX 256u
#define FAILURES_MAX 256u
#define ANSWERED_MAX 1024u
/* Limit of the file mappings of a process that are remembered. */
#define RANGES_MAX 256u

/* The code of files in a process. */
struct code_process {
	uint32_t pid;
	struct address_ranges files;
};

/* Memory of a process with unknown code. */
struct moved_range {
	uint32_t pid;
	uint64_t start, end;
	uint64_t time;	 /* of the record or of the sample (clocks_now()) */
	uint64_t due_ns; /* when the request is due (clock_now_ns()) */
	unsigned n_tries;
	bool is_sampled; /* no mapping was known there */
};

struct moved_code {
	const struct sample_layout *layout;
	struct sample_id trailer;
	void (*on_found)(void *data, const struct strbuf *records);
	void *data;
	struct timed_worker *worker;
	pthread_t thread;
	bool is_running;
	/* Only of moved_code_add_mapping(); by the lowest bits of the PID. */
	struct code_process processes[PROCESSES_MAX];
	pthread_mutex_t lock; /* guards the following members */
	pthread_cond_t news;
	bool is_over;
	ARRAY(struct moved_range) requests;
	struct moved_read {
		uint32_t pid;
		uint64_t ns;
	} reads[READS_MAX]; /* last reads for samples, by the PID */
	struct moved_failure {
		uint32_t pid, n;
		uint64_t ignored_until;	 /* clock_now_ns() */
	} failures[FAILURES_MAX];	 /* of comparisons, by the PID */
	uint64_t answered[ANSWERED_MAX]; /* hashes of sampled pages */
	uint64_t rests_until; /* no request is answered before (clock_now_ns())
			       */
};

struct moved_code *moved_code_create(const struct sample_layout *layout,
	uint64_t id, void (*on_found)(void *data, const struct strbuf *records),
	void *data)
{
	struct moved_code *moved = xcalloc(1, sizeof(*moved));
	pthread_condattr_t attr;

	moved->layout = layout;
	moved->trailer.id = id;
	moved->on_found = on_found;
	moved->data = data;
	moved->worker = timed_worker_create(OPEN_TIMEOUT_MS);
	pthread_mutex_init(&moved->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&moved->news, &attr);
	pthread_condattr_destroy(&attr);
	return moved;
}

void moved_code_destroy(struct moved_code *moved)
{
	size_t i;

	if (!moved)
		return;
	moved_code_stop(moved);
	for (i = 0; i < PROCESSES_MAX; i++)
		address_ranges_free(&moved->processes[i].files);
	array_free(&moved->requests);
	timed_worker_destroy(moved->worker);
	pthread_cond_destroy(&moved->news);
	pthread_mutex_destroy(&moved->lock);
	free(moved);
}

static void add_moved_range(
	struct moved_code *moved, const struct moved_range *range)
{
	if (moved->requests.n == REQUESTS_MAX)
		return;
	*array_push(&moved->requests) = *range;
	pthread_cond_signal(&moved->news);
}

/* Returns whether a mapping of PID is to be compared. */
static bool is_compared(struct moved_code *moved, uint32_t pid)
{
	size_t slot = pid & (FAILURES_MAX - 1), n = 0;

	if (moved->failures[slot].pid == pid &&
		clock_now_ns() < moved->failures[slot].ignored_until)
		return false;
	array_each(&moved->requests, request)
		n += request->pid == pid && !request->is_sampled;
	return n < WAITING_MAX;
}

void moved_code_add_mapping(struct moved_code *moved,
	const struct record *record, const struct record_mmap *map)
{
	struct code_process *process =
		&moved->processes[map->pid & (PROCESSES_MAX - 1)];
	uint64_t end = map->start + map->size;
	bool replaces_file = false;
	struct sample_id id;

	if (process->pid != map->pid)
		array_clear(&process->files.ranges);
	process->pid = map->pid;
	if (end < map->start)
		return;
	array_each(&process->files.ranges, range)
		replaces_file |= map->start < range->end && range->start < end;
	/* The mapping is replaced, 1 ns later, by that of /proc/PID/maps. */
	if (string_is(map->path, TOO_LONG) &&
		sample_id_read(moved->layout, record, &id))
		moved_code_add_unmapped(
			moved, map->pid, map->start, id.time + 1);
	if (!maps_is_anonymous(map->path)) {
		if (process->files.ranges.n == RANGES_MAX)
			array_clear(&process->files.ranges);
		*array_push(&process->files.ranges) =
			(struct address_range){ map->start, end, 0 };
		return;
	}
	if (!replaces_file || !sample_id_read(moved->layout, record, &id))
		return;
	pthread_mutex_lock(&moved->lock);
	if (is_compared(moved, map->pid))
		add_moved_range(moved,
			&(struct moved_range){ .pid = map->pid,
				.start = map->start,
				.end = end,
				.time = id.time });
	pthread_mutex_unlock(&moved->lock);
}

static uint64_t *answered_page(struct moved_code *moved, uint64_t hash)
{
	return &moved->answered[hash & (ANSWERED_MAX - 1)];
}

/* Returns whether PAGE of PID is requested, or was requested before. */
static bool is_requested_page(
	struct moved_code *moved, uint32_t pid, uint64_t page)
{
	uint64_t hash = hash_words(pid, page);

	if (*answered_page(moved, hash) == hash)
		return true;
	array_each(&moved->requests, request)
		if (request->is_sampled && request->pid == pid &&
			request->start == page)
			return true;
	return false;
}

void moved_code_add_unmapped(
	struct moved_code *moved, uint32_t pid, uint64_t address, uint64_t time)
{
	struct moved_range range = { .pid = pid,
		.start = address & PAGE_MASK,
		.end = (address & PAGE_MASK) + 1,
		.time = time,
		.is_sampled = true };
	size_t slot = pid & (READS_MAX - 1);

	pthread_mutex_lock(&moved->lock);
	if (!is_requested_page(moved, pid, range.start)) {
		if (moved->reads[slot].pid == pid)
			range.due_ns = moved->reads[slot].ns + READ_AGAIN_NS;
		add_moved_range(moved, &range);
	}
	pthread_mutex_unlock(&moved->lock);
}

static void put_moved_mapping(struct moved_code *moved,
	const struct record_mmap *map, uint64_t time, struct strbuf *out)
{
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];

	moved->trailer.pid = moved->trailer.tid = map->pid;
	moved->trailer.time = time;
	sample_id_write(moved->layout, &moved->trailer, trailer);
	record_write_mmap2(
		out, MISC_USER, map, trailer, moved->layout->trailer_size);
}

static bool is_over(struct moved_code *moved)
{
	bool is_over;

	pthread_mutex_lock(&moved->lock);
	is_over = moved->is_over;
	pthread_mutex_unlock(&moved->lock);
	return is_over;
}

/* Removes the next request for a sample of PID. Returns false if there is none.
 */
static bool take_sampled_range(
	struct moved_code *moved, uint32_t pid, struct moved_range *ret)
{
	array_each(&moved->requests, request) {
		if (!request->is_sampled || request->pid != pid)
			continue;
		*ret = *request;
		*request = moved->requests.at[--moved->requests.n];
		return true;
	}
	return false;
}

/* Adds RANGE, whose code was not found, again. */
static void retry_moved_range(
	struct moved_code *moved, const struct moved_range *range)
{
	struct moved_range again = *range;

	if (++again.n_tries == TRIES_MAX) {
		size_t slot = range->pid & (FAILURES_MAX - 1);
		uint32_t n = moved->failures[slot].pid == range->pid
			? moved->failures[slot].n + 1
			: 1;
		moved->failures[slot].pid = range->pid;
		moved->failures[slot].n = n;
		moved->failures[slot].ignored_until = n < 2 ? 0
							    : clock_now_ns() +
				(IGNORED_NS << MIN(n - 2, DOUBLINGS_MAX));
		return;
	}
	again.due_ns = clock_now_ns() + (RETRY_NS << (2 * (again.n_tries - 1)));
	add_moved_range(moved, &again);
}

/*
 * Appends a record of the sampled mapping LINE of MAPS, with the build ID of its file.
 * Called without the lock.
 */
static void put_sampled_mapping(struct moved_code *moved,
	struct process_maps *maps, const struct task_mapping *line,
	uint64_t time, struct strbuf *records)
{
	struct record_mmap map = process_maps_record(maps, line);
	struct mapped_job *job = map.inode && map.path[0] == '/'
		? mapped_find(moved->worker, &map)
		: NULL;

	if (job) {
		map.build_id = job->build_id;
		mapped_job_destroy(job);
	}
	put_moved_mapping(moved, &map, time, records);
}

/*
 * Appends records of the code of RANGE to RECORDS: of its mappings in MAPS, and of the
 * files that they were copied from. Called without the lock.
 */
static void find_moved_code(struct moved_code *moved, struct process_maps *maps,
	const struct moved_range *range, struct strbuf *records)
{
	struct record_mmap map;
	size_t i;

	/* A thread that is to end looks at one line only. */
	for (i = 0; i < maps->lines.n; i++) {
		const struct task_mapping *line = &maps->lines.at[i];

		if (line->start >= range->end || range->start >= line->end ||
			!process_maps_is_code(line))
			continue;
		if (range->is_sampled)
			put_sampled_mapping(
				moved, maps, line, range->time, records);
		/* This record must be behind that of the memory. */
		if (process_maps_find_copied(maps, i, moved->worker, &map))
			put_moved_mapping(moved, &map,
				range->time + !range->is_sampled, records);
		if (is_over(moved))
			break;
	}
}

/*
 * Finds the code of RANGE. If RANGE was sampled, finds that of all sampled
 * ranges of the process, because its mappings were read. Called with the lock
 * held, which is released meanwhile.
 */
static void answer_requests(struct moved_code *moved, struct moved_range range)
{
	struct moved_read *read = &moved->reads[range.pid & (READS_MAX - 1)];
	struct moved_failure *failure =
		&moved->failures[range.pid & (FAILURES_MAX - 1)];
	struct process_maps maps;

	pthread_mutex_unlock(&moved->lock);
	process_maps_read(range.pid, &maps);
	pthread_mutex_lock(&moved->lock);
	if (range.is_sampled) {
		read->pid = range.pid;
		read->ns = clock_now_ns();
	}
	do {
		uint64_t hash = hash_words(range.pid, range.start);
		_cleanup_strbuf_ struct strbuf records = { 0 };

		if (range.is_sampled)
			*answered_page(moved, hash) = hash;
		pthread_mutex_unlock(&moved->lock);
		find_moved_code(moved, &maps, &range, &records);
		if (records.n)
			moved->on_found(moved->data, &records);
		pthread_mutex_lock(&moved->lock);
		if (records.n && failure->pid == range.pid)
			failure->pid = 0;
		else if (!records.n && !range.is_sampled)
			retry_moved_range(moved, &range);
	} while (!moved->is_over && range.is_sampled &&
		take_sampled_range(moved, range.pid, &range));
	process_maps_deinit(&maps);
}

static void *run_moved_code(void *data)
{
	struct moved_code *moved = data;

	pthread_mutex_lock(&moved->lock);
	while (!moved->is_over) {
		uint64_t now = clock_now_ns(), due;
		struct moved_range range;
		size_t first = 0, i;

		if (!moved->requests.n) {
			pthread_cond_wait(&moved->news, &moved->lock);
			continue;
		}
		for (i = 1; i < moved->requests.n; i++)
			if (moved->requests.at[i].due_ns <
				moved->requests.at[first].due_ns)
				first = i;
		range = moved->requests.at[first];
		due = MAX(range.due_ns, moved->rests_until);
		if (due > now) {
			const struct timespec until = { .tv_sec = (time_t)(due /
								NSEC_PER_SEC),
				.tv_nsec = (long)(due % NSEC_PER_SEC) };
			pthread_cond_timedwait(
				&moved->news, &moved->lock, &until);
			continue;
		}
		moved->requests.at[first] =
			moved->requests.at[--moved->requests.n];
		answer_requests(moved, range);
		moved->rests_until =
			clock_now_ns() + REST_FACTOR * (clock_now_ns() - now);
	}
	pthread_mutex_unlock(&moved->lock);
	return NULL;
}

struct error *moved_code_start(struct moved_code *moved)
{
	int errnum =
		pthread_create(&moved->thread, NULL, run_moved_code, moved);

	if (errnum)
		return error_errno(errnum,
			"cannot start the thread that looks for moved code");
	moved->is_running = true;
	return NULL;
}

void moved_code_stop(struct moved_code *moved)
{
	if (!moved->is_running)
		return;
	pthread_mutex_lock(&moved->lock);
	moved->is_over = true;
	pthread_cond_signal(&moved->news);
	pthread_mutex_unlock(&moved->lock);
	pthread_join(moved->thread, NULL);
	moved->is_running = false;
}
