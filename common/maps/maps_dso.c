/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DSOs: which mappings are of the same file, or of nobody else's memory. */
#include "config.h"

#include "common/maps/maps.h"
#include "common/maps/maps_private.h"
#include "common/util/alloc.h"

/* All that a process of 32 bits has addresses for. */
#define SPACE32_SIZE (UINT64_C(1) << 32)

bool maps_is_anonymous(const char *path)
{
	static const char *const starts[] = { "//anon", "/dev/zero",
		"/anon_hugepage", "[heap]", "[stack", "/SYSV" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(starts); i++)
		if (string_starts(path, starts[i]))
			return true;
	return false;
}

bool maps_is_vdso(const char *path)
{
	return string_is(path, MAPS_VDSO) || string_is(path, MAPS_VDSO32);
}

const char *maps_dso_path(const struct record_mmap *map)
{
	bool is_low = map->size && map->start < SPACE32_SIZE &&
		map->size <= SPACE32_SIZE - map->start;

	return is_low && map->pid != MAPS_KERNEL_PID &&
			string_is(map->path, MAPS_VDSO)
		? MAPS_VDSO32
		: map->path;
}

static bool is_same_file(const struct dso *dso, const struct record_mmap *map)
{
	bool is_data = map->is_data &&
		(maps_is_anonymous(map->path) || !*map->path);

	return dso->is_data == is_data && dso->major == map->major &&
		dso->minor == map->minor && dso->inode == map->inode &&
		dso->generation == map->generation &&
		build_id_equal(&dso->build_id, &map->build_id) &&
		string_is(dso->path, maps_dso_path(map));
}

static void note_code(struct dso *dso, const struct record_mmap *map)
{
	if (!map->is_data)
		dso->code_offset = MIN(dso->code_offset, map->offset);
}

uint32_t maps_intern_dso(struct maps *maps, const struct record_mmap *map)
{
	/* What runs in anonymous memory differs from process to process. */
	bool is_own = maps_is_anonymous(map->path) || !*map->path;
	uint32_t pid = is_own ? map->pid : 0;
	const char *path = maps_dso_path(map);
	uint64_t hash = hash_words(hash_string(path), pid);
	uint32_t i, probe = hash_start(hash);
	struct dso *dso;

	while ((i = hash_next(&maps->by_dso, hash, &probe)) != HASH_NONE) {
		dso = &maps->dsos.at[i];
		if (!is_same_file(dso, map) || (pid && dso->pid != pid))
			continue;
		note_code(dso, map);
		return i;
	}
	i = (uint32_t)maps->dsos.n;
	hash_insert(&maps->by_dso, hash, i);
	dso = array_push(&maps->dsos);
	dso->path = xstrdup(path);
	dso->build_id = map->build_id;
	dso->major = map->major;
	dso->minor = map->minor;
	dso->inode = map->inode;
	dso->generation = map->generation;
	dso->pid = map->pid;
	dso->is_data = map->is_data && is_own;
	dso->code_offset = UINT64_MAX;
	note_code(dso, map);
	return i;
}

uint32_t maps_add_dso(struct maps *maps, const struct dso *like)
{
	const struct record_mmap map = {
		.pid = like->pid,
		.major = like->major,
		.minor = like->minor,
		.inode = like->inode,
		.generation = like->generation,
		.build_id = like->build_id,
		.path = like->path,
		.is_data = like->is_data,
		.offset = like->code_offset,
	};

	return maps_intern_dso(maps, &map);
}
