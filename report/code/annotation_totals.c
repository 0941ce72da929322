/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts the samples whose stacks contain an instruction or line of a function. */
#include "config.h"

#include "common/util/alloc.h"
#include "report/code/annotation.h"

/* The totals that are being counted, and the last visit of each element + 1. */
struct totals_making {
	const struct annotation *annotation;
	struct annotation_totals *totals;
	uint32_t *line_visits, *run_visits, *source_visits;
	const uint32_t
		*run_of; /* first instruction of the run of each instruction */
	const struct sample_visit *visit;
	uint32_t number; /* of the visit, from 1 */
};

static void add_to_total(const struct totals_making *making,
	struct annotation_amount *amounts, uint32_t *visits, size_t i)
{
	if (visits[i] == making->number)
		return;
	visits[i] = making->number;
	amounts[i].samples += making->visit->samples;
	amounts[i].period += making->visit->period;
}

static void add_place_to_totals(
	const struct totals_making *making, uint64_t place)
{
	const struct annotation *annotation = making->annotation;
	struct annotation_totals *totals = making->totals;
	const struct annotation_line *line;
	uint32_t at = flow_instruction(
		&annotation->code, annotation->address + place);
	uint32_t scope;

	if (at == FLOW_NONE)
		return;
	line = &annotation->lines.at[at];
	add_to_total(making, totals->lines, making->line_visits, at);
	if (line->source == ANNOTATION_NONE)
		return;
	add_to_total(
		making, totals->runs, making->run_visits, making->run_of[at]);
	add_to_total(
		making, totals->sources, making->source_visits, line->source);
	for (scope = line->scope; scope != ANNOTATION_NONE;
		scope = annotation->scopes.at[scope].parent)
		if (annotation->scopes.at[scope].site != ANNOTATION_NONE)
			add_to_total(making, totals->sources,
				making->source_visits,
				annotation->scopes.at[scope].site);
}

bool annotation_begins_run(const struct annotation *annotation, size_t i)
{
	const struct annotation_line *line = &annotation->lines.at[i];

	return line->source != ANNOTATION_NONE &&
		(!i || line[-1].source != line->source ||
			line[-1].inlined != line->inlined);
}

void annotation_totals_count(const struct annotation *annotation,
	const struct function *function, struct annotation_totals *ret)
{
	const uint64_t *places = annotation->result->hits.places.at;
	size_t n = annotation->lines.n, n_sources = annotation->sources.n;
	size_t run = 0, i;
	_cleanup_free_ uint32_t *line_visits = xcalloc(n + 1, sizeof(uint32_t));
	_cleanup_free_ uint32_t *run_visits = xcalloc(n + 1, sizeof(uint32_t));
	_cleanup_free_ uint32_t *source_visits =
		xcalloc(n_sources + 1, sizeof(uint32_t));
	_cleanup_free_ uint32_t *run_of = xcalloc(n + 1, sizeof(uint32_t));
	struct totals_making making = { .annotation = annotation,
		.totals = ret,
		.line_visits = line_visits,
		.run_visits = run_visits,
		.source_visits = source_visits,
		.run_of = run_of };

	ret->lines = xcalloc(n + 1, sizeof(*ret->lines));
	ret->runs = xcalloc(n + 1, sizeof(*ret->runs));
	ret->sources = xcalloc(n_sources + 1, sizeof(*ret->sources));
	for (i = 0; i < n; i++) {
		run = annotation_begins_run(annotation, i) ? i : run;
		run_of[i] = (uint32_t)run;
	}
	array_each(&function->visits, visit) {
		making.visit = *visit;
		making.number++;
		for (i = 0; i < (*visit)->n; i++)
			add_place_to_totals(
				&making, places[(*visit)->first + i]);
	}
}

void annotation_totals_deinit(struct annotation_totals *totals)
{
	free(totals->lines);
	free(totals->runs);
	free(totals->sources);
}
