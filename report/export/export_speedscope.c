/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope's own format (speedscope.app/file-format-schema.json): a profile
 * for each thread and event with its samples in the order of time, each with
 * its period. Times are sums of periods, without the gaps between samples.
 */
#include "config.h"

#include <inttypes.h>

#include "common/util/json.h"
#include "report/export/export.h"
#include "report/export/text_streams.h"

/* The columns of a thread, each in a stream. */
enum speedscope_column {
	PART_SAMPLES,
	PART_WEIGHTS,
	PARTS,
};

/*
 * The profile of one thread. Adjacent samples with the same stack are written
 * as one sample.
 */
struct speedscope_profile {
	uint64_t last_hash; /* hash of the last stack */
	uint64_t weight;    /* periods of the last stack's samples, not yet
			     * written */
	uint64_t sum;	    /* periods of all written samples */
};

struct speedscope {
	struct text_export shared;
	struct json json; /* writes to .shared.out */
	/* for each thread of .shared.timeline */
	ARRAY(struct speedscope_profile) profiles;
};

static size_t speedscope_stream(
	uint32_t thread, enum speedscope_column speedscope_column)
{
	return (size_t)thread * PARTS + speedscope_column;
}

static void put_profile_weight(struct speedscope *to, uint32_t thread)
{
	struct speedscope_profile *profile = &to->profiles.at[thread];
	size_t column = speedscope_stream(thread, PART_WEIGHTS), before;
	struct strbuf *text = text_streams_text(&to->shared.streams, column);

	before = text->n;
	strbuf_printf(text, "%s%" PRIu64,
		to->shared.streams.at.at[column].size ? "," : "",
		profile->weight);
	profile->sum += profile->weight;
	profile->weight = 0;
	text_streams_added(&to->shared.streams, column, text->n - before);
}

static void add_profile_moment(void *data, const struct timeline_moment *moment)
{
	struct speedscope *to = data;
	uint64_t hash = hash_words(moment->state,
		hash_bytes(
			moment->frames, moment->n * sizeof(*moment->frames)));
	struct speedscope_profile *profile;
	bool is_first = moment->thread == to->profiles.n;

	if (is_first)
		array_push(&to->profiles);
	profile = &to->profiles.at[moment->thread];
	if (is_first || hash != profile->last_hash) {
		if (!is_first)
			put_profile_weight(to, moment->thread);
		size_t column = speedscope_stream(moment->thread, PART_SAMPLES),
		       before, i;
		struct strbuf *text =
			text_streams_text(&to->shared.streams, column);
		char name[OFFCPU_STATE_SIZE];
		before = text->n;
		strbuf_puts(text,
			to->shared.streams.at.at[column].size ? ",\n[" : "[");
		for (i = 0; i < moment->n; i++)
			strbuf_printf(text, "%s%" PRIu32, i ? "," : "",
				function_numbers_find(&to->shared.functions,
					moment->frames[i]));
		if (moment->state != OFFCPU_STATE_ON)
			strbuf_printf(text, "%s%" PRIu32, i ? "," : "",
				function_numbers_find_mark(
					&to->shared.functions,
					offcpu_state_mark(
						moment->state, name)));
		strbuf_putc(text, ']');
		text_streams_added(
			&to->shared.streams, column, text->n - before);
	}
	profile->last_hash = hash;
	profile->weight += moment->period;
}

static void put_shared_frames(struct speedscope *to)
{
	struct json *json = &to->json;

	json_line(json, "\n");
	json_begin_object(json, "shared");
	json_begin_array(json, "frames");
	array_each(&to->shared.functions.at, function) {
		json_line(json, "\n");
		json_begin_object(json, NULL);
		json_visible(json, "name", function->name);
		if (function->at.file)
			json_visible(json, "file", function->at.file);
		if (function->at.line)
			json_unsigned(json, "line", function->at.line);
		json_end_object(json);
		outflow_some(&to->shared.out);
	}
	json_end_array(json);
	json_end_object(json);
}

/* Writes COLUMN of THREAD as array KEY. */
static void put_speedscope_column(struct speedscope *to, uint32_t thread,
	enum speedscope_column column, const char *key)
{
	json_begin_array(&to->json, key);
	text_streams_copy(&to->shared.streams,
		speedscope_stream(thread, column), &to->shared.out);
	json_end_array(&to->json);
}

/*
 * Returns the index of the profile with the largest sum, which speedscope shows
 * first.
 */
static size_t find_heaviest_profile(const struct speedscope *to)
{
	size_t heaviest = 0, i;

	for (i = 1; i < to->profiles.n; i++)
		if (to->profiles.at[i].sum > to->profiles.at[heaviest].sum)
			heaviest = i;
	return heaviest;
}

static void end_profiles(void *data)
{
	struct speedscope *to = data;
	uint32_t i;

	for (i = 0; i < to->profiles.n; i++)
		put_profile_weight(to, i);
}

static void put_speedscope_file(void *data)
{
	struct speedscope *to = data;
	struct json *json = &to->json;
	uint32_t i;

	json->out = &to->shared.out.text;
	json_begin_object(json, NULL);
	json_string(json, "$schema",
		"https://www.speedscope.app/file-format-schema.json");
	json_line(json, "\n");
	json_string(json, "exporter", PACKAGE_STRING);
	put_shared_frames(to);
	json_line(json, "\n");
	json_unsigned(json, "activeProfileIndex", find_heaviest_profile(to));
	json_line(json, "\n");
	json_begin_array(json, "profiles");
	for (i = 0; i < to->profiles.n; i++) {
		const struct timeline_thread *thread =
			&to->shared.timeline.threads.at[i];
		bool counts_ns =
			timeline_counts_ns(&to->shared.timeline, thread);
		_cleanup_strbuf_ struct strbuf name = { 0 };
		char unnamed[SURVEY_COMM_SIZE];

		json_line(json, "\n");
		json_begin_object(json, NULL);
		json_string(json, "type", "sampled");
		strbuf_puts(&name,
			timeline_name(&to->shared.timeline, thread, unnamed));
		if (!thread->is_rest) {
			strbuf_putc(&name, ' ');
			thread_ids_put(
				thread->ids.pid, thread->ids.pid_use, &name);
			strbuf_putc(&name, '/');
			thread_ids_put(
				thread->ids.tid, thread->ids.tid_use, &name);
		}
		strbuf_printf(&name, " (%s)",
			timeline_event_name(&to->shared.timeline, thread));
		json_visible(&to->json, "name", name.at);
		json_string(json, "unit", counts_ns ? "nanoseconds" : "none");
		json_unsigned(json, "startValue", 0);
		json_unsigned(json, "endValue", to->profiles.at[i].sum);
		put_speedscope_column(to, i, PART_SAMPLES, "samples");
		json_line(json, "\n");
		put_speedscope_column(to, i, PART_WEIGHTS, "weights");
		json_end_object(json);
	}
	json_end_array(json);
	json_end_object(json);
	strbuf_putc(json->out, '\n');
}

static struct error *run_speedscope_export(
	const struct options *options, int fd)
{
	struct speedscope to = { 0 };
	struct error *err = text_export_run(&to.shared, options, fd,
		&(struct text_export_format){ add_profile_moment, end_profiles,
			put_speedscope_file, &to });

	array_free(&to.profiles);
	text_export_deinit(&to.shared);
	return err;
}

const struct export export_speedscope = { "speedscope", false,
	run_speedscope_export };
