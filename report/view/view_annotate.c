/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints an annotated function as text. */
#include "config.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "report/scan/missing_samples.h"
#include "report/view/annotation_view.h"
#include "report/view/stdio_cell.h"

#define SHARE_WIDTH 8
#define COUNT_WIDTH 12
#define BYTES_SHOWN \
	8u /* width of the column of instruction bytes, in bytes; most \
	      instructions are shorter */
/* The summary leaves out source lines with a lower percentage, as perf does. */
#define SUMMARY_LEAST 0.5

/* The function that is being printed, and the widths of its columns. */
struct code_page {
	const struct annotation *annotation;
	const struct style_annotation *style;
	const struct options *options;
	int address_width, label_width;
	struct strbuf *out;
};

static struct code_page make_code_page(
	const struct annotation *annotation, struct strbuf *out)
{
	const struct options *options = annotation->result->options;
	uint64_t last = annotation->address + annotation->size;
	struct code_page page = { annotation, &options->annotation, options, 1,
		0, out };
	uint32_t label = 0, i;

	while (last >>= 4)
		page.address_width++;
	for (i = 0; i < annotation->flow.n; i++)
		label = MAX(label, annotation->flow.places[i].label);
	/* A label is printed as "L12 ": count the digits, "L" and the space. */
	for (; label; label /= 10)
		page.label_width++;
	page.label_width += page.label_width ? 2 : 0;
	return page;
}

/* --- title and summary -------------------------------------------------- */

static void put_function_title(const struct code_page *page)
{
	static const char *const kinds[] = { "local-period", "local-hits",
		"global-period", "global-hits" };
	const struct annotation *annotation = page->annotation;
	const struct style_shares *shares = &page->style->shares;
	const struct style_shares global = { true, false };
	const struct result *result = annotation->result;
	_cleanup_strbuf_ struct strbuf others = { 0 };

	strbuf_puts(page->out, "# ");
	escape_text(page->out, annotation->symbol);
	strbuf_puts(page->out, " in ");
	escape_text(page->out, annotation->dso);
	strbuf_printf(page->out, ", 0x%" PRIx64 "-0x%" PRIx64 "\n",
		annotation->address, annotation->address + annotation->size);
	resolver_put_other_names(
		result->resolver, annotation->function->location, &others);
	if (others.n) {
		strbuf_puts(page->out, "# ");
		escape_text(page->out, others.at);
		strbuf_puts(page->out, "\n");
	}
	strbuf_printf(page->out, "# %" PRIu64 " samples of event '",
		annotation->function->samples);
	escape_text(page->out,
		result->inputs.events.at[annotation->functions->event].name);
	strbuf_printf(page->out, "', %.2f%% of all (percent: %s)\n",
		annotation_share(annotation, &global,
			(struct annotation_amount){
				.period = annotation->function->period }),
		kinds[2 * shares->are_global + shares->by_samples]);
	const struct annotation_amount total =
		annotation_whole(page->annotation);

	if (page->annotation->has_totals)
		strbuf_printf(page->out,
			"# %" PRIu64
			" samples with its callees, %.2f%% of all\n",
			total.samples,
			annotation_share(page->annotation, &global, total));
	strbuf_puts(page->out, "#\n");
}

static void put_source_place(
	const struct code_page *page, const struct annotation_source *source)
{
	const char *file = source->file;

	if (!page->options->names.has_full_paths)
		file = basename(file);
	escape_text(page->out, file);
	strbuf_printf(page->out, ":%" PRIu32, source->line);
}

static void put_source_text(
	const struct code_page *page, const struct annotation_source *source)
{
	if (source->may_have_changed)
		strbuf_puts(page->out, " (?)");
	if (!source->text)
		return;
	strbuf_puts(page->out, "  ");
	escape_lines(page->out, source->text, source->size);
}

static double amount_share(
	const struct code_page *page, struct annotation_amount amount)
{
	return annotation_share(page->annotation, &page->style->shares, amount);
}

static double source_share(
	const struct code_page *page, const struct annotation_source *source)
{
	return amount_share(page,
		(struct annotation_amount){ source->samples, source->period });
}

static void put_line_share(const struct code_page *page, double share)
{
	const char *colour = stdio_cell_colour(page->options, share);

	if (share <= 0) {
		strbuf_fill(page->out, ' ', SHARE_WIDTH);
		return;
	}
	strbuf_printf(page->out, "%s%*.2f%s", colour, SHARE_WIDTH, share,
		*colour ? "\033[m" : "");
}

/* Prints the column of TOTAL, if the annotation has totals. */
static void put_line_total(
	const struct code_page *page, struct annotation_amount total)
{
	if (page->annotation->has_totals)
		put_line_share(page, amount_share(page, total));
}

/* A line of the summary. */
struct source_entry {
	const struct annotation_source *source;
	struct annotation_amount total;
};

static int compare_sources(const void *a, const void *b)
{
	const struct source_entry *left = a, *right = b;
	int order = COMPARE(right->total.period, left->total.period);

	if (!order)
		order = COMPARE(right->source->period, left->source->period);
	if (!order)
		order = strcmp(left->source->file, right->source->file);
	return order ? order : COMPARE(left->source->line, right->source->line);
}

static void put_source_summary(const struct code_page *page)
{
	const struct annotation *annotation = page->annotation;
	ARRAY(struct source_entry) sorted = { 0 };
	size_t i;

	for (i = 0; i < annotation->sources.n; i++) {
		struct source_entry entry = { &annotation->sources.at[i],
			{ 0 } };

		if (annotation->has_totals)
			entry.total = annotation->totals.sources[i];
		if (source_share(page, entry.source) >= SUMMARY_LEAST ||
			amount_share(page, entry.total) >= SUMMARY_LEAST)
			*array_push(&sorted) = entry;
	}
	array_sort(&sorted, compare_sources);
	strbuf_puts(page->out,
		annotation->has_totals
			? "#  Total    Self   Source line\n"
			  "# ......  ......   ...........\n#\n"
			: "# Percent  Source line\n# .......  ...........\n#\n");
	array_each(&sorted, entry) {
		put_line_total(page, entry->total);
		put_line_share(page, source_share(page, entry->source));
		strbuf_puts(page->out, "   ");
		put_source_place(page, entry->source);
		put_source_text(page, entry->source);
		strbuf_putc(page->out, '\n');
	}
	strbuf_putc(page->out, '\n');
	array_free(&sorted);
}

/* --- the code ------------------------------------------------------------- */

static void put_code_heads(const struct code_page *page)
{
	strbuf_puts(page->out,
		page->annotation->has_totals ? "   Total    Self" : " Percent");
	if (page->style->shows_samples)
		strbuf_printf(page->out, "%*s", COUNT_WIDTH, "Samples");
	if (page->style->shows_period)
		strbuf_printf(page->out, "%*s", COUNT_WIDTH, "Period");
	strbuf_puts(page->out, " |\n");
}

static void put_line_count(
	const struct code_page *page, bool is_shown, uint64_t n)
{
	if (is_shown && n)
		strbuf_printf(page->out, "%*" PRIu64, COUNT_WIDTH, n);
	else if (is_shown)
		strbuf_fill(page->out, ' ', COUNT_WIDTH);
}

static void put_line_numbers(const struct code_page *page,
	struct annotation_amount total, struct annotation_amount self)
{
	put_line_total(page, total);
	put_line_share(page, amount_share(page, self));
	put_line_count(page, page->style->shows_samples, self.samples);
	put_line_count(page, page->style->shows_period, self.period);
	strbuf_puts(page->out, " |");
}

static void put_no_numbers(const struct code_page *page)
{
	const struct annotation_amount none = { 0 };

	put_line_numbers(page, none, none);
}

/*
 * Prints the numbers of the instructions from I on that have the same source line, if
 * there are totals.
 */
static void put_run_numbers(const struct code_page *page, size_t i)
{
	const struct annotation *annotation = page->annotation;
	const struct annotation_amount *before = annotation->before;
	struct annotation_amount self;
	size_t end = i + 1;

	if (!annotation->has_totals) {
		put_no_numbers(page);
		return;
	}
	while (end < annotation->lines.n &&
		annotation->lines.at[end].source != ANNOTATION_NONE &&
		!annotation_begins_run(annotation, end))
		end++;
	self = (struct annotation_amount){ before[end].samples -
			before[i].samples,
		before[end].period - before[i].period };
	put_line_numbers(page, annotation->totals.runs[i], self);
}

static void put_block_counts(const struct code_page *page, size_t i)
{
	const struct annotation *annotation = page->annotation;
	uint32_t number = annotation->flow.places[i].block;
	const struct branch_block *block;

	if (!annotation->blocks ||
		annotation->flow.blocks.at[number].first != i)
		return;
	block = &annotation->blocks[number];
	if (!block->entered && !block->taken && !block->not_taken)
		return;
	put_no_numbers(page);
	strbuf_printf(
		page->out, " ; entered %" PRIu64 " times", block->entered);
	if (block->taken || block->not_taken)
		strbuf_printf(page->out,
			"; jump taken %" PRIu64 ", not taken %" PRIu64
			", mispredicted %" PRIu64,
			block->taken, block->not_taken, block->mispredicted);
	if (block->timed)
		strbuf_printf(page->out, "; %.1f cycles",
			block->cycles / (double)block->timed);
	strbuf_putc(page->out, '\n');
}

static void put_code_bytes(
	const struct code_page *page, const struct instruction *instruction)
{
	const struct annotation *annotation = page->annotation;
	const uint8_t *at = annotation->bytes +
		(instruction->address - annotation->address);
	size_t i;

	if (!page->style->has_bytes)
		return;
	for (i = 0; i < MAX((size_t)instruction->size, (size_t)BYTES_SHOWN);
		i++)
		if (i < instruction->size)
			strbuf_printf(page->out, "%02x ", at[i]);
		else
			strbuf_puts(page->out, "   ");
	strbuf_putc(page->out, ' ');
}

/*
 * Prints the jump target of instruction I: the label, or address and name if
 * the target is outside of the function. For accessed data, prints address and
 * name.
 */
static void put_text_jump_target(const struct code_page *page, size_t i)
{
	const struct annotation *annotation = page->annotation;
	const struct instruction *at = &annotation->code.at.at[i];
	const char *name = annotation->lines.at[i].target;
	uint32_t inside = annotation->flow.places[i].target;
	const char *text = disassembly_text(&annotation->code, at);

	if (!at->has_target && !at->has_data)
		return;
	if (inside != FLOW_NONE) {
		strbuf_printf(page->out, "%*sL%" PRIu32,
			(int)MAX(1, 7 - (int)strlen(text)), "",
			annotation->flow.places[inside].label);
		return;
	}
	if (at->has_target)
		strbuf_printf(page->out, "%*s%" PRIx64,
			(int)MAX(1, 7 - (int)strlen(text)), "", at->target);
	else
		strbuf_printf(page->out, "  # %" PRIx64, at->data);
	if (!name)
		return;
	strbuf_puts(page->out, " <");
	escape_text(page->out, name);
	strbuf_putc(page->out, '>');
}

static void put_instruction_line(const struct code_page *page, size_t i)
{
	const struct annotation *annotation = page->annotation;
	const struct instruction *at = &annotation->code.at.at[i];
	const struct annotation_line *line = &annotation->lines.at[i];
	const struct annotation_amount none = { 0 };
	const struct annotation_amount self = { line->samples, line->period };

	put_line_numbers(page,
		annotation->has_totals ? annotation->totals.lines[i] : none,
		self);
	strbuf_printf(page->out, "  %*" PRIx64 "  ", page->address_width,
		at->address);
	put_code_bytes(page, at);
	char label[16] = "";

	if (annotation->flow.places[i].label)
		snprintf(label, sizeof(label), "L%" PRIu32,
			annotation->flow.places[i].label);
	if (page->label_width)
		strbuf_printf(page->out, "%-*s", page->label_width, label);
	/*
	 * Draw the jump arrows beside instruction I: each lane from left to
	 * right, then the end of an arrow that leads from or to instruction I.
	 */
	const struct flow *flow = &page->annotation->flow;
	const struct flow_place *place = &flow->places[i];
	bool is_target = place->label, leads = false;
	size_t lane;

	for (lane = flow->n_lanes; lane-- > 0;) {
		enum flow_arrow arrow = place->arrows[lane];
		char between = leads ? '-' : ' ';

		leads |= arrow == FLOW_TOP || arrow == FLOW_BOTTOM;
		strbuf_putc(page->out,
			arrow == FLOW_PASS	       ? '|'
				: arrow == FLOW_TOP    ? '.'
				: arrow == FLOW_BOTTOM ? '\''
						       : between);
	}
	if (flow->n_lanes)
		strbuf_puts(page->out,
			!leads		    ? "   "
				: is_target ? "-> "
					    : "-- ");
	strbuf_puts(page->out, disassembly_text(&annotation->code, at));
	put_text_jump_target(page, i);
	strbuf_putc(page->out, '\n');
}

static void put_function_code(const struct code_page *page)
{
	const struct annotation *annotation = page->annotation;
	size_t i;

	put_code_heads(page);
	for (i = 0; i < annotation->code.at.n; i++) {
		/*
		 * Print the source line of instruction I, unless the
		 * instruction before has the same source line.
		 */
		const struct annotation_line *line = &annotation->lines.at[i];

		if (page->style->has_source &&
			annotation_begins_run(annotation, i)) {
			put_run_numbers(page, i);
			strbuf_putc(page->out, ' ');
			put_source_place(
				page, &annotation->sources.at[line->source]);
			if (line->inlined) {
				strbuf_puts(page->out, " (inlined ");
				escape_text(page->out, line->inlined);
				strbuf_putc(page->out, ')');
			}
			put_source_text(
				page, &annotation->sources.at[line->source]);
			strbuf_putc(page->out, '\n');
		}
		/*
		 * Print the size and share of the loop whose first instruction
		 * is I.
		 */
		const struct flow *flow = &annotation->flow;
		size_t number =
			array_count_before(&flow->loops, one, one->head < i);
		const struct flow_loop *loop;

		if (number != flow->loops.n &&
			flow->loops.at[number].head == i) {
			loop = &flow->loops.at[number];
			put_no_numbers(page);
			strbuf_printf(page->out,
				" ; loop of %" PRIu32 " instructions, %.2f%%\n",
				loop->last - loop->head + 1,
				annotation_loop_share(annotation,
					&page->style->shares, loop));
		}
		put_block_counts(page, i);
		put_instruction_line(page, i);
	}
	if (annotation->is_cut)
		strbuf_puts(page->out,
			"# The rest of the function's code is not shown.\n");
}

static void put_function_text(const struct annotation *annotation,
	bool is_first _unused_, struct strbuf *out)
{
	const struct code_page page = make_code_page(annotation, out);

	put_function_title(&page);
	if (page.annotation->problem) {
		strbuf_puts(page.out, "# ");
		escape_text(page.out, page.annotation->problem->text);
		strbuf_putc(page.out, '\n');
	}
	if (annotation->sources.n &&
		(page.style->has_summary ||
			(page.style->has_source && !annotation->code.at.n)))
		put_source_summary(&page);
	if (annotation->code.at.n)
		put_function_code(&page);
	strbuf_puts(out, "\n\n");
}

/* --- the source file ------------------------------------------------------ */

static uint64_t source_weight(const struct annotation *annotation, size_t i)
{
	return annotation->has_totals ? annotation->totals.sources[i].period
				      : annotation->sources.at[i].period;
}

/* Returns the index of the hottest source line with a text, or ANNOTATION_NONE. */
static uint32_t find_hottest_source(const struct annotation *annotation)
{
	const struct annotation_source *sources = annotation->sources.at, *best;
	uint32_t found = ANNOTATION_NONE, i;

	for (i = 0; i < annotation->sources.n; i++) {
		if (!sources[i].text)
			continue;
		best = found == ANNOTATION_NONE ? NULL : &sources[found];
		if (!best || (best->is_of_system && !sources[i].is_of_system) ||
			(best->is_of_system == sources[i].is_of_system &&
				source_weight(annotation, i) >
					source_weight(annotation, found)))
			found = i;
	}
	return found;
}

/* Prints the numbers of source line NUMBER, if not ANNOTATION_NONE. */
static void put_source_numbers(const struct code_page *page, uint32_t number)
{
	const struct annotation *annotation = page->annotation;
	const struct annotation_source *source = number == ANNOTATION_NONE
		? NULL
		: &annotation->sources.at[number];
	struct annotation_amount total = { 0 }, self = { 0 };

	if (source && annotation->has_totals)
		total = annotation->totals.sources[number];
	if (source)
		self = (struct annotation_amount){ source->samples,
			source->period };
	put_line_numbers(page, total, self);
}

void annotation_put_source_file(
	const struct annotation *annotation, struct strbuf *out)
{
	const struct code_page page = make_code_page(annotation, out);
	uint32_t hottest = find_hottest_source(annotation), line, i;
	const struct annotation_source *source;
	_cleanup_free_ uint32_t *numbers =
		NULL; /* by line: of the source line + 1 */
	size_t size;

	if (hottest == ANNOTATION_NONE)
		return;
	source = &annotation->sources.at[hottest];
	numbers = xcalloc(ANNOTATION_FILE_LINES + 1, sizeof(*numbers));
	for (i = 0; i < annotation->sources.n; i++)
		if (annotation->sources.at[i].line <= ANNOTATION_FILE_LINES &&
			string_is(annotation->sources.at[i].file, source->file))
			numbers[annotation->sources.at[i].line] = i + 1;
	strbuf_puts(out, "# ");
	escape_text(out, source->file);
	strbuf_putc(out, '\n');
	put_code_heads(&page);
	for (line = 1; line <= ANNOTATION_FILE_LINES; line++) {
		const char *text =
			annotation_file_line(annotation, source, line, &size);

		if (!text && !source->is_recorded)
			break;
		if (!text)
			continue;
		put_source_numbers(&page,
			numbers[line] ? numbers[line] - 1 : ANNOTATION_NONE);
		strbuf_printf(out, "  %5" PRIu32 "  ", line);
		escape_lines(out, text, size);
		strbuf_putc(out, '\n');
	}
	strbuf_putc(out, '\n');
}

static void end_function_text(struct strbuf *out _unused_)
{
}

const struct annotation_view annotation_view_stdio = { "stdio",
	missing_damage_put_lines, put_function_text, end_function_text };
