/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope's own format (speedscope.app/file-format-schema.json): a profile
 * for each thread and event, its samples in the order of time, with what each
 * stands for. So times there are those that were spent, without the gaps.
 */
#include "config.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/export/export.h"
#include "report/export/threaded.h"

/* Each thread has two columns. */
enum part {
	PART_SAMPLES,
	PART_WEIGHTS,
	PARTS,
};

/* Samples beside each other with one stack are one. */
struct profile {
	uint64_t last_hash; /* of its stack */
	uint64_t weight;    /* of the samples with that, not yet written */
	uint64_t sum;       /* of all */
};

struct speedscope {
	struct threaded shared;
	ARRAY(struct profile) profiles; /* by thread */
};

static size_t column_of(uint32_t thread, enum part part)
{
	return (size_t)thread * PARTS + part;
}

static void put_weight(struct speedscope *to, uint32_t thread)
{
	struct profile *profile = &to->profiles.at[thread];
	size_t column = column_of(thread, PART_WEIGHTS), before;
	struct strbuf *text = streams_text(&to->shared.streams, column);

	before = text->n;
	strbuf_printf(text, "%s%" PRIu64,
		to->shared.streams.at.at[column].size ? "," : "",
		profile->weight);
	profile->sum += profile->weight;
	profile->weight = 0;
	streams_added(&to->shared.streams, column, text->n - before);
}

static void put_stack(struct speedscope *to,
	const struct timeline_moment *moment)
{
	size_t column = column_of(moment->thread, PART_SAMPLES), before, i;
	struct strbuf *text = streams_text(&to->shared.streams, column);
	char name[THREAD_STATE_SIZE];

	before = text->n;
	strbuf_puts(text, to->shared.streams.at.at[column].size ? ",\n[" : "[");
	for (i = 0; i < moment->n; i++)
		strbuf_printf(text, "%s%" PRIu32, i ? "," : "",
			code_names_number(
				&to->shared.functions, moment->frames[i]));
	if (moment->state != STATE_ON)
		strbuf_printf(text, "%s%" PRIu32, i ? "," : "",
			code_names_mark(&to->shared.functions,
				thread_state_mark(moment->state, name)));
	strbuf_putc(text, ']');
	streams_added(&to->shared.streams, column, text->n - before);
}

static void take(void *data, const struct timeline_moment *moment)
{
	struct speedscope *to = data;
	uint64_t hash = hash_words(moment->state,
		hash_bytes(moment->frames,
			moment->n * sizeof(*moment->frames)));
	struct profile *profile;
	bool is_first = moment->thread == to->profiles.n;

	if (is_first)
		array_push(&to->profiles);
	profile = &to->profiles.at[moment->thread];
	if (is_first || hash != profile->last_hash) {
		if (!is_first)
			put_weight(to, moment->thread);
		put_stack(to, moment);
	}
	profile->last_hash = hash;
	profile->weight += moment->period;
}

static void put_functions(struct speedscope *to)
{
	struct strbuf *text = &to->shared.out.text;
	const char *separator = "";

	strbuf_puts(text, "\"shared\": {\"frames\": [");
	array_each(&to->shared.functions.at, function) {
		strbuf_puts(text, separator);
		strbuf_puts(text, "\n{\"name\": ");
		escape_json_visible(text, function->name);
		if (function->at.file) {
			strbuf_puts(text, ", \"file\": ");
			escape_json_visible(text, function->at.file);
		}
		if (function->at.line)
			strbuf_printf(text, ", \"line\": %" PRIu32,
				function->at.line);
		strbuf_putc(text, '}');
		separator = ",";
		outflow_some(&to->shared.out);
	}
	strbuf_puts(text, "]}");
}

static void put_name(struct speedscope *to, uint32_t number)
{
	const struct timeline_thread *thread =
		&to->shared.timeline.threads.at[number];
	_cleanup_strbuf_ struct strbuf name = { 0 };
	char unnamed[SURVEY_COMM_SIZE];

	strbuf_puts(
		&name, timeline_name(&to->shared.timeline, thread, unnamed));
	if (!thread->is_rest)
		strbuf_printf(&name, " %" PRIu32 "/%" PRIu32, thread->pid,
			thread->tid);
	strbuf_printf(&name, " (%s)",
		timeline_event_name(&to->shared.timeline, thread));
	escape_json_visible(&to->shared.out.text, name.at);
}

static void put_profile(struct speedscope *to, uint32_t thread)
{
	struct strbuf *text = &to->shared.out.text;
	bool counts_ns = timeline_counts_ns(
		&to->shared.timeline, &to->shared.timeline.threads.at[thread]);

	strbuf_puts(text, "{\"type\": \"sampled\", \"name\": ");
	put_name(to, thread);
	strbuf_printf(text,
		", \"unit\": \"%s\", \"startValue\": 0, \"endValue\": %" PRIu64
		", \"samples\": [",
		counts_ns ? "nanoseconds" : "none",
		to->profiles.at[thread].sum);
	streams_copy(&to->shared.streams, column_of(thread, PART_SAMPLES),
		&to->shared.out);
	strbuf_puts(text, "],\n\"weights\": [");
	streams_copy(&to->shared.streams, column_of(thread, PART_WEIGHTS),
		&to->shared.out);
	strbuf_puts(text, "]}");
}

/* The first thing that is looked at. */
static size_t find_heaviest(const struct speedscope *to)
{
	size_t heaviest = 0, i;

	for (i = 1; i < to->profiles.n; i++)
		if (to->profiles.at[i].sum > to->profiles.at[heaviest].sum)
			heaviest = i;
	return heaviest;
}

static void end(void *data)
{
	struct speedscope *to = data;
	uint32_t i;

	for (i = 0; i < to->profiles.n; i++)
		put_weight(to, i);
}

static void put_all(void *data)
{
	struct speedscope *to = data;
	struct strbuf *text = &to->shared.out.text;
	uint32_t i;

	strbuf_puts(text,
		"{\"$schema\": "
		"\"https://www.speedscope.app/file-format-schema.json\",\n"
		"\"exporter\": \"" PACKAGE_STRING "\",\n");
	put_functions(to);
	strbuf_printf(text,
		",\n\"activeProfileIndex\": %zu,\n\"profiles\": [",
		find_heaviest(to));
	for (i = 0; i < to->profiles.n; i++) {
		strbuf_puts(text, i ? ",\n" : "\n");
		put_profile(to, i);
	}
	strbuf_puts(text, "]}\n");
}

static struct error *run(const struct options *options, int fd)
{
	struct speedscope to = { 0 };
	struct error *err = threaded_run(&to.shared, options, fd,
		&(struct threaded_format){ take, end, put_all, &to });

	array_free(&to.profiles);
	threaded_deinit(&to.shared);
	return err;
}

const struct export export_speedscope = {
	"speedscope", false, run
};
