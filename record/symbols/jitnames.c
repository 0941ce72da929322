/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/jitnames.h"

#include <fcntl.h>

#include "common/file/jit_section.h"
#include "common/jit/jitdump.h"
#include "common/jit/perfmap.h"
#include "common/util/alloc.h"

/* Limits of memory and time for hostile files; real files stay far below. */
#define CODES_MAX 1000000u
#define CODES_WORK_MAX (UINT64_C(1) << 28)
#define CODE_SIZE_MAX (UINT64_C(1) << 40)

struct jitname_code {
	uint64_t start, end;
	uint64_t time, index; /* both from the jitdump record */
	size_t order;	      /* position in the file */
	size_t name;	      /* offset in .names of struct codes */
	bool is_moved;	      /* moved code: .index determines the name */
	bool is_timed;	      /* other code used some of the addresses */
};

/*
 * The sampled JIT functions (codes) of one process, with their names. If
 * several codes had the same address, either the last code is used, or each
 * code for its time. Codes are added in the order of the file; codes without
 * samples are dropped.
 */
struct codes {
	uint64_t work; /* number of steps, limited by CODES_WORK_MAX */
	ARRAY(uint64_t)
	places; /* sampled addresses, ascending, without duplicates */
	ARRAY(size_t)
	last; /* for each of .places: 1 + index of the last code there, or 0 */
	ARRAY(struct jitname_code) list;
	struct strbuf names;
	struct jit_process found; /* the resulting symbols */
};

static void add_sampled_address(struct codes *codes, uint64_t place)
{
	*array_push(&codes->places) = place;
	array_push(&codes->last);
}

/* Returns the index in .places of the first sampled address >= ADDRESS. */
static size_t find_first_place(const struct codes *codes, uint64_t address)
{
	return array_count_before(&codes->places, place, *place < address);
}

/*
 * Adds the code NEW with a copy of NAME, if NEW contains a sampled address.
 * Returns false if there are already CODES_MAX codes.
 */
static bool codes_add(
	struct codes *codes, const struct jitname_code *new, const char *name)
{
	struct jitname_code *code;

	if (codes->list.n >= CODES_MAX)
		return false;
	size_t i = find_first_place(codes, new->start);
	if (new->end - new->start > CODE_SIZE_MAX || i >= codes->places.n ||
		codes->places.at[i] >= new->end)
		return true;
	code = array_push(&codes->list);
	*code = *new;
	code->order = codes->list.n - 1;
	code->name = codes->names.n;
	strbuf_put(&codes->names, name, strlen(name) + 1);
	return true;
}

static const char *code_name(
	const struct codes *codes, const struct jitname_code *code)
{
	return codes->names.at + code->name;
}

static void emit_code(struct codes *codes, const struct jitname_code *code,
	struct jit_symbol symbol, const char *name)
{
	if (!*name)
		return;
	symbol.start = code->start;
	symbol.size = code->end - code->start;
	jit_process_add(&codes->found, &symbol, name);
}

/* Sets .last: the last code at each sampled address. */
static void codes_find_last(struct codes *codes)
{
	array_each(&codes->list, code)
		if (codes->work < CODES_WORK_MAX) {
			size_t i = find_first_place(codes, code->start);
			for (; i < codes->places.n &&
				codes->places.at[i] < code->end;
				i++) {
				codes->last.at[i] = code->order + 1;
				codes->work++;
			}
		}
}

/*
 * Adds a symbol for the last code at each sampled address. If two codes
 * overlap, the symbol of the older code is cut.
 */
static void codes_emit_last(struct codes *codes, enum jit_source source)
{
	const struct jit_symbol symbol = { .source = source };
	const struct jitname_code *before = NULL;
	struct jitname_code cut = { 0 };
	uint64_t from;
	size_t i;

	for (i = 0; i <= codes->places.n; i++) {
		const struct jitname_code *code =
			i >= codes->places.n || !codes->last.at[i]
			? NULL
			: &codes->list.at[codes->last.at[i] - 1];

		if (code == before)
			continue;
		if (before && code && code->order > before->order)
			cut.end = MIN(cut.end, code->start);
		if (before)
			emit_code(
				codes, &cut, symbol, code_name(codes, before));
		from = cut.end;
		if (code)
			cut = *code;
		cut.start = MAX(cut.start, from);
		before = code;
	}
}

static int compare_code_start(const void *a, const void *b)
{
	const struct jitname_code *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->order, right->order);
}

/*
 * Adds a symbol for each code. The symbols of codes that share addresses get a
 * start time. Changes the order of the codes.
 */
static void codes_emit_timed(struct codes *codes)
{
	uint64_t place = 0;

	array_sort(&codes->list, compare_code_start);
	struct jitname_code *at = codes->list.at;
	size_t n = 0, widest = 0, i;
	/*
	 * Mark the codes that share addresses with other codes, and remove
	 * repeated identical codes.
	 */
	for (i = 0; i < codes->list.n; i++) {
		if (n && at[i].start == at[n - 1].start &&
			at[i].end == at[n - 1].end &&
			string_is(code_name(codes, &at[i]),
				code_name(codes, &at[n - 1])))
			continue;
		at[n] = at[i];
		if (n && at[widest].end > at[n].start)
			at[n].is_timed = at[widest].is_timed = true;
		if (at[n].end > at[widest].end)
			widest = n;
		n++;
	}
	codes->list.n = n;
	array_each(&codes->list, code) {
		struct jit_symbol symbol = { .source = JIT_DUMP };

		if (code->is_timed) {
			symbol.since = MAX(code->time, UINT64_C(1));
			symbol.place = place;
			place += code->end - code->start;
		}
		code->order = (size_t)(code - codes->list.at);
		emit_code(codes, code, symbol, code_name(codes, code));
	}
}

struct jitnames_job {
	struct timed_job job;
	struct jit_files files; /* owned */
	struct jitdump_clock clock;
	struct codes codes;
	struct jitnames_flaws flaws;
};

static int compare_code_index(const void *a, const void *b)
{
	const struct jitname_code *left = a, *right = b;

	return COMPARE(left->index, right->index);
}

static int compare_code_order(const void *a, const void *b)
{
	const struct jitname_code *left = a, *right = b;

	return COMPARE(left->order, right->order);
}

/* Names the moved codes by the jitdump record that loaded the code. */
static void name_moved_codes(struct codes *codes, struct jitdump *dump)
{
	struct jitdump_code *next = xmalloc(sizeof(*next));

	array_sort(&codes->list, compare_code_index);
	jitdump_rewind(dump);
	while (codes->work < CODES_WORK_MAX && jitdump_next(dump, next))
		if (!next->is_moved) {
			/*
			 * Give the moved codes with the index of this code its
			 * name, stored once.
			 */
			size_t name = codes->names.n;
			size_t i = array_count_before(
				&codes->list, code, code->index < next->index);
			bool is_used = false;
			for (; i < codes->list.n; i++) {
				struct jitname_code *code = &codes->list.at[i];

				codes->work++;
				if (code->index != next->index)
					break;
				if (code->is_moved)
					code->name = name;
				is_used |= code->is_moved;
			}
			if (is_used)
				strbuf_put(&codes->names, next->name,
					strlen(next->name) + 1);
		}
	array_sort(&codes->list, compare_code_order);
	free(next);
}

/*
 * Adds the symbols of the jitdump. Removes the sampled addresses that the
 * jitdump covers, so that the perf map is used only for the other addresses.
 */
static void read_jitdump_names(struct jitnames_job *job)
{
	struct jitdump *dump = jitdump_open(job->files.dump);
	struct codes *codes = &job->codes;
	bool is_timed, has_moved = false;

	if (!dump) {
		job->flaws.dump.ending = JITDUMP_NO_HEADER;
		return;
	}
	struct jitdump_code *next = xmalloc(sizeof(*next));
	while (jitdump_next(dump, next)) {
		const struct jitname_code code = {
			.start = next->start,
			.end = next->start + next->size,
			.time = jitdump_time(dump, &job->clock, next->time),
			.index = next->index,
			.is_moved = next->is_moved,
		};

		if (!codes_add(codes, &code, next->name))
			break;
	}
	free(next);
	array_each(&codes->list, code)
		has_moved |= code->is_moved;
	if (has_moved)
		name_moved_codes(codes, dump);
	job->flaws.dump = jitdump_end(dump);
	is_timed = jitdump_has_times(dump, &job->clock);
	if (is_timed)
		codes_emit_timed(codes);
	codes_find_last(codes);
	if (!is_timed)
		codes_emit_last(codes, JIT_DUMP);
	/* Remove all codes and the sampled addresses that are in a code. */
	size_t n = 0, i;
	for (i = 0; i < codes->places.n; i++)
		if (!codes->last.at[i])
			codes->places.at[n++] = codes->places.at[i];
	codes->places.n = n;
	memset(codes->last.at, 0, n * sizeof(*codes->last.at));
	array_clear(&codes->list);
	jitdump_close(dump);
}

/*
 * Closes *FD if its owner has changed since it was opened. Returns true if it
 * was closed.
 */
static bool close_foreign_file(int *fd, uid_t user)
{
	if (*fd < 0 || jit_file_is_owned(*fd, user))
		return false;
	close(*fd);
	*fd = -1;
	return true;
}

static void read_jit_files(struct timed_job *job)
{
	struct jitnames_job *own = (struct jitnames_job *)job;
	struct jit_files *files = &own->files;

	own->flaws.is_dump_foreign =
		close_foreign_file(&files->dump, files->user);
	own->flaws.is_perfmap_foreign =
		close_foreign_file(&files->perfmap, files->user);
	if (files->dump >= 0)
		read_jitdump_names(own);
	if (files->perfmap >= 0) {
		struct perfmap *map = perfmap_open(own->files.perfmap);
		struct perfmap_entry entry;
		while (perfmap_next(map, &entry)) {
			const struct jitname_code code = { .start = entry.start,
				.end = entry.start + entry.size };

			if (!codes_add(&own->codes, &code, entry.name))
				break;
		}
		if (perfmap_has_long_line(map))
			own->flaws.has_long_line = true;
		perfmap_close(map);
		codes_find_last(&own->codes);
		codes_emit_last(&own->codes, JIT_PERFMAP);
	}
	if (own->flaws.dump.ending == JITDUMP_EMPTY &&
		own->codes.found.symbols.n)
		own->flaws.dump.ending = JITDUMP_WHOLE;
}

static void free_jitnames_job(struct timed_job *job)
{
	struct jitnames_job *own = (struct jitnames_job *)job;

	if (own->files.dump >= 0)
		close(own->files.dump);
	if (own->files.perfmap >= 0)
		close(own->files.perfmap);
	array_free(&own->codes.places);
	array_free(&own->codes.last);
	array_free(&own->codes.list);
	strbuf_free(&own->codes.names);
	jit_process_deinit(&own->codes.found);
	free(own);
}

static int duplicate_fd(int fd)
{
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

struct jitnames_flaws jitnames_read(struct timed_worker *worker,
	const struct jitnames_request *request, struct jit_process *process)
{
	struct jitnames_job *job = xcalloc(1, sizeof(*job));
	struct jitnames_flaws flaws = { 0 };
	size_t i;

	job->job = (struct timed_job){ read_jit_files, free_jitnames_job };
	job->files.user = request->files.user;
	job->files.dump = duplicate_fd(request->files.dump);
	job->files.perfmap = duplicate_fd(request->files.perfmap);
	job->clock = request->clock;
	for (i = 0; i < request->n_sampled; i++) {
		/*
		 * Add the address before, too: a return address can be the
		 * first byte behind the calling function. Addresses are added
		 * in ascending order.
		 */
		size_t n = job->codes.places.n;
		if (request->sampled[i].place &&
			(!n ||
				job->codes.places.at[n - 1] <
					request->sampled[i].place - 1))
			add_sampled_address(
				&job->codes, request->sampled[i].place - 1);
		add_sampled_address(&job->codes, request->sampled[i].place);
	}
	if (!timed_worker_run(worker, &job->job))
		return flaws;
	/* The end of the ranges .place of the timed symbols. */
	uint64_t place = 0;

	array_each(&process->symbols, symbol)
		if (symbol->since)
			place = MAX(place, symbol->place + symbol->size);
	array_each(&job->codes.found.symbols, symbol) {
		struct jit_symbol added = *symbol;

		if (process->symbols.n == CODES_MAX)
			break;
		added.place += symbol->since ? place : 0;
		jit_process_add(process, &added,
			jit_symbol_name(&job->codes.found, symbol));
	}
	flaws = job->flaws;
	free_jitnames_job(&job->job);
	return flaws;
}
