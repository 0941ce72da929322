/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/debug_budget.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/log.h"

/*
 * Limit of the expansion that is not charged: zlib and zstd compress the output
 * of compilers only to a third or a quarter.
 */
#define EXPANSION_FREE 20u
#define BUDGET MIB(64)
#define DISK_BLOCK 512u /* unit of st_blocks in bytes */
/*
 * Limit of the notes about refused files; further files are refused without a
 * note.
 */
#define REFUSED_MAX 100u

static struct {
	pthread_mutex_t lock;
	uint64_t charged;
	ARRAY(char *) refused; /* paths of files that a note has named */
} budget = { .lock = PTHREAD_MUTEX_INITIALIZER };

char *debug_budget_path(struct elf_file *file)
{
	char link[64], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", elf_file_fd(file));
	n = readlink(link, path, sizeof(path) - 1);
	return n > 0 ? xstrndup(path, (size_t)n) : NULL;
}

/*
 * Returns the number of bytes that FILE occupies on the disk. On file systems
 * that do not count these bytes, returns the size of FILE.
 */
static uint64_t disk_size(struct elf_file *file)
{
	struct stat status;
	uint64_t size;

	if (fstat(elf_file_fd(file), &status) < 0)
		return 0;
	size = (uint64_t)status.st_size;
	return status.st_blocks > 0
		? MIN(size, (uint64_t)status.st_blocks * DISK_BLOCK)
		: size;
}

/*
 * Returns whether PATH needs a note: no note has named PATH, and the limit is
 * not reached. The caller holds budget.lock.
 */
static bool is_new_refusal(const char *path)
{
	array_each(&budget.refused, known)
		if (string_is(*known, path))
			return false;
	if (budget.refused.n >= REFUSED_MAX)
		return false;
	*array_push(&budget.refused) = xstrdup(path);
	return true;
}

bool debug_budget_charge(struct elf_file *file, uint64_t size)
{
	uint64_t cost, free_size;
	bool fits;

	if (__builtin_mul_overflow(disk_size(file), EXPANSION_FREE, &free_size))
		free_size = UINT64_MAX;
	if (size <= free_size)
		return true;
	cost = size - free_size;
	pthread_mutex_lock(&budget.lock);
	fits = cost <= BUDGET - budget.charged;
	if (fits)
		budget.charged += cost;
	pthread_mutex_unlock(&budget.lock);
	if (!fits) {
		_cleanup_free_ char *path = debug_budget_path(file);
		bool is_new;

		pthread_mutex_lock(&budget.lock);
		is_new = path && is_new_refusal(path);
		pthread_mutex_unlock(&budget.lock);
		if (is_new)
			log_note(
				"%s: its lines and inlined functions are left out: its "
				"debug information expands from %" PRIu64
				" to %" PRIu64
				" bytes, more than dwell's limit for "
				"memory; build the file again, or decompress it with "
				"objcopy --decompress-debug-sections",
				path, disk_size(file), size);
	}
	return fits;
}
