/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/cfi_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "common/alloc.h"
#include "common/cfi_private.h"
#include "common/hash.h"
#include "common/record.h"
#include "common/sink.h"

/* Smaller sections are compiled in less than a millisecond. */
#define SECTION_MIN KIB(128)
#define MAGIC UINT64_C(0x3130696663776400) /* changes with struct cfi_table */
#define NAME_MAX_SIZE (2 * BUILD_ID_MAX + 32)
#define DAY_SECONDS 86400
#define UNUSED_DAYS 30

struct head {
	uint64_t magic, key;
	uint64_t size, checksum; /* of the table that follows */
};
#define FILE_SIZE_MAX                                                          \
	(sizeof(struct head) + sizeof(struct cfi_table) +                      \
		4 * ((size_t)CFI_ROWS_MAX + CFI_RULES_MAX +                    \
			(CFI_SPAN_MAX >> CFI_PAGE_SHIFT) + 2))

struct cfi_cache {
	int folder;
};

/* What one run made and another reads: not by the seed of this process. */
static uint64_t checksum(uint64_t from, const void *data, size_t size)
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

/* Of all that rules are made from. */
static uint64_t key_of(const struct cfi_source *source)
{
	const struct cfi_section *eh = &source->eh_frame;
	const struct cfi_section *debug = &source->debug_frame;
	uint64_t numbers[] = { source->arch, source->entry, source->start,
		source->end, eh->address, eh->text, eh->data };
	uint64_t key = checksum(MAGIC, numbers, sizeof(numbers));

	key = checksum(key, eh->at, eh->size);
	return checksum(key, debug->at, debug->size);
}

/* False: FILE's rules aren't kept. */
static bool name_of(struct elf_file *file, const struct cfi_source *source,
	uint64_t key, char name[NAME_MAX_SIZE])
{
	struct build_id id;
	char *at = name;
	unsigned i;

	if (source->eh_frame.size + source->debug_frame.size < SECTION_MIN ||
		!elf_file_build_id(file, &id) || !id.size)
		return false;
	for (i = 0; i < id.size; i++)
		at += snprintf(at, 3, "%02x", id.bytes[i]);
	snprintf(at, 18, "-%016llx", (unsigned long long)key);
	return true;
}

static bool is_own(int fd, mode_t type)
{
	struct stat status;

	return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type &&
		status.st_uid == geteuid() && !(status.st_mode & 077);
}

/* All of them; true if there were as many. */
static bool read_all(int fd, void *data, size_t size)
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

/* NULL if it isn't there or anything about it is wrong. Owned by the caller. */
static struct cfi_table *load(
	const struct cfi_cache *cache, const char *name, uint64_t key)
{
	_cleanup_close_ int fd = openat(cache->folder, name,
		O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	_cleanup_free_ struct cfi_table *table = NULL;
	struct head head;

	if (fd < 0 || !is_own(fd, S_IFREG) ||
		!read_all(fd, &head, sizeof(head)) || head.magic != MAGIC ||
		head.key != key || head.size < sizeof(*table) ||
		head.size > FILE_SIZE_MAX)
		return NULL;
	table = xmalloc(head.size);
	if (!read_all(fd, table, head.size) ||
		checksum(key, table, head.size) != head.checksum ||
		!cfi_table_is_sound(table, head.size))
		return NULL;
	/* Used today. */
	futimens(fd, NULL);
	return take_pointer(table);
}

/* Whole, or not at all. */
static void store(const struct cfi_cache *cache, const char *name,
	uint64_t key, const struct cfi_table *table)
{
	static unsigned n_made;
	size_t size = cfi_table_size(table);
	struct head head = { MAGIC, key, size, checksum(key, table, size) };
	_cleanup_close_ int fd = -1;
	char made[64];

	snprintf(made, sizeof(made), ".%d.%u", (int)getpid(),
		__atomic_fetch_add(&n_made, 1, __ATOMIC_RELAXED));
	fd = openat(cache->folder, made,
		O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	if (sink_write(fd, &head, sizeof(head)) ||
		sink_write(fd, table, size) ||
		renameat(cache->folder, made, cache->folder, name) < 0)
		unlinkat(cache->folder, made, 0);
}

/* What nobody has asked for in a month, and halves that somebody left. */
static void clean(const struct cfi_cache *cache)
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

/* Makes all folders of PATH; those that are there stay as they are. */
static void make_folders(char *path)
{
	char *at = path;

	while ((at = strchr(at + 1, '/'))) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	mkdir(path, 0700);
}

/* NULL if the environment names none. Owned by the caller. */
static char *default_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		return xasprintf("%s/dwell/cfi", cache);
	if (home && *home == '/')
		return xasprintf("%s/.cache/dwell/cfi", home);
	return NULL;
}

struct cfi_cache *cfi_cache_open(const char *folder)
{
	_cleanup_free_ char *path =
		folder ? xstrdup(folder) : default_folder();
	_cleanup_close_ int fd = -1;
	struct cfi_cache *cache;

	if (!path)
		return NULL;
	make_folders(path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || !is_own(fd, S_IFDIR))
		return NULL;
	cache = xcalloc(1, sizeof(*cache));
	cache->folder = take_fd(fd);
	clean(cache);
	return cache;
}

void cfi_cache_close(struct cfi_cache *cache)
{
	if (!cache)
		return;
	close(cache->folder);
	free(cache);
}

struct error *cfi_cache_create(struct cfi_cache *cache, struct elf_file *file,
	struct elf_file *debug, struct cfi **ret)
{
	char name[NAME_MAX_SIZE];
	struct cfi_source source;
	struct cfi_table *table;
	uint64_t key;

	if (!cache ||
		unwind_arch_of_elf(elf_file_machine(file)) == UNWIND_NONE)
		return cfi_create(file, debug, ret);
	cfi_load(file, debug, &source);
	key = key_of(&source);
	if (!name_of(file, &source, key, name))
		return cfi_create(file, debug, ret);
	table = load(cache, name, key);
	if (!table) {
		cfi_source_sort(&source);
		table = cfi_compile(&source);
		cfi_source_deinit(&source);
		store(cache, name, key, table);
	}
	*ret = cfi_wrap_files(file, debug, table);
	return NULL;
}
