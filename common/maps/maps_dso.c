/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DSOs: finds mappings of the same file, or of the same process's memory. */
#include "config.h"

#include "common/maps/maps.h"
#include "common/maps/maps_private.h"
#include "common/util/alloc.h"

/* Size of a 32-bit address space. */
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

static bool is_dso_of_mapping(
	const struct dso *dso, const struct record_mmap *map)
{
	bool is_data = map->is_data &&
		(maps_is_anonymous(map->path) || !*map->path);

	return dso->is_data == is_data && dso->major == map->major &&
		dso->minor == map->minor && dso->inode == map->inode &&
		dso->generation == map->generation &&
		build_id_equal(&dso->build_id, &map->build_id) &&
		string_is(dso->path, maps_dso_path(map));
}

static void lower_code_offset(struct dso *dso, const struct record_mmap *map)
{
	if (!map->is_data)
		dso->code_offset = MIN(dso->code_offset, map->offset);
}

uint32_t maps_intern_dso(struct maps *maps, const struct record_mmap *map)
{
	/* Code in anonymous memory differs between processes. */
	bool is_own = maps_is_anonymous(map->path) || !*map->path;
	uint32_t pid = is_own ? map->pid : 0;
	const char *path = maps_dso_path(map);
	uint64_t hash = hash_words(hash_string(path), pid);
	uint32_t n = (uint32_t)maps->dsos.n;
	struct dso *dso;

	hash_each_match(&maps->by_dso, hash, i) {
		dso = &maps->dsos.at[i];
		if (!is_dso_of_mapping(dso, map) || (pid && dso->pid != pid))
			continue;
		lower_code_offset(dso, map);
		return i;
	}
	hash_insert(&maps->by_dso, hash, n);
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
	lower_code_offset(dso, map);
	return n;
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
