/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every sample as text, in the shape that scripts for perf read. */
#include "config.h"

#include <inttypes.h>

#include "common/log.h"
#include "report/cmd.h"
#include "report/dump.h"
#include "common/escape.h"
#include "report/order.h"
#include "report/output.h"
#include "report/result.h"

#define FLUSH_SIZE KIB(64)

struct script {
	struct result *result;
	const struct options *options;
	struct strbuf out;
	ARRAY(char *) lines; /* by number of the frame; owned */
	struct error *err;
	ARRAY(char *) names; /* of events, as they are shown; owned */
	size_t name_width;   /* of the longest one */
};

/* " symbol+0x12 (dso)\n", made once per distinct address. */
static char *make_line(struct resolver *resolver, struct resolved at)
{
	const struct location *location =
		resolver_location(resolver, at.location);
	struct strbuf line = { 0 };

	strbuf_putc(&line, ' ');
	if (location->symbol) {
		escape_text(
			&line, resolver_symbol_name(resolver, at.location));
		strbuf_printf(
			&line, "+0x%" PRIx64, at.address - location->start);
	} else {
		strbuf_puts(&line, "[unknown]");
	}
	strbuf_puts(&line, " (");
	escape_text(&line, location->dso ? location->dso->path : "[unknown]");
	strbuf_puts(&line, ")\n");
	return line.at;
}

/* Right-aligned in 16 columns; printf takes three times as long. */
static void put_hex(struct strbuf *out, uint64_t value)
{
	char digits[] = "                ";
	size_t at = sizeof(digits) - 1;

	do
		digits[--at] = "0123456789abcdef"[value & 15];
	while (value >>= 4);
	strbuf_put(out, digits, sizeof(digits) - 1);
}

/*
 * Code in a chain is told by its place in the file, a sample without a chain
 * by the address it ran at, as perf does.
 */
static void put_address(
	struct script *script, struct frame frame, bool is_in_chain)
{
	struct resolver *resolver = script->result->resolver;
	struct resolved at = resolver_find(resolver, &frame);

	while (script->lines.n <= at.number)
		array_push(&script->lines);
	if (!script->lines.at[at.number])
		script->lines.at[at.number] = make_line(resolver, at);
	strbuf_putc(&script->out, is_in_chain ? '\t' : ' ');
	put_hex(&script->out, is_in_chain ? at.address : frame.ip);
	strbuf_puts(&script->out, script->lines.at[at.number]);
}

static void put_chain(
	struct script *script, const struct sample *sample, uint32_t space)
{
	uint8_t cpumode = sample->cpumode;
	uint64_t i;

	strbuf_putc(&script->out, '\n');
	for (i = 0; stacks_chain_is_sound(sample) && i < sample->n_chain;
		i++) {
		uint64_t entry = sample_chain_entry(sample, i);

		if (entry >= ABI_CONTEXT_FIRST)
			cpumode = stacks_marker_mode(entry);
		else
			put_address(script,
				stacks_frame(space, entry, cpumode), true);
	}
	strbuf_putc(&script->out, '\n');
}

static void put_comm(struct script *script, const struct sample *sample,
	uint32_t comm, bool has_chain)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char unnamed[SURVEY_COMM_SIZE];

	strbuf_puts(&text, "");
	escape_text(&text, survey_comm(&script->result->survey, comm,
				   sample->tid, unnamed));
	strbuf_printf(&script->out, has_chain ? "%s " : "%16s ", text.at);
}

static void flush(struct script *script, size_t least)
{
	if (script->err || script->out.n < least)
		return;
	script->err = output_text(&script->out);
	strbuf_clear(&script->out);
}

static void take_sample(
	void *data, const struct record *record, uint64_t position)
{
	struct script *script = data;
	struct reader *reader = script->result->reader;
	size_t event = reader_event_of(reader, record);
	const struct sample_layout *layout = reader_layout(reader, event);
	const struct survey *survey = &script->result->survey;
	bool has_chain = layout->type & PERF_SAMPLE_CALLCHAIN;
	struct strbuf *out = &script->out;
	struct maps_context at;
	struct sample sample;
	uint64_t usec;

	if (script->err || !sample_read(layout, record, &sample))
		return;
	at = maps_context(survey->maps, sample.pid, sample.tid,
		survey_time(survey, sample.time, position));
	if (!result_wants_sample(script->result, event, &sample, &at))
		return;
	put_comm(script, &sample, at.comm, has_chain);
	strbuf_printf(out, "%5d ", (int32_t)sample.tid);
	if (sample.cpu != UINT32_MAX)
		strbuf_printf(out, "[%03u] ", sample.cpu);
	usec = sample.time / 1000;
	if (layout->type & PERF_SAMPLE_TIME)
		strbuf_printf(out, "%5" PRIu64 ".%06" PRIu64 ": ",
			usec / 1000000, usec % 1000000);
	strbuf_printf(out, "%10" PRIu64 " %*s: ", sample.period,
		(int)script->name_width, script->names.at[event]);
	if (has_chain)
		put_chain(script, &sample, at.space);
	else
		put_address(script,
			stacks_frame(at.space, sample.ip, sample.cpumode),
			false);
	flush(script, FLUSH_SIZE);
}

static struct error *print_samples(struct script *script)
{
	struct reader *reader = script->result->reader;
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++) {
		struct strbuf name = { 0 };

		strbuf_puts(&name, "");
		escape_text(&name, reader_event(reader, i)->name);
		script->name_width = MAX(script->name_width, name.n);
		*array_push(&script->names) = name.at;
	}
	order_samples(reader, &script->result->survey,
		&script->result->pick, take_sample, script);
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
	result_tell_damage(reader);
	reader_close(reader);
	return err;
}

static struct error *run(const struct options *options)
{
	struct result result;
	struct script script = { .result = &result, .options = options };
	struct error *err = result_prepare(options, &result);

	if (!err) {
		output_page();
		if (options->shows_header)
			result_header(&result, &script.out);
		err = print_samples(&script);
	}
	array_each(&script.lines, line)
		free(*line);
	array_free(&script.lines);
	array_each(&script.names, name)
		free(*name);
	array_free(&script.names);
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
