/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_facts.h"

#include <inttypes.h>
#include <time.h>

#include "report/html/html_bytes.h"
#include "report/result/header_facts.h"
#include "report/scan/missing_samples.h"
#include "report/unwind/stack_counts_text.h"

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

static void add_cpu_count(
	struct fact_list *facts, const struct features *features)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (!features->cpus_online)
		return;
	strbuf_printf(&text, "%" PRIu32 " online of %" PRIu32,
		features->cpus_online, features->cpus_available);
	add_fact(facts, "CPUs", text.at);
}

/* Adds the frequency or the period of each event. */
static void add_sampling_rates(
	struct fact_list *facts, const struct result *result)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	array_each(&result->inputs.events, event) {
		const struct perf_event_attr *attr =
			inputs_event_attr(&result->inputs, event);

		if (!attr->sample_period)
			continue;
		strbuf_printf(&text, "%s%s: ", text.n ? ", " : "", event->name);
		if (attr->freq)
			strbuf_printf(&text, "%llu per second",
				(unsigned long long)attr->sample_freq);
		else
			strbuf_printf(&text, "period %llu",
				(unsigned long long)attr->sample_period);
	}
	add_fact(facts, "Sampling", text.at);
}

static void add_stack_quality(
	struct fact_list *facts, const struct result *result)
{
	struct stack_counts unwound = result_unwound(result);
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (!unwound.all)
		return;
	stack_counts_text_put(&unwound, &text);
	add_fact(facts, "Stacks", text.at);
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
	struct damages_sums sums = missing_damage_sums(&result->inputs);
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (!sums.places)
		return;
	missing_damage_put_sums(&sums, &text);
	add_fact(facts, "Damaged", text.at);
}

#define TIME_OPTIONS "--off-cpu and --wall"

static void add_result_facts(
	struct fact_list *facts, const struct result *result)
{
	const struct input *input = result_input(result);
	const struct features *features = input_features(input);
	const char *path = input_path(input), *slash = strrchr(path, '/');

	add_fact(facts, "File", slash ? slash + 1 : path);
	/* The recorder is called through its front end, "dwell record". */
	_cleanup_strbuf_ struct strbuf words = { 0 };

	array_each(&features->cmdline, word) {
		const char *end = strrchr(*word, '/');
		bool is_recorder = !words.n &&
			string_is(end ? end + 1 : *word, "dwell-record");

		strbuf_printf(&words, "%s%s", words.n ? " " : "",
			is_recorder ? "dwell record" : *word);
	}
	add_fact(facts, "Command", words.at);
	time_t seconds = (time_t)(features->clock_wall / NSEC_PER_SEC);
	char text[64];
	struct tm tm;

	if (seconds && gmtime_r(&seconds, &tm) &&
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		add_fact(facts, "Recorded", text);
	add_sampling_rates(facts, result);
	add_stack_quality(facts, result);
	/* report/html/page/cut.js reads this fact. */
	double percent;
	_cleanup_free_ char *files =
		header_facts_cut_chains(result_input(result)->reader, &percent);

	add_fact(facts, "No frame pointers in", files);
	add_fact(facts, "Host", features->hostname);
	add_fact(facts, "Kernel", features->osrelease);
	add_fact(facts, "Processor", features->cpudesc);
	add_cpu_count(facts, features);
	/*
	 * Add the fact "Counted" (samples or times), if the recording has
	 * off-CPU times.
	 */
	static const char *const counted[] = {
		[OFFCPU_TIME_RECORDED] =
			("samples; for times, use " TIME_OPTIONS),
		[OFFCPU_TIME_OFF_CPU] = "off-CPU time, as with --off-cpu",
		[OFFCPU_TIME_WALL] = "on-CPU and off-CPU time, as with --wall",
	};

	if (result->options->time.counted ||
		offcpu_is_recorded(result_input(result)->reader))
		add_fact(facts, "Counted",
			counted[result->options->time.counted]);
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
	_cleanup_strbuf_ struct strbuf text = { 0 };
	if (flame->n_small) {
		strbuf_printf(&text,
			"%" PRIu32 " small frames are merged to " HIST_REST
			", which has their functions",
			flame->n_small);
		add_fact(&facts, "Left out", text.at);
	}
	html_put_number(out, facts.n);
	strbuf_put(out, facts.values.at, facts.values.n);
	strbuf_free(&facts.values);
}
