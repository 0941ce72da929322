/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/diff/diff.h"

#include <inttypes.h>

#include "common/util/log.h"
#include "report/result/result.h"
#include "report/result/unmatched_filters.h"
#include "report/survey/paths.h"

struct options diff_side_options(const struct diff *diff, size_t side)
{
	const struct name_list *times = &diff->style->times;
	struct options own = *diff->options;

	memset(&own.inputs, 0, sizeof(own.inputs));
	*array_push(&own.inputs.names) = xstrdup(diff->sides.at[side].path);
	own.joins_builds = true;
	own.needs_times = diff->style->measure == DIFF_RATE;
	if (times->names.n)
		own.filter.times =
			times->names.at[times->names.n > 1 ? side : 0];
	return own;
}

/* Nothing to compare with is an error that names the recording. */
static struct error *explain_empty(
	const struct diff *diff, size_t side, const struct result *result)
{
	uint64_t recorded = 0;

	array_each(&result->inputs.at, input)
		recorded += input->survey.by_type[RECORD_SAMPLE];
	return error_new("%s: %s, so there is nothing to compare",
		diff->sides.at[side].path,
		recorded ? "none of its samples passes the filters"
			 : "it has no samples");
}

/* Nobody has named it. */
static bool is_default(const struct diff *diff, size_t side)
{
	size_t n = diff->options->inputs.names.n;

	return !n || (n == 1 && side == 0);
}

struct error *diff_check_side(struct diff *diff, size_t side,
	const struct result *result, bool is_empty, struct error *err)
{
	if (err && is_default(diff, side) &&
		access(diff->sides.at[side].path, F_OK))
		err = error_hint(err, "name two recordings, or record twice: "
				      "the first becomes dwell.data.old");
	if (!err && is_empty)
		err = explain_empty(diff, side, result);
	if (!err && diff->style->measure == DIFF_RATE)
		err = error_hint(inputs_seconds(&result->inputs,
					 &diff->sides.at[side].seconds),
			"--normalize total compares shares instead");
	return err;
}

static bool is_empty(const struct diff *diff)
{
	array_each(&diff->events, event)
		if (event->rows.n)
			return false;
	return true;
}

static struct error *take_side(struct diff *diff, size_t side)
{
	struct options own = diff_side_options(diff, side);
	struct result result;
	struct error *err = result_make_rows(&own, &result);
	uint64_t samples = 0;

	array_each(&result.hists, hist)
		samples += hist->samples;
	err = diff_check_side(diff, side, &result, !samples, err);
	if (!err)
		diff_take(diff, side, &result);
	if (!err && side + 1 == diff->sides.n && is_empty(diff))
		unmet_tell(&result);
	result_deinit(&result);
	filter_names_deinit(&own.inputs);
	return err;
}

static struct error *find_sides(struct diff *diff)
{
	const struct name_list *times = &diff->style->times;
	struct name_list paths = { 0 };
	size_t n_streams = 0;

	paths_compare(&diff->options->inputs, &paths);
	array_each(&paths.names, path)
		array_push(&diff->sides)->path = *path;
	array_free(&paths.names);
	if (diff->sides.n > DIFF_SIDES_MAX)
		return error_usage("%zu recordings are more than the %u that "
				   "can be compared",
			diff->sides.n, DIFF_SIDES_MAX);
	array_each(&diff->sides, side)
		n_streams += string_is(side->path, "-");
	if (n_streams > 1)
		return error_usage("-: standard input can be only one of the "
				   "recordings");
	if (diff->style->order >= diff->sides.n)
		return error_usage("--order: there is no recording number "
				   "%" PRIu64 "; the last one is %zu",
			diff->style->order, diff->sides.n - 1);
	if (times->names.n > 1 && times->names.n != diff->sides.n)
		return error_usage("--time: give one part for all recordings, "
				   "or with colons one for each of these %zu",
			diff->sides.n);
	return NULL;
}

static void forget_event(struct diff_event *event)
{
	free(event->name);
	array_free(&event->totals);
	array_free(&event->rows);
	array_free(&event->keys);
	array_free(&event->cells);
	array_free(&event->changes);
	hash_free(&event->by_keys);
}

static bool is_common(const struct diff_event *event)
{
	size_t side;

	for (side = 1; side < event->totals.n; side++)
		if (event->totals.at[0].samples &&
			event->totals.at[side].samples)
			return true;
	return false;
}

static void put_events(
	const struct diff *diff, size_t side, struct strbuf *out)
{
	const char *separator = "";

	array_each(&diff->events, event) {
		if (!event->totals.at[side].samples)
			continue;
		strbuf_printf(out, "%s%s", separator, event->name);
		separator = ", ";
	}
}

static struct error *explain_events(const struct diff *diff)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t side;

	for (side = 0; side < diff->sides.n; side++) {
		strbuf_printf(&text, "%s%s has ", side ? ", " : "",
			diff->sides.at[side].path);
		put_events(diff, side, &text);
	}
	return error_new("there is no event to compare: %s; record the same -e",
		text.at);
}

/* Events that only some have are as in perf no matter of the others. */
struct error *diff_keep_common(struct diff *diff)
{
	size_t n = 0, i;

	for (i = 0; i < diff->events.n; i++)
		n += is_common(&diff->events.at[i]);
	if (!n)
		return explain_events(diff);
	for (n = i = 0; i < diff->events.n; i++) {
		struct diff_event event = diff->events.at[i];

		if (is_common(&event)) {
			diff->events.at[n++] = event;
			continue;
		}
		log_note("%s isn't compared: not all have samples of it",
			event.name);
		forget_event(&event);
	}
	diff->events.n = n;
	return NULL;
}

static void tell_if_empty(const struct diff *diff)
{
	if (is_empty(diff))
		log_note("no sample passes the filters");
}

struct error *diff_begin(const struct options *options, struct diff *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->options = options;
	ret->style = &options->diff;
	return find_sides(ret);
}

struct error *diff_make(const struct options *options, struct diff *ret)
{
	struct error *err = diff_begin(options, ret);
	size_t side;

	for (side = 0; !err && side < ret->sides.n; side++)
		err = take_side(ret, side);
	if (!err)
		err = diff_keep_common(ret);
	if (err)
		return err;
	diff_compute(ret);
	diff_sort(ret);
	tell_if_empty(ret);
	diff_tell_renamed(ret);
	return NULL;
}

static const char *base_name(const struct diff_side *side)
{
	const char *slash = strrchr(side->path, '/');

	return slash && slash[1] ? slash + 1 : side->path;
}

const char *diff_side_name(
	const struct diff *diff, const struct diff_side *own)
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
		forget_event(event);
	array_free(&diff->events);
	texts_deinit(&diff->texts);
}
