/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The HTML page that compares several recordings: a flame graph of the
 * differences. The data of the page (html_data.h) has the events of all
 * recordings one after another, no times, one task with cells, and the section
 * "recordings":
 *
 *	measure		what is compared: 0: percentages, 1: periods, 2: rates
 *	recordings	n, for each: name (text), duration in ns, or 0 unless
 *			rates are compared
 *	events		for each event of the page: its recording; the number
 *			of its name, equal for equal names; the change as a
 *			whole (diff_whole_put(); empty for the first recording)
 *	folded		a note about inlined functions that are left out; or empty
 *	chances		n, for each: event that is compared with an event of
 *			the first recording; three times size and bits, lowest
 *			first: for nodes, functions by self, and functions by
 *			total; bit 1: the difference can be random
 *
 * For events that are not in "chances", the page uses the error of each
 * difference.
 */
#include "config.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/diff/diff.h"
#include "report/diff/diff_chance.h"
#include "report/diff/diff_whole.h"
#include "report/export/export.h"
#include "report/flame/flame.h"
#include "report/flame/flame_result.h"
#include "report/html/html_bytes.h"
#include "report/html/html_data.h"
#include "report/html/html_waits.h"
#include "report/util/string_table.h"

/*
 * Maximum number of events that are tested for random differences. Each test
 * visits all nodes, and a hostile recording can have thousands of events.
 */
#define CHANCE_EVENTS_MAX 64u

/* An event of a recording, in the order of the page's data. */
struct compared_event {
	size_t recording;
	uint32_t name; /* number of the event name, equal for equal names */
	const struct input_event *input; /* borrowed */
	struct diff_chance_side side;
};

struct difference_page {
	struct diff *diff;
	struct options *options; /* for each recording; .inputs is owned */
	struct flame_result *made;
	const struct result **results;
	struct flame flame;
	ARRAY(struct compared_event) events;
	struct strbuf folded; /* a note, or empty: fold_inlines() */
};

/* --- inlined functions --------------------------------------------------- */

/* Which of the recordings have inlined functions of a DSO. */
struct dso_inlines {
	bool is_somewhere; /* a recording has inlined functions */
	/*
	 * In the current recording: it has functions, and debug information
	 * without which inlined functions are not known.
	 */
	bool has_code, has_lines;
	bool is_folded;
};

struct inlines_check {
	struct string_table dsos;
	ARRAY(struct dso_inlines) at; /* by number in .dsos */
};

static struct dso_inlines *find_dso_inlines(
	struct inlines_check *check, const struct flame_function *function)
{
	uint32_t dso = string_table_intern(&check->dsos, function->dso ?: "");

	while (check->at.n <= dso)
		array_push(&check->at);
	return &check->at.at[dso];
}

/*
 * Folds inlined functions of DSOs for which a recording has no debug
 * information: their frames would differ although the program does not.
 */
static void fold_inlines(struct difference_page *page)
{
	struct inlines_check check = { 0 };
	size_t n = page->diff->sides.n, i;

	for (i = 0; i < n; i++)
		array_each(&page->made[i].flame.functions, function)
			find_dso_inlines(&check, function)->is_somewhere |=
				function->is_inlined;
	for (i = 0; i < n; i++) {
		array_each(&check.at, dso)
			dso->has_code = dso->has_lines = false;
		array_each(&page->made[i].flame.functions, function) {
			struct dso_inlines *dso =
				find_dso_inlines(&check, function);

			if (!dso->is_somewhere || dso->has_lines ||
				!function->location)
				continue;
			dso->has_code = true;
			dso->has_lines = function->is_inlined ||
				resolver_declaration(
					page->made[i].result.resolver,
					function->location - 1)
					.file;
		}
		array_each(&check.at, dso)
			dso->is_folded |= dso->has_code && !dso->has_lines;
	}
	for (i = 0; i < n; i++)
		array_each(&page->made[i].flame.functions, function)
			function->is_folded = function->is_inlined &&
				find_dso_inlines(&check, function)->is_folded;
	struct strbuf *note = &page->folded;
	array_each(&check.at, dso)
		if (dso->is_folded)
			strbuf_printf(note, "%s%s",
				note->n ? ", " : "inlined functions of ",
				string_table_at(&check.dsos,
					(uint32_t)(dso - check.at.at)));
	if (note->n) {
		strbuf_puts(note,
			" are not shown: not all recordings have debug information "
			"for them");
		log_note("%s", note->at);
	}
	string_table_deinit(&check.dsos);
	array_free(&check.at);
}

/* Gives lambdas that moved to another line one name in all recordings. */
static void name_moved_functions(struct difference_page *page)
{
	struct moved_functions moved = { 0 };
	size_t n = page->diff->sides.n, i;

	for (i = 0; i < n; i++)
		array_each(&page->made[i].flame.functions, function)
			if (function->location)
				moved_functions_add(&moved, i,
					page->made[i].result.resolver,
					resolver_location(
						page->made[i].result.resolver,
						function->location - 1),
					function->name);
	moved_functions_match(&moved);
	for (i = 0; i < n; i++)
		array_each(&page->made[i].flame.functions, function) {
			char *name = xstrdup(moved_functions_name(
				&moved, i, function->name));

			free(function->name);
			function->name = name;
		}
	moved_functions_deinit(&moved);
}

/* --- the section --------------------------------------------------------- */

/* Fills .events. The page contains only events with samples. */
static void list_compared_events(struct difference_page *page)
{
	struct string_table known = { 0 };
	uint32_t first = 0, own;
	size_t i;

	for (i = 0; i < page->diff->sides.n; i++) {
		const struct result *result = page->results[i];

		for (own = 0; own < result->scan.by_event.n; own++) {
			const struct sample_totals *totals =
				&result->scan.by_event.at[own];

			if (!totals->samples)
				continue;
			/*
			 * Events of two recordings are compared if they have
			 * the same name and the same position among the events
			 * of that name.
			 */
			_cleanup_free_ char *key = xasprintf("%" PRIu32 " %s",
				result->inputs.events.at[own].occurrence,
				result->inputs.events.at[own].name);
			*array_push(&page->events) = (struct compared_event){
				.recording = i,
				.name = string_table_intern(&known, key),
				.input = &result->inputs.events.at[own],
				.side = { first + own, totals->samples,
					totals->period,
					page->diff->sides.at[i].seconds },
			};
		}
		first += (uint32_t)result->inputs.events.n;
	}
	string_table_deinit(&known);
}

/*
 * Returns the event of the baseline (the first recording) that EVENT of another
 * recording is compared with, or NULL. Baseline events have the first name
 * numbers, so a name number is also the index of the baseline event.
 */
static const struct compared_event *baseline_event(
	const struct difference_page *page, const struct compared_event *event)
{
	const struct compared_event *baseline = &page->events.at[event->name];

	return event->recording && !baseline->recording &&
			baseline->name == event->name
		? baseline
		: NULL;
}

static bool has_chance_bits(
	const struct difference_page *page, const struct compared_event *event)
{
	return event->name < CHANCE_EVENTS_MAX && baseline_event(page, event);
}

static void put_recording_section(
	const struct difference_page *page, struct strbuf *out)
{
	const struct diff *diff = page->diff;

	html_put_number(out, diff->style.measure);
	html_put_number(out, diff->sides.n);
	array_each(&diff->sides, side) {
		html_put_text(out, diff_side_name(diff, side));
		html_put_number(out, (uint64_t)(side->seconds * NSEC_PER_SEC));
	}
	array_each(&page->events, event) {
		html_put_number(out, event->recording);
		html_put_number(out, event->name);
		_cleanup_strbuf_ struct strbuf text = { 0 };

		array_each(&diff->events, common)
			if (event->recording &&
				common->occurrence ==
					event->input->occurrence &&
				string_is(common->name, event->input->name))
				diff_whole_put(
					diff, common, event->recording, &text);
		html_put_text(out, text.at ?: "");
	}
	html_put_text(out, page->folded.at ?: "");
	uint64_t n = 0;
	array_each(&page->events, event)
		n += has_chance_bits(page, event);
	html_put_number(out, n);
	array_each(&page->events, event) {
		struct diff_chance chance = { 0 };

		if (!has_chance_bits(page, event))
			continue;
		diff_chance_find(&page->flame,
			(struct diff_chance_side[]){
				baseline_event(page, event)->side,
				event->side },
			page->diff->style.measure, &chance);
		html_put_number(out, (uint64_t)(event - page->events.at));
		html_put_bytes(out, &chance.nodes);
		html_put_bytes(out, &chance.self);
		html_put_bytes(out, &chance.total);
		diff_chance_deinit(&chance);
	}
	uint32_t last = 0;
	array_each(&page->events, event)
		if (baseline_event(page, event))
			last = MAX(last, event->name);
	if (last >= CHANCE_EVENTS_MAX)
		log_note("only the first %u events are tested for random "
			 "differences; of other events, use the error of each "
			 "difference",
			CHANCE_EVENTS_MAX);
}

static struct error *compare_recordings(
	struct difference_page *page, struct outflow *out)
{
	struct error *err = NULL;
	size_t side;

	for (side = 0; side < page->diff->sides.n && !err; side++) {
		struct diff *diff = page->diff;
		const struct flame_config config = { .is_part = true,
			.grouping = diff->options->stacks.grouping };
		struct options *own = &page->options[side];
		struct flame_result *made = &page->made[side];

		*own = diff_side_options(diff, side);
		/* The page shows call chains, unlike the table of dwell diff. */
		own->graph.style = OPTION_GRAPH_TREE;
		own->rows.children = OPTION_DEFAULT;
		err = flame_result_make(own, &config, made);
		err = diff_check_side(
			diff, side, &made->result, !made->flame.cells.n, err);
		if (!err)
			diff_take_totals(diff, side, &made->result);
		page->results[side] = &made->result;
	}
	if (!err)
		err = diff_keep_common(page->diff);
	if (err)
		return err;
	fold_inlines(page);
	name_moved_functions(page);
	size_t n = page->diff->sides.n, i;
	struct flame_part *parts = xcalloc(n, sizeof(*parts));
	uint32_t first = 0;
	for (i = 0; i < n; i++) {
		parts[i] = (struct flame_part){ &page->made[i].flame, first };
		first += (uint32_t)page->results[i]->inputs.events.n;
	}
	flame_merge(parts, n, &page->flame);
	free(parts);
	list_compared_events(page);
	struct html_section sections[] = { { .name = "recordings" },
		{ .name = "waits" } };
	const struct html_data data = { .results = page->results,
		.n_results = page->diff->sides.n,
		.flame = &page->flame,
		.sections = sections,
		.n_sections = ARRAY_SIZE(sections) };
	put_recording_section(page, &sections[0].bytes);
	html_waits_put(&page->flame, &sections[1].bytes);
	html_write(&data, out);
	strbuf_free(&sections[0].bytes);
	strbuf_free(&sections[1].bytes);
	return NULL;
}

static struct error *run_difference_export(
	const struct options *options, int fd)
{
	struct outflow out = outflow_begin(options->output.file, &fd);
	struct diff diff;
	struct error *err = diff_begin(options, &diff);
	size_t n = diff.sides.n, i;
	struct difference_page page = { .diff = &diff,
		.options = xcalloc(n + 1, sizeof(*page.options)),
		.made = xcalloc(n + 1, sizeof(*page.made)),
		.results = xcalloc(n + 1, sizeof(*page.results)) };

	if (!err)
		err = compare_recordings(&page, &out);
	err = outflow_end(&out, err);
	array_free(&page.events);
	strbuf_free(&page.folded);
	flame_deinit(&page.flame);
	for (i = 0; i < n; i++) {
		flame_result_deinit(&page.made[i]);
		filter_names_deinit(&page.options[i].input.inputs);
	}
	free(page.options);
	free(page.made);
	free(page.results);
	diff_deinit(&diff);
	return err;
}

const struct export export_difference = { "html", false,
	run_difference_export };
