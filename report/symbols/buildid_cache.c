/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds mapped files, debug files, dwz files and vmlinux. */
#include "config.h"

#include "report/symbols/buildid_cache.h"

#include <errno.h>
#include <libgen.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "common/perf/record.h"
#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "report/symbols/servers.h"
#include "report/util/local_files.h"
#include "report/util/search_paths.h"

#define DEBUG_ROOT "/usr/lib/debug"

struct buildid_cache {
	const struct search_paths *paths; /* borrowed */
	/* Folders that contain .build-id, in the order of the search. */
	struct filter_names roots;
	struct servers *servers; /* owned; NULL: no requests are sent */
	/* Files that the recorder kept open. */
	ARRAY(struct open_file {
		char path[32];
		struct build_id id; /* size 0: the file has no build ID */
		uint64_t inode;
	})
	open_files;
};

struct file_search {
	struct buildid_cache *cache;
	struct build_id id; /* build ID of the searched file; size 0: not
	                     * known */
	uint64_t end;	    /* the searched file has code at this file offset;
	                     * 0: not checked */
	uint32_t crc;	    /* checksum of a debug file whose build ID is not
	                     * known */
	struct buildid_file *ret;
};

/* Limit of loaded segments per file; linkers make fewer. */
#define SEGMENTS_MAX 16u

static void add_cache_root(
	struct buildid_cache *cache, const char *folder, const char *path)
{
	*array_push(&cache->roots.names) = xasprintf("%s%s", folder, path);
}

struct buildid_cache *buildid_cache_create(const struct search_paths *places)
{
	struct buildid_cache *cache = xcalloc(1, sizeof(*cache));
	const char *home = getenv("HOME");

	cache->paths = places;
	array_each(&places->debug_dirs.names, folder)
		add_cache_root(cache, *folder, "");
	if (places->symfs)
		add_cache_root(cache, places->symfs, "/.debug");
	if (home && home[0] == '/')
		add_cache_root(cache, home, "/.debug");
	if (places->symfs)
		add_cache_root(cache, places->symfs, DEBUG_ROOT);
	add_cache_root(cache, "", DEBUG_ROOT);
	if (places->uses_servers)
		cache->servers = servers_create(places->server_urls);
	array_each(&places->open_files.numbers, fd) {
		struct open_file *held = array_push(&cache->open_files);
		struct stat status;

		snprintf(held->path, sizeof(held->path), "/proc/self/fd/%d",
			(int)*fd);
		elf_read_build_id((int)*fd, &held->id);
		if (fstat((int)*fd, &status) == 0)
			held->inode = status.st_ino;
	}
	return cache;
}

void buildid_cache_destroy(struct buildid_cache *cache)
{
	if (!cache)
		return;
	filter_names_deinit(&cache->roots);
	servers_destroy(cache->servers);
	array_free(&cache->open_files);
	free(cache);
}

void buildid_file_deinit(struct buildid_file *file)
{
	elf_file_close(file->elf);
	free(file->path);
}

/* Returns PATH below the folder of --symfs. The caller frees the result. */
static char *buildid_cache_rooted(
	const struct buildid_cache *cache, const char *path)
{
	return local_symfs_path(cache->paths->symfs, path);
}

/*
 * Opens PATH, a path below the folder SYMFS unless SYMFS is NULL. Returns NULL
 * if PATH is not a readable ELF file.
 */
static struct elf_file *open_elf_below(
	const char *symfs, const char *path, struct stat *status)
{
	int fd = local_symfs_open(symfs, path, status);
	struct elf_file *file = NULL;
	struct error *err = fd >= 0 ? elf_file_open(fd, path, &file) : NULL;

	/* Other files are not ELF files; processes map files of any kind. */
	if (err && err->errnum == EFBIG)
		local_file_report(path,
			"ignored, also its symbols: its section names exceed "
			"4 MiB");
	error_free(err);
	return file;
}

struct elf_file *buildid_cache_take(
	const struct buildid_cache *cache, struct buildid_file *file)
{
	struct elf_file *elf = file->elf;
	struct stat status;

	file->elf = NULL;
	if (elf || !file->path)
		return elf;
	return open_elf_below(cache->paths->symfs, file->path, &status);
}

struct elf_file *buildid_cache_open_elf(const char *path)
{
	struct stat status;

	return open_elf_below(NULL, path, &status);
}

const struct search_paths *buildid_cache_paths(
	const struct buildid_cache *cache)
{
	return cache->paths;
}

int buildid_cache_open_sibling(struct buildid_cache *cache,
	const struct build_id *id, const char *name, char **path_ret)
{
	char text[BUILD_ID_TEXT];
	struct stat status;

	if (id->size < 2)
		return -1;
	build_id_text(id, text);
	array_each(&cache->roots.names, root) {
		_cleanup_free_ char *path = xasprintf(
			"%s/.build-id/%.2s/%s/%s", *root, text, text + 2, name);
		int fd = local_symfs_open(cache->paths->symfs, path, &status);

		if (fd < 0)
			continue;
		*path_ret = take_pointer(path);
		return fd;
	}
	return -1;
}

static bool is_searched_file(
	const struct file_search *search, struct elf_file *file)
{
	struct elf_segment segments[SEGMENTS_MAX];
	struct build_id found;
	size_t n, i;

	if (!search->id.size)
		return elf_file_has_crc(file, search->crc);
	if (!elf_file_build_id(file, &found) ||
		!build_id_equal(&found, &search->id))
		return false;
	if (!search->end)
		return true;
	/* A file with a forged build ID can lack the sampled code. */
	n = elf_file_segments(file, segments, SEGMENTS_MAX);
	for (i = 0; i < n; i++)
		if (search->end >= segments[i].start &&
			search->end <= segments[i].end)
			return true;
	return false;
}

/*
 * Opens PATH, and stores the file in SEARCH->ret if it has the build ID
 * SEARCH->id or, if SEARCH->id is empty, the checksum SEARCH->crc. Frees PATH.
 * Returns whether this or an earlier call found the file.
 */
static bool file_search_try(struct file_search *search, char *path)
{
	_cleanup_free_ char *owned = path;
	struct elf_file *file;
	struct stat status;

	if (search->ret->elf)
		return true;
	file = open_elf_below(search->cache->paths->symfs, path, &status);
	if (!file)
		return false;
	if (!is_searched_file(search, file)) {
		elf_file_close(file);
		return false;
	}
	search->ret->elf = file;
	search->ret->path = take_pointer(owned);
	return true;
}

/*
 * Tries .build-id/xx/rest, the path of build ID SEARCH->id, below each of the
 * cache's .roots, followed by each of SUFFIXES, whose last element is NULL.
 * Returns whether the file was found.
 */
static bool file_search_try_id(
	struct file_search *search, const char *const *suffixes)
{
	char text[BUILD_ID_TEXT];

	if (search->id.size < 2)
		return false;
	build_id_text(&search->id, text);
	array_each(&search->cache->roots.names, root) {
		const char *const *suffix;

		for (suffix = suffixes; *suffix; suffix++)
			if (file_search_try(search,
				    xasprintf("%s/.build-id/%.2s/%s%s", *root,
					    text, text + 2, *suffix)))
				return true;
	}
	return false;
}

/*
 * Requests the file of KIND with build ID SEARCH->id from debuginfod servers;
 * NAME is shown to the user. Returns whether the file was found.
 */
static bool file_search_try_servers(
	struct file_search *search, enum servers_kind kind, const char *name)
{
	struct servers *servers = search->cache->servers;
	_cleanup_free_ char *path = NULL;

	if (search->ret->elf || !search->id.size)
		return search->ret->elf;
	path = servers_find(servers, kind, &search->id, name);
	search->ret->is_missed = !path && servers_have_missed(servers);
	if (!path)
		return false;
	if (file_search_try(search, xstrdup(path)))
		return true;
	servers_refuse(servers, path, name);
	return false;
}

/*
 * Whether FILE is proven to be the recorded file. The caller has compared the
 * build IDs.
 */
static bool is_proven_file(const struct buildid_query *query, const char *symfs,
	struct elf_file *file, const struct stat *status)
{
	struct statfs system;

	if (query->build_id.size && !query->is_path_shared)
		return true;
	if (!query->build_id.size &&
		!(query->end <= ALIGN_UP((uint64_t)status->st_size, 4096) &&
			(!query->recorded_ns ||
				clock_ns(&status->st_mtim) <
					query->recorded_ns)))
		return false;
	/*
	 * Files below --symfs are copies, whose inodes differ from the recorded
	 * ones.
	 */
	if (symfs)
		return !query->is_path_shared;
	if (query->dso->inode != status->st_ino)
		return false;
	if (query->dso->major == major(status->st_dev) &&
		query->dso->minor == minor(status->st_dev))
		return true;
	/*
	 * On overlayfs (containers) and btrfs, the device of a mapping differs
	 * from that of stat(). On these file systems, an equal inode is enough
	 * if the file was last changed before the recording; programs cannot
	 * set the time of the last change (ctime).
	 */
	return query->recorded_ns &&
		clock_ns(&status->st_ctim) < query->recorded_ns &&
		fstatfs(elf_file_fd(file), &system) == 0 &&
		(system.f_type == OVERLAYFS_SUPER_MAGIC ||
			system.f_type == BTRFS_SUPER_MAGIC);
}

/*
 * Whether the file with STATUS, which is not the recorded one, was changed since
 * the recording began. Otherwise it is a file of another root or machine, or was
 * changed before. Programs cannot set the time of the last change (ctime).
 */
static bool is_changed_since(const struct buildid_query *query,
	const char *symfs, const struct stat *status)
{
	return !symfs && query->is_from_here && query->recorded_ns &&
		clock_ns(&status->st_ctim) >= query->recorded_ns;
}

/*
 * Stores the file at PATH in SEARCH->ret if it is or may be the recorded file.
 * Frees PATH. Files below SYMFS, which may be NULL, are copies, so their inodes
 * are not compared.
 */
static bool try_mapped_path(struct file_search *search,
	const struct buildid_query *query, const char *symfs, char *path)
{
	_cleanup_free_ char *owned = path;
	struct buildid_file *ret = search->ret;
	struct stat status;
	struct elf_file *file = open_elf_below(symfs, path, &status);

	if (!file)
		return false;
	struct build_id found;
	if (query->build_id.size &&
		!(elf_file_build_id(file, &found) &&
			build_id_equal(&found, &query->build_id))) {
		ret->is_other = true;
		ret->has_changed = is_changed_since(query, symfs, &status);
		elf_file_close(file);
		return false;
	}
	ret->elf = file;
	ret->path = take_pointer(owned);
	ret->trust = is_proven_file(query, symfs, file, &status)
		? BUILDID_PROVEN
		: BUILDID_DOUBTFUL;
	return true;
}

/*
 * Tries the files that the recorder kept open. A file that is not proven to be
 * the recorded one is not used.
 */
static bool try_open_files(
	struct file_search *search, const struct buildid_query *query)
{
	array_each(&search->cache->open_files, held) {
		if (query->build_id.size
				? !build_id_equal(&held->id, &query->build_id)
				: held->inode != query->dso->inode)
			continue;
		if (try_mapped_path(search, query, NULL, xstrdup(held->path)) &&
			search->ret->trust == BUILDID_PROVEN)
			return true;
		buildid_file_deinit(search->ret);
		memset(search->ret, 0, sizeof(*search->ret));
	}
	return false;
}

/*
 * Finds debug files that the user copied to a --debug-dir without .build-id
 * folders.
 */
static bool file_search_try_folders(
	struct file_search *search, const char *path)
{
	const struct search_paths *places = search->cache->paths;
	const char *base = strrchr(path, '/');

	if (path[0] != '/')
		return false;
	array_each(&places->debug_dirs.names, folder)
		if (file_search_try(search, xasprintf("%s%s", *folder, path)) ||
			file_search_try(
				search, xasprintf("%s%s", *folder, base)))
			return true;
	return false;
}

void buildid_cache_find(struct buildid_cache *cache,
	const struct buildid_query *query, struct buildid_file *ret)
{
	static const char *const names[] = { "/elf", "/vdso", "", NULL };
	struct file_search search = {
		.cache = cache,
		.id = query->build_id,
		.end = query->end,
		.ret = ret,
	};

	memset(ret, 0, sizeof(*ret));
	if (query->dso->path[0] == '/' &&
		(try_open_files(&search, query) ||
			try_mapped_path(&search, query, cache->paths->symfs,
				buildid_cache_rooted(cache, query->dso->path))))
		return;
	ret->trust = query->is_path_shared ? BUILDID_DOUBTFUL : BUILDID_PROVEN;
	/* Without a build ID, a file at another path cannot be identified. */
	if (query->build_id.size &&
		!file_search_try_folders(&search, query->dso->path))
		file_search_try_id(&search, names);
}

void buildid_cache_fetch(struct buildid_cache *cache,
	const struct buildid_query *query, struct buildid_file *ret)
{
	struct file_search search = {
		.cache = cache,
		.id = query->build_id,
		.end = query->end,
		.ret = ret,
	};

	if (query->dso->path[0] == '/')
		file_search_try_servers(
			&search, SERVERS_FILE, query->dso->path);
}

/* --- debug files, dwz files and vmlinux ---------------------------------- */

/*
 * Tries the debug file NAME in the folder of PATH, in its .debug subfolder, and
 * below each folder of debug files.
 */
static bool try_link_name(
	struct file_search *search, const char *path, const char *name)
{
	_cleanup_free_ char *copy = xstrdup(path);
	const char *folder = dirname(copy);

	if (file_search_try(search, xasprintf("%s/%s", folder, name)) ||
		file_search_try(
			search, xasprintf("%s/.debug/%s", folder, name)))
		return true;
	array_each(&search->cache->roots.names, root)
		if (file_search_try(search,
			    xasprintf("%s%s/%s", *root, folder, name)) ||
			file_search_try(
				search, xasprintf("%s/%s", *root, name)))
			return true;
	return false;
}

/*
 * Tries the file that .gnu_debuglink of MAPPED names, beside MAPPED and beside
 * the path RECORDED, which may differ.
 */
static bool try_debuglink(struct file_search *search, const char *recorded,
	const struct buildid_file *mapped)
{
	const char *name = mapped->elf
		? elf_file_debuglink(mapped->elf, &search->crc)
		: NULL;

	if (!name || strchr(name, '/'))
		return false;
	return try_link_name(search, mapped->path, name) ||
		(recorded[0] == '/' && try_link_name(search, recorded, name));
}

void buildid_cache_find_debug(struct buildid_cache *cache,
	const struct buildid_query *query, const struct buildid_file *mapped,
	struct buildid_file *ret)
{
	static const char *const names[] = { ".debug", "/debug", NULL };
	struct file_search search = {
		.cache = cache,
		.id = query->build_id,
		.ret = ret,
	};

	memset(ret, 0, sizeof(*ret));
	if (!search.id.size && mapped->elf)
		elf_file_build_id(mapped->elf, &search.id);
	if (!file_search_try_id(&search, names) &&
		!try_debuglink(&search, query->dso->path, mapped) &&
		search.id.size &&
		!file_search_try_folders(&search, query->dso->path) &&
		query->dso->path[0] == '/')
		file_search_try_servers(
			&search, SERVERS_DEBUG, query->dso->path);
}

void buildid_cache_find_alt(struct buildid_cache *cache,
	const struct buildid_file *debug, struct buildid_file *ret)
{
	static const char *const names[] = { ".debug", "/debug", NULL };
	struct file_search search = { .cache = cache, .ret = ret };
	const char *name = elf_file_altlink(debug->elf, &search.id);

	_cleanup_free_ char *copy = xstrdup(debug->path);
	bool is_found;

	memset(ret, 0, sizeof(*ret));
	if (!name || file_search_try_id(&search, names))
		return;
	/* dwz writes names relative to the folder of the file that refers to NAME. */
	if (name[0] == '/')
		is_found = file_search_try(&search,
				   buildid_cache_rooted(cache, name)) ||
			file_search_try(&search, xstrdup(name));
	else
		is_found = file_search_try(
			&search, xasprintf("%s/%s", dirname(copy), name));
	if (!is_found)
		file_search_try_servers(&search, SERVERS_DEBUG, name);
}

void buildid_cache_find_kernel(struct buildid_cache *cache,
	const struct build_id *id, const char *release,
	struct buildid_file *ret)
{
	static const char *const names[] = { ".debug", "/vmlinux", "/elf",
		"/debug", NULL };
	static const char *const paths[] = { "/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux", "/boot/vmlinux-%s",
		"/lib/modules/%s/vmlinux", "/lib/modules/%s/build/vmlinux" };
	struct file_search search = { .cache = cache, .id = *id, .ret = ret };
	size_t i;

	memset(ret, 0, sizeof(*ret));
	if (!id->size || file_search_try_id(&search, names))
		return;
	for (i = 0; release && !strchr(release, '/') && i < ARRAY_SIZE(paths);
		i++) {
		const char *where = strstr(paths[i], "%s");
		_cleanup_free_ char *path =
			xasprintf("%.*s%s%s", (int)(where - paths[i]), paths[i],
				release, where + strlen("%s"));

		if (file_search_try(&search, buildid_cache_rooted(cache, path)))
			return;
	}
	file_search_try_servers(&search, SERVERS_DEBUG, "vmlinux");
}
