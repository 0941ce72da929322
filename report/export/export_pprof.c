/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile for pprof: stacks with their samples, the period of each event, and
 * labels for command and thread. It is compressed with gzip.
 */
#include "config.h"

#include "common/perf/attr.h"
#include "report/export/counted_stacks.h"
#include "report/export/export.h"
#include "report/export/pprof.h"
#include "report/export/protobuf.h"

enum type_field {
	TYPE_NAME = 1,
	TYPE_UNIT = 2,
};

enum sample_field {
	SAMPLE_LOCATIONS = 1,
	SAMPLE_VALUES = 2,
	SAMPLE_LABEL = 3,
};

enum label_field {
	LABEL_KEY = 1,
	LABEL_TEXT = 2,
	LABEL_NUMBER = 3,
};

struct pprof_profile {
	struct counted counted;
	struct outflow out;
	struct pprof tables;
	struct strbuf sample, part; /* buffers */
	/* text numbers of label names */
	uint64_t comm, pid, pid_use, tid, tid_use;
	ARRAY(uint64_t)
	comms; /* for each context: text number of the
				     * command; 0: not written */
};

static const struct perf_event_attr *profile_event_attr(
	const struct pprof_profile *profile, const struct input_event *event)
{
	return inputs_event_attr(&profile->counted.result.inputs, event);
}

static void put_value_type(struct pprof_profile *profile, unsigned field,
	const char *name, const char *unit)
{
	uint64_t name_number = pprof_text(&profile->tables, name);
	uint64_t unit_number = pprof_text(&profile->tables, unit);
	_cleanup_strbuf_ struct strbuf type = { 0 };

	protobuf_number(&type, TYPE_NAME, name_number);
	protobuf_number(&type, TYPE_UNIT, unit_number);
	protobuf_part(&profile->out.text, field, &type);
}

static void put_event_type(struct pprof_profile *profile, unsigned field,
	const struct input_event *event)
{
	const struct perf_event_attr *attr = profile_event_attr(profile, event);

	put_value_type(profile, field, event->name,
		attr_counts_ns(attr) ? "nanoseconds" : "count");
}

static void put_value_types(struct pprof_profile *profile)
{
	const struct counted *counted = &profile->counted;
	const struct input_event *first;
	struct strbuf *out = &profile->out.text;
	const struct perf_event_attr *attr;
	size_t i;

	put_value_type(profile, PPROF_SAMPLE_TYPE, "samples", "count");
	if (counted->options.time.counted && counted->events.n) {
		const char *name =
			offcpu_counted_word(counted->options.time.counted);
		put_value_type(profile, PPROF_SAMPLE_TYPE, name, "nanoseconds");
		protobuf_number(&profile->out.text, PPROF_DEFAULT_TYPE,
			pprof_text(&profile->tables, name));
		return;
	}
	for (i = 0; i < counted->events.n; i++)
		put_event_type(
			profile, PPROF_SAMPLE_TYPE, counted_event(counted, i));
	if (!counted->events.n)
		return;
	first = counted_event(counted, 0);
	protobuf_number(out, PPROF_DEFAULT_TYPE,
		pprof_text(&profile->tables, first->name));
	attr = profile_event_attr(profile, first);
	put_event_type(profile, PPROF_PERIOD_TYPE, first);
	if (!attr->freq)
		protobuf_number(out, PPROF_PERIOD, attr->sample_period);
	else if (attr_counts_ns(attr) && attr->sample_freq)
		protobuf_number(
			out, PPROF_PERIOD, NSEC_PER_SEC / attr->sample_freq);
}

/*
 * Returns the weight of STACK, by which the program of the profile is selected.
 */
static uint64_t stack_weight(
	const struct pprof_profile *profile, const struct counted_stack *stack)
{
	return profile->counted.options.time.counted ? stack->period
						     : stack->samples;
}

/* Adds the weight of STACK to the innermost code that is not of the kernel. */
static void weigh_pprof_stack(void *data, const struct counted_stack *stack)
{
	struct pprof_profile *profile = data;
	uint64_t weight = stack_weight(profile, stack);
	struct chain chain = stack->chain;

	while (!chain_is_empty(&chain))
		if (pprof_use(&profile->tables, chain_next(&chain), weight))
			weight = 0;
}

static void put_sample_locations(
	struct pprof_profile *profile, const struct counted_stack *stack)
{
	const struct resolver *resolver = profile->counted.result.resolver;
	struct pprof *tables = &profile->tables;
	struct strbuf *part = &profile->part;
	struct chain chain = stack->chain;
	uint32_t frame[LINE_DEPTH_MAX];
	uint64_t weight = stack_weight(profile, stack);
	/*
	 * After transforms, the inlined functions of an address can differ
	 * between stacks, but pprof has one list for each address.
	 */
	size_t most =
		profile->counted.result.transforms.at.n ? 1 : LINE_DEPTH_MAX;
	size_t n;

	strbuf_clear(part);
	/*
	 * Write the pseudo-location at the leaf of STACK, if any: "[others]",
	 * or a thread state such as "[blocked]".
	 */
	enum offcpu_state state = counted_state(&profile->counted, stack);
	char name[OFFCPU_STATE_SIZE];
	if (chain_is_empty(&stack->chain))
		protobuf_varint(&profile->part,
			pprof_mark(
				&profile->tables, OFFCPU_STATE_ON, HIST_REST));
	else if (state != OFFCPU_STATE_ON)
		protobuf_varint(&profile->part,
			pprof_mark(&profile->tables, state,
				offcpu_state_mark(state, name)));
	while (!chain_is_empty(&chain)) {
		/*
		 * Move the locations of the next address (inlined functions,
		 * the innermost first, and the function that contains them)
		 * from CHAIN to FRAME, up to MOST of them.
		 */
		const struct location *first, *at;
		struct chain rest;
		n = 1;

		frame[0] = chain_next(&chain);
		first = resolver_location(resolver, frame[0]);
		while (n < most && !chain_is_empty(&chain)) {
			rest = chain;
			frame[n] = chain_next(&rest);
			at = resolver_location(resolver, frame[n]);
			if (at->depth != first->depth + n ||
				at->dso != first->dso ||
				at->start != first->start ||
				at->place != first->place)
				break;
			chain = rest;
			n++;
		}
		protobuf_varint(part, pprof_location(tables, frame, n));
		pprof_count(tables, frame[n - 1], weight);
	}
	protobuf_part(&profile->sample, SAMPLE_LOCATIONS, part);
}

static void put_sample_label(struct pprof_profile *profile, uint64_t key,
	enum label_field kind, uint64_t value)
{
	struct strbuf *part = &profile->part;

	strbuf_clear(part);
	protobuf_number(part, LABEL_KEY, key);
	protobuf_number(part, kind, value);
	protobuf_part(&profile->sample, SAMPLE_LABEL, part);
}

/*
 * Returns the text number of STACK's command, which is kept for each context.
 */
static uint64_t comm_text_number(
	struct pprof_profile *profile, const struct counted_stack *stack)
{
	size_t number = (size_t)(stack->context -
		profile->counted.result.scan.stacks.contexts.at);
	_cleanup_strbuf_ struct strbuf comm = { 0 };

	while (profile->comms.n <= number)
		array_push(&profile->comms);
	if (profile->comms.at[number])
		return profile->comms.at[number];
	counted_put_comm(&profile->counted, stack, &comm);
	return profile->comms.at[number] =
		       pprof_text(&profile->tables, comm.at);
}

static void put_pprof_sample(void *data, const struct counted_stack *stack)
{
	struct pprof_profile *profile = data;

	strbuf_clear(&profile->sample);
	put_sample_locations(profile, stack);
	uint32_t column = counted_column(&profile->counted, stack);
	size_t n = profile->counted.events.n, i;
	struct strbuf *part = &profile->part;
	strbuf_clear(part);
	protobuf_varint(part, stack->samples);
	for (i = 0; i < n; i++)
		protobuf_varint(part, i == column ? stack->period : 0);
	protobuf_part(&profile->sample, SAMPLE_VALUES, part);
	const struct thread_ids *ids = &stack->context->ids;
	if (!stack->context->is_rest) {
		put_sample_label(profile, profile->comm, LABEL_TEXT,
			comm_text_number(profile, stack));
		put_sample_label(profile, profile->pid, LABEL_NUMBER, ids->pid);
		put_sample_label(profile, profile->tid, LABEL_NUMBER, ids->tid);
		if (ids->pid_use)
			put_sample_label(profile, profile->pid_use,
				LABEL_NUMBER, ids->pid_use);
		if (ids->tid_use)
			put_sample_label(profile, profile->tid_use,
				LABEL_NUMBER, ids->tid_use);
	}
	protobuf_part(&profile->out.text, PPROF_SAMPLE, &profile->sample);
}

static struct error *run_pprof_export(const struct options *options, int fd)
{
	struct pprof_profile profile = { .out = outflow_begin(
						 options->output.file, &fd) };
	struct error *err = counted_make(options,
		&(struct counted_config){ .keys = "comm,pid,tid",
			.has_lines = true,
			.has_order = true,
			.shows_callers = true },
		&profile.counted);

	outflow_compress(&profile.out);
	if (!err) {
		struct result *result = &profile.counted.result;
		pprof_init(&profile.tables, &result->inputs, result->resolver,
			&profile.out.text);
		counted_look(&profile.counted, weigh_pprof_stack, &profile);
		pprof_place(&profile.tables);
		put_value_types(&profile);
		const struct features *facts =
			input_features(result_input(&profile.counted.result));
		struct strbuf *out = &profile.out.text;
		_cleanup_strbuf_ struct strbuf command = { 0 };
		if (facts->clock_wall && facts->first_time)
			protobuf_number(out, PPROF_TIME_NS,
				facts->clock_wall - facts->clock_time +
					facts->first_time);
		if (facts->last_time > facts->first_time)
			protobuf_number(out, PPROF_DURATION_NS,
				facts->last_time - facts->first_time);
		array_each(&facts->cmdline, word) {
			strbuf_puts(&command, command.n ? " " : "");
			strbuf_puts(&command, *word);
		}
		if (command.n)
			protobuf_number(out, PPROF_COMMENT,
				pprof_text(&profile.tables, command.at));
		profile.comm = pprof_text(&profile.tables, "comm");
		profile.pid = pprof_text(&profile.tables, "pid");
		profile.pid_use = pprof_text(&profile.tables, "pid_use");
		profile.tid = pprof_text(&profile.tables, "tid");
		profile.tid_use = pprof_text(&profile.tables, "tid_use");
		counted_each(&profile.counted, &profile.out, put_pprof_sample,
			&profile);
		pprof_put_mappings(&profile.tables);
		pprof_deinit(&profile.tables);
	}
	err = outflow_end(&profile.out, err);
	strbuf_free(&profile.sample);
	strbuf_free(&profile.part);
	array_free(&profile.comms);
	counted_deinit(&profile.counted);
	return err;
}

const struct export export_pprof = { "pprof", true, run_pprof_export };
