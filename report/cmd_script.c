/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every sample, and other records, as text, in the shape that scripts for perf
 * read.
 */
#include "config.h"

#include "report/cmd.h"
#include "report/deltas.h"
#include "report/dump.h"
#include "report/header.h"
#include "report/order.h"
#include "report/output.h"
#include "report/result.h"
#include "report/script_line.h"
#include "report/script_record.h"

#define FLUSH_SIZE KIB(64)

struct script {
	struct result *result;
	const struct options *options;
	struct script_line *line;
	struct script_teller teller;
	struct deltas deltas;
	struct late_room room;
	struct unwinding *unwinding; /* NULL: no copies of stacks */
	struct unwinding_thread *unwinder;
	struct strbuf out;
	struct error *err;
};

static void flush(struct script *script, size_t least)
{
	if (script->err || script->out.n < least)
		return;
	script->err = output_text(&script->out);
	strbuf_clear(&script->out);
}

static void put_wanted(struct script *script, uint32_t event,
	const struct sample *sample, const struct maps_context *at)
{
	if (result_wants_sample(script->result, event, sample, at))
		script_line_put(
			script->line, event, sample, at, &script->out);
	flush(script, FLUSH_SIZE);
}

static void unwind_sample(struct script *script,
	const struct unwinding_place *place, struct sample *sample)
{
	unwinding_clear(script->unwinder);
	unwinding_add(script->unwinder, place, sample);
	unwinding_walk(script->unwinder);
	if (unwinding_take(script->unwinder, place, sample) !=
		UNWINDING_NOTHING)
		unwinding_complete_sample(script->unwinding, script->unwinder,
			place->position, sample);
}

/* A sample with counters is one of each event that they counted. */
static void put_sample(
	struct script *script, struct record record, uint64_t position)
{
	const struct input *input = result_input(script->result);
	const struct survey *survey = &input->survey;
	struct reader *reader = input->reader;
	uint32_t event = (uint32_t)reader_event_of(reader, &record);
	struct maps_context at;
	struct sample sample;
	uint64_t i = 0, time;

	if (!late_read(&survey->late, reader_layout(reader, event), &record,
		    &sample, &script->room))
		return;
	time = survey_time(survey, sample.time, position);
	at = maps_context(survey->maps, sample.pid, sample.tid, time);
	if (script->unwinding)
		unwind_sample(script,
			&(struct unwinding_place){ event, at.space, time,
				position },
			&sample);
	while (deltas_next(&script->deltas, &sample, &i, &event))
		put_wanted(script, event, &sample, &at);
}

static void take_record(
	void *data, const struct record *record, uint64_t position)
{
	struct script *script = data;

	if (script->err)
		return;
	if (record->type == RECORD_SAMPLE)
		put_sample(script, *record, position);
	else
		script_record_put(
			&script->teller, record, position, &script->out);
	flush(script, FLUSH_SIZE);
}

/* What completes a stack may come later: they are all unwound twice. */
static void unwind_all(struct script *script)
{
	const struct input *input = result_input(script->result);
	struct scan_request request = {
		.pick = &input->pick,
		.filter = &script->options->filter,
		.only_unwinds = true,
	};
	struct scan scan;

	if ((script->options->script.hides_chain &&
		    !script_choice_names(&script->options->script.choice,
			    SCRIPT_STACK_ORIGIN)) ||
		!unwinding_is_needed(input->reader))
		return;
	script->unwinding = unwinding_create(
		input->reader, &input->survey, input->files);
	request.unwinding = script->unwinding;
	scan_run(input->reader, &input->survey, &request, &scan);
	scan_deinit(&scan);
	unwinding_tell(script->unwinding);
	script->unwinder = unwinding_add_thread(script->unwinding, true);
}

static void put_records(struct script *script)
{
	const struct input *input = result_input(script->result);
	const struct script_records *records = &script->options->records;
	bool has_counters = deltas_are_needed(input->reader);
	/* What counters count is known when all before was read. */
	struct order_wanted wanted = {
		.pick = has_counters ? NULL : &input->pick,
		.is_unsorted = records->rounds,
	};

	script->teller = (struct script_teller){
		.line = script->line,
		.reader = input->reader,
		.survey = &input->survey,
		.cpus = &script->options->filter.cpus,
	};
	script_records_types(records, wanted.types);
	deltas_init(&script->deltas, input->reader);
	order_records(input->reader, &input->survey, &wanted, take_record,
		script);
	deltas_deinit(&script->deltas);
	late_tell(input->reader, script->room.missing);
}

static struct error *print_all(struct script *script)
{
	struct result *result = script->result;
	const struct input *input = result_input(result);
	struct error *err = script_line_create(input->reader, &input->survey,
		result->resolver, &script->options->script, &script->line);

	if (err)
		return err;
	if (!script->options->only_header)
		unwind_all(script);
	output_page();
	if (script->options->shows_header)
		header_put_all(result, &script->out);
	if (!script->options->only_header)
		put_records(script);
	flush(script, 0);
	return script->err;
}

static struct error *dump(const struct options *options)
{
	struct reader *reader = NULL;
	struct error *err = result_open(options, &reader);

	if (err)
		return err;
	output_page();
	err = dump_records(reader);
	input_tell_damage(reader);
	reader_close(reader);
	return err;
}

static struct error *run(const struct options *options)
{
	struct result result;
	struct script script = { .result = &result, .options = options };
	struct error *err = result_prepare(options, &result);

	if (!err)
		err = print_all(&script);
	script_line_destroy(script.line);
	unwinding_destroy(script.unwinding);
	strbuf_free(&script.out);
	result_deinit(&result);
	return err;
}

struct error *cmd_script(int argc, char **argv)
{
	struct options options = { 0 };
	struct error *err = options_script(argc, argv, &options);

	if (!err)
		err = options.dumps_records ? dump(&options) : run(&options);
	if (!err)
		err = output_finish();
	options_deinit(&options);
	return err;
}
