/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/jitnames.h"

#include <fcntl.h>

#include "common/jitdump.h"
#include "common/perfmap.h"

/* Bounds for hostile files; real ones stay far below. Codes: of a process. */
#define CODES_MAX 1000000u
#define CODE_SIZE_MAX (UINT64_C(1) << 40)
#define WORK_MAX (UINT64_C(1) << 28)

/* Code that covers an address that was hit. */
struct code {
	uint64_t start, end;
	uint64_t time, index; /* of a jitdump */
	size_t order;         /* in its file */
	size_t name;          /* offset into names */
	bool is_moved;        /* its name is that of its index */
	bool is_timed;        /* another one had some of its addresses */
};

struct names_job {
	struct patience_job job;
	struct jit_files files; /* owned */
	bool has_same_clock;
	uint64_t work;
	ARRAY(uint64_t) places; /* sorted; each but once */
	ARRAY(size_t) last;     /* by place: 1 + the last code there; 0: none */
	ARRAY(struct code) codes;
	struct strbuf names;
	struct jit_process found;
};

/* The first place that isn't below ADDRESS. */
static size_t first_place(const struct names_job *job, uint64_t address)
{
	size_t low = 0, high = job->places.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (job->places.at[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_hit(const struct names_job *job, uint64_t start, uint64_t end)
{
	size_t i = first_place(job, start);

	return end - start <= CODE_SIZE_MAX && i < job->places.n &&
		job->places.at[i] < end;
}

static void add_code(
	struct names_job *job, const struct code *new, const char *name)
{
	struct code *code = array_push(&job->codes);

	*code = *new;
	code->order = job->codes.n - 1;
	code->name = job->names.n;
	strbuf_put(&job->names, name, strlen(name) + 1);
}

static const char *name_of(const struct names_job *job, const struct code *code)
{
	return job->names.at + code->name;
}

static void emit(struct names_job *job, const struct code *code,
	struct jit_symbol symbol, const char *name)
{
	if (!*name)
		return;
	symbol.start = code->start;
	symbol.size = code->end - code->start;
	jit_add(&job->found, &symbol, name);
}

/* --- where the last code at an address counts ------------------------------ */

static void note_last(struct names_job *job, const struct code *code)
{
	size_t i = first_place(job, code->start);

	for (; i < job->places.n && job->places.at[i] < code->end; i++) {
		job->last.at[i] = code->order + 1;
		job->work++;
	}
}

static const struct code *last_code(const struct names_job *job, size_t place)
{
	if (place >= job->places.n || !job->last.at[place])
		return NULL;
	return &job->codes.at[job->last.at[place] - 1];
}

/* Of codes that overlap the older one is cut. */
static void emit_last(struct names_job *job, enum jit_source source)
{
	const struct jit_symbol symbol = { .source = source };
	const struct code *before = NULL;
	struct code cut = { 0 };
	uint64_t from;
	size_t i;

	for (i = 0; i <= job->places.n; i++) {
		const struct code *code = last_code(job, i);

		if (code == before)
			continue;
		if (before && code && code->order > before->order)
			cut.end = MIN(cut.end, code->start);
		if (before)
			emit(job, &cut, symbol, name_of(job, before));
		from = cut.end;
		if (code)
			cut = *code;
		cut.start = MAX(cut.start, from);
		before = code;
	}
}

static void read_perfmap(struct names_job *job)
{
	struct perfmap *map = perfmap_open(job->files.perfmap);
	struct perfmap_entry entry;

	while (job->codes.n < CODES_MAX && job->work < WORK_MAX &&
		perfmap_next(map, &entry)) {
		const struct code code = { .start = entry.start,
			.end = entry.start + entry.size };

		if (!is_hit(job, code.start, code.end))
			continue;
		add_code(job, &code, entry.name);
		note_last(job, &job->codes.at[job->codes.n - 1]);
	}
	perfmap_close(map);
	emit_last(job, JIT_PERFMAP);
}

/* --- where times tell codes apart ------------------------------------------ */

static int compare_index(const void *a, const void *b)
{
	const struct code *left = a, *right = b;

	return COMPARE(left->index, right->index);
}

static int compare_order(const void *a, const void *b)
{
	const struct code *left = a, *right = b;

	return COMPARE(left->order, right->order);
}

static int compare_start(const void *a, const void *b)
{
	const struct code *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->order, right->order);
}

/* The first of the codes that have INDEX, by which they are sorted. */
static size_t first_of_index(const struct names_job *job, uint64_t index)
{
	size_t low = 0, high = job->codes.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (job->codes.at[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The name is kept once, however many share it. */
static void name_index(struct names_job *job, const struct jitdump_code *loaded)
{
	size_t i = first_of_index(job, loaded->index), name = job->names.n;
	bool is_used = false;

	for (; i < job->codes.n; i++) {
		struct code *code = &job->codes.at[i];

		job->work++;
		if (code->index != loaded->index)
			break;
		if (code->is_moved)
			code->name = name;
		is_used |= code->is_moved;
	}
	if (is_used)
		strbuf_put(&job->names, loaded->name, strlen(loaded->name) + 1);
}

/* What was moved has the name with which it was loaded. */
static void name_moved(struct names_job *job, struct jitdump *dump)
{
	struct jitdump_code *next = xmalloc(sizeof(*next));

	array_sort(&job->codes, compare_index);
	jitdump_rewind(dump);
	while (job->work < WORK_MAX && jitdump_next(dump, next))
		if (!next->is_moved)
			name_index(job, next);
	array_sort(&job->codes, compare_order);
	free(next);
}

static void collect(struct names_job *job, struct jitdump *dump)
{
	struct jitdump_code *next = xmalloc(sizeof(*next));
	bool has_moved = false;

	while (job->codes.n < CODES_MAX && jitdump_next(dump, next)) {
		const struct code code = {
			.start = next->start,
			.end = next->start + next->size,
			.time = next->time,
			.index = next->index,
			.is_moved = next->is_moved,
		};

		if (!is_hit(job, code.start, code.end))
			continue;
		add_code(job, &code, next->name);
		has_moved |= code.is_moved;
	}
	free(next);
	if (has_moved)
		name_moved(job, dump);
}

static bool is_again(const struct names_job *job, const struct code *a,
	const struct code *b)
{
	return a->start == b->start && a->end == b->end &&
		string_is(name_of(job, a), name_of(job, b));
}

/* Codes are sorted by start; of the same code again one is enough. */
static void mark_timed(struct names_job *job)
{
	struct code *codes = job->codes.at;
	size_t n = 0, widest = 0, i;

	for (i = 0; i < job->codes.n; i++) {
		if (n && is_again(job, &codes[i], &codes[n - 1]))
			continue;
		codes[n] = codes[i];
		if (n && codes[widest].end > codes[n].start)
			codes[n].is_timed = codes[widest].is_timed = true;
		if (codes[n].end > codes[widest].end)
			widest = n;
		n++;
	}
	job->codes.n = n;
}

static void emit_timed(struct names_job *job)
{
	uint64_t place = 0;

	array_sort(&job->codes, compare_start);
	mark_timed(job);
	array_each(&job->codes, code) {
		struct jit_symbol symbol = { .source = JIT_DUMP };

		if (code->is_timed) {
			symbol.since = MAX(code->time, UINT64_C(1));
			symbol.place = place;
			place += code->end - code->start;
		}
		emit(job, code, symbol, name_of(job, code));
	}
}

static void emit_timeless(struct names_job *job)
{
	array_each(&job->codes, code)
		if (job->work < WORK_MAX)
			note_last(job, code);
	emit_last(job, JIT_DUMP);
}

/* Places that the jitdump told about need no perf map. */
static void forget_covered(struct names_job *job)
{
	size_t n = 0, i;

	array_each(&job->codes, code)
		if (job->work < WORK_MAX)
			note_last(job, code);
	for (i = 0; i < job->places.n; i++)
		if (!job->last.at[i])
			job->places.at[n++] = job->places.at[i];
	job->places.n = n;
	memset(job->last.at, 0, n * sizeof(*job->last.at));
	array_clear(&job->codes);
}

static void read_dump(struct names_job *job)
{
	struct jitdump *dump = jitdump_open(job->files.dump);

	if (!dump)
		return;
	collect(job, dump);
	if (job->has_same_clock && jitdump_is_monotonic(dump))
		emit_timed(job);
	else
		emit_timeless(job);
	array_each(&job->codes, code)
		code->order = (size_t)(code - job->codes.at);
	forget_covered(job);
	jitdump_close(dump);
}

/* --- the job --------------------------------------------------------------- */

static void work(struct patience_job *job)
{
	struct names_job *own = (struct names_job *)job;

	if (own->files.dump >= 0)
		read_dump(own);
	if (own->files.perfmap >= 0)
		read_perfmap(own);
}

static void drop(struct patience_job *job)
{
	struct names_job *own = (struct names_job *)job;

	if (own->files.dump >= 0)
		close(own->files.dump);
	if (own->files.perfmap >= 0)
		close(own->files.perfmap);
	array_free(&own->places);
	array_free(&own->last);
	array_free(&own->codes);
	strbuf_free(&own->names);
	jit_process_deinit(&own->found);
	free(own);
}

/* A caller's address is where it goes on, maybe behind its code's end. */
static void add_places(struct names_job *job, const struct jitnames_wish *wish)
{
	uint64_t next = 0;
	size_t i;

	for (i = 0; i < wish->n_hits; i++) {
		uint64_t at = wish->hits[i].place;

		if (at && at - 1 >= next)
			*array_push(&job->places) = at - 1;
		*array_push(&job->places) = at;
		next = at + 1;
	}
	for (i = 0; i < job->places.n; i++)
		array_push(&job->last);
}

static int copy_fd(int fd)
{
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

void jitnames_read(struct patience *patience, const struct jitnames_wish *wish,
	struct jit_process *process)
{
	struct names_job *job = xcalloc(1, sizeof(*job));
	uint64_t place = 0;

	job->job = (struct patience_job){ work, drop };
	job->files.dump = copy_fd(wish->files.dump);
	job->files.perfmap = copy_fd(wish->files.perfmap);
	job->has_same_clock = wish->has_same_clock;
	add_places(job, wish);
	if (!patience_run(patience, &job->job))
		return;
	array_each(&process->symbols, symbol)
		if (symbol->since)
			place = MAX(place, symbol->place + symbol->size);
	array_each(&job->found.symbols, symbol) {
		struct jit_symbol added = *symbol;

		if (process->symbols.n == CODES_MAX)
			break;
		added.place += symbol->since ? place : 0;
		jit_add(process, &added, jit_name(&job->found, symbol));
	}
	drop(&job->job);
}
