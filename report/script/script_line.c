/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script_line.h"

#include <inttypes.h>

#include "common/perf/abi.h"
#include "common/perf/frame_origin.h"
#include "common/unwind/registers.h"
#include "common/util/escape.h"
#include "report/script/script_code.h"
#include "report/script/script_value.h"
#include "report/survey/tracepoint.h"
#include "report/util/data_source.h"

/*
 * Width of the field "flags". The field is blank, because only decoded AUX
 * traces have flags.
 */
#define SCRIPT_FLAGS_WIDTH 24u
/* Maximum width to which the field data_src is padded. */
#define SOURCE_WIDTH_MAX 99u

struct script_line {
	const struct reader *reader;
	const struct survey *survey;
	const struct style_script *style;
	struct strbuf comm; /* buffer for the name of a thread */
	uint64_t since;	    /* time in ns that relative times start at */
	bool has_since;
	struct script_code code;
	struct script_chains chains;
	struct registers registers; /* registers of the recorded machine */
	struct tracepoint_names names;
	struct tracepoints *tracepoints; /* owned; NULL if unavailable */
	ARRAY(uint32_t) fields;		 /* chosen fields, by event number */
	ARRAY(char *) events;		 /* "  name: " by event number; owned */
	size_t source_width;		 /* of the longest data_src so far */
};

static const char *find_kernel_function(
	void *data, uint64_t address, uint64_t *start_ret)
{
	struct script_line *line = data;
	struct frame frame = stacks_frame(MAPS_KERNEL, address, MISC_KERNEL);
	struct resolver_frame at = resolver_find(line->code.resolver, &frame);
	const struct location *location =
		resolver_location(line->code.resolver, at.location);

	*start_ret = location->start;
	return location->symbol;
}

struct error *script_line_create(const struct reader *reader,
	const struct survey *survey, struct resolver *resolver,
	const struct style_script *style, struct script_line **ret)
{
	struct script_line *line;
	struct error *err = script_choice_check(&style->choice, reader);
	size_t i;

	if (err)
		return err;
	line = xcalloc(1, sizeof(*line));
	line->reader = reader;
	line->survey = survey;
	line->style = style;
	line->code.resolver = resolver;
	line->chains = (struct script_chains){ .code = &line->code,
		.max_frames = style->max_stack };
	if (reader_features(reader)->arch)
		line->registers = registers_of(reader_features(reader)->arch);
	line->names = (struct tracepoint_names){ find_kernel_function, line };
	line->tracepoints =
		tracepoints_create(reader_features(reader), &line->names);
	for (i = 0; i < reader_n_events(reader); i++) {
		const struct event *event = reader_event(reader, i);
		struct strbuf name = { 0 };

		escape_text(&name, event->name);
		strbuf_puts(&name, ": ");
		*array_push(&line->events) = name.at;
		*array_push(&line->fields) = script_choice_fit(
			&line->style->choice, event, !line->style->hides_chain);
	}
	size_t width = 0;

	array_each(&line->events, name)
		width = MAX(width, strlen(*name));
	array_each(&line->events, name) {
		char *aligned = xasprintf("%*s", (int)width, *name);

		free(*name);
		*name = aligned;
	}
	*ret = line;
	return NULL;
}

void script_line_destroy(struct script_line *line)
{
	if (!line)
		return;
	strbuf_free(&line->comm);
	script_code_deinit(&line->code);
	script_chains_deinit(&line->chains);
	tracepoints_destroy(line->tracepoints);
	array_free(&line->fields);
	array_each(&line->events, name)
		free(*name);
	array_free(&line->events);
	free(line);
}

/* --- the first fields ---------------------------------------------------- */

static bool has_chain_lines(const struct script_line *line, size_t event)
{
	return !line->style->hides_chain &&
		script_has(line->fields.at[event], SCRIPT_IP) &&
		reader_event(line->reader, event)->attr.sample_type &
		PERF_SAMPLE_CALLCHAIN;
}

static void put_start_task(
	const struct script_start *start, uint32_t fields, struct strbuf *out)
{
	bool has_pid = script_has(fields, SCRIPT_PID);
	bool has_tid = script_has(fields, SCRIPT_TID);

	if (!has_pid && !has_tid)
		return;
	script_number_put_id(out, has_pid ? start->pid : start->tid, 5);
	if (has_pid && has_tid) {
		strbuf_putc(out, '/');
		script_number_put_id_left(out, start->tid, 5);
	}
	strbuf_putc(out, ' ');
}

/* Thread names are not padded if a call chain follows the line. */
void script_line_put_start(struct script_line *line, size_t event,
	const struct script_start *start, struct strbuf *out)
{
	uint32_t fields = line->fields.at[event];

	if (script_has(fields, SCRIPT_COMM)) {
		struct strbuf *text = &line->comm;
		char unnamed[SURVEY_COMM_SIZE];

		strbuf_clear(text);
		escape_text(text,
			survey_comm(line->survey, start->comm, start->subject,
				unnamed));
		if (!(has_chain_lines(line, event)) && text->n < 16)
			strbuf_fill(out, ' ', 16 - text->n);
		strbuf_put(out, text->at, text->n);
		strbuf_putc(out, ' ');
	}
	put_start_task(start, fields, out);
	if (script_has(fields, SCRIPT_CPU)) {
		strbuf_putc(out, '[');
		script_number_put_zeros(out, start->cpu, 3);
		strbuf_puts(out, "] ");
	}
	if (script_has(fields, SCRIPT_MISC))
		strbuf_printf(out, "%-6s", start->misc);
	if (script_has(fields, SCRIPT_TIME)) {
		uint64_t time = start->time, shown = time;
		uint64_t since = line->since;

		if (line->style->clock != STYLE_SCRIPT_CLOCK_FILE) {
			if (!line->has_since ||
				line->style->clock == STYLE_SCRIPT_CLOCK_LAST)
				line->since = time;
			if (!line->has_since)
				since = time;
			line->has_since = true;
			shown = time > since ? time - since : 0;
		}

		script_number_put(out, shown / NSEC_PER_SEC, 5);
		strbuf_putc(out, '.');
		if (line->style->has_ns)
			script_number_put_zeros(out, shown % NSEC_PER_SEC, 9);
		else
			script_number_put_zeros(
				out, shown % NSEC_PER_SEC / 1000, 6);
		strbuf_puts(out, ": ");
	}
}

/* --- the other fields of a sample ---------------------------------------- */

/*
 * Appends the call chain of SAMPLE. If no call chain is printed, appends the
 * sampled address, as perf does.
 */
static void put_sample_code(struct script_line *line, size_t event,
	const struct sample *sample, uint32_t space, struct strbuf *out)
{
	uint32_t fields = line->fields.at[event];
	struct frame frame = stacks_frame(space, sample->ip, sample->cpumode);

	if (has_chain_lines(line, event)) {
		strbuf_putc(out, '\n');
		script_chains_put(&line->chains, sample, space, fields, out);
		return;
	}
	strbuf_putc(out, ' ');
	script_number_put_hex(out, frame.ip);
	script_code_put(&line->code, resolver_find(line->code.resolver, &frame),
		fields, out);
}

/*
 * Returns whether EVENT counts page faults. The data address of a page fault is
 * in the address space of the process, so it can be resolved.
 */
static bool is_page_fault(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
		(event->attr.config == PERF_COUNT_SW_PAGE_FAULTS ||
			event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
			event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static void put_fields_before_code(struct script_line *line, size_t event,
	const struct sample *sample, uint32_t space, struct strbuf *out)
{
	uint32_t fields = line->fields.at[event];
	uint64_t type = reader_event(line->reader, event)->attr.sample_type;

	if (script_has(fields, SCRIPT_PERIOD)) {
		script_number_put(out, sample->period, 10);
		strbuf_putc(out, ' ');
	}
	if (script_has(fields, SCRIPT_EVENT))
		strbuf_puts(out, line->events.at[event]);
	if (script_has(fields, SCRIPT_FLAGS))
		strbuf_fill(out, ' ', SCRIPT_FLAGS_WIDTH);
	if (script_has(fields, SCRIPT_TRACE)) {
		const struct event *of = reader_event(line->reader, event);

		if (of->attr.type == PERF_TYPE_TRACEPOINT && sample->raw)
			tracepoints_print(line->tracepoints, of->attr.config,
				sample->raw, sample->raw_size, out);
	}
	if (script_has(fields, SCRIPT_ADDR)) {
		script_number_put_hex(out, sample->addr);
		if (is_page_fault(reader_event(line->reader, event)))
			script_code_put(&line->code,
				script_code_find(
					&line->code, space, sample->addr),
				line->fields.at[event] &
					~(1u << SCRIPT_SRCLINE),
				out);
	}
	if (script_has(fields, SCRIPT_DATA_SRC)) {
		/*
		 * Pad data_src to the widest one that was printed before, as
		 * perf does.
		 */
		size_t before;

		script_number_put_hex(out, sample->data_src);
		strbuf_putc(out, ' ');
		before = out->n;
		data_source_print(sample->data_src, out);
		if (out->n - before < line->source_width)
			strbuf_fill(out, ' ',
				line->source_width - (out->n - before));
		line->source_width = MIN(out->n - before, SOURCE_WIDTH_MAX);
	}
	script_value_weight(
		fields, type & ABI_SAMPLE_WEIGHT_STRUCT, sample->weight, out);
	if (script_has(fields, SCRIPT_CGROUP)) {
		const char *path = control_groups_path(
			&line->survey->cgroups, sample->cgroup);

		strbuf_putc(out, ' ');
		escape_text(out, path ? path : "unknown");
	}
	if (script_has(fields, SCRIPT_STACK_ORIGIN)) {
		struct frame_origin_mark mark =
			frame_origin_find(sample->chain, sample->n_chain);

		strbuf_putc(out, ' ');
		strbuf_puts(out, frame_origin_name(mark.origin));
	}
}

void script_line_put(struct script_line *line, size_t event,
	const struct sample *sample, const struct maps_context *at,
	struct strbuf *out)
{
	const struct script_start start = {
		.pid = sample->pid,
		.tid = sample->tid,
		.subject = sample->tid,
		.cpu = sample->cpu,
		.comm = at->comm,
		.time = sample->time,
		.misc = script_value_mode(sample->cpumode),
	};

	script_line_put_start(line, event, &start, out);
	put_fields_before_code(line, event, sample, at->space, out);
	if (script_has(line->fields.at[event], SCRIPT_IP))
		put_sample_code(line, event, sample, at->space, out);
	uint32_t fields = line->fields.at[event];
	const struct perf_event_attr *attr =
		&reader_event(line->reader, event)->attr;

	if (script_has(fields, SCRIPT_IREGS))
		script_value_registers(&line->registers,
			&(struct script_registers){ attr->sample_regs_intr,
				sample->regs_intr_abi, sample->regs_intr },
			out);
	if (script_has(fields, SCRIPT_UREGS))
		script_value_registers(&line->registers,
			&(struct script_registers){ attr->sample_regs_user,
				sample->regs_user_abi, sample->regs_user },
			out);
	script_code_put_branches(&line->code, fields, sample, at->space, out);
	if (script_has(fields, SCRIPT_PHYS_ADDR))
		script_number_put_hex(out, sample->phys_addr);
	if (script_has(fields, SCRIPT_DATA_PAGE_SIZE))
		script_value_page_size(sample->data_page_size, out);
	if (script_has(fields, SCRIPT_CODE_PAGE_SIZE))
		script_value_page_size(sample->code_page_size, out);
	strbuf_putc(out, '\n');
}
