/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format of processed profiles of Firefox's profiler, in a version that it
 * can upgrade: a thread for each thread and event, with all its samples and
 * times.
 */
#include "config.h"

#include <inttypes.h>

#include "common/perf/attr.h"
#include "common/util/json.h"
#include "report/export/export.h"
#include "report/export/firefox.h"
#include "report/export/text_streams.h"

/*
 * Version of the processed profile format, and of the Gecko profile format that
 * it is derived from (unused by readers).
 */
#define LAYOUT_VERSION 49
#define SOURCE_VERSION 24

enum firefox_column {
	PART_STACKS,
	PART_TIMES,
	PART_CPU,     /* CPU time in us */
	PART_WEIGHTS, /* period in ms, with --off-cpu or --wall */
	PARTS,
};

struct firefox_track {
	struct firefox_tables tables;
	uint64_t n_samples;
	uint64_t last_hash; /* hash of the last sample's stack */
	uint32_t last;	    /* number of the last sample's stack */
};

struct firefox {
	struct text_export shared;
	struct json json; /* writes to .shared.out */
	struct firefox_libs libs;
	ARRAY(struct firefox_track)
	tracks; /* for each thread of
					     * .shared.timeline */
};

static size_t firefox_stream(
	uint32_t thread, enum firefox_column firefox_column)
{
	return (size_t)thread * PARTS + firefox_column;
}

static void put_column_cell(struct firefox *to, uint32_t thread,
	enum firefox_column firefox_column, const struct strbuf *cell)
{
	size_t number = firefox_stream(thread, firefox_column);
	struct strbuf *text = text_streams_text(&to->shared.streams, number);
	size_t before = text->n;

	if (to->shared.streams.at.at[number].size)
		strbuf_putc(text, ',');
	strbuf_put(text, cell->at, cell->n);
	text_streams_added(&to->shared.streams, number, text->n - before);
}

/* Appends NS as a decimal number of milliseconds, without floating point. */
static void put_milliseconds(uint64_t ns, struct strbuf *out)
{
	strbuf_printf(out, "%" PRIu64 ".%06" PRIu64, ns / NSEC_PER_MSEC,
		ns % NSEC_PER_MSEC);
}

static void add_firefox_moment(void *data, const struct timeline_moment *moment)
{
	struct firefox *to = data;
	uint32_t stack;
	_cleanup_strbuf_ struct strbuf cell = { 0 };

	if (moment->thread == to->tracks.n)
		array_push(&to->tracks);
	struct firefox_track *track = &to->tracks.at[moment->thread];
	uint64_t hash = hash_words(moment->state,
		hash_bytes(
			moment->frames, moment->n * sizeof(*moment->frames)));
	if (!track->n_samples || track->last_hash != hash)
		track->last = firefox_stack(&track->tables,
			&to->shared.functions,
			result_input(&to->shared.timeline.result), moment);
	track->last_hash = hash;
	stack = track->last;
	if (stack == FIREFOX_NONE)
		strbuf_puts(&cell, "null");
	else
		strbuf_printf(&cell, "%" PRIu32, stack);
	put_column_cell(to, moment->thread, PART_STACKS, &cell);
	strbuf_clear(&cell);
	put_milliseconds(moment->time, &cell);
	put_column_cell(to, moment->thread, PART_TIMES, &cell);
	strbuf_clear(&cell);
	strbuf_printf(&cell, "%" PRIu64,
		moment->state == OFFCPU_STATE_ON ? moment->period / 1000 : 0);
	put_column_cell(to, moment->thread, PART_CPU, &cell);
	if (to->shared.timeline.options.time.counted) {
		strbuf_clear(&cell);
		put_milliseconds(moment->period, &cell);
		put_column_cell(to, moment->thread, PART_WEIGHTS, &cell);
	}
	to->tracks.at[moment->thread].n_samples++;
}

static const struct features *recording_features(const struct firefox *to)
{
	return input_features(result_input(&to->shared.timeline.result));
}

static uint64_t sampling_interval_ns(const struct firefox *to)
{
	const struct inputs *inputs = &to->shared.timeline.result.inputs;
	const struct perf_event_attr *attr = inputs->events.n
		? inputs_event_attr(inputs, &inputs->events.at[0])
		: NULL;

	if (attr && attr->freq && attr->sample_freq)
		return NSEC_PER_SEC / attr->sample_freq;
	return attr && attr_counts_ns(attr) ? attr->sample_period
					    : NSEC_PER_MSEC;
}

/* Writes a table without rows. COLUMNS ends with NULL. */
static void put_empty_table(
	struct json *json, const char *key, const char *const *columns)
{
	json_begin_object(json, key);
	for (; *columns; columns++) {
		json_begin_array(json, *columns);
		json_end_array(json);
	}
	json_unsigned(json, "length", 0);
	json_end_object(json);
}

static void put_empty_array(struct json *json, const char *key)
{
	json_begin_array(json, key);
	json_end_array(json);
}

static void put_category(
	struct json *json, const char *name, const char *colour)
{
	json_begin_object(json, NULL);
	json_string(json, "name", name);
	json_string(json, "color", colour);
	json_begin_array(json, "subcategories");
	json_string(json, NULL, "Other");
	json_end_array(json);
	json_end_object(json);
}

static void put_meta_data(struct firefox *to)
{
	static const char *const extensions[] = { "baseURL", "id", "name",
		NULL };
	struct json *json = &to->json;

	json_begin_object(json, "meta");
	_cleanup_strbuf_ struct strbuf command = { 0 };
	array_each(&recording_features(to)->cmdline, word) {
		strbuf_puts(&command, command.n ? " " : "");
		strbuf_puts(&command, *word);
	}
	json_visible(
		&to->json, "product", command.n ? command.at : PACKAGE_NAME);
	put_milliseconds(
		sampling_interval_ns(to), json_value(json, "interval"));
	const struct features *facts = recording_features(to);
	put_milliseconds(facts->clock_wall
			? facts->clock_wall - facts->clock_time +
				to->shared.timeline.first_time
			: 0,
		json_value(json, "startTime"));
	json_line(json, "\n");
	json_unsigned(json, "version", SOURCE_VERSION);
	json_unsigned(json, "preprocessedProfileVersion", LAYOUT_VERSION);
	json_line(json, "\n");
	json_unsigned(json, "processType", 0);
	json_bool(json, "debug", false);
	json_bool(json, "symbolicated", true);
	json_unsigned(json, "stackwalk", 1);
	json_string(json, "importedFrom", PACKAGE_NAME);
	json_line(json, "\n");
	put_empty_table(json, "extensions", extensions);
	put_empty_array(json, "markerSchema");
	json_line(json, "\n");
	json_bool(json, "usesOnlyOneStackType", true);
	json_bool(json, "doesNotUseFrameImplementation", true);
	json_bool(json, "sourceCodeIsNotOnSearchfox", true);
	json_line(json, "\n");
	json_begin_object(json, "sampleUnits");
	json_string(json, "time", "ms");
	json_string(json, "eventDelay", "ms");
	strbuf_puts(json_value(json, "threadCPUDelta"), "\"\\u00b5s\"");
	json_end_object(json);
	json_line(json, "\n");
	json_begin_array(json, "categories");
	put_category(json, "Other", "grey");
	put_category(json, "User", "yellow");
	put_category(json, "Kernel", "orange");
	json_end_array(json);
	json_end_object(json);
}

/*
 * Writes COLUMN of THREAD as array KEY; the next member starts on a new line.
 */
static void put_sample_column(struct firefox *to, uint32_t thread,
	enum firefox_column column, const char *key)
{
	json_begin_array(&to->json, key);
	text_streams_copy(&to->shared.streams, firefox_stream(thread, column),
		&to->shared.out);
	json_end_array(&to->json);
	json_line(&to->json, "\n");
}

/*
 * Writes the names and IDs of thread NUMBER. The event name is appended to the
 * thread name unless the event is the first one. Firefox's profiler identifies
 * processes and threads by the texts of their IDs. As in profiles of samply, the
 * second process with the PID 1234 is "1234.1".
 */
static void put_thread_identity(struct firefox *to, uint32_t number)
{
	const struct timeline_thread *thread =
		&to->shared.timeline.threads.at[number];
	const struct thread_ids *ids = &thread->ids;
	struct json *json = &to->json;
	_cleanup_strbuf_ struct strbuf name = { 0 }, pid = { 0 }, tid = { 0 };
	char unnamed[SURVEY_COMM_SIZE];

	strbuf_puts(
		&name, timeline_name(&to->shared.timeline, thread, unnamed));
	json_visible(json, "processName", name.at);
	if (thread->event)
		strbuf_printf(&name, " (%s)",
			timeline_event_name(&to->shared.timeline, thread));
	json_visible(json, "name", name.at);
	thread_ids_put(ids->pid, ids->pid_use, &pid);
	json_string(json, "pid", pid.at);
	thread_ids_put(ids->tid, ids->tid_use, &tid);
	strbuf_printf(&tid, ".%" PRIu32 "%s", thread->event,
		thread->is_rest ? "+" : "");
	json_string(json, "tid", tid.at);
	json_bool(json, "isMainThread", ids->pid == ids->tid);
	json_line(json, "\n");
}

static void put_firefox_thread(struct firefox *to, uint32_t number)
{
	static const char *const markers[] = { "category", "data", "endTime",
		"name", "phase", "startTime", NULL };
	static const char *const symbols[] = { "address", "functionSize",
		"libIndex", "name", NULL };
	struct json *json = &to->json;

	json_line(json, "\n");
	json_begin_object(json, NULL);
	put_thread_identity(to, number);
	firefox_put_tables(&to->tracks.at[number].tables, &to->shared.functions,
		&to->libs, &to->shared.out, json);
	json_begin_object(json, "samples");
	if (to->shared.timeline.options.time.counted) {
		json_string(json, "weightType", "tracing-ms");
		put_sample_column(to, number, PART_WEIGHTS, "weight");
	} else {
		json_string(json, "weightType", "samples");
		json_null(json, "weight");
		json_line(json, "\n");
	}
	put_sample_column(to, number, PART_STACKS, "stack");
	put_sample_column(to, number, PART_TIMES, "time");
	if (timeline_counts_ns(&to->shared.timeline,
		    &to->shared.timeline.threads.at[number]))
		put_sample_column(to, number, PART_CPU, "threadCPUDelta");
	json_unsigned(json, "length", to->tracks.at[number].n_samples);
	json_end_object(json);
	json_line(json, "\n");
	put_empty_table(json, "markers", markers);
	json_line(json, "\n");
	put_empty_table(json, "nativeSymbols", symbols);
	json_line(json, "\n");
	put_empty_array(json, "pausedRanges");
	json_string(json, "processType", "default");
	json_unsigned(json, "processStartupTime", 0);
	json_null(json, "processShutdownTime");
	json_unsigned(json, "registerTime", 0);
	json_null(json, "unregisterTime");
	json_end_object(json);
}

static void end_firefox_samples(void *data)
{
	struct firefox *to = data;

	firefox_libs_init(&to->libs, &to->shared.functions);
}

static void put_firefox_profile(void *data)
{
	struct firefox *to = data;
	struct json *json = &to->json;
	uint32_t i;

	json->out = &to->shared.out.text;
	json_begin_object(json, NULL);
	put_meta_data(to);
	json_line(json, "\n");
	json_begin_array(json, "libs");
	array_each(&to->libs.at, lib) {
		const struct build_id id = files_build_id(
			to->shared.timeline.result.inputs.at.at[(*lib)->input]
				.files,
			(*lib)->number);
		const char *name = resolver_dso_name(
			to->shared.functions.resolver, (*lib)->dso_name);
		char id_text[BUILD_ID_TEXT];

		json_line(json, "\n");
		json_begin_object(json, NULL);
		json_visible(json, "name", name);
		json_visible(json, "path", (*lib)->dso);
		json_visible(json, "debugName", name);
		json_visible(json, "debugPath", (*lib)->dso);
		json_string(json, "breakpadId", "");
		json_string(json, "codeId", build_id_text(&id, id_text));
		json_string(json, "arch", "");
		json_end_object(json);
	}
	json_end_array(json);
	json_line(json, "\n");
	put_empty_array(json, "pages");
	put_empty_array(json, "counters");
	put_empty_array(json, "profilerOverhead");
	json_line(json, "\n");
	json_begin_array(json, "threads");
	for (i = 0; i < to->tracks.n; i++)
		put_firefox_thread(to, i);
	json_end_array(json);
	json_end_object(json);
	strbuf_putc(json->out, '\n');
}

static struct error *run_firefox_export(const struct options *options, int fd)
{
	struct firefox to = { 0 };
	struct error *err = text_export_run(&to.shared, options, fd,
		&(struct text_export_format){ add_firefox_moment,
			end_firefox_samples, put_firefox_profile, &to });

	firefox_libs_deinit(&to.libs);
	array_each(&to.tracks, track)
		firefox_tables_deinit(&track->tables);
	array_free(&to.tracks);
	text_export_deinit(&to.shared);
	return err;
}

const struct export export_firefox = { "firefox", false, run_firefox_export };
