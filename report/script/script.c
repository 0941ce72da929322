/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script.h"

#include "report/result/sequence.h"
#include "report/script/script_line.h"
#include "report/script/script_record.h"
#include "report/view/header.h"

struct script {
	struct result *result;
	const struct script_out *out;
	struct script_line *line;
	struct script_records_source source;
	uint64_t done; /* bytes of samples read, for .more() */
	bool has_samples, is_over;
};

/* Returns whether more records are to be printed. */
static bool check_output(struct script *script)
{
	script->is_over = !script->out->more(script->out->data, script->done);
	return !script->is_over;
}

static bool add_sample_line(void *data, const struct sequence_sample *sample)
{
	struct script *script = data;

	if (script->is_over)
		return false;
	script_line_put(script->line, sample->event, sample->sample,
		&sample->at, script->out->text);
	script->done = sample->read;
	script->has_samples = true;
	return check_output(script);
}

static bool add_record_line(
	void *data, const struct record *record, uint64_t position)
{
	struct script *script = data;

	if (script->is_over)
		return false;
	script_record_put(&script->source, record, position, script->out->text);
	return check_output(script);
}

static void print_records(struct script *script, struct sequence *sequence)
{
	const struct input *input = result_input(script->result);
	const struct options *options = script->result->options;
	struct sequence_config config = { .is_unsorted =
						  options->records.rounds,
		.take = add_sample_line,
		.take_other = add_record_line,
		.data = script };

	script->source = (struct script_records_source){
		.line = script->line,
		.reader = input->reader,
		.survey = &input->survey,
		.cpus = &options->filter.cpus,
	};
	script_records_types(&options->records, config.types);
	sequence_run(sequence, &config);
	if (!script->has_samples && !script->is_over)
		result_report_empty(script->result);
}

static bool needs_chains(const struct options *options)
{
	return !options->script.hides_chain ||
		script_choice_names(
			&options->script.choice, SCRIPT_STACK_ORIGIN);
}

struct error *script_run(struct result *result, const struct script_out *out)
{
	const struct input *input = result_input(result);
	const struct options *options = result->options;
	struct script script = { .result = result, .out = out };
	struct sequence *sequence = NULL;
	struct error *err = script_line_create(input->reader, &input->survey,
		result->resolver, &options->script, &script.line);

	if (err)
		return err;
	if (options->only_header)
		reader_check_blocks(input->reader);
	else
		sequence = sequence_create(result, needs_chains(options));
	out->begin(out->data, sequence ? sequence_size(sequence) : 0);
	if (options->shows_header)
		header_put_all(result, out->text);
	if (sequence)
		print_records(&script, sequence);
	sequence_destroy(sequence);
	script_line_destroy(script.line);
	return NULL;
}
