/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_facts.h"

#include <inttypes.h>

#include "report/html/html_bytes.h"
#include "report/scan/damaged_inputs.h"

struct facts {
	uint64_t n;
	struct strbuf values;
};

static void put_fact(struct facts *facts, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	html_put_text(&facts->values, name);
	html_put_text(&facts->values, value);
	facts->n++;
}

static void put_joined(struct facts *facts, const struct features *features)
{
	_cleanup_strbuf_ struct strbuf words = { 0 };

	array_each(&features->cmdline, word)
		strbuf_printf(&words, "%s%s", words.n ? " " : "", *word);
	put_fact(facts, "Command", words.at);
}

static void put_lost(struct facts *facts, const struct result *result)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	double percent;
	uint64_t lost = result_lost(result, &percent);

	if (!lost)
		return;
	strbuf_printf(&text, "%" PRIu64 " (%.2f %%)", lost, percent);
	put_fact(facts, "Lost samples", text.at);
}

static void put_damaged(struct facts *facts, const struct result *result)
{
	struct damages_sums sums = damaged_inputs_sums(&result->inputs);
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (!sums.places)
		return;
	damaged_inputs_put_sums(&sums, &text);
	put_fact(facts, "Damaged", text.at);
}

static void put_small(struct facts *facts, const struct flame *flame)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (!flame->n_small)
		return;
	strbuf_printf(&text,
		"%" PRIu32 " frames are too small to be told apart: " HIST_REST
		", which has their functions",
		flame->n_small);
	put_fact(facts, "Left out", text.at);
}

#define TIME_OPTIONS "--off-cpu and --wall"

/* As a report counts it, too. */
static void put_counted(struct facts *facts, const struct result *result)
{
	static const char *const counted[] = {
		[TIME_RECORDED] = "samples, as they were recorded; "
			TIME_OPTIONS " count time",
		[TIME_OFF_CPU] = "time off the CPU, as with --off-cpu",
		[TIME_WALL] = "time on and off the CPU, as with --wall",
	};

	if (result->options->time ||
		offcpu_is_recorded(result_input(result)->reader))
		put_fact(facts, "Counted", counted[result->options->time]);
}

static void put_facts_of(struct facts *facts, const struct result *result)
{
	const struct reader *reader = result_input(result)->reader;
	const struct features *features = reader_features(reader);
	const char *path = reader_path(reader), *slash = strrchr(path, '/');

	put_fact(facts, "File", slash ? slash + 1 : path);
	put_joined(facts, features);
	put_fact(facts, "Host", features->hostname);
	put_fact(facts, "Kernel", features->osrelease);
	put_fact(facts, "Processor", features->cpudesc);
	put_counted(facts, result);
	put_lost(facts, result);
	put_damaged(facts, result);
}

void html_facts_put(const struct result *const *results, size_t n,
	const struct flame *flame, struct strbuf *out)
{
	struct facts facts = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		put_facts_of(&facts, results[i]);
	put_small(&facts, flame);
	html_put_number(out, facts.n);
	strbuf_put(out, facts.values.at, facts.values.n);
	strbuf_free(&facts.values);
}
