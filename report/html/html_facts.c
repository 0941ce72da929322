/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_facts.h"

#include <inttypes.h>

#include "report/html/html_bytes.h"
#include "report/scan/missing_samples.h"

struct fact_list {
	uint64_t n;
	struct strbuf values;
};

static void add_fact(
	struct fact_list *facts, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	html_put_text(&facts->values, name);
	html_put_text(&facts->values, value);
	facts->n++;
}

static void add_command_line(
	struct fact_list *facts, const struct features *features)
{
	_cleanup_strbuf_ struct strbuf words = { 0 };

	array_each(&features->cmdline, word)
		strbuf_printf(&words, "%s%s", words.n ? " " : "", *word);
	add_fact(facts, "Command", words.at);
}

static void add_lost_samples(
	struct fact_list *facts, const struct result *result)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	double percent;
	uint64_t lost = result_lost(result, &percent);

	if (!lost)
		return;
	strbuf_printf(&text, "%" PRIu64 " (%.2f %%)", lost, percent);
	add_fact(facts, "Lost samples", text.at);
}

static void add_damage(struct fact_list *facts, const struct result *result)
{
	struct damages_sums sums = damaged_inputs_sums(&result->inputs);
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (!sums.places)
		return;
	damaged_inputs_put_sums(&sums, &text);
	add_fact(facts, "Damaged", text.at);
}

static void add_merged_frames(
	struct fact_list *facts, const struct flame *flame)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (!flame->n_small)
		return;
	strbuf_printf(&text,
		"%" PRIu32 " small frames are merged to " HIST_REST
		", which has their functions",
		flame->n_small);
	add_fact(facts, "Left out", text.at);
}

#define TIME_OPTIONS "--off-cpu and --wall"

/*
 * Adds the fact "Counted" (samples or times), if the recording has off-CPU
 * times.
 */
static void add_counted_unit(
	struct fact_list *facts, const struct result *result)
{
	static const char *const counted[] = {
		[TIME_RECORDED] = ("samples; for times, use " TIME_OPTIONS),
		[TIME_OFF_CPU] = "off-CPU time, as with --off-cpu",
		[TIME_WALL] = "on-CPU and off-CPU time, as with --wall",
	};

	if (result->options->time ||
		offcpu_is_recorded(result_input(result)->reader))
		add_fact(facts, "Counted", counted[result->options->time]);
}

static void add_result_facts(
	struct fact_list *facts, const struct result *result)
{
	const struct input *input = result_input(result);
	const struct features *features = input_features(input);
	const char *path = input_path(input), *slash = strrchr(path, '/');

	add_fact(facts, "File", slash ? slash + 1 : path);
	add_command_line(facts, features);
	add_fact(facts, "Host", features->hostname);
	add_fact(facts, "Kernel", features->osrelease);
	add_fact(facts, "Processor", features->cpudesc);
	add_counted_unit(facts, result);
	add_lost_samples(facts, result);
	add_damage(facts, result);
}

void html_facts_put(const struct result *const *results, size_t n,
	const struct flame *flame, struct strbuf *out)
{
	struct fact_list facts = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		add_result_facts(&facts, results[i]);
	add_merged_frames(&facts, flame);
	html_put_number(out, facts.n);
	strbuf_put(out, facts.values.at, facts.values.n);
	strbuf_free(&facts.values);
}
