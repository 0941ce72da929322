/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/diff/diff.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/result/result.h"
#include "report/survey/paths.h"

/*
 * Limit of the moved shares, in percent, from which diff_report_renamed()
 * prints a note.
 */
#define MOVED_MIN 10

struct options diff_side_options(const struct diff *diff, size_t side)
{
	const struct filter_names *times = &diff->style.times;
	struct options own = *diff->options;

	memset(&own.input.inputs, 0, sizeof(own.input.inputs));
	*array_push(&own.input.inputs.names) =
		xstrdup(diff->sides.at[side].path);
	own.names.stitch_builds = true;
	own.count.needs_times = diff->style.measure == STYLE_DIFF_RATE;
	if (times->names.n)
		own.filter.times =
			times->names.at[times->names.n > 1 ? side : 0];
	return own;
}

struct error *diff_check_side(struct diff *diff, size_t side,
	const struct result *result, bool is_empty, struct error *err)
{
	size_t n = diff->options->input.inputs.names.n;

	/* The recording of SIDE is the default: the command line does not name it. */
	if (err && (!n || (n == 1 && side == 0)) &&
		access(diff->sides.at[side].path, F_OK))
		err = error_hint(err,
			"name two recordings, or record twice: "
			"the first becomes dwell.data.old");
	if (!err && is_empty) {
		result_report_unmatched_transforms(result);
		uint64_t recorded = 0;

		array_each(&result->inputs.at, input)
			recorded += input->survey.by_type[RECORD_SAMPLE];
		err = error_new("%s: nothing to compare: %s",
			diff->sides.at[side].path,
			recorded ? "no sample passes the filters"
				 : "the recording has no samples");
	}
	if (err || diff->style.measure != STYLE_DIFF_RATE)
		return err;
	err = inputs_seconds(&result->inputs, &diff->sides.at[side].seconds);
	if (!err || !diff->is_measure_chosen)
		return error_hint(
			err, "--normalize share compares shares instead");
	error_free(err);
	diff->style.measure = STYLE_DIFF_SHARE;
	return NULL;
}

static bool has_no_rows(const struct diff *diff)
{
	array_each(&diff->events, event)
		if (event->rows.n)
			return false;
	return true;
}

static struct error *find_sides(struct diff *diff)
{
	const struct filter_names *times = &diff->style.times;
	struct filter_names paths = { 0 };
	size_t n_streams = 0;

	paths_compare(&diff->options->input.inputs, &paths);
	array_each(&paths.names, path)
		array_push(&diff->sides)->path = *path;
	array_free(&paths.names);
	if (diff->sides.n > DIFF_SIDES_MAX)
		return error_usage("cannot compare %zu recordings; the limit "
				   "is %u",
			diff->sides.n, DIFF_SIDES_MAX);
	array_each(&diff->sides, side)
		n_streams += string_is(side->path, "-");
	if (n_streams > 1)
		return error_usage("-: standard input can be only one of the "
				   "recordings");
	if (diff->style.order >= diff->sides.n)
		return error_usage("--order: there is no recording number "
				   "%" PRIu64 "; the last one is %zu",
			diff->style.order, diff->sides.n - 1);
	if (times->names.n > 1 && times->names.n != diff->sides.n)
		return error_usage("--time: %zu ranges for %zu recordings; use "
				   "one range for all, or one per recording, "
				   "separated by colons",
			times->names.n, diff->sides.n);
	const char *baseline = diff->sides.at[0].path;

	/* A baseline that the command line does not name can be an unexpected one. */
	if (diff->options->input.inputs.names.n == 1 && !access(baseline, F_OK))
		log_note("only %s was named: it is compared with the baseline "
			 "%s. To select another one: dwell diff BASELINE %s",
			diff->sides.at[1].path, baseline,
			diff->sides.at[1].path);
	return NULL;
}

static void free_diff_event(struct diff_event *event)
{
	free(event->name);
	array_free(&event->totals);
	array_free(&event->rows);
	array_free(&event->keys);
	array_free(&event->cells);
	array_free(&event->changes);
	hash_free(&event->by_keys);
}

static bool is_common_event(const struct diff_event *event)
{
	size_t side;

	for (side = 1; side < event->totals.n; side++)
		if (event->totals.at[0].samples &&
			event->totals.at[side].samples)
			return true;
	return false;
}

static struct error *no_common_event_error(const struct diff *diff)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t side;

	for (side = 0; side < diff->sides.n; side++) {
		strbuf_printf(&text, "%s%s has ", side ? ", " : "",
			diff->sides.at[side].path);
		const char *separator = "";

		array_each(&diff->events, event) {
			if (!event->totals.at[side].samples)
				continue;
			strbuf_printf(&text, "%s%s", separator, event->name);
			separator = ", ";
		}
	}
	return error_new("no common event to compare: %s; use the same -e for "
			 "all recordings",
		text.at);
}

/*
 * Removes events that have no samples in the baseline, or in no other
 * recording. As in perf, these events are not compared.
 */
struct error *diff_keep_common(struct diff *diff)
{
	size_t n = 0, i;

	for (i = 0; i < diff->events.n; i++)
		n += is_common_event(&diff->events.at[i]);
	if (!n)
		return no_common_event_error(diff);
	for (n = i = 0; i < diff->events.n; i++) {
		struct diff_event event = diff->events.at[i];

		if (is_common_event(&event)) {
			diff->events.at[n++] = event;
			continue;
		}
		log_note("event %s is not compared: it needs samples in the "
			 "baseline and in another recording",
			event.name);
		free_diff_event(&event);
	}
	diff->events.n = n;
	return NULL;
}

/* --- renamed files ------------------------------------------------------- */

struct renaming {
	size_t dso, sym; /* numbers of the keys dso and sym */
	const struct diff_row *
		*by_sym; /* rows of only side 1, by number of the symbol text */
	const struct diff_row *from,
		*to; /* rows of one function in both files: the pair with the
			largest share in the baseline */
	double moved;
};

static bool find_diff_key(
	const struct diff *diff, const char *name, size_t *ret)
{
	for (*ret = 0; *ret < diff->keys.n; (*ret)++)
		if (string_is(diff->keys.at[*ret].name, name))
			return true;
	return false;
}

/*
 * Prints a note if functions of a file in the baseline ("app") are in a file of
 * another name in the next recording ("app.new"). These functions have separate
 * rows.
 */
static void diff_report_renamed(const struct diff *diff)
{
	struct renaming renaming = { 0 };

	if (!diff->events.n || !find_diff_key(diff, "dso", &renaming.dso) ||
		!find_diff_key(diff, "sym", &renaming.sym))
		return;
	renaming.by_sym = xcalloc(diff->texts.at.n, sizeof(*renaming.by_sym));
	array_each(&diff->events.at[0].rows, row) {
		const char *sym = diff_key_text(diff, row, renaming.sym);

		if (row->changes[1].is_new && sym[0] &&
			!strstr(sym, DIFF_UNKNOWN))
			renaming.by_sym[row->keys[renaming.sym]] = row;
	}
	array_each(&diff->events.at[0].rows, row) {
		const struct diff_row *to =
			renaming.by_sym[row->keys[renaming.sym]];

		if (!to || !row->changes[1].is_gone)
			continue;
		renaming.moved += MIN(row->cells[0].share, to->cells[1].share);
		if (renaming.from &&
			row->cells[0].share <= renaming.from->cells[0].share)
			continue;
		renaming.from = row;
		renaming.to = to;
	}
	if (renaming.moved >= MOVED_MIN)
		log_note("%s in %s and %s in %s have functions of the same "
			 "names; to compare functions regardless of their "
			 "file, use -s sym",
			diff_key_text(diff, renaming.from, renaming.dso),
			diff->sides.at[0].path,
			diff_key_text(diff, renaming.to, renaming.dso),
			diff->sides.at[1].path);
	free(renaming.by_sym);
}

/* --- the comparison ------------------------------------------------------ */

struct error *diff_begin(const struct options *options, struct diff *ret)
{
	struct error *err;

	*ret = (struct diff){ .options = options, .style = options->diff };
	err = find_sides(ret);
	if (!err)
		diff_choose_measure(ret);
	return err;
}

struct error *diff_make(const struct options *options, struct diff *ret)
{
	struct error *err = diff_begin(options, ret);
	size_t side;

	for (side = 0; !err && side < ret->sides.n; side++) {
		struct options own = diff_side_options(ret, side);
		struct result result;
		err = result_make_rows(&own, &result);
		uint64_t samples = 0;

		array_each(&result.hists, hist)
			samples += hist->samples;
		err = diff_check_side(ret, side, &result, !samples, err);
		if (!err)
			diff_take(ret, side, &result);
		if (!err && side + 1 == ret->sides.n && has_no_rows(ret)) {
			result_report_unmatched(&result);
			result_report_unmatched_transforms(&result);
		}
		result_deinit(&result);
		filter_names_deinit(&own.input.inputs);
	}
	if (!err)
		diff_match_builds(ret);
	if (!err)
		err = diff_keep_common(ret);
	if (err)
		return err;
	diff_compute(ret);
	diff_sort(ret);
	if (has_no_rows(ret))
		log_note("no sample passes the filters");
	diff_report_renamed(ret);
	return NULL;
}

static const char *base_name(const struct diff_side *side)
{
	const char *slash = strrchr(side->path, '/');

	return slash && slash[1] ? slash + 1 : side->path;
}

const char *diff_side_name(const struct diff *diff, const struct diff_side *own)
{
	array_each(&diff->sides, side)
		if (side != own && string_is(base_name(side), base_name(own)))
			return own->path;
	return base_name(own);
}

void diff_deinit(struct diff *diff)
{
	array_each(&diff->sides, side)
		free(side->path);
	array_free(&diff->sides);
	array_each(&diff->keys, key) {
		free(key->name);
		free(key->head);
	}
	array_free(&diff->keys);
	array_each(&diff->events, event)
		free_diff_event(event);
	array_free(&diff->events);
	string_table_deinit(&diff->texts);
	array_free(&diff->guessed);
	guessed_builds_deinit(&diff->guessed_builds);
	moved_functions_deinit(&diff->moved);
}
