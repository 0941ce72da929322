/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_code.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "report/flame/flame_result.h"
#include "report/html/html_bytes.h"
#include "report/html/html_function.h"
#include "report/util/string_table.h"

/* --- samples by address, thread and time --------------------------------- */

/*
 * Finds the samples of the functions in the section "code" by address, thread
 * and time. Input are the sampled addresses of a result; the output refers to
 * the cells of its flame graph for thread and time.
 */

/* The entry of a function that is not in the section. */
#define HTML_PARTS_NONE UINT32_MAX

struct html_parts {
	ARRAY(struct html_part) at; /* sorted by all members */
};

/* What the samples are taken from; borrowed. */
struct html_parts_source {
	const struct result *result;
	const struct flame *flame;
	const struct flame_slices *slices;
};

/* A part before its cell is known. */
struct timed_part {
	struct html_part part;
	uint32_t slice;
	struct thread_ids ids;
};

static int compare_thread_times(const void *a, const void *b)
{
	const struct timed_part *left = a, *right = b;
	int order = COMPARE(left->part.event, right->part.event);

	if (!order)
		order = COMPARE(left->slice, right->slice);
	return order ? order : thread_ids_compare(&left->ids, &right->ids);
}

static int compare_html_parts(const void *a, const void *b)
{
	const struct html_part *left = a, *right = b;
	int order = COMPARE(left->entry, right->entry);

	if (!order)
		order = COMPARE(left->event, right->event);
	if (!order)
		order = COMPARE(left->cell, right->cell);
	return order ? order : COMPARE(left->place, right->place);
}

/* Compares the event, slice and thread of CELL with those of PART. */
static int compare_cell_part(const struct flame *flame,
	const struct flame_cell *cell, const struct timed_part *part)
{
	const struct flame_task *task = &flame->tasks.at[cell->task];
	int order = COMPARE(cell->event, part->part.event);

	if (!order)
		order = COMPARE(cell->slice, part->slice);
	return order ? order : thread_ids_compare(&task->ids, &part->ids);
}

/*
 * Moves PARTS, which are sorted, to RET with the cell of each: the first
 * cell of its event, slice and thread. Cells are in the same order. The cells
 * of an event are numbered from 0.
 */
static void find_part_cells(const struct html_parts_source *source,
	const struct timed_part *parts, size_t n, struct html_parts *ret)
{
	const struct flame *flame = source->flame;
	size_t cell = 0, first = 0, i;

	for (i = 0; i < n; i++) {
		struct html_part part = parts[i].part;

		while (cell < flame->cells.n &&
			compare_cell_part(
				flame, &flame->cells.at[cell], &parts[i]) < 0)
			cell++;
		if (cell == flame->cells.n)
			return;
		while (flame->cells.at[first].event < part.event)
			first++;
		part.cell = (uint32_t)(cell - first);
		if (!compare_cell_part(
			    flame, &flame->cells.at[cell], &parts[i]))
			*array_push(&ret->at) = part;
	}
}

struct timed_parts {
	ARRAY(struct timed_part) at;
};

/*
 * Adds HIT to PARTS if its function is in the page: all its samples, or only
 * the sample with TIME, if not NULL.
 */
static void add_timed_part(const struct html_parts_source *source,
	const uint32_t *entries, const struct sample_address *hit,
	const struct stack_time *time, struct timed_parts *parts)
{
	const struct sample_thread_time *when =
		&source->result->hits.whens.at[hit->when];
	uint32_t entry = entries[resolver_location(
		source->result->resolver, hit->location)
					 ->shown_as];

	if (entry == HTML_PARTS_NONE)
		return;
	*array_push(&parts->at) = (struct timed_part){
		.part = { .entry = entry,
			.event = hit->event,
			.place = hit->place,
			.samples = time ? 1 : hit->samples,
			.period = time ? time->period : hit->period },
		.slice = flame_slice(
			source->slices, time ? time->time : when->time),
		.ids = when->ids,
	};
}

/*
 * Fills RET, which the caller frees with array_free(&RET->at). ENTRIES has, for
 * each location, the index of its function in the section, or HTML_PARTS_NONE.
 */
static void html_parts_find(const struct html_parts_source *source,
	const uint32_t *entries, struct html_parts *ret)
{
	const struct sample_addresses *hits = &source->result->hits;
	const struct stacks *stacks = &source->result->scan.stacks;
	struct timed_parts parts = { 0 };
	size_t i;

	*ret = (struct html_parts){ 0 };
	for (i = 0; i < hits->by_sample.n; i++)
		if (hits->by_sample.at[i] != HASH_NONE)
			add_timed_part(source, entries,
				&hits->at.at[hits->by_sample.at[i]],
				&stacks->times.at[i], &parts);
	for (i = 0; !hits->by_sample.n && i < hits->at.n; i++)
		add_timed_part(source, entries, &hits->at.at[i], NULL, &parts);
	array_sort(&parts.at, compare_thread_times);
	find_part_cells(source, parts.at.at, parts.at.n, ret);
	array_free(&parts.at);
	array_sort(&ret->at, compare_html_parts);
}

static size_t count_parts_before(
	const struct html_parts *found, uint32_t entry, uint64_t event)
{
	return array_count_before(&found->at, part,
		part->entry < entry ||
			(part->entry == entry && part->event < event));
}

/*
 * Returns the first of the *N_RET elements of FOUND with ENTRY and EVENT, or
 * NULL if there are none.
 */
static const struct html_part *html_parts_of(const struct html_parts *found,
	uint32_t entry, uint32_t event, size_t *n_ret)
{
	size_t first = count_parts_before(found, entry, event);

	*n_ret = count_parts_before(found, entry, (uint64_t)event + 1) - first;
	return *n_ret ? &found->at.at[first] : NULL;
}

/* --- the section --------------------------------------------------------- */

#define PAGE_FUNCTIONS_MAX 1000u
/*
 * Limits of disassembled bytes, and of the text of all functions, in bytes.
 * CHOSEN_TEXT_SIZE_MAX is the only size limit if the options name functions.
 */
#define CODE_SIZE_MAX KIB(512)
#define TEXT_SIZE_MAX (400u * 1000u)
#define CHOSEN_TEXT_SIZE_MAX (8u * 1000u * 1000u)
/*
 * Of functions with more than SHOWN_LINES_MAX instructions, only NEAR_LINES
 * instructions before and after each sampled instruction are written.
 */
#define SHOWN_LINES_MAX 1500u
#define NEAR_LINES 12u
/* Limit of the text of all source files, in bytes. */
#define FILES_SIZE_MAX (500u * 1000u)
/*
 * Maximum number of struct html_part that are written; further functions have
 * no samples by thread and time.
 */
#define PARTS_MAX 1000000u
#define TOO_LONG_PROBLEM \
	"the code is too long for this page; use dwell annotate"

/*
 * A function of the page. .share is its part of the event in which it has the
 * largest part, from 0 to 1; .total the same with its callees.
 */
struct shown_function {
	const struct functions *functions;
	const struct function *function;
	double share, total;
};

struct shown_functions {
	ARRAY(struct shown_function) at;
};

struct code_writer {
	const struct html_code *code;
	uint32_t *numbers;   /* for each event: its number in the page; owned */
	uint32_t *functions; /* for each location number: index of its function
			      * in the page + 1, or 0; owned */
	struct annotation_maker *annotator;
	struct shown_functions shown;
	struct html_parts parts; /* html_part.entry is an index in .shown.at */
	size_t n_parts; /* number of elements of .parts written so far */
	struct html_texts texts;
	struct strbuf entries; /* text of the .n functions written so far */
	uint64_t n, code_size, opened;
	size_t text_size; /* bytes of .entries without those of samples */
	struct string_table
		seen_files;  /* names of files in .files or above its limit */
	struct strbuf files; /* the .n_files files written so far */
	uint64_t n_files;
};

static const struct location *function_location(
	const struct code_writer *writer, const struct function *function)
{
	return resolver_location(
		writer->code->result->resolver, function->location);
}

/*
 * Returns whether A and B are the same code. Two events, or two names in the
 * options, can have the same function.
 */
static bool has_same_code(const struct code_writer *writer,
	const struct function *a, const struct function *b)
{
	return function_location(writer, a)->shown_as ==
		function_location(writer, b)->shown_as &&
		build_id_equal(&a->build_id, &b->build_id);
}

/* --- choosing functions -------------------------------------------------- */

static int compare_functions_at(
	const struct shown_function *left, const struct shown_function *right)
{
	int order = COMPARE(left->functions->event, right->functions->event);

	/* The functions of an event are in one array: compare pointers. */
	return order ? order : COMPARE(left->function, right->function);
}

static int compare_shown_functions(const void *a, const void *b)
{
	const struct shown_function *left = a, *right = b;
	int order = COMPARE(right->share, left->share);

	return order ? order : compare_functions_at(left, right);
}

static int compare_shown_totals(const void *a, const void *b)
{
	const struct shown_function *left = a, *right = b;
	int order = COMPARE(right->total, left->total);

	return order ? order : compare_functions_at(left, right);
}

static bool has_shown_function(
	const struct code_writer *writer, const struct function *function)
{
	array_each(&writer->shown.at, shown)
		if (has_same_code(writer, shown->function, function))
			return true;
	return false;
}

/*
 * Fills .shown: the functions with the most samples of their own, and as many with the
 * most samples with their callees.
 */
static void choose_shown_functions(struct code_writer *writer)
{
	const struct html_code *code = writer->code;
	uint64_t most = code->most
		? MIN(code->most, (uint64_t)PAGE_FUNCTIONS_MAX)
		: PAGE_FUNCTIONS_MAX;
	size_t n = code->result->inputs.events.n, i;
	struct shown_functions all = { 0 };

	for (i = 0; i < n; i++) {
		const struct functions *functions = &code->by_event[i];
		double least = code->result->options->rows.percent_limit;
		double whole = (double)functions->period;

		array_each(&functions->at, function) {
			double share = whole > 0
				? (double)function->period / whole
				: 0;
			double total = whole > 0
				? (double)function->total_period / whole
				: 0;

			if (100 * MAX(share, total) >= least &&
				function->is_selected)
				*array_push(&all.at) =
					(struct shown_function){ functions,
						function, share, total };
		}
	}
	array_sort(&all.at, compare_shown_functions);
	array_each(&all.at, one)
		if (one->share > 0 && writer->shown.at.n < most &&
			!has_shown_function(writer, one->function))
			*array_push(&writer->shown.at) = *one;
	most += writer->shown.at.n;
	array_sort(&all.at, compare_shown_totals);
	array_each(&all.at, one)
		if (one->total > 0 && writer->shown.at.n < most &&
			!has_shown_function(writer, one->function))
			*array_push(&writer->shown.at) = *one;
	array_free(&all.at);
}

/* --- samples ------------------------------------------------------------- */

/*
 * Adds the samples of each source line to COUNTS, for functions whose
 * instructions are not known.
 */
static void add_source_counts(
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

static void add_instruction_counts(const struct annotation *annotation,
	const struct function *function, struct html_counts *counts)
{
	array_each(&function->places, place) {
		uint32_t line = flow_instruction(
			&annotation->code, annotation->address + place->place);
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

static void add_function_parts(struct code_writer *writer, uint32_t number,
	uint32_t event, struct html_counts *counts)
{
	size_t n;
	const struct html_part *parts =
		html_parts_of(&writer->parts, number, event, &n);

	if (writer->n_parts + n > PARTS_MAX)
		return;
	writer->n_parts += n;
	counts->parts = parts;
	counts->n_parts = n;
}

/*
 * Adds the totals of FUNCTION to COUNTS. Without instructions, only the annotated event
 * has those of source lines.
 */
static void add_totals(struct html_function *entry,
	const struct function *function, bool is_annotated,
	struct html_counts *counts)
{
	struct annotation *annotation = &entry->annotation;

	counts->total = (struct annotation_amount){ function->total_samples,
		function->total_period };
	if (!counts->total.samples || !annotation->result)
		return;
	if (annotation->code.at.n) {
		annotation_totals_count(annotation, function, &counts->totals);
	} else if (is_annotated) {
		counts->totals = annotation->totals;
		annotation->totals = (struct annotation_totals){ 0 };
	}
}

/* Adds the counts of each event in the function SHOWN to ENTRY. */
static void count_function(struct code_writer *writer,
	const struct shown_function *shown, struct html_function *entry)
{
	uint32_t number = (uint32_t)(shown - writer->shown.at.at);
	const struct html_code *code = writer->code;
	const struct annotation *annotation = &entry->annotation;
	size_t n = code->result->inputs.events.n, i;

	for (i = 0; i < n; i++)
		array_each(&code->by_event[i].at, function) {
			struct html_counts *counts;

			if (!has_same_code(writer, function, shown->function))
				continue;
			counts = array_push(&entry->counts);
			counts->event = writer->numbers[i];
			counts->samples = function->samples;
			counts->period = function->period;
			add_totals(entry, function, function == shown->function,
				counts);
			if (annotation->code.at.n) {
				add_instruction_counts(
					annotation, function, counts);
				add_function_parts(
					writer, number, (uint32_t)i, counts);
			} else if (function == shown->function) {
				add_source_counts(annotation, counts);
			}
		}
}

/*
 * Marks short gaps between near lines as near, too: only gaps of at least
 * NEAR_LINES lines are left out.
 */
static void fill_near_gaps(bool *is_near, size_t n)
{
	size_t last = 0, i;

	for (i = 0; i < n; i++) {
		if (!is_near[i])
			continue;
		if (i - last <= NEAR_LINES)
			memset(is_near + last, true, i - last);
		last = i;
	}
}

static void mark_near_lines(struct html_function *entry, size_t line)
{
	size_t first = line > NEAR_LINES ? line - NEAR_LINES : 0;
	size_t end = MIN(entry->annotation.code.at.n, line + NEAR_LINES + 1);

	memset(entry->is_near + first, true, end - first);
}

static void find_near_lines(struct html_function *entry)
{
	size_t n = entry->annotation.code.at.n, i;

	if (n <= SHOWN_LINES_MAX)
		return;
	entry->is_near = xcalloc(n, sizeof(*entry->is_near));
	array_each(&entry->counts, counts) {
		array_each(&counts->at, at)
			mark_near_lines(entry, at->line);
		for (i = 0; counts->totals.lines && i < n; i++)
			if (counts->totals.lines[i].samples)
				mark_near_lines(entry, i);
	}
	fill_near_gaps(entry->is_near, n);
}

/* --- one function -------------------------------------------------------- */

static bool has_chosen_functions(const struct code_writer *writer)
{
	return writer->code->result->options->code.functions.names.n;
}

/*
 * Appends the file of SOURCE, a line of ANNOTATION, to the files, unless the
 * text would be too long.
 */
static void put_source_file(struct code_writer *writer,
	const struct annotation *annotation,
	const struct annotation_source *source)
{
	_cleanup_strbuf_ struct strbuf lines = { 0 };
	uint32_t known = 0, line;
	size_t size, end = 0;

	for (line = 1; line <= ANNOTATION_FILE_LINES; line++) {
		const char *text =
			annotation_file_line(annotation, source, line, &size);

		if (!text && !source->is_recorded)
			break;
		html_put_number(&lines, text != NULL);
		if (!text)
			continue;
		html_put_source(&lines, text, size);
		known = line;
		end = lines.n;
		if (writer->files.n + end > FILES_SIZE_MAX)
			return;
	}
	html_put_text(&writer->files, source->file);
	html_put_number(&writer->files, known);
	strbuf_put(&writer->files, lines.at, end);
	writer->n_files++;
}

static void put_page_function(struct code_writer *writer,
	const struct shown_function *shown, uint32_t number)
{
	struct annotation_config config =
		annotation_config(&writer->code->result->options->annotation);
	struct html_function entry = { .number = number,
		.event = writer->numbers[shown->functions->event] };
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	size_t most = has_chosen_functions(writer) ? CHOSEN_TEXT_SIZE_MAX
						   : TEXT_SIZE_MAX;
	size_t size = 0;

	config.has_lines = true;
	if (has_chosen_functions(writer) || writer->code_size < CODE_SIZE_MAX)
		annotation_make(writer->annotator, shown->functions,
			shown->function, &config, &entry.annotation);
	array_each(&entry.annotation.code.at, instruction)
		writer->code_size += instruction->size;
	count_function(writer, shown, &entry);
	find_near_lines(&entry);
	if (entry.annotation.result)
		size = html_function_put(&entry, &writer->texts, &bytes);
	if (!entry.annotation.result || writer->text_size + size > most) {
		strbuf_clear(&bytes);
		html_function_put_problem(&entry, TOO_LONG_PROBLEM, &bytes);
		size = bytes.n;
	}
	if (entry.annotation.result) {
		/* Append the source files, except those of the system. */
		array_each(&entry.annotation.sources, source) {
			uint32_t n = (uint32_t)writer->seen_files.at.n;

			if (source->text && !source->is_of_system &&
				string_table_intern(
					&writer->seen_files, source->file) >= n)
				put_source_file(
					writer, &entry.annotation, source);
		}
	}
	writer->text_size += size;
	strbuf_put(&writer->entries, bytes.at, bytes.n);
	writer->n++;
	html_function_deinit(&entry);
}

/* --- all functions ------------------------------------------------------- */

static void number_page_functions(struct code_writer *writer)
{
	const struct flame *flame = writer->code->flame;
	uint32_t n = resolver_n_locations(writer->code->result->resolver), i;

	writer->functions = xcalloc(n + 1, sizeof(*writer->functions));
	for (i = 0; i < flame->functions.n; i++)
		if (flame->functions.at[i].location)
			writer->functions[flame->functions.at[i].location - 1] =
				i + 1;
}

/*
 * Fills .parts. If two builds of a function are shown as the same location,
 * both have no parts: hits do not distinguish the builds.
 */
static void find_page_parts(struct code_writer *writer)
{
	uint32_t n = resolver_n_locations(writer->code->result->resolver), i;
	_cleanup_free_ uint32_t *entries = xcalloc(n + 1, sizeof(*entries));
	_cleanup_free_ bool *has_entry = xcalloc(n + 1, sizeof(*has_entry));

	for (i = 0; i < n; i++)
		entries[i] = HTML_PARTS_NONE;
	for (i = 0; i < writer->shown.at.n; i++) {
		uint32_t shown = function_location(
			writer, writer->shown.at.at[i].function)
					 ->shown_as;

		entries[shown] = has_entry[shown] ? HTML_PARTS_NONE : i;
		has_entry[shown] = true;
	}
	html_parts_find(&(struct html_parts_source){ writer->code->result,
				writer->code->flame, writer->code->slices },
		entries, &writer->parts);
}

void html_code_put(const struct html_code *code, struct strbuf *out)
{
	struct code_writer writer = { .code = code,
		.annotator = annotation_maker_create(code->result) };

	/* The page contains only events with samples. */
	const struct scan *scan = &writer.code->result->scan;
	uint32_t next = 0;
	size_t i;

	writer.numbers = xcalloc(scan->by_event.n + 1, sizeof(*writer.numbers));
	for (i = 0; i < scan->by_event.n; i++) {
		writer.numbers[i] = next;
		next += scan->by_event.at[i].samples > 0;
	}
	number_page_functions(&writer);
	choose_shown_functions(&writer);
	find_page_parts(&writer);
	array_each(&writer.shown.at, shown) {
		uint32_t number = writer.functions[function_location(
			&writer, shown->function)
							   ->shown_as];

		if (!number)
			continue;
		if (!writer.opened &&
			(has_chosen_functions(&writer) ||
				writer.code->result->options->count
					.is_for_code))
			writer.opened = number;
		put_page_function(&writer, shown, number - 1);
	}
	html_put_number(out, writer.opened);
	html_put_number(out, has_chosen_functions(&writer) ? 0 : code->most);
	html_put_number(out, writer.texts.at.n);
	array_each(&writer.texts.at, text)
		html_put_text(out, *text);
	html_put_number(out, writer.n);
	strbuf_put(out, writer.entries.at, writer.entries.n);
	html_put_number(out, writer.n_files);
	strbuf_put(out, writer.files.at, writer.files.n);
	annotation_maker_report_missing(writer.annotator);
	annotation_maker_destroy(writer.annotator);
	array_free(&writer.shown.at);
	array_free(&writer.parts.at);
	html_texts_deinit(&writer.texts);
	strbuf_free(&writer.entries);
	strbuf_free(&writer.files);
	string_table_deinit(&writer.seen_files);
	free(writer.numbers);
	free(writer.functions);
}
