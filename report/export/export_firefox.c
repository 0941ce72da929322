/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Firefox's profiler, in the layout of its processed profiles, of a version
 * that it still turns into its own: a thread for each thread and event, with
 * all its samples at their times.
 */
#include "config.h"

#include <inttypes.h>

#include "common/perf/attr.h"
#include "common/util/escape.h"
#include "report/export/export.h"
#include "report/export/firefox.h"
#include "report/export/threaded.h"

/* Of the layout; and of the one that it is made from, which nobody looks at. */
#define LAYOUT_VERSION 49
#define SOURCE_VERSION 24

enum part {
	PART_STACKS,
	PART_TIMES,
	PART_CPU,     /* us */
	PART_WEIGHTS, /* ms: how long what isn't a moment was */
	PARTS,
};

struct track {
	struct firefox_tables tables;
	uint64_t n_samples;
	uint64_t last_hash; /* of the stack of the last one, */
	uint32_t last;      /* and its number */
};

struct firefox {
	struct threaded shared;
	struct firefox_libs libs;
	ARRAY(struct track) tracks; /* by thread */
};

static size_t column_of(uint32_t thread, enum part part)
{
	return (size_t)thread * PARTS + part;
}

static void put_cell(struct firefox *to, uint32_t thread, enum part part,
	const struct strbuf *cell)
{
	size_t number = column_of(thread, part);
	struct strbuf *text = streams_text(&to->shared.streams, number);
	size_t before = text->n;

	if (to->shared.streams.at.at[number].size)
		strbuf_putc(text, ',');
	strbuf_put(text, cell->at, cell->n);
	streams_added(&to->shared.streams, number, text->n - before);
}

/* Milliseconds, without floating point. */
static void put_ms(uint64_t ns, struct strbuf *out)
{
	strbuf_printf(out, "%" PRIu64 ".%06" PRIu64, ns / NSEC_PER_MSEC,
		ns % NSEC_PER_MSEC);
}

static uint32_t find_stack(
	struct firefox *to, const struct timeline_moment *moment)
{
	struct track *track = &to->tracks.at[moment->thread];
	uint64_t hash = hash_words(moment->state,
		hash_bytes(moment->frames,
			moment->n * sizeof(*moment->frames)));

	if (!track->n_samples || track->last_hash != hash)
		track->last = firefox_stack(&track->tables,
			&to->shared.functions,
			result_input(&to->shared.timeline.result)->reader,
			moment);
	track->last_hash = hash;
	return track->last;
}

static void take(void *data, const struct timeline_moment *moment)
{
	struct firefox *to = data;
	uint32_t stack;
	_cleanup_strbuf_ struct strbuf cell = { 0 };

	if (moment->thread == to->tracks.n)
		array_push(&to->tracks);
	stack = find_stack(to, moment);
	if (stack == FIREFOX_NONE)
		strbuf_puts(&cell, "null");
	else
		strbuf_printf(&cell, "%" PRIu32, stack);
	put_cell(to, moment->thread, PART_STACKS, &cell);
	strbuf_clear(&cell);
	put_ms(moment->time, &cell);
	put_cell(to, moment->thread, PART_TIMES, &cell);
	strbuf_clear(&cell);
	strbuf_printf(&cell, "%" PRIu64,
		moment->state == STATE_ON ? moment->period / 1000 : 0);
	put_cell(to, moment->thread, PART_CPU, &cell);
	if (to->shared.timeline.options.time) {
		strbuf_clear(&cell);
		put_ms(moment->period, &cell);
		put_cell(to, moment->thread, PART_WEIGHTS, &cell);
	}
	to->tracks.at[moment->thread].n_samples++;
}

static const struct features *facts_of(const struct firefox *to)
{
	return reader_features(
		result_input(&to->shared.timeline.result)->reader);
}

static void put_product(struct firefox *to)
{
	_cleanup_strbuf_ struct strbuf command = { 0 };

	array_each(&facts_of(to)->cmdline, word) {
		strbuf_puts(&command, command.n ? " " : "");
		strbuf_puts(&command, *word);
	}
	escape_json_visible(
		&to->shared.out.text, command.n ? command.at : PACKAGE_NAME);
}

static uint64_t interval_of(const struct firefox *to)
{
	const struct reader *reader =
		result_input(&to->shared.timeline.result)->reader;
	const struct perf_event_attr *attr =
		reader_n_events(reader) ? &reader_event(reader, 0)->attr
					: NULL;

	if (attr && attr->freq && attr->sample_freq)
		return NSEC_PER_SEC / attr->sample_freq;
	return attr && attr_counts_ns(attr) ? attr->sample_period
					    : NSEC_PER_MSEC;
}

static uint64_t start_of(const struct firefox *to)
{
	const struct features *facts = facts_of(to);

	return facts->clock_wall ? facts->clock_wall - facts->clock_time +
			to->shared.timeline.first_time
				 : 0;
}

static void put_meta(struct firefox *to)
{
	struct strbuf *text = &to->shared.out.text;

	strbuf_puts(text, "{\"meta\": {\"product\": ");
	put_product(to);
	strbuf_puts(text, ", \"interval\": ");
	put_ms(interval_of(to), text);
	strbuf_puts(text, ", \"startTime\": ");
	put_ms(start_of(to), text);
	strbuf_printf(text,
		",\n\"version\": %d, \"preprocessedProfileVersion\": %d,\n",
		SOURCE_VERSION, LAYOUT_VERSION);
	strbuf_puts(text,
		"\"processType\": 0, \"debug\": false, \"symbolicated\": true,"
		" \"stackwalk\": 1, \"importedFrom\": \"" PACKAGE_NAME "\",\n"
		"\"extensions\": {\"baseURL\": [], \"id\": [], \"name\": [],"
		" \"length\": 0}, \"markerSchema\": [],\n"
		"\"usesOnlyOneStackType\": true,"
		" \"doesNotUseFrameImplementation\": true,"
		" \"sourceCodeIsNotOnSearchfox\": true,\n"
		"\"sampleUnits\": {\"time\": \"ms\", \"eventDelay\": \"ms\","
		" \"threadCPUDelta\": \"\\u00b5s\"},\n"
		"\"categories\": ["
		"{\"name\": \"Other\", \"color\": \"grey\","
		" \"subcategories\": [\"Other\"]},"
		" {\"name\": \"User\", \"color\": \"yellow\","
		" \"subcategories\": [\"Other\"]},"
		" {\"name\": \"Kernel\", \"color\": \"orange\","
		" \"subcategories\": [\"Other\"]}]},\n");
}

static void put_libs(struct firefox *to)
{
	struct strbuf *text = &to->shared.out.text;
	const char *separator = "";

	strbuf_puts(text, "\"libs\": [");
	array_each(&to->libs.at, lib) {
		const struct build_id id = files_build_id(
			to->shared.timeline.result.inputs.at.at[(*lib)->input]
				.files,
			(*lib)->number);
		const char *name = resolver_dso_name(
			to->shared.functions.resolver, (*lib)->dso_name);
		char id_text[BUILD_ID_TEXT];

		strbuf_puts(text, separator);
		strbuf_puts(text, "\n{\"name\": ");
		escape_json_visible(text, name);
		strbuf_puts(text, ", \"path\": ");
		escape_json_visible(text, (*lib)->dso);
		strbuf_puts(text, ", \"debugName\": ");
		escape_json_visible(text, name);
		strbuf_puts(text, ", \"debugPath\": ");
		escape_json_visible(text, (*lib)->dso);
		strbuf_printf(text,
			", \"breakpadId\": \"\", \"codeId\": \"%s\","
			" \"arch\": \"\"}",
			build_id_text(&id, id_text));
		separator = ",";
	}
	strbuf_puts(text, "],\n");
}

static void put_weights(struct firefox *to, uint32_t thread)
{
	struct strbuf *text = &to->shared.out.text;

	if (!to->shared.timeline.options.time) {
		strbuf_puts(text,
			"\"samples\": {\"weightType\": \"samples\","
			" \"weight\": null,\n");
		return;
	}
	strbuf_puts(text, "\"samples\": {\"weightType\": \"tracing-ms\","
			  " \"weight\": [");
	streams_copy(&to->shared.streams, column_of(thread, PART_WEIGHTS),
		&to->shared.out);
	strbuf_puts(text, "],\n");
}

static void put_samples(struct firefox *to, uint32_t thread)
{
	struct strbuf *text = &to->shared.out.text;

	put_weights(to, thread);
	strbuf_puts(text, "\"stack\": [");
	streams_copy(&to->shared.streams, column_of(thread, PART_STACKS),
		&to->shared.out);
	strbuf_puts(text, "],\n\"time\": [");
	streams_copy(&to->shared.streams, column_of(thread, PART_TIMES),
		&to->shared.out);
	if (timeline_counts_ns(&to->shared.timeline,
		    &to->shared.timeline.threads.at[thread])) {
		strbuf_puts(text, "],\n\"threadCPUDelta\": [");
		streams_copy(&to->shared.streams, column_of(thread, PART_CPU),
			&to->shared.out);
	}
	strbuf_printf(text, "],\n\"length\": %" PRIu64 "},\n",
		to->tracks.at[thread].n_samples);
}

/* The thread's name is told with its event's if that isn't the first. */
static void put_names(struct firefox *to, uint32_t number)
{
	const struct timeline_thread *thread =
		&to->shared.timeline.threads.at[number];
	struct strbuf *text = &to->shared.out.text;
	_cleanup_strbuf_ struct strbuf name = { 0 };
	char unnamed[SURVEY_COMM_SIZE];

	strbuf_puts(
		&name, timeline_name(&to->shared.timeline, thread, unnamed));
	strbuf_puts(text, "\"processName\": ");
	escape_json_visible(text, name.at);
	if (thread->event)
		strbuf_printf(&name, " (%s)",
			timeline_event_name(&to->shared.timeline, thread));
	strbuf_puts(text, ", \"name\": ");
	escape_json_visible(text, name.at);
	strbuf_printf(text,
		", \"pid\": \"%" PRIu32 "\", \"tid\": \"%" PRIu32
		".%" PRIu32 "%s\", \"isMainThread\": %s,\n",
		thread->pid, thread->tid, thread->event,
		thread->is_rest ? "+" : "",
		thread->pid == thread->tid ? "true" : "false");
}

static void put_thread(struct firefox *to, uint32_t number)
{
	struct strbuf *text = &to->shared.out.text;

	strbuf_putc(text, '{');
	put_names(to, number);
	firefox_put_tables(&to->tracks.at[number].tables, &to->shared.functions,
		&to->libs, &to->shared.out);
	put_samples(to, number);
	strbuf_puts(text,
		"\"markers\": {\"category\": [], \"data\": [], \"endTime\": [],"
		" \"name\": [], \"phase\": [], \"startTime\": [],"
		" \"length\": 0},\n"
		"\"nativeSymbols\": {\"address\": [], \"functionSize\": [],"
		" \"libIndex\": [], \"name\": [], \"length\": 0},\n"
		"\"pausedRanges\": [], \"processType\": \"default\","
		" \"processStartupTime\": 0, \"processShutdownTime\": null,"
		" \"registerTime\": 0, \"unregisterTime\": null}");
}

static void end(void *data)
{
	struct firefox *to = data;

	firefox_libs_init(&to->libs, &to->shared.functions);
}

static void put_all(void *data)
{
	struct firefox *to = data;
	struct strbuf *text = &to->shared.out.text;
	uint32_t i;

	put_meta(to);
	put_libs(to);
	strbuf_puts(text, "\"pages\": [], \"counters\": [],"
			  " \"profilerOverhead\": [],\n\"threads\": [");
	for (i = 0; i < to->tracks.n; i++) {
		strbuf_puts(text, i ? ",\n" : "\n");
		put_thread(to, i);
	}
	strbuf_puts(text, "]}\n");
}

static struct error *run(const struct options *options, int fd)
{
	struct firefox to = { 0 };
	struct error *err = threaded_run(&to.shared, options, fd,
		&(struct threaded_format){ take, end, put_all, &to });

	firefox_libs_deinit(&to.libs);
	array_each(&to.tracks, track)
		firefox_tables_deinit(&track->tables);
	array_free(&to.tracks);
	threaded_deinit(&to.shared);
	return err;
}

const struct export export_firefox = {
	"firefox", false, run
};
