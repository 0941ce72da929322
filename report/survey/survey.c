/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/survey.h"

#include "common/util/alloc.h"
#include "report/survey/incomplete.h"
#include "report/survey/survey_private.h"
#include "report/util/progress.h"

/* Approximate memory of one sideband record in struct maps. */
#define MAPS_COST 64u

static void count_record_type(struct survey *survey, uint32_t type)
{
	survey->records++;
	survey->by_type[type < RECORD_END ? type : 0]++;
}

static struct survey_event_counts *find_event_counts(
	struct survey_pass *pass, const struct record *record)
{
	struct survey *survey = pass->survey;

	while (survey->by_event.n < reader_n_events(pass->reader))
		array_push(&survey->by_event);
	if (!survey->by_event.n)
		return array_push(&survey->by_event);
	return &survey->by_event.at[reader_event_of(pass->reader, record)];
}

static void widen_sample_times(
	struct survey *survey, uint64_t first, uint64_t last)
{
	if (!survey->last_time || first < survey->first_time)
		survey->first_time = first;
	survey->last_time = MAX(survey->last_time, last);
}

static void count_survey_sample(
	struct survey_pass *pass, const struct record *record)
{
	const struct sample_layout *layout;
	uint64_t time;

	find_event_counts(pass, record)->samples++;
	if (pass->wants_switches)
		survey_add_switch_sample(pass, record);
	/* In a recording from a pipe, attributes may come after samples. */
	if (!reader_n_events(pass->reader))
		return;
	layout = reader_layout(
		pass->reader, reader_event_of(pass->reader, record));
	if (!layout->time || layout->time + sizeof(time) > record->size)
		return;
	memcpy(&time, record->data + layout->time, sizeof(time));
	widen_sample_times(pass->survey, time, time);
}

static void count_lost_samples(
	struct survey_pass *pass, const struct record *record)
{
	struct survey_event_counts *counts = find_event_counts(pass, record);
	struct record_lost lost;

	if (!record_read_lost(record, &lost))
		return;
	/*
	 * LOST records give a lower bound. LOST_SAMPLES records count the same
	 * samples again if the recorder read PERF_FORMAT_LOST. The larger
	 * number is used.
	 */
	if (record->type == RECORD_LOST)
		counts->lost_reported =
			survey_add_lost(counts->lost_reported, lost.lost);
	else
		counts->lost_read =
			survey_add_lost(counts->lost_read, lost.lost);
}

/* Counts the record at POSITION, which could not be read or kept. */
static void count_left_out(struct survey_pass *pass, uint64_t position)
{
	incomplete_damage_add(pass->is_over_limit ? &pass->survey->over_limit
						  : &pass->survey->damaged,
		1, position);
}

static bool read_record_time(struct survey_pass *pass,
	const struct record *record, uint64_t position, uint64_t *ret)
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

static void keep_sideband_record(struct survey_pass *pass,
	const struct record *record, uint64_t position)
{
	struct survey_kept_record kept = { .order = pass->kept.n,
		.offset = pass->arena.n,
		.position = position };

	/*
	 * The memory of a record is its copy in the arena, its struct
	 * kept_record, and its data in struct maps.
	 */
	if (!read_record_time(pass, record, position, &kept.time) ||
		!survey_reserve(pass,
			record->size + 2 * sizeof(struct survey_kept_record) +
				MAPS_COST)) {
		count_left_out(pass, position);
		return;
	}
	strbuf_put(&pass->arena, record->data, record->size);
	*array_push(&pass->kept) = kept;
}

static bool all_events_have_time(struct reader *reader)
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

static void add_sideband_record(struct survey_pass *pass,
	const struct record *record, uint64_t position)
{
	pass->is_over_limit = false;
	if (pass->wants_switches && !survey_add_switch_record(pass, record))
		count_left_out(pass, position);
	if (maps_wants_record(record->type) || record->type == RECORD_EXIT)
		keep_sideband_record(pass, record, position);
	else if (record->type == RECORD_LOST ||
		record->type == RECORD_LOST_SAMPLES)
		count_lost_samples(pass, record);
	else if (record->type == RECORD_CGROUP) {
		if (!survey_reserve(pass, 2 * record->size) ||
			!control_groups_add(&pass->survey->cgroups, record))
			count_left_out(pass, position);
	} else if (record->type == RECORD_NAMESPACES) {
		uint64_t time;

		if (!read_record_time(pass, record, position, &time) ||
			!survey_reserve(
				pass, 2 * sizeof(struct control_namespace)) ||
			!control_namespaces_add(
				&pass->survey->namespaces, record, time))
			count_left_out(pass, position);
	} else if (record->type == RECORD_CALLCHAIN_DEFERRED) {
		struct userchain chain;
		struct sample_id id;

		if (!reader_n_events(pass->reader))
			return;
		if (!userchain_read(record, &chain) ||
			!sample_id_read(
				reader_layout(pass->reader,
					reader_event_of(pass->reader, record)),
				record, &id))
			incomplete_damage_add(
				&pass->survey->damaged, 1, position);
		else if (!deferred_chains_add(&pass->survey->deferred,
				 reader_budget(pass->reader), id.tid, &chain))
			incomplete_damage_add(
				&pass->survey->over_limit, 1, position);
	} else if (record->type == RECORD_TIME_CONV) {
		/*
		 * A TIME_CONV record has the conversion to perf's clock: shift,
		 * mult and zero as in perf_event_mmap_page. The fields for
		 * short counters, which follow, do not matter for jitdumps.
		 */
		struct bytes b = record_payload(record);
		uint64_t shift = bytes_u64(&b), mult = bytes_u64(&b);
		uint64_t zero = bytes_u64(&b);

		if (b.ok && shift < 64 && mult && mult <= UINT32_MAX)
			pass->survey->ticks = (struct jitdump_ticks){
				{ 0, UINT64_C(1) << shift },
				{ zero, zero + mult }
			};
	}
}

static void read_survey_chunk(
	struct survey_pass *pass, const struct reader_chunk *chunk)
{
	struct survey *survey = pass->survey;
	struct record record;
	size_t at = 0;

	/* A recording from a pipe has the attributes among its records. */
	if (reader_is_pipe(pass->reader)) {
		survey->has_time = all_events_have_time(pass->reader);
		survey_begin_switches(pass);
	}
	while (record_at(chunk->data + at, chunk->size - at, false, &record)) {
		count_record_type(survey, record.type);
		if (likely(record.type == RECORD_SAMPLE)) {
			survey->sample_bytes += record.size;
			if (pass->wants_times)
				count_survey_sample(pass, &record);
		} else {
			add_sideband_record(
				pass, &record, chunk->position + at);
		}
		at += record.size;
	}
}

/* Counts compressed records and section records as records, too. */
static void count_extent_records(struct survey_pass *pass, bool full)
{
	struct survey *survey = pass->survey;
	size_t i;

	for (i = 0; i < reader_n_extents(pass->reader); i++) {
		const struct extent *extent = reader_extent(pass->reader, i);

		if (extent->coding == EXTENT_PLAIN)
			continue;
		count_record_type(survey, extent->type);
		if (full || extent->coding != EXTENT_BLOCK ||
			extent->info.kind != BLOCK_SAMPLES)
			continue;
		survey->records += extent->info.records;
		survey->by_type[RECORD_SAMPLE] += extent->info.samples;
		survey->sample_bytes += extent->info.raw_size;
		widen_sample_times(survey, extent->info.first_time,
			extent->info.last_time);
	}
}

struct error *survey_run(
	struct reader *reader, enum survey_depth depth, struct survey *ret)
{
	struct survey_pass pass = { .reader = reader,
		.wants_times = depth >= SURVEY_TIMES,
		.wants_samples = depth == SURVEY_SAMPLES,
		.wants_switches = depth == SURVEY_SWITCHES,
		.survey = ret };
	struct reader_chunk chunk;

	memset(ret, 0, sizeof(*ret));
	ret->maps = maps_create();
	ret->has_time = all_events_have_time(reader);
	survey_begin_switches(&pass);
	if (depth == SURVEY_SIDEBAND)
		reader_skim(reader);
	while (!progress_is_given_up() &&
		!reader_next(reader,
			pass.wants_samples ? BLOCK_MIXED : BLOCK_SIDEBAND,
			&chunk)) {
		progress_show("reading", chunk.offset, reader_size(reader));
		if (chunk.size)
			read_survey_chunk(&pass, &chunk);
	}
	progress_clear();
	if (reader_n_events(reader))
		survey_replay(&pass);
	while (ret->by_event.n < reader_n_events(reader))
		array_push(&ret->by_event);
	count_extent_records(&pass, pass.wants_samples);
	survey_end_switches(&pass);
	control_groups_sort(&ret->cgroups);
	control_namespaces_sort(&ret->namespaces);
	array_each(&ret->by_event, counts) {
		counts->lost = MAX(counts->lost_reported, counts->lost_read);
		ret->lost = survey_add_lost(ret->lost, counts->lost);
	}
	strbuf_free(&pass.arena);
	array_free(&pass.kept);
	if (reader_n_events(reader))
		return NULL;
	survey_deinit(ret);
	incomplete_skip(reader);
	return error_new("%s: no events in the recording%s%s",
		reader_path(reader), reader_damage(reader) ? ": " : "",
		reader_damage(reader) ? reader_damage(reader) : "");
}

void survey_deinit(struct survey *survey)
{
	maps_destroy(survey->maps);
	jit_section_deinit(&survey->jit);
	jitdumps_deinit(&survey->dumps);
	deferred_chains_deinit(&survey->deferred);
	array_free(&survey->by_event);
	control_groups_deinit(&survey->cgroups);
	control_namespaces_deinit(&survey->namespaces);
	switches_deinit(&survey->switches);
	memset(survey, 0, sizeof(*survey));
}

bool survey_is_timed_jit(const char *path, uint32_t *pid_ret)
{
	return sscanf(path, SURVEY_TIMED_JIT_NAME "%u", pid_ret) == 1;
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

const char *survey_process_comm(
	const struct survey *survey, uint32_t pid, uint32_t pid_use)
{
	uint32_t comm = maps_process_comm(survey->maps, pid, pid_use);

	return comm ? maps_comm(survey->maps, comm) : NULL;
}
