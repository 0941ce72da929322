/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/build_ids.h"

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/hash.h"
#include "record/synth/mapped_file.h"

#define READ_TIMEOUT_MS 1000u /* for one file */

struct known_file {
	uint32_t major, minor;
	uint64_t inode;
	struct build_id id; /* size 0: no build ID */
};

struct build_ids {
	ARRAY(struct known_file) files;
	struct hash_index by_file;
	struct timed_worker *worker;
};

struct build_ids *build_ids_create(void)
{
	struct build_ids *ids = xcalloc(1, sizeof(*ids));

	ids->worker = timed_worker_create(READ_TIMEOUT_MS);
	return ids;
}

void build_ids_destroy(struct build_ids *ids)
{
	if (!ids)
		return;
	timed_worker_destroy(ids->worker);
	array_free(&ids->files);
	hash_free(&ids->by_file);
	free(ids);
}

static const struct known_file *find_known_file(const struct build_ids *ids,
	uint64_t hash, const struct record_mmap *map)
{
	hash_each_match(&ids->by_file, hash, i) {
		const struct known_file *file = &ids->files.at[i];

		if (file->inode == map->inode && file->major == map->major &&
			file->minor == map->minor)
			return file;
	}
	return NULL;
}

static struct build_id read_mapped_build_id(
	struct build_ids *ids, const struct record_mmap *map)
{
	struct mapped_job *job = mapped_find(ids->worker, map);
	struct build_id id = { 0 };

	if (!job)
		return id;
	id = job->build_id;
	mapped_job_destroy(job);
	return id;
}

struct build_id build_ids_of(
	struct build_ids *ids, const struct record_mmap *map)
{
	uint64_t device = (uint64_t)map->major << 32 | map->minor;
	uint64_t hash = hash_words(device, map->inode);
	const struct known_file *known = find_known_file(ids, hash, map);
	struct known_file *new;

	if (known)
		return known->id;
	hash_insert(&ids->by_file, hash, (uint32_t)ids->files.n);
	new = array_push(&ids->files);
	*new = (struct known_file){ map->major, map->minor, map->inode,
		read_mapped_build_id(ids, map) };
	return new->id;
}
