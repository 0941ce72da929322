/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/sequence.h"

#include "report/scan/counter_deltas.h"
#include "report/survey/incomplete.h"

struct sequence {
	struct result *result;
	const struct sequence_config *config;
	struct deltas deltas;
	struct deferred_room room;
	uint64_t n_read, size_read;
	struct damage damaged;	     /* samples that could not be decoded */
	struct unwinding *unwinding; /* NULL: no stack copies */
	struct unwinding_thread *unwinder;
};

static void unwind_sequence_sample(struct sequence *sequence,
	const struct unwinding_place *place, struct sample *sample)
{
	unwinding_clear(sequence->unwinder);
	unwinding_add(sequence->unwinder, place, sample);
	unwinding_walk(sequence->unwinder);
	if (unwinding_take(sequence->unwinder, place, sample) !=
		UNWINDING_NOTHING)
		unwinding_complete_sample(sequence->unwinding,
			sequence->unwinder, place->position, sample);
}

/* A sample with counter values is reported once per event of its group. */
static bool take_sequence_sample(
	struct sequence *sequence, struct record record, uint64_t position)
{
	const struct input *input = result_input(sequence->result);
	const struct survey *survey = &input->survey;
	struct reader *reader = input->reader;
	uint32_t event = (uint32_t)reader_event_of(reader, &record);
	struct sequence_sample one = { .number = ++sequence->n_read,
		.read = sequence->size_read += record.size };
	struct sample sample;
	bool needs_more = true;
	uint64_t i = 0;

	if (!deferred_chains_read(&survey->deferred,
		    reader_layout(reader, event), &record, &sample,
		    &sequence->room)) {
		damage_add(&sequence->damaged, 1, position);
		return true;
	}
	one.sample = &sample;
	one.time = survey_time(survey, sample.time, position);
	one.at = maps_context(survey->maps, sample.pid, sample.tid, one.time);
	if (sequence->unwinding)
		unwind_sequence_sample(sequence,
			&(struct unwinding_place){
				event, one.at.space, one.time, position },
			&sample);
	while (deltas_next(&sequence->deltas, &sample, &i, &event)) {
		one.event = event;
		if (result_wants_sample(
			    sequence->result, event, &sample, &one.at))
			needs_more &= sequence->config->take(
				sequence->config->data, &one);
	}
	return needs_more;
}

static bool take_sequence_record(
	void *data, const struct record *record, uint64_t position)
{
	struct sequence *sequence = data;

	if (record->type == RECORD_SAMPLE)
		return take_sequence_sample(sequence, *record, position);
	return sequence->config->take_other(
		sequence->config->data, record, position);
}

/*
 * Unwinds all stacks in advance, because a later sample can complete a
 * truncated stack.
 */
static void unwind_sequence_stacks(struct sequence *sequence)
{
	const struct input *input = result_input(sequence->result);
	struct scan_request request = {
		.selection = &input->selection,
		.filter = &sequence->result->options->filter,
		.only_unwinds = true,
	};
	struct scan scan;

	sequence->unwinding =
		unwinding_create(input->reader, &input->survey, input->files);
	request.unwinding = sequence->unwinding;
	scan_run(input->reader, &input->survey, &request, &scan);
	scan_deinit(&scan);
	unwinding_report_missing(sequence->unwinding);
	sequence->unwinder = unwinding_add_thread(sequence->unwinding, true);
}

struct sequence *sequence_create(struct result *result, bool has_chains)
{
	struct sequence *sequence = xcalloc(1, sizeof(*sequence));

	sequence->result = result;
	if (has_chains && reader_has_stack_copies(result_input(result)->reader))
		unwind_sequence_stacks(sequence);
	return sequence;
}

void sequence_run(
	struct sequence *sequence, const struct sequence_config *config)
{
	const struct input *input = result_input(sequence->result);
	bool has_counters = deltas_are_needed(input->reader);
	/*
	 * Differences of counters need all samples, also those outside of the
	 * time range.
	 */
	struct order_request wanted = {
		.selection = has_counters ? NULL : &input->selection,
		.is_unsorted = config->is_unsorted,
	};

	sequence->config = config;
	memcpy(wanted.types, config->types, sizeof(wanted.types));
	deltas_init(&sequence->deltas, input->reader);
	order_records(input->reader, &input->survey, &wanted,
		take_sequence_record, sequence);
	deltas_deinit(&sequence->deltas);
	deferred_chains_report_missing(input->reader, sequence->room.missing);
	incomplete_add_records(
		input->reader, &sequence->damaged, sequence->damaged.n);
}

uint64_t sequence_length(const struct sequence *sequence)
{
	return result_input(sequence->result)->samples;
}

uint64_t sequence_size(const struct sequence *sequence)
{
	return result_input(sequence->result)->survey.sample_bytes;
}

void sequence_destroy(struct sequence *sequence)
{
	if (!sequence)
		return;
	unwinding_destroy(sequence->unwinding);
	free(sequence);
}
