/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several recordings as one page: a flame graph that shows where they differ.
 * Data of such a page (html_data.h) has the events of all recordings one after
 * the other, no times, one task, and the section "recordings":
 *
 *	measure		what is compared: 0: shares, 1: periods, 2: rates
 *	recordings	n, of each: name (text), how many ns it covers; 0 unless
 *			rates are compared
 *	events		of each event: its recording; its number, which is the
 *			same where names are
 *	chances		n, of each: the event that is compared with the first
 *			recording's; of nodes, of functions by themselves and of
 *			functions with all below them: size, bits, lowest first:
 *			1: the difference may be chance. Events without are read
 *			by each difference's own error
 */
#include "config.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/diff/diff.h"
#include "report/diff/diff_chance.h"
#include "report/export/export.h"
#include "report/flame/flame_merge.h"
#include "report/flame/flame_result.h"
#include "report/html/html_bytes.h"
#include "report/html/html_write.h"
#include "report/util/string_table.h"

/*
 * So many of the baseline's events, the first ones: each takes time by all nodes,
 * and a hostile recording has thousands. Of others each difference is told by its
 * own error.
 */
#define CHANCE_EVENTS_MAX 64u

/* One of a recording, in the order of the page's data. */
struct compared {
	size_t recording;
	uint32_t what; /* the same number where it has the same name */
	struct diff_chance_side side;
};

struct comparing {
	struct diff *diff;
	struct options *options; /* of each; .inputs is owned */
	struct flame_result *made;
	const struct result **results;
	struct flame flame;
	ARRAY(struct compared) events;
};

static struct error *make_side(struct comparing *comparing, size_t side)
{
	const struct flame_wish wish = { .is_part = true };
	struct diff *diff = comparing->diff;
	struct options *own = &comparing->options[side];
	struct flame_result *made = &comparing->made[side];
	struct error *err;

	*own = diff_side_options(diff, side);
	/* The table doesn't ask who called. */
	own->graph.style = GRAPH_TREE;
	own->children = CHOICE_DEFAULT;
	/* Another build has others, and not each has what tells of them. */
	own->has_inlines = false;
	err = flame_result_make(own, &wish, made);
	err = diff_check_side(diff, side, &made->result, !made->flame.cells.n,
		err);
	if (!err)
		diff_take_totals(diff, side, &made->result);
	comparing->results[side] = &made->result;
	return err;
}

static void merge_sides(struct comparing *comparing)
{
	size_t n = comparing->diff->sides.n, i;
	struct flame_part *parts = xcalloc(n, sizeof(*parts));
	uint32_t first = 0;

	for (i = 0; i < n; i++) {
		parts[i] = (struct flame_part){ &comparing->made[i].flame,
			first };
		first += (uint32_t)comparing->results[i]->inputs.events.n;
	}
	flame_merge(parts, n, &comparing->flame);
	free(parts);
}

/* --- the section ---------------------------------------------------------- */

/* Events of one name are one, the second of a name is the second's. */
static uint32_t number_of(struct texts *known, const struct input_event *event)
{
	_cleanup_free_ char *key =
		xasprintf("%" PRIu32 " %s", event->occurrence, event->name);

	return texts_number(known, key);
}

/* Those with samples, as the page has them. */
static void list_events(struct comparing *comparing)
{
	struct texts known = { 0 };
	uint32_t first = 0, own;
	size_t i;

	for (i = 0; i < comparing->diff->sides.n; i++) {
		const struct result *result = comparing->results[i];

		for (own = 0; own < result->scan.by_event.n; own++) {
			const struct take_totals *totals =
				&result->scan.by_event.at[own];

			if (!totals->samples)
				continue;
			*array_push(&comparing->events) = (struct compared){
				.recording = i,
				.what = number_of(&known,
					&result->inputs.events.at[own]),
				.side = { first + own, totals->samples,
					totals->period,
					comparing->diff->sides.at[i].seconds },
			};
		}
		first += (uint32_t)result->inputs.events.n;
	}
	texts_deinit(&known);
}

/*
 * The baseline's event that EVENT, of another recording, is compared with. The
 * baseline's were the first to be numbered.
 */
static const struct compared *baseline_of(
	const struct comparing *comparing, const struct compared *event)
{
	const struct compared *baseline =
		&comparing->events.at[event->what];

	return event->recording && !baseline->recording &&
			baseline->what == event->what
		? baseline
		: NULL;
}

static bool has_chance(
	const struct comparing *comparing, const struct compared *event)
{
	return event->what < CHANCE_EVENTS_MAX && baseline_of(comparing, event);
}

static void tell_left_out(const struct comparing *comparing)
{
	uint32_t last = 0;

	array_each(&comparing->events, event)
		if (baseline_of(comparing, event))
			last = MAX(last, event->what);
	if (last >= CHANCE_EVENTS_MAX)
		log_note("chance is told of the first %u events alone; of "
			 "others each difference by its own error",
			CHANCE_EVENTS_MAX);
}

static void put_chances(const struct comparing *comparing, struct strbuf *out)
{
	uint64_t n = 0;

	array_each(&comparing->events, event)
		n += has_chance(comparing, event);
	html_put_number(out, n);
	array_each(&comparing->events, event) {
		struct diff_chance chance = { 0 };

		if (!has_chance(comparing, event))
			continue;
		diff_chance_find(&comparing->flame,
			(struct diff_chance_side[]){
				baseline_of(comparing, event)->side,
				event->side },
			comparing->diff->style->measure, &chance);
		html_put_number(out,
			(uint64_t)(event - comparing->events.at));
		html_put_bytes(out, &chance.nodes);
		html_put_bytes(out, &chance.self);
		html_put_bytes(out, &chance.total);
		diff_chance_deinit(&chance);
	}
}

static void put_recordings(
	const struct comparing *comparing, struct strbuf *out)
{
	const struct diff *diff = comparing->diff;

	html_put_number(out, diff->style->measure);
	html_put_number(out, diff->sides.n);
	array_each(&diff->sides, side) {
		html_put_text(out, diff_side_name(diff, side));
		html_put_number(out, (uint64_t)(side->seconds * NSEC_PER_SEC));
	}
	array_each(&comparing->events, event) {
		html_put_number(out, event->recording);
		html_put_number(out, event->what);
	}
	put_chances(comparing, out);
	tell_left_out(comparing);
}

static void put_page(const struct comparing *comparing, struct outflow *out)
{
	struct html_section section = { .name = "recordings" };
	const struct html_data data = { .results = comparing->results,
		.n_results = comparing->diff->sides.n,
		.flame = &comparing->flame,
		.sections = &section,
		.n_sections = 1 };

	put_recordings(comparing, &section.bytes);
	html_write(&data, out);
	strbuf_free(&section.bytes);
}

static struct error *compare(struct comparing *comparing, struct outflow *out)
{
	struct error *err = NULL;
	size_t side;

	for (side = 0; side < comparing->diff->sides.n && !err; side++)
		err = make_side(comparing, side);
	if (!err)
		err = diff_keep_common(comparing->diff);
	if (err)
		return err;
	merge_sides(comparing);
	list_events(comparing);
	put_page(comparing, out);
	return NULL;
}

static struct error *run(const struct options *options, int fd)
{
	struct outflow out = outflow_begin(options->output, &fd);
	struct diff diff;
	struct error *err = diff_begin(options, &diff);
	size_t n = diff.sides.n, i;
	struct comparing comparing = { .diff = &diff,
		.options = xcalloc(n + 1, sizeof(*comparing.options)),
		.made = xcalloc(n + 1, sizeof(*comparing.made)),
		.results = xcalloc(n + 1, sizeof(*comparing.results)) };

	if (!err)
		err = compare(&comparing, &out);
	err = outflow_end(&out, err);
	array_free(&comparing.events);
	flame_deinit(&comparing.flame);
	for (i = 0; i < n; i++) {
		flame_result_deinit(&comparing.made[i]);
		filter_names_deinit(&comparing.options[i].inputs);
	}
	free(comparing.options);
	free(comparing.made);
	free(comparing.results);
	diff_deinit(&diff);
	return err;
}

const struct export export_difference = { "html", false, run };
