/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which part of the time: of slices, each with its share of the samples. */
#include "config.h"

#include <inttypes.h>

#include "report/tui/tui_private.h"
#include "report/util/times.h"

#define SLICES 20u
#define BAR_WIDTH 30u
/* Samples are counted by so many parts of it, so that slices fit their ends. */
#define PARTS 200u

/* So many nanoseconds from FIRST on, as many as make SLICES of all. */
struct slices {
	uint64_t first, last, width;
	uint64_t periods[SLICES], largest;
};

/* How long what is shown is, in nanoseconds; 0: nobody knows. */
static uint64_t length_of(const struct tui *tui)
{
	const struct input *input = result_input(tui->result);
	const struct features *features = reader_features(input->reader);
	const struct time_range whole = { features->first_time,
		features->last_time };
	struct time_ranges times = { 0 };
	uint64_t length = whole.last - whole.first;

	array_each(&tui->wish.filters, filter) {
		if (filter->kind != TUI_FILTER_TIME)
			continue;
		error_free(times_parse(filter->value, &whole, &times));
		if (times.ranges.n)
			length = times.ranges.at[0].last -
				times.ranges.at[0].first;
		times_deinit(&times);
	}
	return length;
}

/* Rows by time, in small parts of it. */
static struct tui_answer *ask(struct tui *tui)
{
	uint64_t length = length_of(tui);
	struct tui_answer *answer;
	struct tui_wish wish;

	tui_wish_copy(&tui->wish, &wish);
	tui_wish_sort(&wish, "time");
	wish.options.fields = NULL;
	wish.options.children = CHOICE_OFF;
	wish.options.graph.style = GRAPH_NONE;
	if (length)
		wish.options.quantum_ns = MAX(length / PARTS, UINT64_C(1));
	answer = tui_ask(tui, &wish, result_make);
	tui_wish_deinit(&wish);
	return answer;
}

/* A row has the time of its first nanosecond, and is QUANTUM of them. */
static void find_ends(
	const struct hist *hist, uint64_t quantum, struct slices *slices)
{
	*slices = (struct slices){ .first = UINT64_MAX };
	array_each(&hist->rows, row) {
		if (row->is_hidden || row->is_rest)
			continue;
		slices->first = MIN(slices->first, row->key[0]);
		slices->last = MAX(slices->last, row->key[0]);
	}
	if (slices->first > slices->last)
		slices->first = slices->last;
	slices->last += MIN(quantum - 1, UINT64_MAX - slices->last);
}

/* No row is in two slices. */
static void fill(
	const struct hist *hist, uint64_t quantum, struct slices *slices)
{
	uint64_t rows = (slices->last - slices->first) / quantum;

	slices->width = (rows / SLICES + 1) * quantum;
	array_each(&hist->rows, row) {
		uint64_t *period;

		if (row->is_hidden || row->is_rest)
			continue;
		period = &slices->periods[(row->key[0] - slices->first) /
			slices->width];
		*period += row->self;
		slices->largest = MAX(slices->largest, *period);
	}
}

static void put_time(struct strbuf *out, uint64_t time)
{
	strbuf_printf(out, "%" PRIu64 ".%09" PRIu64, time / NSEC_PER_SEC,
		time % NSEC_PER_SEC);
}

static void list(const struct slices *slices, uint64_t whole,
	struct tui_menu *menu)
{
	size_t i;

	for (i = 0; i < SLICES; i++) {
		_cleanup_strbuf_ struct strbuf value = { 0 }, text = { 0 };
		uint64_t first = slices->first + i * slices->width;
		uint64_t period = slices->periods[i];

		if (first > slices->last)
			break;
		put_time(&value, first);
		strbuf_putc(&value, ',');
		put_time(&value, first + slices->width - 1);
		strbuf_printf(&text, "%s  %6.2f%%  ", value.at,
			whole ? 100.0 * (double)period / (double)whole : 0);
		strbuf_fill(&text, '#',
			slices->largest ? (size_t)(BAR_WIDTH *
						  (double)period /
						  (double)slices->largest)
					: 0);
		tui_menu_add(menu, value.at, text.at);
	}
}

void tui_filter_time(struct tui *tui)
{
	struct tui_menu menu = { .title = "Which part of the time?" };
	struct tui_answer *answer = ask(tui);
	const struct hist *hist = answer->result.hists.at;
	const char *value = NULL;
	struct slices slices;
	uint64_t quantum;

	if (answer->err) {
		tui_say(&tui->screen, "%s", answer->err->text);
	} else if (answer->result.hists.n) {
		quantum = MAX(answer->options.quantum_ns, UINT64_C(1));
		find_ends(hist, quantum, &slices);
		fill(hist, quantum, &slices);
		list(&slices, hist->period, &menu);
		value = tui_menu_run(&tui->screen, &menu);
	}
	if (value) {
		tui_wish_push(&tui->wish, TUI_FILTER_TIME, value);
		tui_change(tui);
	}
	tui_answer_destroy(answer);
	tui_menu_deinit(&menu);
}
