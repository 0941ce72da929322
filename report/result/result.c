/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/result.h"

#include <inttypes.h>

#include "common/perf/attr.h"
#include "common/util/budget.h"
#include "common/util/log.h"
#include "report/resolve/resolve_scan.h"
#include "report/result/columns.h"
#include "report/result/header_facts.h"
#include "report/result/request.h"
#include "report/rows/group.h"
#include "report/rows/ratio.h"
#include "report/survey/deferred_chains.h"
#include "report/survey/incomplete.h"
#include "report/survey/paths.h"
#include "report/unwind/stack_counts_text.h"
#include "report/util/progress.h"

struct error *result_open(const struct options *options, struct reader **ret)
{
	struct filter_names paths = { 0 };
	struct error *err = options_find_inputs(options, &paths);

	if (!err)
		err = paths_open(paths.names.n ? paths.names.at[0] : NULL, ret);
	filter_names_deinit(&paths);
	return err;
}

struct error *result_begin(const struct options *options, struct result *ret)
{
	const struct transform_list *chosen = &options->stacks.transforms;
	struct filter_names paths = { 0 };
	bool has_lang = false, has_interpreter = false;
	enum transform_kind kind;
	struct error *err;

	memset(ret, 0, sizeof(*ret));
	ret->options = options;
	ret->names = (struct field_names){ .inputs = &ret->inputs,
		.addresses = &ret->addresses,
		.texts = &ret->texts,
		.has_ns = options->script.has_ns };
	err = options_find_inputs(options, &paths);
	if (!err)
		err = inputs_open(&paths, &ret->inputs);
	filter_names_deinit(&paths);
	if (err)
		return err;
	for (kind = TRANSFORM_LANG_FOLD; kind <= TRANSFORM_LANG_NATIVE; kind++)
		has_lang |= transform_list_has(chosen, kind);
	array_each(&ret->inputs.at, input)
		if (!has_lang && !has_interpreter)
			has_interpreter =
				header_facts_have_interpreter(input->reader);
	if (has_interpreter)
		transform_list_add(&ret->transforms, TRANSFORM_LANG_FOLD, NULL);
	array_each(&chosen->at, transform)
		transform_list_add(
			&ret->transforms, transform->kind, transform->name);
	return NULL;
}

struct error *result_survey(struct result *ret)
{
	const struct options *options = ret->options;
	struct error *err = inputs_survey(&ret->inputs,
		options->time.counted		     ? SURVEY_SWITCHES
			: options->count.needs_times ? SURVEY_TIMES
						     : SURVEY_SIDEBAND,
		&options->filter);

	if (!err && options->time.counted)
		err = inputs_count_time(&ret->inputs, options->time.counted,
			options->time.least_ns);
	if (err)
		return err;
	ret->store = buildid_cache_create(&options->places);
	ret->resolver = resolver_create(columns_grain(options));
	array_each(&ret->inputs.at, input) {
		input->files =
			files_create(input->reader, &input->survey, ret->store);
		resolver_add(ret->resolver, input->reader, &input->survey,
			input->files);
	}
	ret->names.resolver = ret->resolver;
	return NULL;
}

struct error *result_prepare(const struct options *options, struct result *ret)
{
	struct error *err = result_begin(options, ret);

	return err ? err : result_survey(ret);
}

bool result_wants_sample(const struct result *result, size_t event,
	const struct sample *sample, const struct maps_context *at)
{
	const struct filter *filter = &result->options->filter;
	struct resolver *resolver = result->resolver;
	struct frame frame =
		stacks_frame(at->space, sample->ip, sample->cpumode);
	uint32_t location;

	if (!input_wants_sample(
		    result_input(result), filter, event, sample, at))
		return false;
	if (!filter_needs_code(filter))
		return true;
	location = resolver_find(resolver, &frame).location;
	return resolver_passes(resolver, filter, location) ||
		(filter_has_address(filter, frame.ip) &&
			resolver_location(resolver, location)->dso &&
			resolver_passes_dso(resolver, filter, location));
}

/*
 * JSON and CSV have one table per event unless the user requests groups. Ratios
 * need groups.
 */
static void make_event_hists(struct result *result)
{
	const struct options *options = result->options;
	const struct columns *columns = &result->request.columns;
	bool is_forced = options->count.groups == OPTION_ON;
	bool is_grouped = is_forced || ratio_is_among(columns) ||
		(options->count.groups == OPTION_DEFAULT &&
			string_is(options->output.view, "stdio"));
	size_t n = result->inputs.events.n, size, i, j;

	for (i = 0; i < n; i += size) {
		struct hist *hist;
		uint64_t samples = 0;
		const char *name;

		size = is_grouped
			? group_size(&result->inputs, i, is_forced, &name)
			: 1;
		for (j = i; j < i + size; j++)
			samples += result->scan.by_event.at[j].samples;
		if (!samples)
			continue;
		result->request.group_size = size;
		hist = array_push(&result->hists);
		for (j = i; j < i + size; j++)
			hist_build(&result->scan, (uint32_t)j, &result->request,
				&result->names,
				j == i ? hist : array_push(&hist->members));
		ratio_find_events(hist, columns, &result->inputs);
		if (size > 1)
			group_join(hist, &result->request, &result->names);
	}
}

/* Gives the threads of a program common rows if they have many names. */
static void merge_thread_names(struct result *result)
{
	struct thread_names *names = &result->thread_names;

	if (!string_is(result->options->output.view, "stdio"))
		return;
	thread_names_find(&result->names, result->hists.at, result->hists.n,
		&result->request, names);
	names->are_merged =
		names->split_rows && columns_are_free(result->options);
	if (!names->are_merged)
		return;
	columns_remove_key(&result->request, "comm");
	array_each(&result->hists, hist) {
		budget_release(result->scan.budget, hist->reserved);
		array_each(&hist->members, member)
			budget_release(result->scan.budget, member->reserved);
		hist_deinit(hist);
	}
	array_clear(&result->hists);
	make_event_hists(result);
}

bool result_counts_ns(
	const struct result *result, const struct input_event *event)
{
	return result->options->time.counted != OFFCPU_TIME_RECORDED ||
		attr_counts_ns(inputs_event_attr(&result->inputs, event));
}

/* Its size limits the memory of rows. */
static struct reader *find_largest_input(const struct inputs *inputs)
{
	struct reader *found = inputs->at.at[0].reader;

	array_each(&inputs->at, input)
		if (reader_size(input->reader) > reader_size(found))
			found = input->reader;
	return found;
}

const char *result_path(const struct result *result)
{
	return reader_path(find_largest_input(&result->inputs));
}

static void add_sample_addresses(void *data, const struct stacks_raw *part,
	const struct stacks_numbers *numbers)
{
	struct result *result = data;

	sample_addresses_add(&result->hits, part, numbers, result->resolver);
}

/*
 * Counts the samples of the inputs one by one, so that the unresolved stacks of
 * only one input are in memory.
 */
static void count_result_inputs(struct result *result)
{
	const struct options *options = result->options;
	const struct resolve_request resolving = {
		.resolver = result->resolver,
		.inputs = &result->inputs,
		.texts = &result->texts,
		.before_move =
			options->count.by_place ? add_sample_addresses : NULL,
		.data = result,
	};

	result->scan.budget =
		reader_budget(find_largest_input(&result->inputs));
	result->hits.filter = &options->filter;
	result->hits.transforms = &result->transforms;
	result->hits.has_visits = result->request.has_chains;
	array_each(&result->inputs.at, input) {
		struct scan_request request = request_scan(options,
			&result->transforms, &result->request,
			input->selection.is_all ? NULL : &input->selection,
			inputs_number(&result->inputs, input));
		struct scan scan;

		request.n_inputs = result->inputs.at.n;
		if (options->time.counted)
			request.offcpu = &input->offcpu;
		if (request.wants_chains &&
			reader_has_stack_copies(input->reader))
			request.unwinding = recorded_unwinding_create(
				input->reader, &input->survey, input->files);
		scan_run(input->reader, &input->survey, &request, &scan);
		input->samples = scan_samples(&scan);
		input->offcpu_counts = scan.offcpu;
		if (request.unwinding) {
			input->unwound =
				recorded_unwinding_counts(request.unwinding);
			recorded_unwinding_report_missing(request.unwinding);
		} else if (request.wants_chains) {
			input->unwound =
				stack_counts_text_recorded(input->reader);
		}
		recorded_unwinding_destroy(request.unwinding);
		if (progress_is_given_up()) {
			scan_deinit(&scan);
			return;
		}
		incomplete_add_records(
			input->reader, &scan.damaged, scan.damaged.n);
		incomplete_report(input->reader);
		incomplete_report_periods(input->reader, scan.n_excess);
		deferred_chains_report_missing(
			input->reader, scan.missing_chains);
		if (options->places.uses_servers)
			resolve_scan_hottest(result->resolver, input,
				inputs_number(&result->inputs, input), &scan);
		resolve_scan(&result->scan, &scan, input, &resolving);
	}
}

static struct error *make_result_request(struct result *result)
{
	struct error *err = request_make(
		result->options, &result->inputs, &result->request);

	result->names.traces = result->request.sample_keys.traces;
	return err;
}

static struct error *count_requested(struct result *result)
{
	struct refine_request refining;

	count_result_inputs(result);
	if (progress_is_given_up())
		return error_new("cancelled");
	refining = request_refine(
		result->options, &result->transforms, &result->request);
	return refine_stacks(&result->scan, &refining, result->resolver);
}

struct error *result_count_prepared(struct result *result)
{
	struct error *err = make_result_request(result);

	return err ? err : count_requested(result);
}

struct error *result_count(const struct options *options, struct result *ret)
{
	struct error *err = result_begin(options, ret);
	bool is_late = false;

	/* An input from a pipe has its events in the stream, not the header. */
	if (!err)
		array_each(&ret->inputs.at, input)
			is_late |= reader_is_pipe(input->reader);

	/* An error of the user comes before one of the recording. */
	if (!err && !is_late)
		err = make_result_request(ret);
	if (!err)
		err = result_survey(ret);
	if (!err && is_late)
		err = make_result_request(ret);
	return err ? err : count_requested(ret);
}

/* A thread: in two recordings, equal numbers are different threads. */
struct counted_thread {
	uint32_t tid, tid_use;
	uint16_t input;
};

static int compare_counted_threads(const void *a, const void *b)
{
	const struct counted_thread *left = a, *right = b;

	if (left->input != right->input)
		return COMPARE(left->input, right->input);
	if (left->tid != right->tid)
		return COMPARE(left->tid, right->tid);
	return COMPARE(left->tid_use, right->tid_use);
}

void result_measure_threads(struct result *result)
{
	_cleanup_error_ struct error *err = NULL;

	if (!result->options->time.counted)
		return;
	ARRAY(struct counted_thread) threads = { 0 };
	size_t n = 0, i;

	array_each(&result->scan.stacks.contexts, context)
		*array_push(&threads) =
			(struct counted_thread){ context->ids.tid,
				context->ids.tid_use, context->input };
	array_sort(&threads, compare_counted_threads);
	for (i = 0; i < threads.n; i++)
		n += !i ||
			compare_counted_threads(
				&threads.at[i - 1], &threads.at[i]) != 0;
	array_free(&threads);
	result->n_threads = n;
	err = inputs_seconds(&result->inputs, &result->seconds);
	if (err)
		result->seconds = 0;
}

struct error *result_make_rows(
	const struct options *options, struct result *ret)
{
	struct error *err = result_count(options, ret);
	bool has_rest = false;

	if (!err)
		err = ratio_check(&ret->inputs, &ret->request.columns,
			options->count.groups == OPTION_ON);
	if (err)
		return err;
	/* Stacks are not looked up any more. */
	hash_free(&ret->scan.stacks.by_stack);
	make_event_hists(ret);
	merge_thread_names(ret);
	result_measure_threads(ret);
	if (progress_is_given_up())
		return error_new("cancelled");
	array_each(&ret->hists, hist) {
		has_rest |= hist->rest_row != HASH_NONE;
		array_each(&hist->members, member)
			has_rest |= member->rest_row != HASH_NONE;
	}
	if (has_rest)
		log_note(
			"%s: stacks need more memory than a recording of "
			"this size may use; the others are shown as " HIST_REST,
			result_path(ret));
	if (ret->request.wants_trees)
		ret->forest = forest_create(&ret->scan, &ret->names);
	return NULL;
}

struct error *result_make(const struct options *options, struct result *ret)
{
	struct error *err = result_make_rows(options, ret);
	bool is_empty = true;

	if (err)
		return err;
	array_each(&ret->hists, hist)
		array_each(&hist->rows, row)
			is_empty &= row->is_hidden;
	if (is_empty)
		result_report_empty(ret);
	result_report_unmatched_transforms(ret);
	return NULL;
}

/* --- sums of all inputs --------------------------------------------------- */

bool result_has_waits(const struct result *result)
{
	array_each(&result->inputs.at, input)
		if (!offcpu_is_recorded(input->reader))
			return false;
	return true;
}

struct stack_counts result_unwound(const struct result *result)
{
	struct stack_counts sum = { 0 };

	array_each(&result->inputs.at, input)
		stack_counts_add(&sum, &input->unwound);
	return sum;
}

struct offcpu_counts result_offcpu(const struct result *result)
{
	struct offcpu_counts sum = { 0 };

	array_each(&result->inputs.at, input)
		offcpu_counts_add(&sum, &input->offcpu_counts);
	return sum;
}

uint64_t result_lost(const struct result *result, double *percent_ret)
{
	uint64_t lost = 0, samples = scan_samples(&result->scan);

	array_each(&result->inputs.at, input)
		lost = survey_add_lost(lost, input->survey.lost);
	*percent_ret = lost
		? 100.0 * (double)lost / ((double)lost + (double)samples)
		: 0;
	return lost;
}

void result_deinit(struct result *result)
{
	array_each(&result->hists, hist)
		hist_deinit(hist);
	array_free(&result->hists);
	data_addresses_deinit(&result->addresses);
	forest_destroy(result->forest);
	sample_addresses_deinit(&result->hits);
	columns_deinit(&result->request);
	resolver_destroy(result->resolver);
	scan_deinit(&result->scan);
	string_table_deinit(&result->texts);
	inputs_deinit(&result->inputs);
	buildid_cache_destroy(result->store);
	transform_list_deinit(&result->transforms);
}
