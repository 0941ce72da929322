/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/files.h"

#include <sys/stat.h>
#include <sys/utsname.h>

#include "common/alloc.h"
#include "common/hash.h"

struct files {
	struct reader *reader;
	const struct survey *survey;
	struct hash_index by_path; /* of the file's table of build IDs */
	uint64_t recorded_ns;
};

static uint64_t recording_start(struct reader *reader)
{
	const struct features *features = reader_features(reader);
	struct stat status;

	if (feature_is_present(features, FEATURE_CLOCK_DATA))
		return features->clock_wall;
	/* perf may not tell; then the file itself is the younger bound. */
	if (stat(reader_path(reader), &status) == 0)
		return (uint64_t)status.st_mtim.tv_sec * NSEC_PER_SEC +
			(uint64_t)status.st_mtim.tv_nsec;
	return 0;
}

/* What the file's own table of build IDs says first of PATH, or NULL. */
static const struct feature_build_id *find_build_id(
	const struct files *files, const char *path)
{
	const struct features *features = reader_features(files->reader);
	uint64_t hash = hash_string(path);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&files->by_path, hash, &probe)) != HASH_NONE)
		if (string_is(features->build_ids.at[i].path, path))
			return &features->build_ids.at[i];
	return NULL;
}

/* A hostile file may name as many files as it likes: each is found at once. */
static void index_paths(struct files *files)
{
	const struct features *features = reader_features(files->reader);
	uint32_t i;

	for (i = 0; i < features->build_ids.n; i++)
		if (!find_build_id(files, features->build_ids.at[i].path))
			hash_insert(&files->by_path,
				hash_string(features->build_ids.at[i].path),
				i);
}

struct files *files_create(struct reader *reader, const struct survey *survey)
{
	struct files *files = xcalloc(1, sizeof(*files));

	files->reader = reader;
	files->survey = survey;
	files->recorded_ns = recording_start(reader);
	index_paths(files);
	return files;
}

void files_destroy(struct files *files)
{
	if (!files)
		return;
	hash_free(&files->by_path);
	free(files);
}

bool files_are_of_this_release(const struct files *files)
{
	const char *recorded = reader_features(files->reader)->osrelease;
	struct utsname here;

	return recorded && uname(&here) == 0 &&
		string_is(recorded, here.release);
}

struct build_id files_build_id(const struct files *files, uint32_t number)
{
	const struct dso *dso = maps_dso(files->survey->maps, number);
	const struct feature_build_id *entry =
		dso->build_id.size ? NULL : find_build_id(files, dso->path);

	return entry ? entry->id : dso->build_id;
}

/* Ours, if the recording is of this kernel; by its build ID where told. */
static struct elf_file *open_vdso(const struct files *files,
	const struct store_wish *wish, enum store_trust *trust_ret)
{
	struct elf_file *file = elf_file_open_vdso();
	struct build_id found;

	if (!file)
		return NULL;
	*trust_ret = files_are_of_this_release(files) ? STORE_SAME
						      : STORE_DOUBTFUL;
	if (!wish->build_id.size)
		return file;
	*trust_ret = STORE_SAME;
	if (elf_file_build_id(file, &found) &&
		build_id_equal(&found, &wish->build_id))
		return file;
	elf_file_close(file);
	return NULL;
}

struct elf_file *files_open(const struct files *files, uint32_t number,
	uint64_t end, enum store_trust *trust_ret)
{
	const struct dso *dso = maps_dso(files->survey->maps, number);
	const struct store_wish wish = {
		.dso = dso,
		.build_id = files_build_id(files, number),
		.end = end,
		.recorded_ns = files->recorded_ns,
	};

	return string_is(dso->path, "[vdso]")
		? open_vdso(files, &wish, trust_ret)
		: store_open(&wish, trust_ret);
}

struct elf_file *files_open_debug(
	const struct files *files, uint32_t dso, struct elf_file *file)
{
	return store_open_debug(file, maps_dso(files->survey->maps, dso)->path);
}
