/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time filter of the interactive view: a menu of time slices. */
#include "config.h"

#include <inttypes.h>

#include "report/tui/tui_private.h"
#include "report/util/times.h"

#define SLICES 20u
#define BAR_WIDTH 30u
/*
 * Number of parts in which samples are counted; more than SLICES, so that the
 * first slice can start near the first sample.
 */
#define PARTS 200u

/* Slices of WIDTH nanoseconds from FIRST on. */
struct time_slices {
	uint64_t first, last, width;
	uint64_t periods[SLICES], largest;
};

/*
 * Counts the samples by time, in parts of the displayed time range. The length
 * of the range can be unknown, 0.
 */
static struct tui_result *count_samples_by_time(struct tui *tui)
{
	const struct features *features =
		input_features(result_input(tui->result));
	const struct time_range whole = { features->first_time,
		features->last_time };
	uint64_t length = whole.last - whole.first;
	struct time_ranges times = { 0 };
	struct tui_result *computed;
	struct tui_query query;

	array_each(&tui->query.filters, filter) {
		if (filter->kind != TUI_FILTER_TIME)
			continue;
		error_free(times_parse(filter->value, &whole, &times));
		if (times.ranges.n)
			length = times.ranges.at[0].last -
				times.ranges.at[0].first;
		times_deinit(&times);
	}
	tui_query_copy(&tui->query, &query);
	tui_query_sort(&query, "time");
	query.options.rows.fields = NULL;
	query.options.stacks.inline_self = OPTION_OFF;
	query.options.rows.children = OPTION_OFF;
	query.options.graph.style = OPTION_GRAPH_NONE;
	if (length)
		query.options.count.quantum_ns =
			MAX(length / PARTS, UINT64_C(1));
	computed = tui_pass_wait(tui, &query, result_make);
	tui_query_deinit(&query);
	return computed;
}

static void put_slice_time(struct strbuf *out, uint64_t time)
{
	strbuf_printf(out, "%" PRIu64 ".%09" PRIu64, time / NSEC_PER_SEC,
		time % NSEC_PER_SEC);
}

static void add_slices_to_menu(const struct time_slices *slices, uint64_t start,
	uint64_t whole, struct tui_menu *menu)
{
	size_t i;

	for (i = 0; i < SLICES; i++) {
		_cleanup_strbuf_ struct strbuf value = { 0 }, text = { 0 };
		uint64_t first = slices->first + i * slices->width;
		uint64_t period = slices->periods[i];

		if (first > slices->last)
			break;
		put_slice_time(&value, first);
		strbuf_putc(&value, ',');
		put_slice_time(&value, first + slices->width - 1);
		/* The times have two significant digits of the width. */
		uint64_t unit = NSEC_PER_SEC;
		int digits = 0;
		while (digits < 9 && slices->width < 10 * unit) {
			unit /= 10;
			digits++;
		}
		strbuf_printf(&text, "%8.*f to %8.*f s", digits,
			(double)(first - start) / (double)NSEC_PER_SEC, digits,
			(double)(first - start + slices->width) /
				(double)NSEC_PER_SEC);
		strbuf_printf(&text, "  %6.2f%%  ",
			whole ? 100.0 * (double)period / (double)whole : 0);
		strbuf_fill(&text, '#',
			slices->largest ? (size_t)(BAR_WIDTH * (double)period /
						  (double)slices->largest)
					: 0);
		tui_menu_add(menu, value.at, text.at);
	}
}

void tui_filter_time(struct tui *tui)
{
	struct tui_menu menu = {
		.title = "Which time range? (seconds since the first sample)"
	};
	struct tui_result *computed = count_samples_by_time(tui);
	uint64_t start = input_features(result_input(tui->result))->first_time;
	const struct hist *hist = computed->result.hists.at;
	const char *value = NULL;
	struct time_slices slices;
	uint64_t quantum;

	if (computed->err) {
		tui_screen_message(&tui->screen, "%s", computed->err->text);
	} else if (computed->result.hists.n) {
		quantum = MAX(computed->options.count.quantum_ns, UINT64_C(1));
		/*
		 * Set .first and .last of SLICES, in ns. The key of a row is
		 * its first nanosecond; a row is QUANTUM nanoseconds long.
		 */
		slices = (struct time_slices){ .first = UINT64_MAX };
		array_each(&hist->rows, row) {
			if (row->is_hidden || row->is_rest)
				continue;
			slices.first = MIN(slices.first, row->key[0]);
			slices.last = MAX(slices.last, row->key[0]);
		}
		if (slices.first > slices.last)
			slices.first = slices.last;
		slices.last += MIN(quantum - 1, UINT64_MAX - slices.last);
		uint64_t rows = (slices.last - slices.first) / quantum;
		/*
		 * The width is a multiple of the length of a row, so that no
		 * row is in two slices.
		 */
		slices.width = (rows / SLICES + 1) * quantum;
		array_each(&hist->rows, row) {
			uint64_t *period;

			if (row->is_hidden || row->is_rest)
				continue;
			period = &slices.periods[(row->key[0] - slices.first) /
				slices.width];
			*period += row->self;
			slices.largest = MAX(slices.largest, *period);
		}
		add_slices_to_menu(&slices,
			MIN(start, slices.first) ?: slices.first, hist->period,
			&menu);
		value = tui_menu_run(&tui->screen, &menu);
	}
	if (value) {
		tui_query_push(&tui->query, TUI_FILTER_TIME, value);
		tui_pass_update(tui);
	}
	tui_result_destroy(computed);
	tui_menu_deinit(&menu);
}
