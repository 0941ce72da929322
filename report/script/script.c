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
	struct script_teller teller;
	uint64_t done; /* bytes of samples: what is longer has more lines */
	bool has_samples, is_over;
};

static void ask_for_more(struct script *script)
{
	script->is_over = !script->out->more(script->out->data, script->done);
}

static void take(void *data, const struct sequence_sample *sample)
{
	struct script *script = data;

	if (script->is_over)
		return;
	script_line_put(script->line, sample->event, sample->sample,
		&sample->at, script->out->text);
	script->done = sample->read;
	script->has_samples = true;
	ask_for_more(script);
}

static void take_other(
	void *data, const struct record *record, uint64_t position)
{
	struct script *script = data;

	if (script->is_over)
		return;
	script_record_put(
		&script->teller, record, position, script->out->text);
	ask_for_more(script);
}

static void put_records(struct script *script, struct sequence *sequence)
{
	const struct input *input = result_input(script->result);
	const struct options *options = script->result->options;
	struct sequence_wish wish = { .is_unsorted = options->records.rounds,
		.take = take,
		.take_other = take_other,
		.data = script };

	script->teller = (struct script_teller){
		.line = script->line,
		.reader = input->reader,
		.survey = &input->survey,
		.cpus = &options->filter.cpus,
	};
	script_records_types(&options->records, wish.types);
	sequence_run(sequence, &wish);
	if (!script->has_samples && !script->is_over)
		result_tell_nothing(script->result);
}

static bool wants_chains(const struct options *options)
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
		sequence = sequence_create(result, wants_chains(options));
	out->begin(out->data, sequence ? sequence_size(sequence) : 0);
	if (options->shows_header)
		header_put_all(result, out->text);
	if (sequence)
		put_records(&script, sequence);
	sequence_destroy(sequence);
	script_line_destroy(script.line);
	return NULL;
}
