/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files as they were mapped, and the ways in which all are found. */
#include "config.h"

#include "report/symbols/buildid_cache.h"

#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "report/symbols/buildid_cache_private.h"
#include "report/symbols/unpacked.h"
#include "report/util/symfs.h"

/* More pieces of code than linkers make of one file. */
#define SEGMENTS_MAX 16u

static void add_root(struct store *store, const char *folder, const char *path)
{
	*array_push(&store->roots.names) = xasprintf("%s%s", folder, path);
}

static void add_held(struct store *store, int fd)
{
	struct held_file *held = array_push(&store->held);
	struct stat status;

	snprintf(held->path, sizeof(held->path), "/proc/self/fd/%d", fd);
	elf_read_build_id(fd, &held->id);
	if (fstat(fd, &status) == 0)
		held->inode = status.st_ino;
}

struct store *store_create(const struct places *places)
{
	struct store *store = xcalloc(1, sizeof(*store));
	_cleanup_free_ char *unpacked = unpacked_usual_folder();
	const char *home = getenv("HOME");

	store->places = places;
	array_each(&places->debug_dirs.names, folder)
		add_root(store, *folder, "");
	if (unpacked)
		add_root(store, unpacked, "");
	if (places->symfs)
		add_root(store, places->symfs, "/.debug");
	if (home && home[0] == '/')
		add_root(store, home, "/.debug");
	if (places->symfs)
		add_root(store, places->symfs, DEBUG_ROOT);
	add_root(store, "", DEBUG_ROOT);
	if (places->asks_servers)
		store->servers = servers_create(places->server_urls);
	array_each(&places->held.numbers, fd)
		add_held(store, (int)*fd);
	return store;
}

void store_destroy(struct store *store)
{
	if (!store)
		return;
	filter_names_deinit(&store->roots);
	servers_destroy(store->servers);
	array_free(&store->held);
	free(store);
}

void store_file_deinit(struct store_file *file)
{
	elf_file_close(file->elf);
	free(file->path);
}

char *store_rooted(const struct store *store, const char *path)
{
	return symfs_path(store->places->symfs, path);
}

/* SYMFS may be NULL. */
static struct elf_file *open_elf(
	const char *symfs, const char *path, struct stat *status)
{
	int fd = symfs_open(symfs, path, status);
	struct elf_file *file = NULL;

	if (fd >= 0)
		error_free(elf_file_open(fd, path, &file));
	return file;
}

struct elf_file *store_file_take(
	const struct store *store, struct store_file *file)
{
	struct elf_file *elf = file->elf;
	struct stat status;

	file->elf = NULL;
	if (elf || !file->path)
		return elf;
	return open_elf(store->places->symfs, file->path, &status);
}

struct elf_file *store_open_elf(const char *path)
{
	struct stat status;

	return open_elf(NULL, path, &status);
}

const struct places *store_places(const struct store *store)
{
	return store->places;
}

int store_open_beside(struct store *store, const struct build_id *id,
	const char *name, char **path_ret)
{
	char text[BUILD_ID_TEXT];
	struct stat status;

	if (id->size < 2)
		return -1;
	build_id_text(id, text);
	array_each(&store->roots.names, root) {
		_cleanup_free_ char *path = xasprintf("%s/.build-id/%.2s/%s/%s",
			*root, text, text + 2, name);
		int fd = symfs_open(store->places->symfs, path, &status);

		if (fd < 0)
			continue;
		*path_ret = take_pointer(path);
		return fd;
	}
	return -1;
}

/* A file that claims another one's build ID would hardly fit. */
static bool has_code_at(struct elf_file *file, uint64_t offset)
{
	struct elf_segment segments[SEGMENTS_MAX];
	size_t n = elf_file_segments(file, segments, SEGMENTS_MAX), i;

	for (i = 0; i < n; i++)
		if (offset >= segments[i].start && offset <= segments[i].end)
			return true;
	return false;
}

static bool is_wanted(const struct search *search, struct elf_file *file)
{
	struct build_id found;

	if (!search->id.size)
		return elf_file_has_crc(file, search->crc);
	return elf_file_build_id(file, &found) &&
		build_id_equal(&found, &search->id) &&
		(!search->end || has_code_at(file, search->end));
}

bool store_try(struct search *search, char *path)
{
	_cleanup_free_ char *owned = path;
	struct elf_file *file;
	struct stat status;

	if (search->ret->elf)
		return true;
	file = open_elf(search->store->places->symfs, path, &status);
	if (!file)
		return false;
	if (!is_wanted(search, file)) {
		elf_file_close(file);
		return false;
	}
	search->ret->elf = file;
	search->ret->path = take_pointer(owned);
	return true;
}

bool store_try_id(struct search *search, const char *const *suffixes)
{
	char text[BUILD_ID_TEXT];

	if (search->id.size < 2)
		return false;
	build_id_text(&search->id, text);
	array_each(&search->store->roots.names, root) {
		const char *const *suffix;

		for (suffix = suffixes; *suffix; suffix++)
			if (store_try(search,
				    xasprintf("%s/.build-id/%.2s/%s%s", *root,
					    text, text + 2, *suffix)))
				return true;
	}
	return false;
}

bool store_try_servers(
	struct search *search, enum servers_kind kind, const char *name)
{
	struct servers *servers = search->store->servers;
	_cleanup_free_ char *path = NULL;

	if (search->ret->elf || !search->id.size)
		return search->ret->elf;
	path = servers_find(servers, kind, &search->id, name);
	search->ret->is_missed = !path && servers_have_missed(servers);
	if (!path)
		return false;
	if (store_try(search, xstrdup(path)))
		return true;
	servers_refuse(servers, path, name);
	return false;
}

/*
 * overlayfs (of containers) and btrfs show one device in mappings, another in
 * stat(). There the inode counts if nothing was done to it since, which the time
 * of its last change tells: that can't be set.
 */
static bool is_same_device(const struct store_wish *wish, int fd,
	const struct stat *status)
{
	struct statfs system;

	if (wish->dso->major == major(status->st_dev) &&
		wish->dso->minor == minor(status->st_dev))
		return true;
	return wish->recorded_ns &&
		clock_ns(&status->st_ctim) < wish->recorded_ns &&
		fstatfs(fd, &system) == 0 &&
		(system.f_type == OVERLAYFS_SUPER_MAGIC ||
			system.f_type == BTRFS_SUPER_MAGIC);
}

static bool is_same_inode(const struct store_wish *wish, int fd,
	const struct stat *status)
{
	return wish->dso->inode == status->st_ino &&
		is_same_device(wish, fd, status);
}

static bool is_old_enough(
	const struct store_wish *wish, const struct stat *status)
{
	return wish->end <= ALIGN_UP((uint64_t)status->st_size, 4096) &&
		(!wish->recorded_ns ||
			clock_ns(&status->st_mtim) < wish->recorded_ns);
}

static bool is_recorded(const struct store_wish *wish, struct elf_file *file)
{
	struct build_id found;

	return !wish->build_id.size ||
		(elf_file_build_id(file, &found) &&
			build_id_equal(&found, &wish->build_id));
}

/* Whether FILE, which is_recorded(), can be no other file. */
static bool is_proven(const struct store_wish *wish, const char *symfs,
	struct elf_file *file, const struct stat *status)
{
	if (wish->build_id.size && !wish->is_path_shared)
		return true;
	if (!wish->build_id.size && !is_old_enough(wish, status))
		return false;
	/* Copies have other inodes. */
	return symfs ? !wish->is_path_shared
		     : is_same_inode(wish, elf_file_fd(file), status);
}

/*
 * What is at PATH, which is freed, if it is the recorded file or may be. Below
 * SYMFS, which may be NULL, are copies: only their times tell anything.
 */
static bool try_mapped(struct search *search, const struct store_wish *wish,
	const char *symfs, char *path)
{
	_cleanup_free_ char *owned = path;
	struct store_file *ret = search->ret;
	struct stat status;
	struct elf_file *file = open_elf(symfs, path, &status);

	if (!file)
		return false;
	if (!is_recorded(wish, file)) {
		ret->has_changed = true;
		elf_file_close(file);
		return false;
	}
	ret->elf = file;
	ret->path = take_pointer(owned);
	ret->trust = is_proven(wish, symfs, file, &status) ? STORE_SAME
							   : STORE_DOUBTFUL;
	return true;
}

/* What may be held of others isn't looked at. */
static bool try_held(struct search *search, const struct store_wish *wish)
{
	array_each(&search->store->held, held) {
		if (wish->build_id.size
				? !build_id_equal(&held->id, &wish->build_id)
				: held->inode != wish->dso->inode)
			continue;
		if (try_mapped(search, wish, NULL, xstrdup(held->path)) &&
			search->ret->trust == STORE_SAME)
			return true;
		store_file_deinit(search->ret);
		memset(search->ret, 0, sizeof(*search->ret));
	}
	return false;
}

/* What somebody put there by name, for the machine that has nothing else. */
bool store_try_folders(struct search *search, const char *path)
{
	const struct places *places = search->store->places;
	const char *base = strrchr(path, '/');

	if (path[0] != '/')
		return false;
	array_each(&places->debug_dirs.names, folder)
		if (store_try(search, xasprintf("%s%s", *folder, path)) ||
			store_try(search, xasprintf("%s%s", *folder, base)))
			return true;
	return false;
}

void store_find(struct store *store, const struct store_wish *wish,
	struct store_file *ret)
{
	static const char *const names[] = { "/elf", "/vdso", "", NULL };
	struct search search = {
		.store = store,
		.id = wish->build_id,
		.end = wish->end,
		.ret = ret,
	};

	memset(ret, 0, sizeof(*ret));
	if (wish->dso->path[0] == '/' &&
		(try_held(&search, wish) ||
			try_mapped(&search, wish, store->places->symfs,
				store_rooted(store, wish->dso->path))))
		return;
	ret->trust = wish->is_path_shared ? STORE_DOUBTFUL : STORE_SAME;
	/* No file elsewhere can be known to be that one. */
	if (wish->build_id.size && !store_try_folders(&search, wish->dso->path))
		store_try_id(&search, names);
}

void store_fetch(struct store *store, const struct store_wish *wish,
	struct store_file *ret)
{
	struct search search = {
		.store = store,
		.id = wish->build_id,
		.end = wish->end,
		.ret = ret,
	};

	if (wish->dso->path[0] == '/')
		store_try_servers(&search, SERVERS_FILE, wish->dso->path);
}
