/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/lines.h"

#include <pthread.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/cpus.h"
#include "report/lines/line_source.h"
#include "report/lines/packed_lines.h"

#define THREADS_MAX 16u

struct lines {
	struct files *files;	    /* borrowed */
	struct cache *cache;	    /* on-disk cache of units; NULL: there is
				       none */
	struct packed_dsos *packed; /* lines in the recording; NULL: there are
				       none */
	ARRAY(struct dso_lines {
		bool is_open, has_unit;
		const struct line_unit
			*unit; /* lines of the DSO in the recording; NULL:
				  none */
		struct line_source *source; /* lines of the DSO's file; NULL:
					       there is no file */
		struct line_jit *jit;	    /* lines of JIT code; NULL: not JIT
					       code */
	})
	dsos; /* by DSO number */
};

struct lines *lines_create(struct files *files)
{
	struct lines *lines = xcalloc(1, sizeof(*lines));

	lines->files = files;
	lines->cache = cache_open(LINE_CACHE, NULL);
	lines->packed = packed_lines_create(files_reader(files));
	return lines;
}

void lines_destroy(struct lines *lines)
{
	if (!lines)
		return;
	array_each(&lines->dsos, found) {
		line_source_destroy(found->source);
		line_jit_destroy(found->jit);
	}
	array_free(&lines->dsos);
	cache_close(lines->cache);
	packed_dsos_destroy(lines->packed);
	free(lines);
}

static struct line_source *open_line_source(
	const struct lines *lines, const struct line_query *query)
{
	enum buildid_trust trust;
	struct dwarf_line_files files = { 0 };

	files.code =
		files_open(lines->files, query->dso, query->offset, &trust);
	/*
	 * Do not use a file that can be of another build: reports can mark a
	 * doubtful symbol, but not a doubtful source line.
	 */
	if (trust == BUILDID_DOUBTFUL) {
		elf_file_close(files.code);
		return NULL;
	}
	if (!files.code || !elf_file_has_section(files.code, ".debug_info"))
		files.debug = files_open_debug(lines->files, query->dso);
	if (!files.code && !files.debug)
		return NULL;
	files.alt = files_open_alt(lines->files, query->dso);
	return line_source_create(&files, lines->cache);
}

static struct dso_lines *find_dso_lines(struct lines *lines, uint32_t dso)
{
	while (lines->dsos.n <= dso)
		array_push(&lines->dsos);
	return &lines->dsos.at[dso];
}

/*
 * Opens the sources of the lines of QUERY's DSO. Threads may call this at the
 * same time for different DSOs: lines_prepare() has added the DSOs to .dsos
 * before.
 */
static struct dso_lines *open_dso_lines(
	struct lines *lines, const struct line_query *query)
{
	struct dso_lines *found = find_dso_lines(lines, query->dso);
	struct jitdumps_code code;

	if (found->is_open)
		return found;
	found->is_open = true;
	code = files_dump(lines->files, query->dso);
	found->jit = line_jit_create(&code);
	if (!found->jit)
		found->source = open_line_source(lines, query);
	return found;
}

/* Returns the lines of the DSO of QUERY in the recording; NULL: none. */
static const struct line_unit *find_packed_unit(
	struct lines *lines, const struct line_query *query)
{
	struct dso_lines *found = find_dso_lines(lines, query->dso);
	struct build_id id;

	if (found->has_unit || !lines->packed)
		return found->unit;
	id = files_build_id(lines->files, query->dso);
	found->unit = packed_dsos_find(
		lines->packed, files_dso(lines->files, query->dso), &id);
	found->has_unit = true;
	return found->unit;
}

size_t lines_frames(struct lines *lines, const struct line_query *query,
	struct line_frame ret[LINE_DEPTH_MAX])
{
	const struct line_unit *unit = find_packed_unit(lines, query);
	const struct dso_lines *found;
	size_t n = 0;

	if (unit)
		n = line_unit_frames(unit, query->offset - query->back, ret);
	if (n)
		return n;
	/* The jitdump, or the debug information of the DSO. */
	found = open_dso_lines(lines, query);
	if (found->jit)
		return line_jit_frames(
			found->jit, query->offset, query->back, ret);
	if (!found->source)
		return 0;
	return line_source_frames(found->source,
		line_source_address(found->source, query->offset) - query->back,
		ret);
}

/* --- walks --------------------------------------------------------------- */

static size_t find_unpacked_step(struct lines *lines, struct lines_step *step,
	uint32_t dso, struct line_frame ret[LINE_DEPTH_MAX])
{
	const struct line_query query = { dso, step->start, 0 };
	struct dso_lines *found = open_dso_lines(lines, &query);
	uint64_t address, until;

	if (!found->source)
		return 0;
	address = line_source_address(found->source, step->start);
	until = line_source_until(found->source, address);
	if (until != UINT64_MAX)
		step->end = MIN(step->end, step->start + (until - address));
	return line_source_frames(found->source, address, ret);
}

bool lines_walk(struct lines *lines, uint32_t dso, uint64_t start, uint64_t end,
	void (*take_step)(void *data, const struct lines_step *step),
	void *data)
{
	const struct line_unit *unit =
		find_packed_unit(lines, &(struct line_query){ dso, start, 0 });
	struct line_frame frames[LINE_DEPTH_MAX];
	struct lines_step step = { .frames = frames, .end = start };
	const char *path = files_dso(lines->files, dso)->path;
	uint32_t pid;

	if (maps_is_anonymous(path) || survey_is_timed_jit(path, &pid))
		return false;
	while (step.end < end) {
		step.start = step.end;
		step.end = end;
		step.n = 0;
		if (unit) {
			step.end = MIN(end, line_unit_until(unit, step.start));
			step.n = line_unit_frames(unit, step.start, frames);
		}
		if (!step.n)
			step.n = find_unpacked_step(lines, &step, dso, frames);
		/* A damaged file can have ranges that do not advance. */
		if (step.end <= step.start)
			break;
		if (step.n)
			take_step(data, &step);
	}
	return true;
}

bool lines_has_file(struct lines *lines, const struct line_query *query)
{
	const struct dso_lines *found;

	if (find_packed_unit(lines, query))
		return true;
	found = open_dso_lines(lines, query);
	return found->source || found->jit;
}

const char *lines_missing_file(struct lines *lines, uint32_t dso)
{
	const struct dso_lines *found = find_dso_lines(lines, dso);

	return found->source ? line_source_missing_file(found->source) : NULL;
}

/* --- several files at once ----------------------------------------------- */

struct line_preparation {
	struct lines *lines;
	ARRAY(struct line_query) queries; /* sorted by DSO number */
	ARRAY(size_t)
	firsts; /* index in .queries of the first query of each DSO, and the end
		   of .queries */
	size_t next;
};

static int compare_queries(const void *a, const void *b)
{
	const struct line_query *left = a, *right = b;

	if (left->dso != right->dso)
		return COMPARE(left->dso, right->dso);
	return COMPARE(left->offset, right->offset);
}

static void *prepare_in_thread(void *data)
{
	struct line_preparation *work = data;
	struct line_frame frames[LINE_DEPTH_MAX];
	size_t i, j;

	while ((i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) <
		work->firsts.n - 1)
		for (j = work->firsts.at[i]; j < work->firsts.at[i + 1]; j++)
			lines_frames(work->lines, &work->queries.at[j], frames);
	return NULL;
}

void lines_prepare(
	struct lines *lines, const struct line_query *queries, size_t n)
{
	struct line_preparation work = { .lines = lines };
	size_t i;

	for (i = 0; i < n; i++) {
		find_dso_lines(lines, queries[i].dso);
		*array_push(&work.queries) = queries[i];
	}
	array_sort(&work.queries, compare_queries);
	for (i = 0; i < n; i++)
		if (!i || work.queries.at[i].dso != work.queries.at[i - 1].dso)
			*array_push(&work.firsts) = i;
	*array_push(&work.firsts) = n;
	/* If a thread cannot be started, the other threads do its work. */
	size_t cpus = MIN(cpus_usable(), (size_t)THREADS_MAX);
	size_t most = MIN(work.firsts.n - 1, cpus);
	pthread_t threads[THREADS_MAX];
	size_t started = 1;

	while (started < most &&
		pthread_create(
			&threads[started], NULL, prepare_in_thread, &work) == 0)
		started++;
	prepare_in_thread(&work);
	for (i = 1; i < started; i++)
		pthread_join(threads[i], NULL);
	array_free(&work.queries);
	array_free(&work.firsts);
}
