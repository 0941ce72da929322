/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs everything that a report does to a recording on any bytes: reading,
 * survey, scan, rows and their trees, the order of a script, and the dump.
 */
#include "config.h"

#include "tests/fuzz/everything.h"

#include <stdio.h>

#include "report/resolve/resolve_scan.h"
#include "report/rows/fields.h"
#include "report/rows/forest.h"
#include "report/rows/hist.h"
#include "report/scan/order.h"
#include "report/script/record_dump.h"
#include "report/script/stats.h"
#include "tests/fuzz/root.h"
#include "tests/fuzz/store.h"

static void print_rows(const struct scan *scan, const struct hist *hist,
	const struct hist_request *request, const struct field_names *names)
{
	const struct tree_request trees = { .limit = 1 };
	struct forest *forest = forest_create(scan, names);
	_cleanup_strbuf_ struct strbuf out = { 0 };

	array_each(&hist->rows, row) {
		struct tree tree;
		size_t i;

		for (i = 0; i < request->n_fields; i++)
			request->fields[i]->text(names, row->key[i], &out);
		if (request->wants_trees) {
			forest_take(forest, hist, row, &trees, &tree);
			tree_deinit(&tree);
		}
	}
	forest_destroy(forest);
}

static void make_rows(const struct scan *scan,
	const struct hist_request *request, const struct field_names *names)
{
	uint32_t event;

	for (event = 0; event < scan->by_event.n; event++) {
		struct hist hist;

		hist_build(scan, event, request, names, &hist);
		print_rows(scan, &hist, request, names);
		hist_deinit(&hist);
	}
}

/* Adds the fields from number FIRST on, and the sample keys that they need. */
static void add_fields(struct hist_request *request, size_t first)
{
	const struct field *field;
	size_t i;

	for (; (field = field_at(first)) && request->n_fields < FIELDS_MAX;
		first++) {
		/* fuzz_tracepoint.c tests tracepoint formats. */
		if (field->kind != FIELD_KEY ||
			field->needs == FIELD_NEEDS_TRACES)
			continue;
		request->fields[request->n_fields++] = field;
		for (i = 0; i < FIELD_TAKES && field->take[i]; i++)
			sample_keys_add(&request->sample_keys, field->take[i],
				field->data);
	}
}

static void report(struct reader *reader, const struct survey *survey,
	const struct offcpu *offcpu, size_t first, enum sample_count_mode mode)
{
	const struct filter filter = { 0 };
	struct hist_request request = {
		.has_children = mode == SAMPLE_COUNT_SAMPLES,
		.wants_trees = mode == SAMPLE_COUNT_SAMPLES,
		.is_inverted = first > 0,
		.percent_limit = first > 0 ? 1 : 0,
		.sample_keys = { .mode = mode },
		.filter = &filter,
	};
	const struct scan_request scan_request = {
		.wants_tid = true,
		.wants_cpu = true,
		.wants_chains = mode == SAMPLE_COUNT_SAMPLES,
		.sample_keys = &request.sample_keys,
		.offcpu = offcpu,
		.filter = &filter,
	};
	struct data_addresses addresses = { 0 };
	struct string_table texts = { 0 };
	struct inputs inputs = { 0 };
	const struct search_paths places = { .symfs = root_path("") };
	struct buildid_cache *store = buildid_cache_create(&places);
	struct input *input = array_push(&inputs.at);
	struct field_names names = {
		.inputs = &inputs, .addresses = &addresses, .texts = &texts
	};
	struct scan scan = { .budget = reader_budget(reader) }, part;

	add_fields(&request, first);
	input->reader = reader;
	input->survey = *survey;
	inputs_number_events(&inputs);
	scan_run(reader, survey, &scan_request, &part);
	names.resolver = resolver_create(RESOLVE_FUNCTIONS);
	input->files = files_create(reader, survey, store);
	resolver_add(names.resolver, reader, survey, input->files);
	resolve_scan(&scan, &part, input,
		&(struct resolve_request){ .resolver = names.resolver,
			.inputs = &inputs,
			.texts = &texts });
	make_rows(&scan, &request, &names);
	data_addresses_deinit(&addresses);
	string_table_deinit(&texts);
	resolver_destroy(names.resolver);
	scan_deinit(&scan);
	files_destroy(input->files);
	buildid_cache_destroy(store);
	/* The reader and the survey are the caller's. */
	array_free(&input->events);
	array_free(&inputs.at);
	array_free(&inputs.events);
}

static void report_all(struct reader *reader, const struct survey *survey)
{
	size_t first;

	for (first = 0; field_at(first); first += FIELDS_MAX)
		report(reader, survey, NULL, first, SAMPLE_COUNT_SAMPLES);
	report(reader, survey, NULL, 0, SAMPLE_COUNT_WEIGHTS);
	for (first = 0; !string_is(field_at(first)->name, "dso_from");)
		first++;
	report(reader, survey, NULL, first, SAMPLE_COUNT_BRANCHES);
}

/* Reports on-CPU and off-CPU time if the recording has an event for it. */
static void report_time(struct reader *reader)
{
	struct survey survey;
	struct offcpu offcpu;
	struct error *err = survey_run(reader, SURVEY_SWITCHES, &survey);

	if (err) {
		error_free(err);
		return;
	}
	const struct time_ranges all = { 0 };

	err = offcpu_init(&offcpu,
		&(struct offcpu_config){ .reader = reader,
			.switches = &survey.switches,
			.times = &all,
			.time = OFFCPU_TIME_WALL });
	if (offcpu_record_event(reader) != OFFCPU_NO_EVENT)
		report(reader, &survey, &offcpu, 0, SAMPLE_COUNT_TIME);
	error_free(err);
	survey_deinit(&survey);
}

static bool take_sample(
	void *data, const struct record *record, uint64_t position _unused_)
{
	struct reader *reader = data;
	struct sample sample;

	sample_read(reader_layout(reader, reader_event_of(reader, record)),
		record, &sample);
	return true;
}

static void print_facts(struct reader *reader, const struct survey *survey)
{
	static const char *const sections[] = { SECTION_INDEX, SECTION_LOSSES,
		SECTION_META };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	unsigned bit;
	size_t i;

	for (bit = 0; bit < FEATURE_BITS; bit++)
		feature_print(reader_features(reader), bit, &out);
	for (i = 0; i < ARRAY_SIZE(sections); i++)
		reader_section(reader, sections[i], 1, &out);
	stats_print(survey, reader, &out);
}

static struct reader *open_input(const uint8_t *data, size_t size)
{
	struct reader *reader = NULL;
	struct error *err = reader_open(store_input(data, size), &reader);

	error_free(err);
	return err ? NULL : reader;
}

void everything_of(const uint8_t *data, size_t size)
{
	struct reader *reader = open_input(data, size);
	struct survey survey;
	struct error *err;

	if (!reader)
		return;
	err = survey_run(
		reader, size % 2 ? SURVEY_SAMPLES : SURVEY_TIMES, &survey);
	if (!err) {
		report_all(reader, &survey);
		order_samples(reader, &survey, NULL, take_sample, reader);
		print_facts(reader, &survey);
		survey_deinit(&survey);
	}
	error_free(err);
	reader_close(reader);
	reader = open_input(data, size);
	if (reader)
		report_time(reader);
	reader_close(reader);
	reader = open_input(data, size);
	if (reader)
		error_free(record_dump(reader));
	reader_close(reader);
}
