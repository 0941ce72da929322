/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_touched.h"

#include "common/util/alloc.h"
#include "common/util/log.h"

/* Number of recently added addresses that are cached; a power of two. */
#define RECENT 16384u
/* Limit for code, and for data: samples may contain any number. */
#define PLACES_MAX ((size_t)1000000)

struct touched_search {
	struct reader *reader;
	const struct survey *survey;
	struct pack_intake code, data;
	struct {
		uint64_t ip;
		uint32_t space;
		bool is_code, is_used;
	} recent[RECENT];
	/* The last sample: */
	uint32_t pid, tid;
	struct maps_context context;
};

/*
 * Returns the mapping of the process at ADDRESS, else of the kernel, like
 * settle_frame_mode() in resolve.c.
 */
static const struct mapping *find_touched_mapping(
	const struct touched_search *g, uint64_t address)
{
	const struct maps *maps = g->survey->maps;

	return maps_find(maps, g->context.space, address)
		?: maps_find(maps, MAPS_KERNEL, address);
}

static void add_touched_address(
	struct touched_search *g, uint64_t address, bool is_code)
{
	const struct mapping *mapping = find_touched_mapping(g, address);
	const struct dso *dso;

	if (!mapping)
		return;
	dso = maps_dso(g->survey->maps, mapping->dso);
	if (dso->is_data || (!is_code && maps_is_anonymous(dso->path)))
		return;
	pack_intake_add(is_code ? &g->code : &g->data,
		pack_hits_at(g->survey->maps, mapping, address));
}

static void add_recent_address(
	struct touched_search *g, uint64_t address, bool is_code)
{
	size_t i = (address ^ address >> 14 ^ g->context.space * 0x9e3779b1u) &
		(RECENT - 1);

	if (g->recent[i].is_used && g->recent[i].ip == address &&
		g->recent[i].space == g->context.space &&
		g->recent[i].is_code == is_code)
		return;
	g->recent[i].ip = address;
	g->recent[i].space = g->context.space;
	g->recent[i].is_code = is_code;
	g->recent[i].is_used = true;
	add_touched_address(g, address, is_code);
}

static void find_context(
	struct touched_search *g, const struct sample *sample, uint64_t time)
{
	if (sample->pid == g->pid && sample->tid == g->tid &&
		time >= g->context.valid_from && time < g->context.valid_until)
		return;
	g->pid = sample->pid;
	g->tid = sample->tid;
	g->context = maps_context(g->survey->maps, g->pid, g->tid, time);
}

static void add_sample_addresses(
	struct touched_search *g, const struct sample *sample, uint64_t time)
{
	uint64_t i, from, to;

	find_context(g, sample, time);
	if (sample->addr)
		add_recent_address(g, sample->addr, false);
	for (i = 0; i < sample->n_branches; i++) {
		from = sample_entry_at(sample->branches, 3 * i);
		to = sample_entry_at(sample->branches, 3 * i + 1);
		add_recent_address(g, from, true);
		add_recent_address(g, to, true);
	}
}

static void add_chunk_addresses(
	struct touched_search *g, const struct chunk *chunk)
{
	struct sample sample = { 0 };
	struct record record;
	size_t at = 0;

	while (record_at(chunk->data + at, chunk->size - at, false, &record)) {
		uint64_t position = chunk->position + at;

		at += record.size;
		if (record.type == RECORD_SAMPLE &&
			sample_read_next(
				reader_layout(g->reader,
					reader_event_of(g->reader, &record)),
				&record, &sample))
			add_sample_addresses(g, &sample,
				survey_time(g->survey, sample.time, position));
	}
}

static bool has_touched_addresses(const struct reader *reader)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++)
		if (reader_event(reader, i)->attr.sample_type &
			(PERF_SAMPLE_ADDR | PERF_SAMPLE_BRANCH_STACK))
			return true;
	return false;
}

static void report_omitted_addresses(const struct touched_search *g,
	const struct pack_intake *intake, const char *what)
{
	if (intake->has_omitted)
		log_note("%s: some %s are not packed: the limit is %zu",
			reader_path(g->reader), what, PLACES_MAX);
}

void pack_touched_find(
	struct input *input, struct pack_hits *code, struct pack_hits *data)
{
	struct touched_search *g;
	struct cursor *cursor;
	struct chunk chunk;
	size_t i;

	if (!has_touched_addresses(input->reader))
		return;
	g = xcalloc(1, sizeof(*g));
	g->reader = input->reader;
	g->survey = &input->survey;
	/* In addition to the hits that CODE and DATA already have. */
	g->code = (struct pack_intake){ code, code->at.n + PLACES_MAX };
	g->data = (struct pack_intake){ data, data->at.n + PLACES_MAX };
	cursor = cursor_create(input->reader);
	for (i = 0; i < reader_n_extents(input->reader); i++) {
		cursor_load(cursor, reader_extent(input->reader, i));
		while (cursor_next(cursor, &chunk) == 0)
			add_chunk_addresses(g, &chunk);
	}
	cursor_destroy(cursor);
	report_omitted_addresses(g, &g->code, "addresses of branches");
	report_omitted_addresses(g, &g->data, "addresses of accessed data");
	free(g);
}
