/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/ordered_samples.h"

#include "report/scan/counter_deltas.h"
#include "report/survey/incomplete.h"

struct ordered_samples {
	struct result *result;
	const struct ordered_samples_config *config;
	struct counter_deltas deltas;
	struct deferred_room room;
	uint64_t n_read, size_read;
	struct incomplete_damage
		damaged; /* samples that could not be decoded */
	struct recorded_unwinding *unwinding; /* NULL: no stack copies */
	struct recorded_unwinding_thread *unwinder;
};

/* A sample with counter values is reported once per event of its group. */
static bool take_ordered_sample(struct ordered_samples *ordered,
	struct record record, uint64_t position)
{
	const struct input *input = result_input(ordered->result);
	const struct survey *survey = &input->survey;
	struct reader *reader = input->reader;
	uint32_t event = (uint32_t)reader_event_of(reader, &record);
	struct ordered_sample one = { .number = ++ordered->n_read,
		.read = ordered->size_read += record.size };
	struct sample sample;
	bool needs_more = true;
	uint64_t i = 0;

	if (!deferred_chains_read(&survey->deferred,
		    reader_layout(reader, event), &record, &sample,
		    &ordered->room)) {
		incomplete_damage_add(&ordered->damaged, 1, position);
		return true;
	}
	one.sample = &sample;
	one.time = survey_time(survey, sample.time, position);
	one.at = maps_context(survey->maps, sample.pid, sample.tid, one.time);
	if (ordered->unwinding) {
		const struct recorded_unwinding_place place = { event,
			one.at.space, one.time, position };

		recorded_unwinding_clear(ordered->unwinder);
		recorded_unwinding_add(ordered->unwinder, &place, &sample);
		recorded_unwinding_walk(ordered->unwinder);
		if (recorded_unwinding_take(ordered->unwinder, &place,
			    &sample) != UNWINDING_NOTHING)
			recorded_unwinding_complete_sample(ordered->unwinding,
				ordered->unwinder, position, &sample);
	}
	while (counter_deltas_next(
		&ordered->deltas, &sample, &one.at, &i, &event)) {
		one.event = event;
		if (result_wants_sample(
			    ordered->result, event, &sample, &one.at))
			needs_more &= ordered->config->take(
				ordered->config->data, &one);
	}
	return needs_more;
}

static bool take_ordered_record(
	void *data, const struct record *record, uint64_t position)
{
	struct ordered_samples *ordered = data;

	if (record->type == RECORD_SAMPLE)
		return take_ordered_sample(ordered, *record, position);
	return ordered->config->take_other(
		ordered->config->data, record, position);
}

struct ordered_samples *ordered_samples_create(
	struct result *result, bool has_chains)
{
	struct ordered_samples *ordered = xcalloc(1, sizeof(*ordered));
	const struct input *input = result_input(result);
	struct scan_request request = {
		.selection = &input->selection,
		.filter = &result->options->filter,
		.only_unwinds = true,
	};
	struct scan scan;

	ordered->result = result;
	if (!has_chains || !reader_has_stack_copies(input->reader))
		return ordered;
	/*
	 * Unwind all stacks in advance, because a later sample can complete a
	 * truncated stack.
	 */
	ordered->unwinding = recorded_unwinding_create(
		input->reader, &input->survey, input->files);
	request.unwinding = ordered->unwinding;
	scan_run(input->reader, &input->survey, &request, &scan);
	scan_deinit(&scan);
	recorded_unwinding_report_missing(ordered->unwinding);
	ordered->unwinder =
		recorded_unwinding_add_thread(ordered->unwinding, true);
	return ordered;
}

void ordered_samples_run(struct ordered_samples *ordered,
	const struct ordered_samples_config *config)
{
	const struct input *input = result_input(ordered->result);
	bool has_counters = counter_deltas_are_needed(input->reader);
	/*
	 * Differences of counters need all samples, also those outside of the
	 * time range.
	 */
	struct order_request wanted = {
		.selection = has_counters ? NULL : &input->selection,
		.is_unsorted = config->is_unsorted,
	};

	ordered->config = config;
	memcpy(wanted.types, config->types, sizeof(wanted.types));
	counter_deltas_init(&ordered->deltas, input->reader);
	order_records(input->reader, &input->survey, &wanted,
		take_ordered_record, ordered);
	counter_deltas_deinit(&ordered->deltas);
	deferred_chains_report_missing(input->reader, ordered->room.missing);
	incomplete_add_records(
		input->reader, &ordered->damaged, ordered->damaged.n);
}

uint64_t ordered_samples_size(const struct ordered_samples *ordered)
{
	return result_input(ordered->result)->survey.sample_bytes;
}

void ordered_samples_destroy(struct ordered_samples *ordered)
{
	if (!ordered)
		return;
	recorded_unwinding_destroy(ordered->unwinding);
	free(ordered);
}
