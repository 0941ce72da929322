/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/files.h"

#include <pthread.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/hash.h"
#include "report/symbols/dso_name.h"
#include "report/util/local_files.h"

/* The files found for a DSO. */
struct dso_files {
	bool is_tried, is_fetched, is_debug_tried;
	struct buildid_file file, debug;
};

struct files {
	struct reader *reader;
	const struct survey *survey;
	struct buildid_cache *cache; /* borrowed; NULL: no files are searched
	                              * for */
	struct dso_files *dso_files; /* files of each DSO, by DSO number of
	                              * survey->maps */
	pthread_mutex_t lock;	     /* protects .dso_files and the survey's
	                       * jitdumps */
	struct dso_builds builds;    /* paths of survey->maps, to find paths of
	                            * several files */
	struct hash_index by_path;   /* index of the recording's table of build
	                            * IDs */
	uint64_t recorded_ns;
};

/*
 * Returns the first entry of PATH in the recording's table of build IDs, or
 * NULL.
 */
static const struct feature_build_id *find_listed_id(
	const struct files *files, const char *path)
{
	const struct features *features = reader_features(files->reader);
	uint64_t hash = hash_string(path);

	hash_each_match(&files->by_path, hash, i)
		if (string_is(features->build_ids.at[i].path, path))
			return &features->build_ids.at[i];
	return NULL;
}

struct files *files_create(struct reader *reader, const struct survey *survey,
	struct buildid_cache *cache)
{
	struct files *files = xcalloc(1, sizeof(*files));
	const struct features *features = reader_features(reader);
	struct stat status;
	uint32_t i;

	files->reader = reader;
	files->survey = survey;
	files->cache = cache;
	files->dso_files =
		xcalloc(maps_n_dsos(survey->maps), sizeof(*files->dso_files));
	pthread_mutex_init(&files->lock, NULL);
	/*
	 * perf may omit the start time; the last change of the recording is
	 * then an upper bound.
	 */
	if (feature_is_present(features, FEATURE_CLOCK_DATA))
		files->recorded_ns = features->clock_wall;
	else if (stat(reader_path(reader), &status) == 0)
		files->recorded_ns = clock_ns(&status.st_mtim);
	/*
	 * Hash the paths in the recording's table of build IDs, because a
	 * hostile recording can contain very many paths.
	 */
	for (i = 0; i < features->build_ids.n; i++)
		if (!find_listed_id(files, features->build_ids.at[i].path))
			hash_insert(&files->by_path,
				hash_string(features->build_ids.at[i].path), i);
	dso_builds_add(&files->builds, survey->maps);
	return files;
}

void files_destroy(struct files *files)
{
	uint32_t i;

	if (!files)
		return;
	for (i = 0; i < maps_n_dsos(files->survey->maps); i++) {
		buildid_file_deinit(&files->dso_files[i].file);
		buildid_file_deinit(&files->dso_files[i].debug);
	}
	free(files->dso_files);
	pthread_mutex_destroy(&files->lock);
	hash_free(&files->by_path);
	dso_builds_deinit(&files->builds);
	free(files);
}

struct buildid_cache *files_cache(const struct files *files)
{
	return files->cache;
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

bool files_match_kernel_release(const struct files *files)
{
	const char *recorded = reader_features(files->reader)->osrelease;
	struct utsname here;

	return recorded && uname(&here) == 0 &&
		string_is(recorded, here.release);
}

struct build_id files_listed_id(const struct files *files, const char *path)
{
	const struct feature_build_id *entry = find_listed_id(files, path);

	return entry ? entry->id : (struct build_id){ 0 };
}

struct build_id files_build_id(const struct files *files, uint32_t number)
{
	const struct dso *dso = maps_dso(files->survey->maps, number);

	return dso->build_id.size ? dso->build_id
				  : files_listed_id(files, dso->path);
}

/*
 * Opens the vdso of the running kernel if its build ID is WANTED. If WANTED is
 * empty, any vdso is opened; *TRUST_RET is then BUILDID_DOUBTFUL unless the
 * recorded kernel has the release of the running kernel.
 */
static struct elf_file *open_own_vdso(const struct files *files,
	const struct build_id *wanted, enum buildid_trust *trust_ret)
{
	/* The name of the vdso is the same on all architectures. */
	const char *recorded = reader_features(files->reader)->arch;
	struct utsname here;
	struct elf_file *file = !recorded ||
			(uname(&here) == 0 && string_is(recorded, here.machine))
		? elf_file_open_vdso()
		: NULL;
	struct build_id found;

	if (!file)
		return NULL;
	*trust_ret = files_match_kernel_release(files) ? BUILDID_PROVEN
						       : BUILDID_DOUBTFUL;
	if (!wanted->size)
		return file;
	*trust_ret = BUILDID_PROVEN;
	if (elf_file_build_id(file, &found) && build_id_equal(&found, wanted))
		return file;
	elf_file_close(file);
	return NULL;
}

static struct buildid_query make_file_query(
	const struct files *files, uint32_t number, uint64_t end)
{
	const struct dso *dso = maps_dso(files->survey->maps, number);

	return (struct buildid_query){
		.dso = dso,
		.build_id = files_build_id(files, number),
		.is_path_shared = dso_builds_have_inodes(&files->builds, dso),
		.end = end,
		.recorded_ns = files->recorded_ns,
		.is_from_here = local_files_match_host(files->reader),
	};
}

/*
 * Searches for the file of DSO NUMBER at the first call. The caller holds
 * files->lock.
 */
static struct dso_files *find_dso_files(
	struct files *files, uint32_t number, uint64_t end)
{
	struct buildid_query query = make_file_query(files, number, end);
	struct dso_files *dso_files = &files->dso_files[number];

	if (dso_files->is_tried || !files->cache)
		return dso_files;
	dso_files->is_tried = true;
	buildid_cache_find(files->cache, &query, &dso_files->file);
	return dso_files;
}

/*
 * Searches for the debug file of DSO NUMBER at the first call. The caller holds
 * files->lock.
 */
static struct dso_files *find_dso_debug(struct files *files, uint32_t number)
{
	struct buildid_query query = make_file_query(files, number, 0);
	struct dso_files *dso_files = find_dso_files(files, number, 0);
	struct buildid_file mapped = dso_files->file;

	if (dso_files->is_debug_tried || !files->cache)
		return dso_files;
	dso_files->is_debug_tried = true;
	mapped.elf = buildid_cache_take(files->cache, &dso_files->file);
	buildid_cache_find_debug(
		files->cache, &query, &mapped, &dso_files->debug);
	elf_file_close(mapped.elf);
	return dso_files;
}

struct elf_file *files_open(struct files *files, uint32_t number, uint64_t end,
	enum buildid_trust *trust_ret)
{
	const struct dso *dso = maps_dso(files->survey->maps, number);
	const struct build_id id = files_build_id(files, number);
	struct elf_file *file = NULL;
	struct dso_files *dso_files;

	if (string_is(dso->path, MAPS_VDSO))
		file = open_own_vdso(files, &id, trust_ret);
	if (file)
		return file;
	pthread_mutex_lock(&files->lock);
	dso_files = find_dso_files(files, number, end);
	*trust_ret = dso_files->file.trust;
	file = buildid_cache_take(files->cache, &dso_files->file);
	pthread_mutex_unlock(&files->lock);
	return file;
}

struct elf_file *files_fetch(struct files *files, uint32_t number, uint64_t end,
	enum buildid_trust *trust_ret)
{
	struct elf_file *file = files_open(files, number, end, trust_ret);
	struct buildid_query query = make_file_query(files, number, end);
	struct dso_files *dso_files = &files->dso_files[number];

	if (file || !files->cache)
		return file;
	pthread_mutex_lock(&files->lock);
	if (!dso_files->is_fetched)
		buildid_cache_fetch(files->cache, &query, &dso_files->file);
	dso_files->is_fetched = true;
	*trust_ret = dso_files->file.trust;
	file = buildid_cache_take(files->cache, &dso_files->file);
	pthread_mutex_unlock(&files->lock);
	return file;
}

struct elf_file *files_open_debug(struct files *files, uint32_t number)
{
	const struct dso *dso = maps_dso(files->survey->maps, number);
	struct elf_file *file;

	pthread_mutex_lock(&files->lock);
	file = buildid_cache_take(
		files->cache, &find_dso_debug(files, number)->debug);
	pthread_mutex_unlock(&files->lock);
	if (file)
		elf_file_set_code_offset(file, dso->code_offset);
	return file;
}

bool files_linked_address(
	struct files *files, uint32_t number, uint64_t place, uint64_t *ret)
{
	enum buildid_trust trust;
	struct elf_file *file = files_open(files, number, place, &trust);

	file = file ?: files_open_debug(files, number);
	if (!file)
		return false;
	*ret = elf_file_address(file, place);
	elf_file_close(file);
	return true;
}

struct elf_file *files_open_alt(struct files *files, uint32_t number)
{
	struct buildid_file from, alt = { 0 };
	struct dso_files *dso_files;

	pthread_mutex_lock(&files->lock);
	dso_files = find_dso_debug(files, number);
	from = dso_files->debug.path ? dso_files->debug : dso_files->file;
	from.elf = buildid_cache_take(files->cache,
		dso_files->debug.path ? &dso_files->debug : &dso_files->file);
	if (from.elf)
		buildid_cache_find_alt(files->cache, &from, &alt);
	elf_file_close(from.elf);
	pthread_mutex_unlock(&files->lock);
	free(alt.path);
	return alt.elf;
}

struct jitdumps_code files_dump(struct files *files, uint32_t number)
{
	const struct dso *dso = maps_dso(files->survey->maps, number);
	struct jitdumps_code code = { 0 };
	uint32_t pid = dso->pid;

	code.is_timed = survey_is_timed_jit(dso->path, &pid);
	if (!code.is_timed && !maps_is_anonymous(dso->path))
		return code;
	pthread_mutex_lock(&files->lock);
	code.dump =
		jitdumps_open(&files->survey->dumps, &files->survey->jit, pid);
	pthread_mutex_unlock(&files->lock);
	return code;
}

struct files_status files_status(struct files *files, uint32_t number)
{
	struct files_status places;

	pthread_mutex_lock(&files->lock);
	places = (struct files_status){
		.file = files->dso_files[number].file.path,
		.debug = files->dso_files[number].debug.path,
		.is_other = files->dso_files[number].file.is_other,
		.has_changed = files->dso_files[number].file.has_changed,
		.is_doubtful = files->dso_files[number].file.path &&
			files->dso_files[number].file.trust == BUILDID_DOUBTFUL,
		.is_missed = files->dso_files[number].debug.is_missed,
	};
	pthread_mutex_unlock(&files->lock);
	return places;
}
