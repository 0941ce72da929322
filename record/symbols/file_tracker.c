/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/file_tracker.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>

#include "common/util/alloc.h"

/* Enough for all mappings of a busy system at the start; a power of two. */
#define RING_SIZE MIB(8)
/*
 * The timeout for opening one file: on a busy machine, opening can take long.
 */
#define OPEN_TIMEOUT_MS 3000u
#define FILES_PER_JIT_PROCESS 3u /* root directory, perf map, jitdump */

struct file_tracker {
	uint8_t *ring;		/* RING_SIZE bytes; records wrap around */
	uint64_t written, read; /* bytes; only add_record() changes .written */
	sem_t news;
	bool is_running, is_over;
	pthread_t thread;
	struct timed_worker *worker;
	struct moved_code *moved; /* borrowed; may be NULL */
	/* .pins and .jits are NULL until file_tracker_start(). */
	struct pinned_files *pins;
	struct jits *jits;
	pthread_mutex_t lock; /* guards .pins, .jits, and the following two */
	void (*on_mapping)(void *data, const struct record_mmap *map);
	void *mapping_data;
	uint8_t record[RECORD_SIZE_MAX + 1];
};

struct file_tracker *file_tracker_create(struct moved_code *moved)
{
	struct file_tracker *tracker = xcalloc(1, sizeof(*tracker));

	tracker->moved = moved;
	tracker->ring = xmalloc(RING_SIZE);
	tracker->worker = timed_worker_create(OPEN_TIMEOUT_MS);
	sem_init(&tracker->news, 0, 0);
	pthread_mutex_init(&tracker->lock, NULL);
	return tracker;
}

void file_tracker_destroy(struct file_tracker *tracker)
{
	if (!tracker)
		return;
	file_tracker_stop(tracker);
	pinned_files_destroy(tracker->pins);
	jits_destroy(tracker->jits);
	timed_worker_destroy(tracker->worker);
	sem_destroy(&tracker->news);
	pthread_mutex_destroy(&tracker->lock);
	free(tracker->ring);
	free(tracker);
}

void file_tracker_add_record(struct file_tracker *tracker, const void *record)
{
	const struct perf_event_header *header = record;
	uint64_t read;

	if (!tracker ||
		(header->type != RECORD_EXIT &&
			(header->type != RECORD_MMAP2 ||
				(header->misc & MISC_CPUMODE) != MISC_USER)))
		return;
	read = __atomic_load_n(&tracker->read, __ATOMIC_ACQUIRE);
	if (RING_SIZE - (tracker->written - read) < header->size)
		return;
	size_t at = tracker->written & (RING_SIZE - 1);
	size_t first = MIN(header->size, RING_SIZE - at);
	memcpy(tracker->ring + at, record, first);
	memcpy(tracker->ring, (const uint8_t *)record + first,
		header->size - first);
	read = tracker->written;
	__atomic_store_n(&tracker->written, tracker->written + header->size,
		__ATOMIC_SEQ_CST);
	/*
	 * Wake the thread only if this is the only unread record: the thread
	 * sleeps only if it has found no unread record.
	 */
	if (__atomic_load_n(&tracker->read, __ATOMIC_SEQ_CST) == read)
		sem_post(&tracker->news);
}

static void copy_from_ring(
	struct file_tracker *tracker, void *data, size_t size)
{
	size_t at = tracker->read & (RING_SIZE - 1);
	size_t first = MIN(size, RING_SIZE - at);

	memcpy(data, tracker->ring + at, first);
	memcpy((uint8_t *)data + first, tracker->ring, size - first);
}

/* Takes the oldest record from the ring. Returns false if the ring is empty. */
static bool next_tracked_record(
	struct file_tracker *tracker, struct record *ret)
{
	struct perf_event_header header;
	uint64_t written = __atomic_load_n(&tracker->written, __ATOMIC_SEQ_CST);

	if (written == tracker->read)
		return false;
	copy_from_ring(tracker, &header, sizeof(header));
	copy_from_ring(tracker, tracker->record, header.size);
	__atomic_store_n(
		&tracker->read, tracker->read + header.size, __ATOMIC_SEQ_CST);
	return record_at(tracker->record, header.size, false, ret);
}

static void track_record(
	struct file_tracker *tracker, const struct record *record)
{
	struct record_task task;
	struct record_mmap map;

	pthread_mutex_lock(&tracker->lock);
	if (record->type == RECORD_EXIT) {
		if (record_read_task(record, &task) && task.pid == task.tid)
			jits_add_exit(tracker->jits, task.pid);
	} else if (record_read_mmap(record, &map) && map.prot & PROT_EXEC &&
		!jits_add_mapping(tracker->jits, &map)) {
		if (tracker->moved)
			moved_code_add_mapping(tracker->moved, record, &map);
		pinned_files_add_mapping(tracker->pins, &map);
		if (tracker->on_mapping)
			tracker->on_mapping(tracker->mapping_data, &map);
	}
	pthread_mutex_unlock(&tracker->lock);
}

static void *run_file_tracker(void *data)
{
	struct file_tracker *tracker = data;
	struct record record;

	while (!__atomic_load_n(&tracker->is_over, __ATOMIC_ACQUIRE)) {
		while (next_tracked_record(tracker, &record))
			track_record(tracker, &record);
		sem_wait(&tracker->news);
	}
	while (next_tracked_record(tracker, &record))
		track_record(tracker, &record);
	return NULL;
}

void file_tracker_on_mapping(struct file_tracker *tracker,
	void (*on_mapping)(void *data, const struct record_mmap *map),
	void *data)
{
	pthread_mutex_lock(&tracker->lock);
	tracker->on_mapping = on_mapping;
	tracker->mapping_data = data;
	pthread_mutex_unlock(&tracker->lock);
}

struct error *file_tracker_start(struct file_tracker *tracker, size_t n_max)
{
	int errnum;

	tracker->pins = pinned_files_create(tracker->worker, n_max - n_max / 4);
	tracker->jits =
		jits_create(tracker->worker, n_max / 4 / FILES_PER_JIT_PROCESS);
	errnum = pthread_create(
		&tracker->thread, NULL, run_file_tracker, tracker);
	if (errnum)
		return error_errno(errnum,
			"cannot start the thread that opens mapped files");
	tracker->is_running = true;
	return NULL;
}

void file_tracker_stop(struct file_tracker *tracker)
{
	if (!tracker->is_running)
		return;
	__atomic_store_n(&tracker->is_over, true, __ATOMIC_RELEASE);
	sem_post(&tracker->news);
	pthread_join(tracker->thread, NULL);
	tracker->is_running = false;
}

int file_tracker_open_file(struct file_tracker *tracker, const struct dso *dso)
{
	struct pinned_file pinned = { .fd = -1 };

	pthread_mutex_lock(&tracker->lock);
	if (tracker->pins)
		pinned = pinned_files_find(tracker->pins, dso);
	if (pinned.fd >= 0)
		pinned.fd = fcntl(pinned.fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&tracker->lock);
	return pinned.fd;
}

int file_tracker_open_jitdump(struct file_tracker *tracker, uint32_t pid)
{
	int fd = -1;

	pthread_mutex_lock(&tracker->lock);
	if (tracker->jits)
		fd = jits_find(tracker->jits, pid).dump;
	if (fd >= 0)
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&tracker->lock);
	return fd;
}

const struct jits *file_tracker_jits(const struct file_tracker *tracker)
{
	return tracker->jits;
}

void file_tracker_pause(struct file_tracker *tracker)
{
	pthread_mutex_lock(&tracker->lock);
	if (tracker->jits)
		jits_refresh(tracker->jits);
}

void file_tracker_resume(struct file_tracker *tracker)
{
	pthread_mutex_unlock(&tracker->lock);
}

const struct pinned_files *file_tracker_pins(const struct file_tracker *tracker)
{
	return tracker->pins;
}
