/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_data.h"

#include "report/flame/flame_colour.h"
#include "report/html/html_bytes.h"
#include "report/html/html_facts.h"
#include "report/html/html_page.h"
#include "report/resolve/resolve.h"
#include "report/transform/waits_in.h"
#include "report/util/glue.h"
#include "report/util/string_table.h"

#define PART_SIZE KIB(64)
/* Bytes per line of base64, a multiple of 3. */
#define LINE_BYTES 57u

struct data_writer {
	const struct html_data *data;
	struct deflate *out;
	struct strbuf part;
};

static void flush_part(struct data_writer *writer)
{
	if (writer->part.n < PART_SIZE)
		return;
	deflate_put(writer->out, writer->part.at, writer->part.n);
	strbuf_clear(&writer->part);
}

static void put_data_number(struct data_writer *writer, uint64_t number)
{
	html_put_number(&writer->part, number);
	flush_part(writer);
}

static void put_data_text(struct data_writer *writer, const char *text)
{
	html_put_text(&writer->part, text);
	flush_part(writer);
}

/* --- times and functions ------------------------------------------------- */

/* Slices begin with a bin. */
static uint64_t first_time_bin(const struct html_data *data)
{
	return data->slices->first / data->time_bins->bin_ns;
}

static void put_time_axis(struct data_writer *writer)
{
	const struct html_data *data = writer->data;
	const struct time_bins *time_bins = data->time_bins;
	const struct flame_slices *slices = data->slices;
	bool has_times = time_bins && slices->length;
	uint64_t bins =
		has_times ? time_bins->last - first_time_bin(data) + 1 : 0;

	put_data_number(writer, has_times ? slices->first : 0);
	put_data_number(writer, has_times ? slices->length : 0);
	put_data_number(writer,
		has_times ? (time_bins->last_time - slices->first) /
					slices->length +
				1
			  : 0);
	put_data_number(writer, has_times ? time_bins->bin_ns : 0);
	put_data_number(writer, bins);
	put_data_number(writer,
		data->n_results == 1 && data->results[0]->options->time.counted
			? 1 +
				(uint64_t)(data->results[0]->seconds *
					NSEC_PER_SEC)
			: 0);
}

static void put_source_files(
	struct data_writer *writer, const struct resolver_line *lines, size_t n)
{
	struct string_table files = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		if (lines[i].file)
			string_table_intern(&files, lines[i].file);
	put_data_number(writer, files.at.n);
	array_each(&files.at, file)
		put_data_text(writer, *file);
	for (i = 0; i < n; i++) {
		put_data_number(writer,
			lines[i].file
				? 1 + string_table_intern(&files, lines[i].file)
				: 0);
		put_data_number(writer, lines[i].line);
	}
	string_table_deinit(&files);
}

static void put_flame_functions(struct data_writer *writer)
{
	const struct html_data *data = writer->data;
	const struct flame *flame = data->flame;
	size_t n = flame->functions.n, i;
	struct flame_colouring colours;
	_cleanup_free_ struct resolver_line *lines =
		xcalloc(n + 1, sizeof(*lines));

	flame_colours(flame, &colours);
	put_data_number(writer, colours.names.at.n);
	array_each(&colours.names.at, name)
		put_data_text(writer, *name);
	put_data_number(writer, n);
	for (i = 0; i < n; i++) {
		const struct flame_function *function = &flame->functions.at[i];
		uint8_t colour = colours.by_dso[i];
		_cleanup_strbuf_ struct strbuf names = { 0 };
		/* of the program or its JIT code, not of libraries */
		bool is_own = !function->is_unknown &&
			(colour == FLAME_COLOUR_JIT ||
				(colour == FLAME_COLOUR_PROGRAM &&
					!waits_in_is_runtime_file(
						function->dso)));

		put_data_text(writer, function->name);
		put_data_text(writer, function->dso);
		put_data_number(writer, (uint8_t)function->level);
		put_data_number(writer, colours.module[i]);
		put_data_number(writer, colours.by_module[i]);
		put_data_number(writer, colour);
		/* Functions of several recordings have no location, and no other names. */
		if (function->location)
			resolver_put_other_names(data->results[0]->resolver,
				function->location - 1, &names);
		put_data_text(writer, names.at ?: "");
		put_data_number(writer,
			(function->is_inlined ? 1u : 0) |
				(glue_is_name(function->name) ? 2u : 0) |
				(function->is_guessed ? 4u : 0) |
				(is_own ? 8u : 0));
	}
	flame_colouring_deinit(&colours);
	/* The functions of a comparison are those of several recordings. */
	for (i = 0; i < n && data->n_results == 1; i++)
		if (flame->functions.at[i].location)
			lines[i] =
				resolver_declaration(data->results[0]->resolver,
					flame->functions.at[i].location - 1);
	put_source_files(writer, lines, n);
}

/* The depth of a node is the depth of its parent + 1. */
static void put_flame_nodes(struct data_writer *writer)
{
	const struct flame *flame = writer->data->flame;
	uint32_t *depths = xcalloc(flame->nodes.n + 1, sizeof(*depths));
	size_t i;

	put_data_number(writer, flame->nodes.n);
	for (i = 0; i < flame->nodes.n; i++) {
		const struct flame_node *node = &flame->nodes.at[i];

		depths[i] = i ? depths[node->parent] + 1 : 0;
		put_data_number(writer, i ? depths[i - 1] + 1 - depths[i] : 0);
		put_data_number(writer, node->function);
	}
	free(depths);
}

static void put_thread_ids(
	struct data_writer *writer, const struct thread_ids *ids)
{
	put_data_number(writer, ids->pid);
	put_data_number(writer, ids->pid_use);
	put_data_number(writer, ids->tid);
	put_data_number(writer, ids->tid_use);
}

/* --- events -------------------------------------------------------------- */

static void put_timeline_lanes(struct data_writer *writer, uint32_t event)
{
	const struct time_bins *time_bins = writer->data->time_bins;
	uint64_t n = 0;

	if (!time_bins) {
		put_data_number(writer, 0);
		return;
	}
	array_each(&time_bins->lanes, lane)
		n += lane->event == event;
	put_data_number(writer, n);
	array_each(&time_bins->lanes, lane)
		if (lane->event == event) {
			static const uint64_t states[OFFCPU_STATES] = {
				[OFFCPU_STATE_RUNNABLE] = 1,
				[OFFCPU_STATE_BLOCKED] = 2,
				[OFFCPU_STATE_PREEMPTED] = 3,
			};
			uint64_t unit = lane->state == OFFCPU_STATE_ON ? 1
								       : 1000,
				 sum = 0;
			uint64_t next = first_time_bin(writer->data);

			put_data_number(writer, states[lane->state]);
			put_thread_ids(writer, &lane->ids);
			put_data_text(writer, lane->is_rest ? HIST_REST : "");
			put_data_number(writer, lane->at.n);
			array_each(&lane->at, moment) {
				put_data_number(writer, moment->bin - next);
				/* Carry the remainder of the division to the next bin. */
				put_data_number(writer,
					(sum + moment->count) / unit -
						sum / unit);
				sum += moment->count;
				next = moment->bin + 1;
			}
		}
}

/* The cells of one event, sorted by slice, task and node. */
struct cell_range {
	const struct flame_cell *at, *end;
};

/* Returns the period of each sample of CELLS, or 0 if the periods differ. */
static uint64_t uniform_cell_period(struct cell_range cells)
{
	uint64_t same = 0;

	if (cells.at < cells.end && cells.at->samples)
		same = cells.at->period / cells.at->samples;
	for (; cells.at < cells.end; cells.at++)
		if (cells.at->period != cells.at->samples * same)
			return 0;
	return same;
}

/* Returns the number of samples of each of CELLS, or 0 if the numbers differ. */
static uint64_t uniform_cell_samples(struct cell_range cells)
{
	uint64_t same = cells.at < cells.end ? cells.at->samples : 0;

	for (; cells.at < cells.end; cells.at++)
		if (cells.at->samples != same)
			return 0;
	return same;
}

/* Appends the cells with waits that were added up. */
static void put_cell_spans(struct data_writer *writer, struct cell_range cells)
{
	const struct flame_cell *last = cells.at, *cell;
	uint64_t n = 0;

	for (cell = cells.at; cell < cells.end; cell++)
		n += cell->span > 0;
	put_data_number(writer, n);
	for (cell = cells.at; cell < cells.end; cell++) {
		if (!cell->span)
			continue;
		put_data_number(writer, (uint64_t)(cell - last));
		put_data_number(writer, cell->span);
		last = cell;
	}
}

/* Numbers of one kind are written together, because they compress better. */
static void put_cells(
	struct data_writer *writer, struct cell_range cells, bool has_periods)
{
	uint64_t same = uniform_cell_samples(cells), slice = 0;
	const struct flame_cell *cell;

	put_data_number(writer, (uint64_t)(cells.end - cells.at));
	put_data_number(writer, same);
	for (cell = cells.at; cell < cells.end; cell++) {
		put_data_number(writer, cell->slice - slice);
		slice = cell->slice;
	}
	for (cell = cells.at; cell < cells.end; cell++)
		put_data_number(writer, cell->task);
	for (cell = cells.at; cell < cells.end; cell++)
		put_data_number(writer, cell->node);
	for (cell = cells.at; !same && cell < cells.end; cell++)
		put_data_number(writer, cell->samples);
	for (cell = cells.at; has_periods && cell < cells.end; cell++)
		put_data_number(writer, cell->period);
	put_cell_spans(writer, cells);
}

/*
 * Appends the event with index OWN in RESULT and number NUMBER in the flame
 * graph.
 */
static void put_page_event(struct data_writer *writer,
	const struct result *result, uint32_t own, uint32_t number)
{
	const struct input_event *event = &result->inputs.events.at[own];
	const struct sample_totals *totals = &result->scan.by_event.at[own];
	const struct flame *flame = writer->data->flame;
	size_t first =
		array_count_before(&flame->cells, cell, cell->event < number);
	size_t end =
		array_count_before(&flame->cells, cell, cell->event <= number);

	/* Without cells, the pointer .cells.at can be NULL. */
	struct cell_range cells = first == end
		? (struct cell_range){ NULL, NULL }
		: (struct cell_range){ flame->cells.at + first,
			  flame->cells.at + end };
	uint64_t same = uniform_cell_period(cells);

	put_data_text(writer, event->name);
	put_data_text(writer, result_counts_ns(result, event) ? "ns" : "");
	put_data_number(writer, totals->samples);
	put_data_number(writer, totals->period);
	put_data_number(writer, event->lost);
	put_data_number(writer, same);
	/*
	 * Append the totals of functions for NUMBER if small nodes of the flame
	 * graph were merged, because the page cannot add them up then.
	 */
	uint64_t n = 0;

	array_each(&flame->totals, total)
		n += total->event == number;
	put_data_number(writer, n);
	array_each(&flame->totals, total) {
		if (total->event != number)
			continue;
		put_data_number(writer, total->function);
		put_data_number(writer, total->period);
	}
	put_timeline_lanes(writer, number);
	put_cells(writer, cells, !same);
}

static void put_page_events(struct data_writer *writer)
{
	const struct html_data *data = writer->data;
	uint64_t n = 0;
	uint32_t first = 0, own;
	size_t i;

	for (i = 0; i < data->n_results; i++)
		array_each(&data->results[i]->scan.by_event, totals)
			n += totals->samples > 0;
	put_data_number(writer, n);
	for (i = 0; i < data->n_results; i++) {
		const struct result *result = data->results[i];

		for (own = 0; own < result->scan.by_event.n; own++)
			if (result->scan.by_event.at[own].samples)
				put_page_event(
					writer, result, own, first + own);
		first += (uint32_t)result->inputs.events.n;
	}
}

static void put_page_sections(struct data_writer *writer)
{
	const struct html_data *data = writer->data;
	size_t i;

	put_data_number(writer, data->n_sections);
	for (i = 0; i < data->n_sections; i++) {
		const struct html_section *section = &data->sections[i];

		put_data_text(writer, section->name);
		put_data_number(writer, section->bytes.n);
		deflate_put(writer->out, writer->part.at, writer->part.n);
		strbuf_clear(&writer->part);
		deflate_put(
			writer->out, section->bytes.at ?: "", section->bytes.n);
	}
}

static void html_data_put(const struct html_data *data, struct deflate *out)
{
	struct data_writer writer = { .data = data, .out = out };

	put_data_number(&writer, HTML_DATA_VERSION);
	html_facts_put(
		data->results, data->n_results, data->flame, &writer.part);
	put_time_axis(&writer);
	size_t i;

	put_data_number(&writer, FLAME_COLOURS);
	for (i = 0; i < FLAME_COLOURS; i++) {
		put_data_text(&writer, flame_shades[i].light);
		put_data_text(&writer, flame_shades[i].dark);
	}
	put_flame_functions(&writer);
	put_flame_nodes(&writer);
	const struct flame *flame = writer.data->flame;

	put_data_number(&writer, flame->tasks.n);
	array_each(&flame->tasks, task) {
		put_thread_ids(&writer, &task->ids);
		put_data_text(&writer, task->comm);
		put_data_text(&writer, task->process);
	}
	put_data_number(
		&writer, writer.data->results[0]->options->stacks.grouping);
	put_page_events(&writer);
	put_page_sections(&writer);
	deflate_put(out, writer.part.at, writer.part.n);
	strbuf_free(&writer.part);
}

/* --- the page ------------------------------------------------------------ */

static int append_deflated(void *data, const void *bytes, size_t size)
{
	strbuf_put(data, bytes, size);
	return 0;
}

static void put_page_data(const struct html_data *data, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf packed = { 0 };
	const struct sink sink = { .append = append_deflated, .data = &packed };
	struct deflate *deflate = deflate_begin(&sink, DEFLATE_ZLIB);

	html_data_put(data, deflate);
	deflate_end(deflate);
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789+/";
	const uint8_t *at = (const uint8_t *)packed.at;
	size_t i;

	for (i = 0; i < packed.n; i += 3) {
		size_t left = packed.n - i;
		uint32_t three = (uint32_t)at[i] << 16 |
			(left > 1 ? (uint32_t)at[i + 1] << 8 : 0) |
			(left > 2 ? at[i + 2] : 0);

		strbuf_putc(out, digits[three >> 18]);
		strbuf_putc(out, digits[three >> 12 & 63]);
		strbuf_putc(out, left > 1 ? digits[three >> 6 & 63] : '=');
		strbuf_putc(out, left > 2 ? digits[three & 63] : '=');
		if (i % LINE_BYTES == LINE_BYTES - 3)
			strbuf_putc(out, '\n');
	}
}

void html_write(const struct html_data *data, struct outflow *out)
{
	strbuf_put(&out->text, html_page_begin, html_page_begin_size);
	put_page_data(data, &out->text);
	strbuf_put(&out->text, html_page_end, html_page_end_size);
}
