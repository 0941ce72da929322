/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/file_tracker.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>

#include "common/util/alloc.h"

/* A busy system's mappings when it is joined; a power of two. */
#define ROOM MIB(8)
/* A busy machine may need as long for one file; then there are others. */
#define PATIENCE_MS 3000u
#define FILES_OF_JIT 3u /* root, perf map, jitdump */

struct keeper {
	uint8_t *ring;          /* of ROOM bytes; records wrap */
	uint64_t written, read; /* bytes; only the producer writes the first */
	sem_t news;
	bool is_running, is_over;
	pthread_t thread;
	struct patience *patience;
	/* NULL until it is started. */
	struct pins *pins;
	struct jits *jits;
	pthread_mutex_t lock; /* of both */
	uint8_t record[RECORD_SIZE_MAX + 1];
};

struct keeper *keeper_create(void)
{
	struct keeper *keeper = xcalloc(1, sizeof(*keeper));

	keeper->ring = xmalloc(ROOM);
	keeper->patience = patience_create(PATIENCE_MS);
	sem_init(&keeper->news, 0, 0);
	pthread_mutex_init(&keeper->lock, NULL);
	return keeper;
}

void keeper_destroy(struct keeper *keeper)
{
	if (!keeper)
		return;
	keeper_stop(keeper);
	pins_destroy(keeper->pins);
	jits_destroy(keeper->jits);
	patience_destroy(keeper->patience);
	sem_destroy(&keeper->news);
	pthread_mutex_destroy(&keeper->lock);
	free(keeper->ring);
	free(keeper);
}

static bool is_wanted(const struct perf_event_header *header)
{
	if (header->type == RECORD_EXIT)
		return true;
	return header->type == RECORD_MMAP2 &&
		(header->misc & MISC_CPUMODE) == MISC_USER;
}

static void copy_in(struct keeper *keeper, const void *data, size_t size)
{
	size_t at = keeper->written & (ROOM - 1);
	size_t first = MIN(size, ROOM - at);

	memcpy(keeper->ring + at, data, first);
	memcpy(keeper->ring, (const uint8_t *)data + first, size - first);
}

void keeper_put(struct keeper *keeper, const void *record)
{
	const struct perf_event_header *header = record;
	uint64_t read;

	if (!keeper || !is_wanted(header))
		return;
	read = __atomic_load_n(&keeper->read, __ATOMIC_ACQUIRE);
	if (ROOM - (keeper->written - read) < header->size)
		return;
	copy_in(keeper, record, header->size);
	read = keeper->written;
	__atomic_store_n(&keeper->written, keeper->written + header->size,
		__ATOMIC_SEQ_CST);
	/* It sleeps only when it has read all, and looks again before. */
	if (__atomic_load_n(&keeper->read, __ATOMIC_SEQ_CST) == read)
		sem_post(&keeper->news);
}

static void copy_out(struct keeper *keeper, void *data, size_t size)
{
	size_t at = keeper->read & (ROOM - 1);
	size_t first = MIN(size, ROOM - at);

	memcpy(data, keeper->ring + at, first);
	memcpy((uint8_t *)data + first, keeper->ring, size - first);
}

/* The oldest record that is there, copied out; false if there is none. */
static bool next_record(struct keeper *keeper, struct record *ret)
{
	struct perf_event_header header;
	uint64_t written = __atomic_load_n(&keeper->written, __ATOMIC_SEQ_CST);

	if (written == keeper->read)
		return false;
	copy_out(keeper, &header, sizeof(header));
	copy_out(keeper, keeper->record, header.size);
	__atomic_store_n(&keeper->read, keeper->read + header.size,
		__ATOMIC_SEQ_CST);
	return record_at(keeper->record, header.size, false, ret);
}

static void see(struct keeper *keeper, const struct record *record)
{
	struct record_task task;
	struct record_mmap map;

	if (record->type == RECORD_EXIT) {
		if (record_read_task(record, &task) && task.pid == task.tid)
			jits_exit(keeper->jits, task.pid);
		return;
	}
	if (!record_read_mmap(record, &map) || !(map.prot & PROT_EXEC))
		return;
	if (!jits_see(keeper->jits, &map))
		pins_see(keeper->pins, &map);
}

static void see_alone(struct keeper *keeper, const struct record *record)
{
	pthread_mutex_lock(&keeper->lock);
	see(keeper, record);
	pthread_mutex_unlock(&keeper->lock);
}

static void *run(void *data)
{
	struct keeper *keeper = data;
	struct record record;

	while (!__atomic_load_n(&keeper->is_over, __ATOMIC_ACQUIRE)) {
		while (next_record(keeper, &record))
			see_alone(keeper, &record);
		sem_wait(&keeper->news);
	}
	while (next_record(keeper, &record))
		see_alone(keeper, &record);
	return NULL;
}

struct error *keeper_start(struct keeper *keeper, size_t n_max)
{
	int errnum;

	keeper->pins = pins_create(keeper->patience, n_max - n_max / 4);
	keeper->jits = jits_create(
		keeper->patience, n_max / 4 / FILES_OF_JIT);
	errnum = pthread_create(&keeper->thread, NULL, run, keeper);
	if (errnum)
		return error_errno(errnum, "starting the keeping thread");
	keeper->is_running = true;
	return NULL;
}

void keeper_stop(struct keeper *keeper)
{
	if (!keeper->is_running)
		return;
	__atomic_store_n(&keeper->is_over, true, __ATOMIC_RELEASE);
	sem_post(&keeper->news);
	pthread_join(keeper->thread, NULL);
	keeper->is_running = false;
}

int keeper_lend(struct keeper *keeper, const struct dso *dso)
{
	struct pinned pinned = { .fd = -1 };

	pthread_mutex_lock(&keeper->lock);
	if (keeper->pins)
		pinned = pins_find(keeper->pins, dso);
	if (pinned.fd >= 0)
		pinned.fd = fcntl(pinned.fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&keeper->lock);
	return pinned.fd;
}

int keeper_lend_dump(struct keeper *keeper, uint32_t pid)
{
	int fd = -1;

	pthread_mutex_lock(&keeper->lock);
	if (keeper->jits)
		fd = jits_find(keeper->jits, pid).dump;
	if (fd >= 0)
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&keeper->lock);
	return fd;
}

const struct jits *keeper_jits(const struct keeper *keeper)
{
	return keeper->jits;
}

void keeper_hold(struct keeper *keeper)
{
	pthread_mutex_lock(&keeper->lock);
	if (keeper->jits)
		jits_refresh(keeper->jits);
}

void keeper_release(struct keeper *keeper)
{
	pthread_mutex_unlock(&keeper->lock);
}

const struct pins *keeper_pins(const struct keeper *keeper)
{
	return keeper->pins;
}
