/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script_line.h"

#include <inttypes.h>

#include "common/perf/frame_origin.h"
#include "common/unwind/registers.h"
#include "common/util/escape.h"
#include "report/script/script_chain.h"
#include "report/script/script_code.h"
#include "report/script/script_number.h"
#include "report/script/script_value.h"
#include "report/survey/tracepoint.h"
#include "report/util/data_source.h"

/* The field "flags", which only decoded traces have, is blank. */
#define SCRIPT_FLAGS_WIDTH 24u
/* Maximum width to which data_src is padded. */
#define SOURCE_WIDTH_MAX 99u

struct script_line {
	const struct reader *reader;
	const struct survey *survey;
	const struct script_style *style;
	struct script_starts starts;
	struct script_code code;
	struct script_chains chains;
	struct registers registers; /* of the recording machine */
	struct tracepoint_names names;
	struct tracepoints *tracepoints; /* owned; NULL if unavailable */
	ARRAY(uint32_t) fields;		 /* by event */
	ARRAY(char *) events;		 /* "  name: " of each; owned */
	size_t source_width;		 /* of the longest data_src so far */
};

static void add_line_event(struct script_line *line, const struct event *event)
{
	struct strbuf name = { 0 };

	escape_text(&name, event->name);
	strbuf_puts(&name, ": ");
	*array_push(&line->events) = name.at;
	*array_push(&line->fields) = script_choice_fit(
		&line->style->choice, event, !line->style->hides_chain);
}

static void align_event_names(struct script_line *line)
{
	size_t width = 0;

	array_each(&line->events, name)
		width = MAX(width, strlen(*name));
	array_each(&line->events, name) {
		char *aligned = xasprintf("%*s", (int)width, *name);

		free(*name);
		*name = aligned;
	}
}

static const char *find_kernel_function(
	void *data, uint64_t address, uint64_t *start_ret)
{
	struct script_line *line = data;
	struct frame frame = stacks_frame(MAPS_KERNEL, address, MISC_KERNEL);
	struct resolved at = resolver_find(line->code.resolver, &frame);
	const struct location *location =
		resolver_location(line->code.resolver, at.location);

	*start_ret = location->start;
	return location->symbol;
}

struct error *script_line_create(const struct reader *reader,
	const struct survey *survey, struct resolver *resolver,
	const struct script_style *style, struct script_line **ret)
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
	line->starts = (struct script_starts){
		.survey = survey, .clock = style->clock, .has_ns = style->has_ns
	};
	line->code.resolver = resolver;
	line->chains = (struct script_chains){ .code = &line->code,
		.max_frames = style->max_stack };
	if (reader_features(reader)->arch)
		line->registers = registers_of(reader_features(reader)->arch);
	line->names = (struct tracepoint_names){ find_kernel_function, line };
	line->tracepoints =
		tracepoints_create(reader_features(reader), &line->names);
	for (i = 0; i < reader_n_events(reader); i++)
		add_line_event(line, reader_event(reader, i));
	align_event_names(line);
	*ret = line;
	return NULL;
}

void script_line_destroy(struct script_line *line)
{
	if (!line)
		return;
	script_starts_deinit(&line->starts);
	script_code_deinit(&line->code);
	script_chains_deinit(&line->chains);
	tracepoints_destroy(line->tracepoints);
	array_free(&line->fields);
	array_each(&line->events, name)
		free(*name);
	array_free(&line->events);
	free(line);
}

static bool has_chain_lines(const struct script_line *line, size_t event)
{
	return !line->style->hides_chain &&
		script_has(line->fields.at[event], SCRIPT_IP) &&
		reader_event(line->reader, event)->attr.sample_type &
		PERF_SAMPLE_CALLCHAIN;
}

void script_line_put_start(struct script_line *line, size_t event,
	const struct script_start *start, struct strbuf *out)
{
	script_starts_put(&line->starts, line->fields.at[event],
		has_chain_lines(line, event), start, out);
}

/* A sample without a chain has its sampled address, as in perf. */
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

static void put_tracepoint_fields(struct script_line *line, size_t event,
	const struct sample *sample, struct strbuf *out)
{
	const struct event *of = reader_event(line->reader, event);

	if (of->attr.type == PERF_TYPE_TRACEPOINT && sample->raw)
		tracepoints_print(line->tracepoints, of->attr.config,
			sample->raw, sample->raw_size, out);
}

/* The address of a page fault is in the address space of the process. */
static bool is_page_fault(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
		(event->attr.config == PERF_COUNT_SW_PAGE_FAULTS ||
			event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
			event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static void put_data_address(struct script_line *line, size_t event,
	const struct sample *sample, uint32_t space, struct strbuf *out)
{
	script_number_put_hex(out, sample->addr);
	if (is_page_fault(reader_event(line->reader, event)))
		script_code_put(&line->code,
			script_code_find(&line->code, space, sample->addr),
			line->fields.at[event] & ~(1u << SCRIPT_SRCLINE), out);
}

/* Pads data_src to the widest one before it, as in perf. */
static void put_data_source(
	struct script_line *line, uint64_t value, struct strbuf *out)
{
	size_t before;

	script_number_put_hex(out, value);
	strbuf_putc(out, ' ');
	before = out->n;
	data_source_print(value, out);
	if (out->n - before < line->source_width)
		strbuf_fill(out, ' ', line->source_width - (out->n - before));
	line->source_width = MIN(out->n - before, SOURCE_WIDTH_MAX);
}

static void put_cgroup_path(
	const struct survey *survey, uint64_t id, struct strbuf *out)
{
	const char *path = control_groups_path(&survey->cgroups, id);

	strbuf_putc(out, ' ');
	escape_text(out, path ? path : "unknown");
}

static void put_stack_origin(const struct sample *sample, struct strbuf *out)
{
	struct frame_origin_mark mark =
		frame_origin_find(sample->chain, sample->n_chain);

	strbuf_putc(out, ' ');
	strbuf_puts(out, frame_origin_name(mark.origin));
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
	if (script_has(fields, SCRIPT_TRACE))
		put_tracepoint_fields(line, event, sample, out);
	if (script_has(fields, SCRIPT_ADDR))
		put_data_address(line, event, sample, space, out);
	if (script_has(fields, SCRIPT_DATA_SRC))
		put_data_source(line, sample->data_src, out);
	script_value_weight(
		fields, type & PERF_SAMPLE_WEIGHT_STRUCT, sample->weight, out);
	if (script_has(fields, SCRIPT_CGROUP))
		put_cgroup_path(line->survey, sample->cgroup, out);
	if (script_has(fields, SCRIPT_STACK_ORIGIN))
		put_stack_origin(sample, out);
}

static void put_fields_after_code(struct script_line *line, size_t event,
	const struct sample *sample, uint32_t space, struct strbuf *out)
{
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
	script_code_put_branches(&line->code, fields, sample, space, out);
	if (script_has(fields, SCRIPT_PHYS_ADDR))
		script_number_put_hex(out, sample->phys_addr);
	if (script_has(fields, SCRIPT_DATA_PAGE_SIZE))
		script_value_page_size(sample->data_page_size, out);
	if (script_has(fields, SCRIPT_CODE_PAGE_SIZE))
		script_value_page_size(sample->code_page_size, out);
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
	put_fields_after_code(line, event, sample, at->space, out);
	strbuf_putc(out, '\n');
}
