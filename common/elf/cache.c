/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "common/util/alloc.h"
#include "common/util/hash.h"
#include "common/util/sink.h"

#define NAME_MAX_SIZE (2 * BUILD_ID_MAX + 32)
#define DAY_SECONDS 86400
#define UNUSED_DAYS 30

struct cache_head {
	uint64_t magic, key;
	uint64_t size, checksum; /* of the data behind the header */
};

struct cache {
	int folder;
};

/*
 * Does not use hash_seed, which differs in each process, because other
 * processes check the checksum.
 */
uint64_t cache_checksum(uint64_t from, const void *data, size_t size)
{
	const uint8_t *at = data;
	uint64_t sum = from ^ size, word = 0;

	for (; size >= 8; at += 8, size -= 8) {
		memcpy(&word, at, sizeof(word));
		sum = hash_fold(sum ^ word, UINT64_C(0x9e3779b97f4a7c15)) ^
			word >> 7;
	}
	word = 0;
	if (size)
		memcpy(&word, at, size);
	return hash_fold(sum ^ word, UINT64_C(0xd1b54a32d192ed03));
}

static void cache_file_name(
	const struct cache_place *place, char name[NAME_MAX_SIZE])
{
	char *at = name;
	unsigned i;

	for (i = 0; i < place->id.size; i++)
		at += snprintf(at, 3, "%02x", place->id.bytes[i]);
	snprintf(at, 18, "-%016llx", (unsigned long long)place->key);
}

static bool is_private_to_user(int fd, mode_t type)
{
	struct stat status;

	return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type &&
		status.st_uid == geteuid() && !(status.st_mode & 077);
}

/* Returns true if all SIZE bytes were read. */
static bool read_file_bytes(int fd, void *data, size_t size)
{
	uint8_t *at = data;

	while (size) {
		ssize_t n = read(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

void *cache_load(const struct cache *cache, const struct cache_place *place,
	size_t max, size_t *size_ret)
{
	_cleanup_free_ void *data = NULL;
	_cleanup_close_ int fd = -1;
	char name[NAME_MAX_SIZE];
	struct cache_head head;

	cache_file_name(place, name);
	fd = openat(cache->folder, name,
		O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || !is_private_to_user(fd, S_IFREG) ||
		!read_file_bytes(fd, &head, sizeof(head)) ||
		head.magic != place->magic || head.key != place->key ||
		head.size > max)
		return NULL;
	data = xmalloc(head.size);
	if (!read_file_bytes(fd, data, head.size) ||
		cache_checksum(head.key, data, head.size) != head.checksum)
		return NULL;
	/* Set the modification time: remove_unused_files() checks it. */
	futimens(fd, NULL);
	*size_ret = head.size;
	return take_pointer(data);
}

/*
 * Writes a temporary file and renames it, so that readers find complete files
 * only.
 */
void cache_store(const struct cache *cache, const struct cache_place *place,
	const void *data, size_t size)
{
	static unsigned n_made;
	struct cache_head head = { place->magic, place->key, size,
		cache_checksum(place->key, data, size) };
	char made[64], name[NAME_MAX_SIZE];
	_cleanup_close_ int fd = -1;

	cache_file_name(place, name);
	snprintf(made, sizeof(made), ".%d.%u", (int)getpid(),
		__atomic_fetch_add(&n_made, 1, __ATOMIC_RELAXED));
	fd = openat(cache->folder, made,
		O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	if (sink_write(fd, &head, sizeof(head)) || sink_write(fd, data, size) ||
		renameat(cache->folder, made, cache->folder, name) < 0)
		unlinkat(cache->folder, made, 0);
}

/*
 * Removes files that were not used for UNUSED_DAYS days, and temporary files
 * that are older than a day.
 */
static void remove_unused_files(const struct cache *cache)
{
	int fd = openat(cache->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	time_t now = time(NULL);

	if (!folder) {
		base_close_fd(&fd);
		return;
	}
	while ((entry = readdir(folder))) {
		struct stat status;
		int days = *entry->d_name == '.' ? 1 : UNUSED_DAYS;

		if (fstatat(cache->folder, entry->d_name, &status,
			    AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISREG(status.st_mode) &&
			status.st_mtime + days * DAY_SECONDS < now)
			unlinkat(cache->folder, entry->d_name, 0);
	}
	closedir(folder);
}

/*
 * Returns true if the deepest existing folder of PATH belongs to the effective
 * user or has the sticky bit set. With sudo, $HOME may belong to another user.
 */
static bool is_users_own_path(const char *path)
{
	_cleanup_free_ char *there = xstrdup(path);
	struct stat status;
	char *end;

	while (stat(*there ? there : "/", &status) < 0) {
		end = strrchr(there, '/');
		if (!end)
			return false;
		*end = '\0';
	}
	return status.st_uid == geteuid() || status.st_mode & S_ISVTX;
}

/*
 * Returns the path of the default folder, owned by the caller, or NULL if the
 * environment contains no folder that belongs to this user.
 */
static char *default_folder(const char *kind)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		return is_users_own_path(cache)
			? xasprintf("%s/dwell/%s", cache, kind)
			: NULL;
	if (home && *home == '/' && is_users_own_path(home))
		return xasprintf("%s/.cache/dwell/%s", home, kind);
	return NULL;
}

struct cache *cache_open(const char *kind, const char *folder)
{
	_cleanup_free_ char *path =
		folder ? xstrdup(folder) : default_folder(kind);
	_cleanup_close_ int fd = -1;
	struct cache *cache;

	if (!path)
		return NULL;
	for (char *at = path; (at = strchr(at + 1, '/'));) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	mkdir(path, 0700);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || !is_private_to_user(fd, S_IFDIR))
		return NULL;
	cache = xcalloc(1, sizeof(*cache));
	cache->folder = take_fd(fd);
	remove_unused_files(cache);
	return cache;
}

void cache_close(struct cache *cache)
{
	if (!cache)
		return;
	close(cache->folder);
	free(cache);
}
