/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/functions.h"

#include <stdlib.h>

#include "common/util/alloc.h"

static struct function *find_sampled_function(const struct result *result,
	struct functions *functions, uint32_t location)
{
	const struct location *at =
		resolver_location(result->resolver, location);
	struct build_id build_id = files_build_id(
		result->inputs.at.at[at->input].files, at->number);
	uint64_t hash = hash_words(at->shown_as, 0);
	struct function *function;

	hash_each_match(&functions->by_shown, hash, i) {
		function = &functions->at.at[i];
		/*
		 * Different builds of a program can have different functions at
		 * the same address.
		 */
		if (resolver_location(result->resolver, function->location)
					->shown_as == at->shown_as &&
			(!function->build_id.size || !build_id.size ||
				build_id_equal(&function->build_id, &build_id)))
			return function;
	}
	hash_insert(&functions->by_shown, hash, (uint32_t)functions->at.n);
	function = array_push(&functions->at);
	function->location = location;
	function->symbol = at->symbol;
	function->start = at->start;
	function->build_id = build_id;
	return function;
}

static int compare_function_places(const void *a, const void *b)
{
	const struct function_place *left = a, *right = b;

	return COMPARE(left->place, right->place);
}

/* Joins the elements of .places with the same offset, and sorts .places. */
static void join_function_places(struct function *function)
{
	struct function_place *at;
	size_t kept = 0, i;

	if (!function->places.n)
		return;
	array_sort(&function->places, compare_function_places);
	at = function->places.at;
	for (i = 1; i < function->places.n; i++) {
		if (at[i].place != at[kept].place) {
			at[++kept] = at[i];
			continue;
		}
		at[kept].samples += at[i].samples;
		at[kept].period += at[i].period;
	}
	function->places.n = kept + 1;
}

/* Orders visits by their PLACES: threads that read a recording end in any order. */
static int compare_visits(const void *a, const void *b, void *places)
{
	const struct sample_visit *left =
		*(const struct sample_visit *const *)a;
	const struct sample_visit *right =
		*(const struct sample_visit *const *)b;
	const uint64_t *all = places;
	uint32_t n = MIN(left->n, right->n), i;
	int order = 0;

	for (i = 0; i < n && !order; i++)
		order = COMPARE(all[left->first + i], all[right->first + i]);
	return order ? order : COMPARE(left->n, right->n);
}

static int compare_function_periods(const void *a, const void *b)
{
	const struct function *left = a, *right = b;
	int order = COMPARE(right->period, left->period);

	if (!order)
		order = COMPARE(right->total_period, left->total_period);
	if (!order)
		order = strcmp(left->symbol, right->symbol);
	return order ? order : COMPARE(left->start, right->start);
}

void functions_find(const struct result *result, struct functions *ret)
{
	uint32_t n = (uint32_t)result->inputs.events.n, i;

	for (i = 0; i < n; i++)
		ret[i] = (struct functions){ .event = i,
			.samples = result->scan.by_event.at[i].samples,
			.period = result->scan.by_event.at[i].period };
	array_each(&result->hits.at, hit) {
		const struct location *at =
			resolver_location(result->resolver, hit->location);
		struct functions *functions = &ret[hit->event];
		struct function *function;

		if (!at->symbol) {
			while (functions->nameless.n <= at->dso_name)
				array_push(&functions->nameless);
			functions->nameless.at[at->dso_name] += hit->period;
			continue;
		}
		function =
			find_sampled_function(result, functions, hit->location);
		function->samples += hit->samples;
		function->period += hit->period;
		*array_push(&function->places) =
			(struct function_place){ hit->place, hit->samples,
				hit->period };
	}
	array_each(&result->hits.visits, visit) {
		struct function *function = find_sampled_function(
			result, &ret[visit->event], visit->location);

		function->total_samples += visit->samples;
		function->total_period += visit->period;
		*array_push(&function->visits) = visit;
	}
	for (i = 0; i < n; i++) {
		array_each(&ret[i].at, function) {
			join_function_places(function);
			if (function->visits.n)
				qsort_r(function->visits.at, function->visits.n,
					sizeof(*function->visits.at),
					compare_visits,
					(void *)(uintptr_t)
						result->hits.places.at);
		}
		array_sort(&ret[i].at, compare_function_periods);
		hash_free(&ret[i].by_shown);
	}
}

void functions_deinit(struct functions *functions)
{
	array_each(&functions->at, function) {
		array_free(&function->places);
		array_free(&function->visits);
	}
	array_free(&functions->at);
	array_free(&functions->nameless);
	hash_free(&functions->by_shown);
}
