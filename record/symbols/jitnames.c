/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/jitnames.h"

#include <fcntl.h>

#include "common/jit/jitdump.h"
#include "common/jit/perfmap.h"
#include "common/util/alloc.h"
#include "record/symbols/jit_code_names.h"

struct jitnames_job {
	struct timed_job job;
	struct jit_files files; /* owned */
	struct jitdump_clock clock;
	struct codes codes;
	unsigned flaws;
};

static void read_perfmap_names(struct jitnames_job *job)
{
	struct perfmap *map = perfmap_open(job->files.perfmap);
	struct perfmap_entry entry;

	while (perfmap_next(map, &entry)) {
		const struct code code = { .start = entry.start,
			.end = entry.start + entry.size };

		if (!codes_add(&job->codes, &code, entry.name))
			break;
	}
	if (perfmap_has_long_line(map))
		job->flaws |= JITNAMES_LONG_LINE;
	perfmap_close(map);
	codes_find_last(&job->codes);
	codes_emit_last(&job->codes, JIT_PERFMAP);
}

static int compare_code_index(const void *a, const void *b)
{
	const struct code *left = a, *right = b;

	return COMPARE(left->index, right->index);
}

static int compare_code_order(const void *a, const void *b)
{
	const struct code *left = a, *right = b;

	return COMPARE(left->order, right->order);
}

/* Names all codes with the index of LOADED; the name is stored once. */
static void name_codes_of_index(
	struct codes *codes, const struct jitdump_code *loaded)
{
	size_t name = codes->names.n;
	size_t i = array_count_before(
		&codes->list, code, code->index < loaded->index);
	bool is_used = false;

	for (; i < codes->list.n; i++) {
		struct code *code = &codes->list.at[i];

		codes->work++;
		if (code->index != loaded->index)
			break;
		if (code->is_moved)
			code->name = name;
		is_used |= code->is_moved;
	}
	if (is_used)
		strbuf_put(
			&codes->names, loaded->name, strlen(loaded->name) + 1);
}

/* Moved code has the name with which it was loaded. */
static void name_moved_codes(struct codes *codes, struct jitdump *dump)
{
	struct jitdump_code *next = xmalloc(sizeof(*next));

	array_sort(&codes->list, compare_code_index);
	jitdump_rewind(dump);
	while (codes->work < CODES_WORK_MAX && jitdump_next(dump, next))
		if (!next->is_moved)
			name_codes_of_index(codes, next);
	array_sort(&codes->list, compare_code_order);
	free(next);
}

static bool has_moved_code(const struct codes *codes)
{
	array_each(&codes->list, code)
		if (code->is_moved)
			return true;
	return false;
}

static void add_jitdump_codes(struct codes *codes, struct jitdump *dump,
	const struct jitdump_clock *clock)
{
	struct jitdump_code *next = xmalloc(sizeof(*next));

	while (jitdump_next(dump, next)) {
		const struct code code = {
			.start = next->start,
			.end = next->start + next->size,
			.time = jitdump_time(dump, clock, next->time),
			.index = next->index,
			.is_moved = next->is_moved,
		};

		if (!codes_add(codes, &code, next->name))
			break;
	}
	free(next);
	if (has_moved_code(codes))
		name_moved_codes(codes, dump);
}

/* The perf map is used only for places that the jitdump does not cover. */
static void read_jitdump_names(struct jitnames_job *job)
{
	struct jitdump *dump = jitdump_open(job->files.dump);
	struct codes *codes = &job->codes;
	bool is_timed;

	if (!dump)
		return;
	add_jitdump_codes(codes, dump, &job->clock);
	if (jitdump_is_cut(dump))
		job->flaws |= JITNAMES_CUT;
	is_timed = jitdump_has_times(dump, &job->clock);
	if (is_timed)
		codes_emit_timed(codes);
	codes_find_last(codes);
	if (!is_timed)
		codes_emit_last(codes, JIT_DUMP);
	codes_remove_covered(codes);
	jitdump_close(dump);
}

static void read_jit_files(struct timed_job *job)
{
	struct jitnames_job *own = (struct jitnames_job *)job;

	if (own->files.dump >= 0)
		read_jitdump_names(own);
	if (own->files.perfmap >= 0)
		read_perfmap_names(own);
}

static void free_jitnames_job(struct timed_job *job)
{
	struct jitnames_job *own = (struct jitnames_job *)job;

	if (own->files.dump >= 0)
		close(own->files.dump);
	if (own->files.perfmap >= 0)
		close(own->files.perfmap);
	codes_deinit(&own->codes);
	free(own);
}

static int duplicate_fd(int fd)
{
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* Returns the end of the places of PROCESS. */
static uint64_t next_free_place(const struct jit_process *process)
{
	uint64_t place = 0;

	array_each(&process->symbols, symbol)
		if (symbol->since)
			place = MAX(place, symbol->place + symbol->size);
	return place;
}

static void add_jit_symbols(
	struct jit_process *process, const struct jit_process *found)
{
	uint64_t place = next_free_place(process);

	array_each(&found->symbols, symbol) {
		struct jit_symbol added = *symbol;

		if (process->symbols.n == CODES_MAX)
			break;
		added.place += symbol->since ? place : 0;
		jit_process_add(
			process, &added, jit_symbol_name(found, symbol));
	}
}

unsigned jitnames_read(struct timed_worker *worker,
	const struct jitnames_request *request, struct jit_process *process)
{
	struct jitnames_job *job = xcalloc(1, sizeof(*job));
	unsigned flaws;
	size_t i;

	job->job = (struct timed_job){ read_jit_files, free_jitnames_job };
	job->files.dump = duplicate_fd(request->files.dump);
	job->files.perfmap = duplicate_fd(request->files.perfmap);
	job->clock = request->clock;
	for (i = 0; i < request->n_sampled; i++)
		codes_add_address(&job->codes, request->sampled[i].place);
	if (!timed_worker_run(worker, &job->job))
		return 0;
	add_jit_symbols(process, &job->codes.found);
	flaws = job->flaws;
	free_jitnames_job(&job->job);
	return flaws;
}
