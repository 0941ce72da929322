/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/files.h"

#include <pthread.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/hash.h"
#include "report/symbols/builds.h"

/* What was found of a DSO. */
struct known {
	bool is_tried, is_fetched, is_debug_tried;
	struct store_file file, debug;
};

struct files {
	struct reader *reader;
	const struct survey *survey;
	struct store *store;  /* NULL: no files */
	struct known *known;  /* by number of survey->maps */
	pthread_mutex_t lock; /* of .known, and of the survey's jitdumps */
	struct builds builds; /* of survey->maps */
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
		return clock_ns(&status.st_mtim);
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

struct files *files_create(struct reader *reader,
	const struct survey *survey, struct store *store)
{
	struct files *files = xcalloc(1, sizeof(*files));

	files->reader = reader;
	files->survey = survey;
	files->store = store;
	files->known = xcalloc(maps_n_dsos(survey->maps), sizeof(*files->known));
	pthread_mutex_init(&files->lock, NULL);
	files->recorded_ns = recording_start(reader);
	index_paths(files);
	builds_add(&files->builds, survey->maps);
	return files;
}

void files_destroy(struct files *files)
{
	uint32_t i;

	if (!files)
		return;
	for (i = 0; i < maps_n_dsos(files->survey->maps); i++) {
		store_file_deinit(&files->known[i].file);
		store_file_deinit(&files->known[i].debug);
	}
	free(files->known);
	pthread_mutex_destroy(&files->lock);
	hash_free(&files->by_path);
	builds_deinit(&files->builds);
	free(files);
}

struct store *files_store(const struct files *files)
{
	return files->store;
}

struct reader *files_reader(const struct files *files)
{
	return files->reader;
}

const struct maps *files_maps(const struct files *files)
{
	return files->survey->maps;
}

const struct dso *files_dso(const struct files *files, uint32_t number)
{
	return maps_dso(files->survey->maps, number);
}

uint64_t files_recorded_ns(const struct files *files)
{
	return files->recorded_ns;
}

bool files_are_of_this_release(const struct files *files)
{
	const char *recorded = reader_features(files->reader)->osrelease;
	struct utsname here;

	return recorded && uname(&here) == 0 &&
		string_is(recorded, here.release);
}

struct build_id files_listed_id(const struct files *files, const char *path)
{
	const struct feature_build_id *entry = find_build_id(files, path);

	return entry ? entry->id : (struct build_id){ 0 };
}

struct build_id files_build_id(const struct files *files, uint32_t number)
{
	const struct dso *dso = maps_dso(files->survey->maps, number);

	return dso->build_id.size ? dso->build_id
				  : files_listed_id(files, dso->path);
}

/* Another processor's vdso is called the same. */
static bool is_of_this_machine(const struct files *files)
{
	const char *recorded = reader_features(files->reader)->arch;
	struct utsname here;

	return !recorded ||
		(uname(&here) == 0 && string_is(recorded, here.machine));
}

/* Ours, if the recording is of this kernel; by its build ID where told. */
static struct elf_file *open_vdso(const struct files *files,
	const struct build_id *wanted, enum store_trust *trust_ret)
{
	struct elf_file *file = is_of_this_machine(files)
		? elf_file_open_vdso()
		: NULL;
	struct build_id found;

	if (!file)
		return NULL;
	*trust_ret = files_are_of_this_release(files) ? STORE_SAME
						      : STORE_DOUBTFUL;
	if (!wanted->size)
		return file;
	*trust_ret = STORE_SAME;
	if (elf_file_build_id(file, &found) && build_id_equal(&found, wanted))
		return file;
	elf_file_close(file);
	return NULL;
}

static struct store_wish wish_for(
	const struct files *files, uint32_t number, uint64_t end)
{
	const struct dso *dso = maps_dso(files->survey->maps, number);

	return (struct store_wish){
		.dso = dso,
		.build_id = files_build_id(files, number),
		.is_path_shared = builds_have_inodes(&files->builds, dso),
		.end = end,
		.recorded_ns = files->recorded_ns,
	};
}

/* With the lock held. */
static struct known *find(struct files *files, uint32_t number, uint64_t end)
{
	struct store_wish wish = wish_for(files, number, end);
	struct known *known = &files->known[number];

	if (known->is_tried || !files->store)
		return known;
	known->is_tried = true;
	store_find(files->store, &wish, &known->file);
	return known;
}

/* With the lock held. */
static struct known *find_debug(struct files *files, uint32_t number)
{
	struct store_wish wish = wish_for(files, number, 0);
	struct known *known = find(files, number, 0);
	struct store_file mapped = known->file;

	if (known->is_debug_tried || !files->store)
		return known;
	known->is_debug_tried = true;
	mapped.elf = store_file_take(files->store, &known->file);
	store_find_debug(files->store, &wish, &mapped, &known->debug);
	elf_file_close(mapped.elf);
	return known;
}

struct elf_file *files_open(struct files *files, uint32_t number,
	uint64_t end, enum store_trust *trust_ret)
{
	const struct dso *dso = maps_dso(files->survey->maps, number);
	const struct build_id id = files_build_id(files, number);
	struct elf_file *file = NULL;
	struct known *known;

	if (string_is(dso->path, MAPS_VDSO))
		file = open_vdso(files, &id, trust_ret);
	if (file)
		return file;
	pthread_mutex_lock(&files->lock);
	known = find(files, number, end);
	*trust_ret = known->file.trust;
	file = store_file_take(files->store, &known->file);
	pthread_mutex_unlock(&files->lock);
	return file;
}

struct elf_file *files_fetch(struct files *files, uint32_t number,
	uint64_t end, enum store_trust *trust_ret)
{
	struct elf_file *file = files_open(files, number, end, trust_ret);
	struct store_wish wish = wish_for(files, number, end);
	struct known *known = &files->known[number];

	if (file || !files->store)
		return file;
	pthread_mutex_lock(&files->lock);
	if (!known->is_fetched)
		store_fetch(files->store, &wish, &known->file);
	known->is_fetched = true;
	*trust_ret = known->file.trust;
	file = store_file_take(files->store, &known->file);
	pthread_mutex_unlock(&files->lock);
	return file;
}

struct elf_file *files_open_debug(struct files *files, uint32_t number)
{
	const struct dso *dso = maps_dso(files->survey->maps, number);
	struct elf_file *file;

	pthread_mutex_lock(&files->lock);
	file = store_file_take(
		files->store, &find_debug(files, number)->debug);
	pthread_mutex_unlock(&files->lock);
	if (file)
		elf_file_set_code_offset(file, dso->code_offset);
	return file;
}

struct elf_file *files_open_alt(struct files *files, uint32_t number)
{
	struct store_file from, alt = { 0 };
	struct known *known;

	pthread_mutex_lock(&files->lock);
	known = find_debug(files, number);
	from = known->debug.path ? known->debug : known->file;
	from.elf = store_file_take(files->store,
		known->debug.path ? &known->debug : &known->file);
	if (from.elf)
		store_find_alt(files->store, &from, &alt);
	elf_file_close(from.elf);
	pthread_mutex_unlock(&files->lock);
	free(alt.path);
	return alt.elf;
}

struct dump_code files_dump(struct files *files, uint32_t number)
{
	const struct dso *dso = maps_dso(files->survey->maps, number);
	struct dump_code code = { 0 };
	uint32_t pid = dso->pid;

	code.is_timed = survey_is_timed(dso->path, &pid);
	if (!code.is_timed && !maps_is_anonymous(dso->path))
		return code;
	pthread_mutex_lock(&files->lock);
	code.dump = dumps_open(
		&files->survey->dumps, &files->survey->jit, pid);
	pthread_mutex_unlock(&files->lock);
	return code;
}

struct files_places files_places(struct files *files, uint32_t number)
{
	struct files_places places;

	pthread_mutex_lock(&files->lock);
	places = (struct files_places){
		.file = files->known[number].file.path,
		.debug = files->known[number].debug.path,
		.has_changed = files->known[number].file.has_changed,
		.is_doubtful = files->known[number].file.path &&
			files->known[number].file.trust == STORE_DOUBTFUL,
		.is_missed = files->known[number].debug.is_missed,
	};
	pthread_mutex_unlock(&files->lock);
	return places;
}
