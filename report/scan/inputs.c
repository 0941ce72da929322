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

static struct error *add_input(
	struct inputs *inputs, const char *path, size_t n_paths)
{
	struct reader *reader;
	struct error *err = paths_open(path, &reader);

	if (err)
		return skip_unreadable_input(err, path, n_paths);
	array_push(&inputs->at)->reader = reader;
	return NULL;
}

static struct error *remove_other_hosts(
	struct inputs *inputs, const struct name_list *wanted)
{
	_cleanup_strbuf_ struct strbuf known = { 0 };
	size_t n = 0;

	array_each(&inputs->at, input) {
		const char *host = input_host(input);

		strbuf_printf(&known, "%s%s", known.n ? ", " : "", host);
		if (filter_matches(wanted, host))
			inputs->at.at[n++] = *input;
		else
			input_deinit(input);
	}
	inputs->at.n = n;
	if (n)
		return NULL;
	return error_new("--host: no recording of this host; the hosts are %s",
		known.at);
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

static void number_input_events(
	struct numbering *numbering, struct input *input)
{
	uint32_t n = (uint32_t)reader_n_events(input->reader), own, number;

	array_each(&numbering->seen, seen)
		*seen = 0;
	for (own = 0; own < n; own++) {
		struct input_event event = {
			.name = reader_event(input->reader, own)->name,
			.input = inputs_number(numbering->inputs, input),
			.own = own,
		};
		uint32_t name =
			string_table_intern(&numbering->names, event.name);

		if (name == numbering->seen.n)
			array_push(&numbering->seen);
		event.occurrence = numbering->seen.at[name]++;
		number = intern_input_event(
			numbering, name, event.occurrence, &event);
		numbering->inputs->events.at[number].lost = survey_add_lost(
			numbering->inputs->events.at[number].lost,
			input->survey.by_event.at[own].lost);
		*array_push(&input->events) = number;
	}
}

void inputs_number_events(struct inputs *inputs)
{
	struct numbering numbering = { .inputs = inputs };

	array_each(&inputs->at, input)
		number_input_events(&numbering, input);
	string_table_deinit(&numbering.names);
	array_free(&numbering.seen);
	hash_free(&numbering.by_event);
}

/* Returns an error if no input has an event that WANTED requests. */
static struct error *check_requested_events(
	const struct inputs *inputs, const struct name_list *wanted)
{
	_cleanup_strbuf_ struct strbuf known = { 0 };

	array_each(&inputs->events, event) {
		if (!wanted->names.n || filter_matches(wanted, event->name))
			return NULL;
		strbuf_printf(&known, "%s%s", known.n ? ", " : "", event->name);
	}
	return error_new("%s%s: no such event; the events are %s",
		reader_path(inputs->at.at[0].reader),
		inputs->at.n > 1 ? " and the others" : "", known.at);
}

static struct error *finish_inputs_survey(
	struct inputs *inputs, const struct filter *filter)
{
	struct error *err = NULL;

	if (filter->hosts.names.n)
		err = remove_other_hosts(inputs, &filter->hosts);
	array_each(&inputs->at, input) {
		if (!err)
			err = sample_selection_init(&input->selection, filter,
				input->reader, &input->survey);
		if (err)
			break;
		incomplete_add_records(
			input->reader, &input->survey.damaged, 0);
		incomplete_report_lost(input->reader, input->survey.lost);
		incomplete_report_limit(
			input->reader, &input->survey.over_limit);
		incomplete_report(input->reader);
	}
	if (err)
		return err;
	inputs_number_events(inputs);
	return check_requested_events(inputs, &filter->events);
}

static struct error *check_inputs_left(const struct inputs *inputs)
{
	return inputs->at.n ? NULL
			    : error_new("cannot read any of the recordings");
}

struct error *inputs_open(const struct name_list *paths, struct inputs *ret)
{
	struct error *err = NULL;

	if (paths->names.n > INPUTS_MAX)
		return error_usage("%zu recordings exceed the limit of %u per "
				   "report",
			paths->names.n, INPUTS_MAX);
	if (!paths->names.n)
		err = add_input(ret, NULL, 1);
	array_each(&paths->names, path)
		if (!err)
			err = add_input(ret, *path, paths->names.n);
	ret->n_paths = MAX(paths->names.n, (size_t)1);
	return err ? err : check_inputs_left(ret);
}

static struct error *survey_input(struct input *input, enum survey_depth depth)
{
	struct error *err = survey_run(input->reader, depth, &input->survey);

	if (!err)
		input->samples = input->survey.by_type[RECORD_SAMPLE];
	return err;
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
		struct error *own = err ? NULL : survey_input(&input, depth);

		if (!err)
			err = skip_unreadable_input(own, NULL, inputs->n_paths);
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
	struct inputs *inputs, enum counted_time time, uint64_t least_ns)
{
	struct error *err = NULL;

	array_each(&inputs->at, input) {
		err = offcpu_init(&input->offcpu, input->reader,
			&input->survey.switches, time, least_ns);
		if (err)
			break;
		inputs->events.at[input->events.at[input->offcpu.event]].name =
			counted_time_name(time);
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
