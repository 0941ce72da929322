/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_code.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "report/html/html_bytes.h"
#include "report/html/html_function.h"

/* Nobody pages through more. */
#define FUNCTIONS_MAX 1000u
/* All code that is disassembled, and text, of functions that nobody named. */
#define CODE_MOST KIB(512)
#define TEXT_MOST (400u * 1000u)
#define ASKED_TEXT_MOST (8u * 1000u * 1000u)
/* Of longer functions only what is so near to a sampled instruction. */
#define LINES_PLENTY 1500u
#define NEAR 12u
/* So much is told apart by thread and time, of the hottest. */
#define PARTS_MAX 60000u
#define TOO_LONG                                                               \
	"its code is too long for this page; dwell annotate shows it"

/* A function that is to be shown, and how hot it is where it is hottest. */
struct picked {
	const struct functions *functions;
	const struct function *function;
	double share;
};

struct putting {
	const struct html_code *code;
	uint32_t *numbers; /* by event: that in the page */
	uint32_t *functions; /* by location: function + 1 */
	struct annotator *annotator;
	ARRAY(struct picked) picked;
	struct html_parts parts; /* by number in .picked */
	size_t n_parts;		 /* that are put */
	struct html_texts texts;
	struct strbuf entries; /* of .n functions */
	uint64_t n, code_size, opened;
};

static const struct location *location_of(
	const struct putting *putting, const struct function *function)
{
	return resolver_location(
		putting->code->result->resolver, function->location);
}

/* Of two events, or of two names that were asked for. */
static bool is_same(const struct putting *putting, const struct function *a,
	const struct function *b)
{
	return location_of(putting, a)->shown_as ==
		location_of(putting, b)->shown_as &&
		build_id_equal(&a->build_id, &b->build_id);
}

/* --- which functions ------------------------------------------------------ */

static int compare_picked(const void *a, const void *b)
{
	const struct picked *left = a, *right = b;
	int order = COMPARE(right->share, left->share);

	if (!order)
		order = COMPARE(
			left->functions->event, right->functions->event);
	/* They lie in one array, in their order. */
	return order ? order : COMPARE(left->function, right->function);
}

static bool is_picked(
	const struct putting *putting, size_t n, const struct function *function)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (is_same(putting, putting->picked.at[i].function, function))
			return true;
	return false;
}

static void pick_from(
	struct putting *putting, const struct functions *functions)
{
	double least = putting->code->result->options->percent_limit;
	double whole = (double)functions->period;

	array_each(&functions->at, function) {
		double share = whole > 0 ? (double)function->period / whole : 0;

		if (100 * share >= least && function->is_asked)
			*array_push(&putting->picked) = (struct picked){
				functions, function, share };
	}
}

static void pick(struct putting *putting)
{
	const struct html_code *code = putting->code;
	uint64_t most = code->most ? MIN(code->most, (uint64_t)FUNCTIONS_MAX)
				   : FUNCTIONS_MAX;
	size_t n = code->result->inputs.events.n, i, kept = 0;

	for (i = 0; i < n; i++)
		pick_from(putting, &code->by_event[i]);
	array_sort(&putting->picked, compare_picked);
	for (i = 0; i < putting->picked.n && kept < most; i++)
		if (!is_picked(putting, kept, putting->picked.at[i].function))
			putting->picked.at[kept++] = putting->picked.at[i];
	putting->picked.n = kept;
}

/* --- what was counted ----------------------------------------------------- */

/* Of lines of source code, where there are no instructions. */
static void count_sources(
	const struct annotation *annotation, struct html_counts *counts)
{
	uint32_t i = 0;

	array_each(&annotation->sources, source) {
		if (source->samples)
			*array_push(&counts->at) = (struct html_count){ i,
				source->samples, source->period };
		i++;
	}
}

static void count_lines(const struct annotation *annotation,
	const struct function *function, struct html_counts *counts)
{
	array_each(&function->places, place) {
		uint32_t line = flow_instruction(&annotation->code,
			annotation->address + place->place);
		size_t n = counts->at.n;

		if (line == FLOW_NONE)
			continue;
		if (!n || counts->at.at[n - 1].line != line)
			array_push(&counts->at)->line = line;
		n = counts->at.n;
		counts->at.at[n - 1].samples += place->samples;
		counts->at.at[n - 1].period += place->period;
	}
}

static void find_parts(struct putting *putting, uint32_t number,
	uint32_t event, struct html_counts *counts)
{
	size_t n;
	const struct html_part *parts =
		html_parts_of(&putting->parts, number, event, &n);

	if (putting->n_parts + n > PARTS_MAX)
		return;
	putting->n_parts += n;
	counts->parts = parts;
	counts->n_parts = n;
}

/* What each event has in the function that is PICKED. */
static void count(struct putting *putting, const struct picked *picked,
	struct html_function *entry)
{
	uint32_t number = (uint32_t)(picked - putting->picked.at);
	const struct html_code *code = putting->code;
	const struct annotation *annotation = &entry->annotation;
	size_t n = code->result->inputs.events.n, i;

	for (i = 0; i < n; i++)
		array_each(&code->by_event[i].at, function) {
			struct html_counts *counts;

			if (!is_same(putting, function, picked->function))
				continue;
			counts = array_push(&entry->counts);
			counts->event = putting->numbers[i];
			counts->samples = function->samples;
			counts->period = function->period;
			if (annotation->code.at.n) {
				count_lines(annotation, function, counts);
				find_parts(putting, number, (uint32_t)i, counts);
			} else if (function == picked->function) {
				count_sources(annotation, counts);
			}
		}
}

/* What is left out is worth the line that says so. */
static void fill_gaps(bool *is_near, size_t n)
{
	size_t last = 0, i;

	for (i = 0; i < n; i++) {
		if (!is_near[i])
			continue;
		if (i - last <= NEAR)
			memset(is_near + last, true, i - last);
		last = i;
	}
}

static void find_near(struct html_function *entry)
{
	size_t n = entry->annotation.code.at.n, first, end;

	if (n <= LINES_PLENTY)
		return;
	entry->is_near = xcalloc(n, sizeof(*entry->is_near));
	array_each(&entry->counts, counts)
		array_each(&counts->at, at) {
			first = at->line > NEAR ? at->line - NEAR : 0;
			end = MIN(n, (size_t)at->line + NEAR + 1);
			memset(entry->is_near + first, true, end - first);
		}
	fill_gaps(entry->is_near, n);
}

/* --- one function --------------------------------------------------------- */

static bool is_asked(const struct putting *putting)
{
	return putting->code->result->options->functions.names.n;
}

static void put_function(
	struct putting *putting, const struct picked *picked, uint32_t number)
{
	struct annotation_wish wish = annotation_wish(
		&putting->code->result->options->annotation);
	struct html_function entry = { .number = number,
		.event = putting->numbers[picked->functions->event] };
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	size_t most = is_asked(putting) ? ASKED_TEXT_MOST : TEXT_MOST;

	wish.has_lines = true; /* in any page */
	if (is_asked(putting) || putting->code_size < CODE_MOST)
		annotation_make(putting->annotator, picked->functions,
			picked->function, &wish, &entry.annotation);
	array_each(&entry.annotation.code.at, instruction)
		putting->code_size += instruction->size;
	count(putting, picked, &entry);
	find_near(&entry);
	if (entry.annotation.result)
		html_function_put(&entry, &putting->texts, &bytes);
	if (!entry.annotation.result || putting->entries.n + bytes.n > most) {
		strbuf_clear(&bytes);
		html_function_put_problem(&entry, TOO_LONG, &bytes);
	}
	strbuf_put(&putting->entries, bytes.at, bytes.n);
	putting->n++;
	html_function_deinit(&entry);
}

/* --- all of them ---------------------------------------------------------- */

/* Events without samples aren't in a page. */
static void number_events(struct putting *putting)
{
	const struct scan *scan = &putting->code->result->scan;
	uint32_t next = 0;
	size_t i;

	putting->numbers =
		xcalloc(scan->by_event.n + 1, sizeof(*putting->numbers));
	for (i = 0; i < scan->by_event.n; i++) {
		putting->numbers[i] = next;
		next += scan->by_event.at[i].samples > 0;
	}
}

static void number_functions(struct putting *putting)
{
	const struct flame *flame = putting->code->flame;
	uint32_t n = resolver_n_locations(putting->code->result->resolver), i;

	putting->functions = xcalloc(n + 1, sizeof(*putting->functions));
	for (i = 0; i < flame->functions.n; i++)
		if (flame->functions.at[i].location)
			putting->functions[flame->functions.at[i].location -
				1] = i + 1;
}

/* Two builds that are shown as one can't be told apart by time. */
static void find_all_parts(struct putting *putting)
{
	const struct html_code *code = putting->code;
	uint32_t n = resolver_n_locations(code->result->resolver), i;
	_cleanup_free_ uint32_t *entries = xcalloc(n + 1, sizeof(*entries));
	_cleanup_free_ bool *is_there = xcalloc(n + 1, sizeof(*is_there));

	for (i = 0; i < n; i++)
		entries[i] = HTML_PARTS_NONE;
	for (i = 0; i < putting->picked.n; i++) {
		uint32_t shown = location_of(putting,
			putting->picked.at[i].function)->shown_as;

		entries[shown] = is_there[shown] ? HTML_PARTS_NONE : i;
		is_there[shown] = true;
	}
	html_parts_find(code->hits, code->result->resolver, code->slices,
		entries, &putting->parts);
}

static void put_functions(struct putting *putting)
{
	array_each(&putting->picked, picked) {
		uint32_t number = putting->functions[location_of(putting,
			picked->function)->shown_as];

		if (!number)
			continue;
		if (!putting->opened && is_asked(putting))
			putting->opened = number;
		put_function(putting, picked, number - 1);
	}
}

void html_code_put(const struct html_code *code, struct strbuf *out)
{
	struct putting putting = { .code = code,
		.annotator = annotator_create(code->result) };

	number_events(&putting);
	number_functions(&putting);
	pick(&putting);
	find_all_parts(&putting);
	put_functions(&putting);
	html_put_number(out, putting.opened);
	html_put_number(out, is_asked(&putting) ? 0 : code->most);
	html_put_number(out, putting.texts.at.n);
	array_each(&putting.texts.at, text)
		html_put_text(out, *text);
	html_put_number(out, putting.n);
	strbuf_put(out, putting.entries.at, putting.entries.n);
	annotator_destroy(putting.annotator);
	array_free(&putting.picked);
	html_parts_deinit(&putting.parts);
	html_texts_deinit(&putting.texts);
	strbuf_free(&putting.entries);
	free(putting.numbers);
	free(putting.functions);
}
