/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints notes about data that a recording lacks. */
#include "config.h"

#include "report/result/result.h"

#include <inttypes.h>

#include "common/maps/maps.h"
#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/result/header_facts.h"
#include "report/result/request.h"
#include "report/transform/transform.h"
#include "report/util/suggestions.h"

/* Rows of an event for which -v prints the other names of the function. */
#define OTHER_NAMES_ROWS 20u

/* A name of a filter, and the most similar names of the recording. */
struct name_search {
	struct suggestions suggestions;
	bool is_found;
};

static void compare_filter_name(struct name_search *search, const char *name)
{
	if (string_is(search->suggestions.wanted, name))
		search->is_found = true;
	suggestions_offer(&search->suggestions, name);
}

static void compare_thread_name(void *data, uint32_t pid _unused_,
	uint32_t tid _unused_, const char *comm)
{
	compare_filter_name(data, comm);
}

static void compare_thread_names(
	const struct result *result, struct name_search *search)
{
	const struct maps_visitor visitor = { .comm = compare_thread_name,
		.data = search };

	array_each(&result->inputs.at, input)
		maps_visit(input->survey.maps, 0, &visitor);
}

static void compare_dso_names(
	const struct result *result, struct name_search *search)
{
	const struct resolver *resolver = result->resolver;
	uint32_t i;

	for (i = 0; i < resolver_n_locations(resolver); i++) {
		const struct location *at = resolver_location(resolver, i);

		compare_filter_name(
			search, resolver_dso_name(resolver, at->dso_name));
		search->is_found |= at->dso &&
			string_is(search->suggestions.wanted, at->dso->path);
	}
}

static void compare_function_names(
	const struct result *result, struct name_search *search)
{
	struct resolver *resolver = result->resolver;
	uint32_t i;

	for (i = 0; i < resolver_n_locations(resolver); i++)
		compare_filter_name(search, resolver_symbol_name(resolver, i));
}

static void report_unmatched_name(
	const char *what, const char *name, struct name_search *search)
{
	_cleanup_free_ char *listed = suggestions_end(&search->suggestions);

	if (search->is_found)
		return;
	if (listed)
		log_note("no %s is named '%s'; did you mean %s?", what, name,
			listed);
	else
		log_note("no %s is named '%s'", what, name);
}

static void report_unmatched_list(const struct result *result,
	const struct filter_names *list, const char *what,
	void (*compare_all)(
		const struct result *result, struct name_search *search))
{
	array_each(&list->names, name) {
		struct name_search search = { .is_found = false };

		suggestions_begin(&search.suggestions, *name);
		compare_all(result, &search);
		report_unmatched_name(what, *name, &search);
	}
}

void result_report_unmatched(const struct result *result)
{
	const struct filter *filter = &result->options->filter;

	report_unmatched_list(
		result, &filter->comms, "thread", compare_thread_names);
	report_unmatched_list(result, &filter->dsos,
		"sampled program or library", compare_dso_names);
	report_unmatched_list(result, &filter->symbols, "sampled function",
		compare_function_names);
}

void result_report_unmatched_transforms(const struct result *result)
{
	struct resolver *resolver = result->resolver;

	array_each(&result->transforms.at, transform) {
		bool is_dso = transform->kind == TRANSFORM_COLLAPSE_DSO;
		struct name_search search = { .is_found = false };
		uint32_t i;

		if (!transform->name)
			continue;
		/*
		 * Names are compared without the mark of inlined functions,
		 * which can be named in transforms.
		 */
		suggestions_begin(&search.suggestions, transform->name);
		for (i = 0; i < resolver_n_locations(resolver); i++) {
			search.is_found |=
				transform_matches(resolver, transform, i);
			compare_filter_name(&search,
				is_dso ? resolver_dso_name(resolver,
						 resolver_location(resolver, i)
							 ->dso_name)
				       : resolver_function_name(resolver, i));
		}
		report_unmatched_name(is_dso ? "sampled program or library"
					     : "sampled function",
			transform->name, &search);
	}
}

void result_report_empty(const struct result *result)
{
	uint64_t brief = 0, samples = 0;

	/* Use the samples of the survey: not all inputs are scanned. */
	array_each(&result->inputs.at, input) {
		brief += input->offcpu_counts.brief;
		samples += input->survey.by_type[RECORD_SAMPLE];
	}
	if (brief) {
		log_note("no off-CPU time is as long as --min-block: %" PRIu64
			 " shorter time%s left out",
			brief, brief == 1 ? " was" : "s were");
		return;
	}
	if (samples) {
		log_note("no sample passes the filters and limits");
		result_report_unmatched(result);
		return;
	}
	log_note("%s%s has no samples",
		reader_path(result->inputs.at.at[0].reader),
		result->inputs.at.n > 1 ? " and the others" : "");
	/*
	 * AUX area traces contain no samples, but the user probably expects
	 * some.
	 */
	array_each(&result->inputs.at, input) {
		uint64_t n = input->survey.by_type[RECORD_AUXTRACE];

		if (n)
			log_note("%s: %" PRIu64
				 " AUX area trace%s of event %s: "
				 "dwell cannot decode such traces",
				reader_path(input->reader), n, plural(n),
				reader_n_events(input->reader)
					? reader_event(input->reader, 0)->name
					: "[unknown]");
	}
	array_each(&result->inputs.at, input) {
		_cleanup_free_ char *sentence =
			header_facts_removed_events(input->reader);

		if (sentence)
			log_note("%s", sentence);
	}
}

void result_report_no_callers(const struct result *result)
{
	array_each(&result->inputs.at, input)
		if (request_has_chains(input->reader))
			return;
	log_note("%s has no call chains, so callers are unknown; to "
		 "record them, use 'dwell record -g'",
		reader_path(result_input(result)->reader));
}

void result_report_other_names(const struct result *result)
{
	struct resolver *resolver = result->resolver;

	if (log_get_level() < LOG_VERBOSE)
		return;
	array_each(&result->hists, hist) {
		unsigned left = OTHER_NAMES_ROWS;

		array_each(&hist->rows, row) {
			if (row->is_hidden || !left--)
				break;
			array_each(&result->request.columns, column) {
				_cleanup_strbuf_ struct strbuf names = { 0 };
				uint32_t location =
					(uint32_t)row->key[column->key];

				if (!string_is(column->field->name, "sym") ||
					row->is_rest)
					continue;
				resolver_put_other_names(
					resolver, location, &names);
				if (names.n)
					log_verbose("%s: %s",
						resolver_function_name(
							resolver, location),
						names.at);
			}
		}
	}
}
