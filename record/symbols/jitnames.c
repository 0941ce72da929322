/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/jitnames.h"

#include <fcntl.h>

#include "common/jit/jitdump.h"
#include "common/jit/perfmap.h"
#include "common/util/alloc.h"
#include "record/symbols/jit_code_names.h"

struct names_job {
	struct patience_job job;
	struct jit_files files; /* owned */
	struct jitdump_clock clock;
	struct codes codes;
	unsigned flaws;
};

static void read_perfmap(struct names_job *job)
{
	struct perfmap *map = perfmap_open(job->files.perfmap);
	struct perfmap_entry entry;

	while (perfmap_next(map, &entry)) {
		const struct code code = { .start = entry.start,
			.end = entry.start + entry.size };

		if (!codes_add(&job->codes, &code, entry.name))
			break;
	}
	if (perfmap_has_endless(map))
		job->flaws |= JITNAMES_ENDLESS;
	perfmap_close(map);
	codes_find_last(&job->codes);
	codes_emit_last(&job->codes, JIT_PERFMAP);
}

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

/* The name is kept once, however many share it. */
static void name_index(struct codes *codes, const struct jitdump_code *loaded)
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
		strbuf_put(&codes->names, loaded->name,
			strlen(loaded->name) + 1);
}

/* What was moved has the name with which it was loaded. */
static void name_moved(struct codes *codes, struct jitdump *dump)
{
	struct jitdump_code *next = xmalloc(sizeof(*next));

	array_sort(&codes->list, compare_index);
	jitdump_rewind(dump);
	while (codes->work < CODES_WORK_MAX && jitdump_next(dump, next))
		if (!next->is_moved)
			name_index(codes, next);
	array_sort(&codes->list, compare_order);
	free(next);
}

static bool has_moved(const struct codes *codes)
{
	array_each(&codes->list, code)
		if (code->is_moved)
			return true;
	return false;
}

static void collect(struct codes *codes, struct jitdump *dump,
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
	if (has_moved(codes))
		name_moved(codes, dump);
}

/* Places that the jitdump tells about need no perf map. */
static void read_dump(struct names_job *job)
{
	struct jitdump *dump = jitdump_open(job->files.dump);
	struct codes *codes = &job->codes;
	bool is_timed;

	if (!dump)
		return;
	collect(codes, dump, &job->clock);
	if (jitdump_is_cut(dump))
		job->flaws |= JITNAMES_CUT;
	is_timed = jitdump_has_times(dump, &job->clock);
	if (is_timed)
		codes_emit_timed(codes);
	codes_find_last(codes);
	if (!is_timed)
		codes_emit_last(codes, JIT_DUMP);
	codes_forget_covered(codes);
	jitdump_close(dump);
}

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
	codes_deinit(&own->codes);
	free(own);
}

static int copy_fd(int fd)
{
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* Behind all places that PROCESS has. */
static uint64_t next_place(const struct jit_process *process)
{
	uint64_t place = 0;

	array_each(&process->symbols, symbol)
		if (symbol->since)
			place = MAX(place, symbol->place + symbol->size);
	return place;
}

static void add_found(
	struct jit_process *process, const struct jit_process *found)
{
	uint64_t place = next_place(process);

	array_each(&found->symbols, symbol) {
		struct jit_symbol added = *symbol;

		if (process->symbols.n == CODES_MAX)
			break;
		added.place += symbol->since ? place : 0;
		jit_add(process, &added, jit_name(found, symbol));
	}
}

unsigned jitnames_read(struct patience *patience, const struct jitnames_wish *wish,
	struct jit_process *process)
{
	struct names_job *job = xcalloc(1, sizeof(*job));
	unsigned flaws;
	size_t i;

	job->job = (struct patience_job){ work, drop };
	job->files.dump = copy_fd(wish->files.dump);
	job->files.perfmap = copy_fd(wish->files.perfmap);
	job->clock = wish->clock;
	for (i = 0; i < wish->n_hits; i++)
		codes_hit(&job->codes, wish->hits[i].place);
	if (!patience_run(patience, &job->job))
		return 0;
	add_found(process, &job->codes.found);
	flaws = job->flaws;
	drop(&job->job);
	return flaws;
}
