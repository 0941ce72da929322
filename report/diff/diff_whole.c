/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The default measure of a comparison, and the change of an event as a whole.
 */
#include "config.h"

#include "report/diff/diff_whole.h"

#include <math.h>

#include "common/file/meta_section.h"
#include "common/util/escape.h"
#include "report/diff/diff_math.h"
#include "report/survey/paths.h"

/* --- the default measure ------------------------------------------------- */

/*
 * Returns whether READER is a recording from the start to the end of a command.
 * dwell and perf set enable_on_exec only for the events of a command that they
 * start. perf does not record why a recording ended.
 */
static bool is_whole_command(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	struct bytes meta = meta_section_read(reader, &raw);
	const char *key, *value;
	bool starts_at_exec = false;
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++)
		starts_at_exec |= reader_event(reader, i)->attr.enable_on_exec;
	while (meta_section_next(&meta, &key, &value))
		if (string_is(key, "end") && !string_is(value, "command ended"))
			return false;
	return starts_at_exec;
}

/* Returns whether all recordings of PATH are of commands that ended. */
static bool has_only_commands(const char *path)
{
	struct filter_names words = { 0 }, paths = { 0 };
	struct error *err;
	bool is_command;

	*array_push(&words.names) = xstrdup(path);
	err = paths_expand(&words, &paths);
	is_command = !err && paths.names.n;
	array_each(&paths.names, at) {
		struct reader *reader = NULL;

		/* Standard input can be read only once. */
		if (!err && !string_is(*at, "-"))
			err = reader_open(*at, &reader);
		is_command = is_command && reader && is_whole_command(reader);
		reader_close(reader);
	}
	error_free(err);
	filter_names_deinit(&words);
	filter_names_deinit(&paths);
	return is_command;
}

void diff_choose_measure(struct diff *diff)
{
	struct style_diff *style = &diff->style;

	if (style->is_normalized || style->has_compute)
		return;
	diff->is_measure_chosen = style->is_normalized = true;
	style->measure =
		style->times.names.n ? STYLE_DIFF_RATE : STYLE_DIFF_PERIOD;
	array_each(&diff->sides, side)
		if (style->measure == STYLE_DIFF_PERIOD &&
			!has_only_commands(side->path))
			style->measure = STYLE_DIFF_RATE;
}

/* --- the change of an event ---------------------------------------------- */

struct diff_whole diff_whole_find(
	const struct diff *diff, const struct diff_event *event, size_t side)
{
	const size_t numbers[2] = { 0, side };
	struct diff_whole whole = { 0 };
	double errors[2], error;
	size_t i;

	for (i = 0; i < 2; i++) {
		const struct diff_total *total = &event->totals.at[numbers[i]];
		const struct diff_part part = {
			.samples = (double)total->samples,
			.period = (double)total->period,
		};
		double scale = diff->style.measure == STYLE_DIFF_RATE
			? diff->sides.at[numbers[i]].seconds
			: 1;

		if (!total->samples || !total->period)
			return (struct diff_whole){ 0 };
		whole.values[i] = part.period / scale;
		errors[i] = diff_math_period_error(&part) / scale;
	}
	error = DIFF_MATH_95 * hypot(errors[0], errors[1]);
	whole.is_known = true;
	whole.percent =
		100 * (whole.values[1] - whole.values[0]) / whole.values[0];
	whole.percent_error = 100 * error / whole.values[0];
	whole.is_noise = fabs(whole.percent) <= whole.percent_error;
	return whole;
}

void diff_weight_put(
	const struct diff_event *event, double weight, struct strbuf *out)
{
	static const struct {
		double size;
		const char *name;
	} times[] = { { 1e9, " s" }, { 1e6, " ms" }, { 1e3, " us" },
		{ 1, " ns" } },
	  counts[] = { { 1e18, "E" }, { 1e15, "P" }, { 1e12, "T" },
		  { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" } };
	size_t i = 0;
	double value;

	if (!event->counts_ns) {
		while (i + 1 < ARRAY_SIZE(counts) &&
			weight < counts[i].size * 0.9999995)
			i++;
		strbuf_printf(
			out, "%.3f%s", weight / counts[i].size, counts[i].name);
		return;
	}
	while (i + 1 < ARRAY_SIZE(times) && weight < times[i].size)
		i++;
	value = weight / times[i].size;
	strbuf_printf(out, "%.*f%s",
		times[i].size < 2 || value >= 100 ? 0
			: value < 10		  ? 2
						  : 1,
		value, times[i].name);
}

void diff_whole_put(const struct diff *diff, const struct diff_event *event,
	size_t side, struct strbuf *out)
{
	const char *unit = diff->style.measure == STYLE_DIFF_RATE ? "/s" : "";
	struct diff_whole whole = diff_whole_find(diff, event, side);

	if (!whole.is_known)
		return;
	/*
	 * Append the name of what EVENT counts, escaped: "CPU time" or
	 * "cycles".
	 */
	if (event->counts_ns && !diff->options->time.counted)
		strbuf_puts(out, "CPU time");
	else
		escape_text(out, event->name);
	strbuf_printf(out, "%s %+.1f %% (", *unit ? " per second" : "",
		whole.percent);
	diff_weight_put(event, whole.values[0], out);
	strbuf_printf(out, "%s -> ", unit);
	diff_weight_put(event, whole.values[1], out);
	strbuf_printf(out, "%s), %s sampling noise (%.1f %%)", unit,
		whole.is_noise ? "within" : "beyond", whole.percent_error);
}
