/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/inputs.h"

#include "common/util/budget.h"
#include "common/util/log.h"
#include "report/survey/incomplete.h"
#include "report/survey/paths.h"
#include "report/util/string_table.h"

/* Limit of inputs; each input keeps a file open. */
#define INPUTS_MAX 4096u

const char *input_path(const struct input *input)
{
	return reader_path(input->reader);
}

const struct features *input_features(const struct input *input)
{
	return reader_features(input->reader);
}

const struct perf_event_attr *inputs_event_attr(
	const struct inputs *inputs, const struct input_event *event)
{
	return &reader_event(inputs->at.at[event->input].reader, event->own)
			->attr;
}

struct budget *input_budget(const struct input *input)
{
	return reader_budget(input->reader);
}

const char *input_host(const struct input *input)
{
	const char *host = reader_features(input->reader)->hostname;

	return host && *host ? host : "[unknown]";
}

uint64_t input_lost(const struct input *input, double *percent_ret)
{
	uint64_t lost = input->survey.lost;

	*percent_ret = lost
		? 100.0 * (double)lost / ((double)lost + (double)input->samples)
		: 0;
	return lost;
}

static void input_deinit(struct input *input)
{
	sample_selection_deinit(&input->selection);
	files_destroy(input->files);
	survey_deinit(&input->survey);
	incomplete_close(input->reader);
	array_free(&input->events);
}

/*
 * If one of several recordings is unreadable, reports ERR and returns NULL. A
 * recording that does not exist is an error.
 */
static struct error *skip_unreadable_input(
	struct error *err, const char *path, size_t n_paths)
{
	if (!err || n_paths <= 1 || (path && access(path, R_OK) != 0))
		return err;
	log_note("%s; skipped this recording", err->text);
	error_free(err);
	return NULL;
}

/* State of the numbering of events. */
struct numbering {
	struct inputs *inputs;
	struct string_table names;
	ARRAY(uint32_t) seen; /* for each name: events in this input */
	struct hash_index by_event;
};

/*
 * Returns the number of the event with NAME and OCCURRENCE, the index among the
 * events named NAME of one input. Adds LIKE if there is none.
 */
static uint32_t intern_input_event(struct numbering *numbering, uint32_t name,
	uint32_t occurrence, const struct input_event *like)
{
	struct inputs *inputs = numbering->inputs;
	uint64_t hash = hash_words(name, occurrence);
	uint32_t n = (uint32_t)inputs->events.n;

	hash_each_match(&numbering->by_event, hash, i) {
		const struct input_event *known = &inputs->events.at[i];

		if (known->occurrence == occurrence &&
			string_is(known->name, like->name))
			return i;
	}
	hash_insert(&numbering->by_event, hash, n);
	*array_push(&inputs->events) = *like;
	return n;
}

void inputs_number_events(struct inputs *inputs)
{
	struct numbering numbering = { .inputs = inputs };
	uint32_t own;

	array_each(&inputs->at, input) {
		array_each(&numbering.seen, seen)
			*seen = 0;
		for (own = 0; own < reader_n_events(input->reader); own++) {
			struct input_event event = {
				.name = reader_event(input->reader, own)->name,
				.input = inputs_number(inputs, input),
				.own = own,
			};
			uint32_t name = string_table_intern(
				&numbering.names, event.name);

			if (name == numbering.seen.n)
				array_push(&numbering.seen);
			event.occurrence = numbering.seen.at[name]++;

			uint32_t number = intern_input_event(
				&numbering, name, event.occurrence, &event);
			uint64_t *lost = &inputs->events.at[number].lost;

			*lost = survey_add_lost(
				*lost, input->survey.by_event.at[own].lost);
			*array_push(&input->events) = number;
		}
	}
	string_table_deinit(&numbering.names);
	array_free(&numbering.seen);
	hash_free(&numbering.by_event);
}

static struct error *finish_inputs_survey(
	struct inputs *inputs, const struct filter *filter)
{
	const struct filter_names *wanted = &filter->events;
	_cleanup_strbuf_ struct strbuf known = { 0 }, hosts = { 0 };
	struct error *err;
	size_t n = 0;

	array_each(&inputs->at, input) {
		const char *host = input_host(input);

		strbuf_printf(&hosts, "%s%s", hosts.n ? ", " : "", host);
		if (!filter->hosts.names.n ||
			filter_matches(&filter->hosts, host))
			inputs->at.at[n++] = *input;
		else
			input_deinit(input);
	}
	inputs->at.n = n;
	if (!n)
		return error_new(
			"--host: no recording of this host; the hosts are %s",
			hosts.at);
	array_each(&inputs->at, input) {
		err = sample_selection_init(&input->selection, filter,
			input->reader, &input->survey);
		if (err)
			return err;
		incomplete_add_records(
			input->reader, &input->survey.damaged, 0);
		incomplete_report_lost(input->reader, input->survey.lost);
		incomplete_report_limit(
			input->reader, &input->survey.over_limit);
		incomplete_report(input->reader);
	}
	inputs_number_events(inputs);
	array_each(&inputs->events, event) {
		if (!wanted->names.n || filter_matches(wanted, event->name))
			return NULL;
		strbuf_printf(&known, "%s%s", known.n ? ", " : "", event->name);
	}
	return error_new("%s%s: no such event; the events are %s",
		reader_path(inputs->at.at[0].reader),
		inputs->at.n > 1 ? " and the others" : "", known.at);
}

static struct error *check_inputs_left(const struct inputs *inputs)
{
	return inputs->at.n ? NULL
			    : error_new("cannot read any of the recordings");
}

struct error *inputs_open(const struct filter_names *paths, struct inputs *ret)
{
	size_t n = MAX(paths->names.n, (size_t)1), i;

	if (n > INPUTS_MAX)
		return error_usage("%zu recordings exceed the limit of %u per "
				   "report",
			n, INPUTS_MAX);
	ret->n_paths = n;
	for (i = 0; i < n; i++) {
		const char *path = paths->names.n ? paths->names.at[i] : NULL;
		struct reader *reader;
		struct error *err = paths_open(path, &reader);

		if (!err) {
			array_push(&ret->at)->reader = reader;
			continue;
		}
		err = skip_unreadable_input(err, path, n);
		if (err)
			return err;
	}
	return check_inputs_left(ret);
}

struct error *inputs_survey(struct inputs *inputs, enum survey_depth depth,
	const struct filter *filter)
{
	struct error *err = NULL;
	size_t n = 0, i;

	if (filter->times)
		depth = MAX(depth, SURVEY_TIMES);
	for (i = 0; i < inputs->at.n; i++) {
		struct input input = inputs->at.at[i];
		struct error *own = NULL;

		if (!err) {
			own = survey_run(input.reader, depth, &input.survey);
			if (!own)
				input.samples =
					input.survey.by_type[RECORD_SAMPLE];
			err = skip_unreadable_input(own, NULL, inputs->n_paths);
		}
		if (own && !err)
			input_deinit(&input);
		else
			inputs->at.at[n++] = input;
	}
	inputs->at.n = n;
	if (!err)
		err = check_inputs_left(inputs);
	return err ? err : finish_inputs_survey(inputs, filter);
}

struct error *inputs_count_time(
	struct inputs *inputs, enum offcpu_counted time, uint64_t least_ns)
{
	struct error *err = NULL;

	array_each(&inputs->at, input) {
		err = offcpu_init(&input->offcpu,
			&(struct offcpu_config){ .reader = input->reader,
				.switches = &input->survey.switches,
				.times = &input->selection.times,
				.time = time,
				.least_ns = least_ns });
		if (err)
			break;
		input->selection.waits = input->offcpu.has_waits
			? SAMPLE_SELECTION_WAITS_BEFORE
			: SAMPLE_SELECTION_WAITS_AFTER;
		inputs->events.at[input->events.at[input->offcpu.event]].name =
			time == OFFCPU_TIME_WALL ? "wall time" : "off-CPU time";
		offcpu_report_missing(&input->offcpu, input->reader);
	}
	return err;
}

struct error *inputs_seconds(const struct inputs *inputs, double *ret)
{
	*ret = 0;
	array_each(&inputs->at, input) {
		const struct time_range whole = { input->survey.first_time,
			input->survey.last_time };
		uint64_t ns = times_length(&input->selection.times, &whole);

		if (!input->survey.has_time)
			return error_new("%s: records have no timestamps",
				reader_path(input->reader));
		if (!ns)
			return error_new("%s: all samples have the same time",
				reader_path(input->reader));
		*ret += (double)ns / NSEC_PER_SEC;
	}
	return NULL;
}

void inputs_deinit(struct inputs *inputs)
{
	array_each(&inputs->at, input)
		input_deinit(input);
	array_free(&inputs->at);
	array_free(&inputs->events);
}

bool input_wants_sample(const struct input *input, const struct filter *filter,
	size_t event, const struct sample *sample,
	const struct maps_context *at)
{
	char comm[SURVEY_COMM_SIZE];

	return sample_selection_has_sample(&input->selection, event, sample) &&
		filter_passes_task(filter, sample->pid, sample->tid) &&
		filter_passes_name(&filter->comms,
			survey_comm(
				&input->survey, at->comm, sample->tid, comm));
}
