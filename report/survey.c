/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey.h"

#include <stdio.h>

#include "common/alloc.h"
#include "report/progress.h"

/* Bytes that a record takes in maps, about. */
#define MAPS_COST 64u
/* As perf names memory in which code is made. */
#define TIMED_NAME "[JIT] tid "

/* A copy of one sideband record that the replay wants, in file order. */
struct kept {
	uint64_t time;
	size_t order;
	size_t offset;     /* in the arena */
	uint64_t position; /* in the file */
};

struct pass {
	struct reader *reader;
	struct survey *survey;
	struct strbuf arena;
	ARRAY(struct kept) kept;
};

static void count(struct survey *survey, uint32_t type)
{
	survey->records++;
	survey->by_type[type < RECORD_END ? type : 0]++;
}

static struct event_counts *counts_of(
	struct pass *pass, const struct record *record)
{
	struct survey *survey = pass->survey;

	while (survey->by_event.n < reader_n_events(pass->reader))
		array_push(&survey->by_event);
	if (!survey->by_event.n)
		return array_push(&survey->by_event);
	return &survey->by_event.at[reader_event_of(pass->reader, record)];
}

static void widen(struct survey *survey, uint64_t first, uint64_t last)
{
	if (!survey->last_time || first < survey->first_time)
		survey->first_time = first;
	survey->last_time = MAX(survey->last_time, last);
}

static void take_sample(struct pass *pass, const struct record *record)
{
	const struct sample_layout *layout;
	uint64_t time;

	counts_of(pass, record)->samples++;
	/* An event may come behind its samples. */
	if (!reader_n_events(pass->reader))
		return;
	layout = reader_layout(
		pass->reader, reader_event_of(pass->reader, record));
	if (!layout->time || layout->time + sizeof(time) > record->size)
		return;
	memcpy(&time, record->data + layout->time, sizeof(time));
	widen(pass->survey, time, time);
}

static void take_lost(struct pass *pass, const struct record *record)
{
	struct event_counts *counts = counts_of(pass, record);
	struct record_lost lost;

	if (!record_read_lost(record, &lost))
		return;
	/*
	 * LOST is a lower bound, and LOST_SAMPLES counts the same samples
	 * again where a recorder read PERF_FORMAT_LOST: the larger is true.
	 */
	if (record->type == RECORD_LOST) {
		counts->lost_told += lost.lost;
	} else {
		counts->lost_read += lost.lost;
		counts->lost_sample_records++;
	}
}

/* What one record takes: its copy, its place in the order, and in maps. */
static size_t cost_of(const struct record *record)
{
	return record->size + 2 * sizeof(struct kept) + MAPS_COST;
}

static bool read_time(struct pass *pass, const struct record *record,
	uint64_t position, uint64_t *ret)
{
	struct sample_id id = { 0 };

	if (pass->survey->has_time &&
		!sample_id_read(reader_layout(pass->reader,
					reader_event_of(pass->reader, record)),
			record, &id))
		return false;
	*ret = survey_time(pass->survey, id.time, position);
	return true;
}

static void keep(
	struct pass *pass, const struct record *record, uint64_t position)
{
	struct kept kept = { .order = pass->kept.n,
		.offset = pass->arena.n,
		.position = position };

	if (!read_time(pass, record, position, &kept.time) ||
		!reader_affords(pass->reader, cost_of(record))) {
		damage_add(&pass->survey->damaged, 1, position);
		return;
	}
	strbuf_put(&pass->arena, record->data, record->size);
	*array_push(&pass->kept) = kept;
}

static void take_userchain(
	struct pass *pass, const struct record *record, uint64_t position)
{
	struct userchain chain;
	struct sample_id id;

	if (!reader_n_events(pass->reader))
		return;
	if (!userchain_read(record, &chain) ||
		!sample_id_read(reader_layout(pass->reader,
					reader_event_of(pass->reader, record)),
			record, &id) ||
		!late_add(&pass->survey->late, pass->reader, id.tid, &chain))
		damage_add(&pass->survey->damaged, 1, position);
}

static bool all_have_time(struct reader *reader)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++) {
		const struct perf_event_attr *attr =
			&reader_event(reader, i)->attr;

		if (!attr->sample_id_all ||
			!(attr->sample_type & PERF_SAMPLE_TIME))
			return false;
	}
	return i > 0;
}

static void take_cgroup(
	struct pass *pass, const struct record *record, uint64_t position)
{
	if (!reader_affords(pass->reader, 2 * record->size) ||
		!control_groups_add(&pass->survey->cgroups, record))
		damage_add(&pass->survey->damaged, 1, position);
}

static void take_namespaces(
	struct pass *pass, const struct record *record, uint64_t position)
{
	struct survey *survey = pass->survey;
	uint64_t time;

	if (!read_time(pass, record, position, &time) ||
		!reader_affords(pass->reader, 2 * sizeof(struct namespace)) ||
		!namespaces_add(&survey->namespaces, record, time))
		damage_add(&survey->damaged, 1, position);
}

static void take_chunk(struct pass *pass, const struct chunk *chunk)
{
	struct survey *survey = pass->survey;
	struct record record;
	size_t at = 0;

	survey->has_time = all_have_time(pass->reader);
	while (record_at(chunk->data + at, chunk->size - at, false, &record)) {
		count(survey, record.type);
		if (record.type == RECORD_SAMPLE)
			take_sample(pass, &record);
		else if (maps_wants_record(record.type))
			keep(pass, &record, chunk->position + at);
		else if (record.type == RECORD_LOST ||
			record.type == RECORD_LOST_SAMPLES)
			take_lost(pass, &record);
		else if (record.type == RECORD_CGROUP)
			take_cgroup(pass, &record, chunk->position + at);
		else if (record.type == RECORD_NAMESPACES)
			take_namespaces(pass, &record, chunk->position + at);
		else if (record.type == RECORD_CALLCHAIN_DEFERRED)
			take_userchain(pass, &record, chunk->position + at);
		at += record.size;
	}
}

static int compare_kept(const void *a, const void *b)
{
	const struct kept *left = a, *right = b;

	if (left->time != right->time)
		return COMPARE(left->time, right->time);
	return COMPARE(left->order, right->order);
}

static void keep_timed(
	struct pass *pass, uint32_t pid, const struct jit_symbol *symbol)
{
	_cleanup_free_ char *path = xasprintf(TIMED_NAME "%u", pid);
	const struct record_mmap map = {
		.pid = pid,
		.tid = pid,
		.start = symbol->start,
		.size = symbol->size,
		.offset = symbol->place,
		.path = path,
	};
	struct kept kept = { symbol->since, pass->kept.n, pass->arena.n, 0 };

	record_write_mmap2(&pass->arena, MISC_USER, &map, NULL, 0);
	*array_push(&pass->kept) = kept;
}

/* Code that was at an address for a time is as good as mapped there then. */
static void read_jit(struct pass *pass)
{
	_cleanup_strbuf_ struct strbuf section = { 0 };
	struct survey *survey = pass->survey;

	if (!reader_section(
		    pass->reader, SECTION_JIT, JIT_VERSION, &section))
		return;
	jit_read(bytes_of(section.at, section.n, false), &survey->jit);
	if (!survey->has_time)
		return;
	array_each(&survey->jit.processes, process)
		array_each(&process->symbols, symbol)
			if (symbol->since)
				keep_timed(pass, process->pid, symbol);
}

bool survey_is_timed(const char *path, uint32_t *pid_ret)
{
	return sscanf(path, TIMED_NAME "%u", pid_ret) == 1;
}

/* Recorders look for code alone; here data have names, too. */
static bool replay_record(
	struct maps *maps, const struct record *record, uint64_t time)
{
	bool is_mapping = record->type == RECORD_MMAP ||
		record->type == RECORD_MMAP2;
	struct record_mmap map;

	if (!is_mapping || !(record->misc & MISC_MMAP_DATA))
		return maps_add_record(maps, record, time);
	if (!record_read_mmap(record, &map))
		return false;
	maps_add_mmap(maps, &map, time);
	return true;
}

static void replay(struct pass *pass)
{
	struct record record;

	array_sort(&pass->kept, compare_kept);
	array_each(&pass->kept, kept) {
		const uint8_t *data =
			(const uint8_t *)pass->arena.at + kept->offset;

		if (!record_at(data, pass->arena.n - kept->offset, false,
			    &record) ||
			!replay_record(
				pass->survey->maps, &record, kept->time))
			damage_add(&pass->survey->damaged, 1, kept->position);
	}
}

/* Compressed records and our section records are records as well. */
static void count_extents(struct pass *pass, bool full)
{
	struct survey *survey = pass->survey;
	size_t i;

	for (i = 0; i < reader_n_extents(pass->reader); i++) {
		const struct extent *extent = reader_extent(pass->reader, i);

		if (extent->coding == EXTENT_PLAIN)
			continue;
		count(survey, extent->type);
		if (full || extent->coding != EXTENT_BLOCK ||
			extent->info.kind != BLOCK_SAMPLES)
			continue;
		survey->records += extent->info.records;
		survey->by_type[RECORD_SAMPLE] += extent->info.samples;
		widen(survey, extent->info.first_time,
			extent->info.last_time);
	}
}

struct error *survey_run(struct reader *reader, bool full, struct survey *ret)
{
	struct pass pass = { .reader = reader, .survey = ret };
	struct chunk chunk;

	memset(ret, 0, sizeof(*ret));
	ret->maps = maps_create();
	while (reader_next(reader,
		       full ? BLOCK_MIXED : BLOCK_SIDEBAND, &chunk) == 0) {
		progress_show("reading", chunk.offset, reader_size(reader));
		if (chunk.size)
			take_chunk(&pass, &chunk);
	}
	progress_clear();
	if (reader_n_events(reader)) {
		read_jit(&pass);
		replay(&pass);
	}
	while (ret->by_event.n < reader_n_events(reader))
		array_push(&ret->by_event);
	count_extents(&pass, full);
	control_groups_sort(&ret->cgroups);
	namespaces_sort(&ret->namespaces);
	array_each(&ret->by_event, counts) {
		counts->lost = MAX(counts->lost_told, counts->lost_read);
		ret->lost += counts->lost;
	}
	strbuf_free(&pass.arena);
	array_free(&pass.kept);
	if (!reader_n_events(reader)) {
		survey_deinit(ret);
		return error_new("%s: holds no events%s%s",
			reader_path(reader), reader_damage(reader) ? ": " : "",
			reader_damage(reader) ? reader_damage(reader) : "");
	}
	return NULL;
}

void survey_deinit(struct survey *survey)
{
	maps_destroy(survey->maps);
	jit_deinit(&survey->jit);
	late_deinit(&survey->late);
	array_free(&survey->by_event);
	control_groups_deinit(&survey->cgroups);
	namespaces_deinit(&survey->namespaces);
	memset(survey, 0, sizeof(*survey));
}

const char *survey_unnamed(uint32_t tid, char unnamed[SURVEY_COMM_SIZE])
{
	if (tid == 0)
		return "swapper";
	snprintf(unnamed, SURVEY_COMM_SIZE, ":%d", (int32_t)tid);
	return unnamed;
}

const char *survey_comm(const struct survey *survey, uint32_t comm,
	uint32_t tid, char unnamed[SURVEY_COMM_SIZE])
{
	return comm ? maps_comm(survey->maps, comm)
		    : survey_unnamed(tid, unnamed);
}
