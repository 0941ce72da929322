/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/lines.h"

#include <pthread.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/cpus.h"
#include "report/lines/jit_lines.h"
#include "report/lines/line_source.h"
#include "report/lines/packed_lines.h"

#define THREADS_MAX 16u

struct lines {
	struct files *files; /* borrowed */
	struct cache *cache; /* NULL: there is none */
	struct packed_dsos *packed; /* NULL: there are none */
	ARRAY(struct known {
		bool is_open, has_unit;
		const struct line_unit *unit; /* packed; NULL: there is none */
		struct line_source *source; /* NULL: there is no file */
		struct line_made *made;     /* NULL: it wasn't made */
	}) dsos; /* by DSO */
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
	array_each(&lines->dsos, known) {
		line_source_destroy(known->source);
		line_made_destroy(known->made);
	}
	array_free(&lines->dsos);
	cache_close(lines->cache);
	packed_dsos_destroy(lines->packed);
	free(lines);
}

static struct line_source *open_source(
	const struct lines *lines, const struct line_wish *wish)
{
	enum store_trust trust;
	struct line_files files = { 0 };

	files.code = files_open(lines->files, wish->dso, wish->offset, &trust);
	/* A symbol can be marked as another build's perhaps; a line can't. */
	if (trust == STORE_DOUBTFUL) {
		elf_file_close(files.code);
		return NULL;
	}
	if (!files.code || !elf_file_has_section(files.code, ".debug_info"))
		files.debug = files_open_debug(lines->files, wish->dso);
	if (!files.code && !files.debug)
		return NULL;
	files.alt = files_open_alt(lines->files, wish->dso);
	return line_source_create(&files, lines->cache);
}

static struct known *know(struct lines *lines, uint32_t dso)
{
	while (lines->dsos.n <= dso)
		array_push(&lines->dsos);
	return &lines->dsos.at[dso];
}

/* Of several threads each has another DSO, and .dsos stays where it is. */
static struct known *open_known(
	struct lines *lines, const struct line_wish *wish)
{
	struct known *known = know(lines, wish->dso);
	struct dump_code code;

	if (known->is_open)
		return known;
	known->is_open = true;
	code = files_dump(lines->files, wish->dso);
	known->made = line_made_create(&code);
	if (!known->made)
		known->source = open_source(lines, wish);
	return known;
}

/* What the recording has of WISH's DSO; NULL: nothing. */
static const struct line_unit *find_unit(
	struct lines *lines, const struct line_wish *wish)
{
	struct known *known = know(lines, wish->dso);
	struct build_id id;

	if (known->has_unit || !lines->packed)
		return known->unit;
	id = files_build_id(lines->files, wish->dso);
	known->unit = packed_dsos_find(
		lines->packed, files_dso(lines->files, wish->dso), &id);
	known->has_unit = true;
	return known->unit;
}

/* What isn't packed. */
static size_t frames_elsewhere(struct lines *lines,
	const struct line_wish *wish, struct line_frame ret[LINE_DEPTH_MAX])
{
	struct known *known = open_known(lines, wish);

	if (known->made)
		return line_made_frames(
			known->made, wish->offset, wish->back, ret);
	if (!known->source)
		return 0;
	return line_source_frames(known->source,
		line_source_address(known->source, wish->offset) - wish->back,
		ret);
}

size_t lines_frames(struct lines *lines, const struct line_wish *wish,
	struct line_frame ret[LINE_DEPTH_MAX])
{
	const struct line_unit *unit = find_unit(lines, wish);
	size_t n = 0;

	if (unit)
		n = line_unit_frames(unit, wish->offset - wish->back, ret);
	return n ? n : frames_elsewhere(lines, wish, ret);
}

/* --- one piece after the other --------------------------------------------- */

static size_t step_elsewhere(struct lines *lines, struct lines_step *step,
	uint32_t dso, struct line_frame ret[LINE_DEPTH_MAX])
{
	const struct line_wish wish = { dso, step->start, 0 };
	struct known *known = open_known(lines, &wish);
	uint64_t address, until;

	if (!known->source)
		return 0;
	address = line_source_address(known->source, step->start);
	until = line_source_until(known->source, address);
	if (until != UINT64_MAX)
		step->end = MIN(step->end, step->start + (until - address));
	return line_source_frames(known->source, address, ret);
}

static bool can_walk(const struct lines *lines, uint32_t number)
{
	const struct dso *dso = files_dso(lines->files, number);
	uint32_t pid;

	return !maps_is_anonymous(dso->path) &&
		!survey_is_timed(dso->path, &pid);
}

bool lines_walk(struct lines *lines, uint32_t dso, uint64_t start, uint64_t end,
	void (*see)(void *data, const struct lines_step *step), void *data)
{
	const struct line_unit *unit =
		find_unit(lines, &(struct line_wish){ dso, start, 0 });
	struct line_frame frames[LINE_DEPTH_MAX];
	struct lines_step step = { .frames = frames, .end = start };

	if (!can_walk(lines, dso))
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
			step.n = step_elsewhere(lines, &step, dso, frames);
		/* Damage may lead back. */
		if (step.end <= step.start)
			break;
		if (step.n)
			see(data, &step);
	}
	return true;
}

bool lines_has_file(struct lines *lines, const struct line_wish *wish)
{
	const struct known *known;

	if (find_unit(lines, wish))
		return true;
	known = open_known(lines, wish);
	return known->source || known->made;
}

const char *lines_lack(struct lines *lines, uint32_t dso)
{
	const struct known *known = know(lines, dso);

	return known->source ? line_source_lacks(known->source) : NULL;
}

/* --- several files at once ------------------------------------------------ */

struct preparing {
	struct lines *lines;
	ARRAY(struct line_wish) wishes; /* by DSO */
	ARRAY(size_t) firsts;           /* of each DSO, and the end */
	size_t next;
};

static int compare_wishes(const void *a, const void *b)
{
	const struct line_wish *left = a, *right = b;

	if (left->dso != right->dso)
		return COMPARE(left->dso, right->dso);
	return COMPARE(left->offset, right->offset);
}

static void *prepare(void *data)
{
	struct preparing *preparing = data;
	struct line_frame frames[LINE_DEPTH_MAX];
	size_t i, j;

	while ((i = __atomic_fetch_add(
			&preparing->next, 1, __ATOMIC_RELAXED)) <
		preparing->firsts.n - 1)
		for (j = preparing->firsts.at[i];
			j < preparing->firsts.at[i + 1]; j++)
			lines_frames(preparing->lines,
				&preparing->wishes.at[j], frames);
	return NULL;
}

/* What can't be started is done by the others. */
static void run(struct preparing *preparing)
{
	size_t cpus = MIN(cpus_usable(), (size_t)THREADS_MAX);
	size_t most = MIN(preparing->firsts.n - 1, cpus);
	pthread_t threads[THREADS_MAX];
	size_t started = 1, i;

	while (started < most &&
		pthread_create(&threads[started], NULL, prepare, preparing) ==
			0)
		started++;
	prepare(preparing);
	for (i = 1; i < started; i++)
		pthread_join(threads[i], NULL);
}

void lines_prepare(
	struct lines *lines, const struct line_wish *wishes, size_t n)
{
	struct preparing preparing = { .lines = lines };
	size_t i;

	for (i = 0; i < n; i++) {
		know(lines, wishes[i].dso);
		*array_push(&preparing.wishes) = wishes[i];
	}
	array_sort(&preparing.wishes, compare_wishes);
	for (i = 0; i < n; i++)
		if (!i || preparing.wishes.at[i].dso !=
				preparing.wishes.at[i - 1].dso)
			*array_push(&preparing.firsts) = i;
	*array_push(&preparing.firsts) = n;
	run(&preparing);
	array_free(&preparing.wishes);
	array_free(&preparing.firsts);
}
