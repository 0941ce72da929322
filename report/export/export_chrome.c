/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace format of Chrome, which Perfetto and speedscope also read: how long
 * each function was on the stack, according to the samples. A function is
 * written when it ends, so that only open functions are kept in memory.
 */
#include "config.h"

#include "common/perf/attr.h"
#include "common/util/json.h"
#include "report/export/export.h"
#include "report/resolve/function_numbers.h"
#include "report/result/timeline.h"

/* Duration of a sample if neither its period nor its frequency is a time. */
#define MOMENT_NS 1000u
/*
 * Bits of a process or thread ID (Linux permits 2^22) in "pid" and "tid". The
 * bits above contain the use of the PID, and for threads the number of the pair
 * of use and event.
 */
#define ID_BITS 22

struct chrome_track {
	ARRAY(struct open_function {
		uint32_t function;
		uint64_t since;
	})
	open;		/* functions on the stack, outermost first */
	uint64_t until; /* end of the thread's last sample, ns */
};

struct chrome {
	struct timeline timeline;
	struct outflow out;
	struct json json; /* writes to .out */
	struct function_numbers functions;
	ARRAY(char *) names; /* for each function: its JSON members; owned */
	ARRAY(struct chrome_track) tracks; /* for each thread of .timeline */
};

/* Returns the JSON members "name" and "cat" of FUNCTION, owned by TO. */
static const char *function_name_json(struct chrome *to, uint32_t function)
{
	const struct function_numbered *of =
		function_numbers_at(&to->functions, function);
	struct strbuf name = { 0 };
	struct json json = { .out = &name, .is_compact = true };

	while (to->names.n <= function)
		array_push(&to->names);
	if (to->names.at[function])
		return to->names.at[function];
	json_visible(&json, "name", of->name);
	json_visible(&json, "cat",
		resolver_dso_name(to->functions.resolver, of->dso_name));
	to->names.at[function] = name.at;
	return name.at;
}

/*
 * Rounds to whole microseconds: readers add times as floating point, and a
 * rounding error would nest adjacent functions wrongly.
 */
static uint64_t round_to_us(uint64_t ns)
{
	return (ns + 500) / 1000;
}

/* Writes the start of a trace event. */
static void begin_trace_event(
	struct chrome *to, const char *phase, uint32_t number)
{
	const struct timeline_thread *thread = &to->timeline.threads.at[number];
	const struct thread_ids *ids = &thread->ids;
	uint64_t n = result_input(&to->timeline.result)->events.n;
	uint64_t track = ids->tid_use * n + thread->event;

	json_line(&to->json, "\n");
	json_begin_object(&to->json, NULL);
	json_string(&to->json, "ph", phase);
	json_unsigned(
		&to->json, "pid", ids->pid | (uint64_t)ids->pid_use << ID_BITS);
	json_unsigned(&to->json, "tid", ids->tid | track << ID_BITS);
}

/*
 * Writes and removes all open functions of THREAD except the KEPT outermost
 * ones. Callers are written before callees.
 */
static void end_open_functions(struct chrome *to, uint32_t thread, size_t kept)
{
	struct chrome_track *track = &to->tracks.at[thread];
	size_t i;

	for (i = kept; i < track->open.n; i++) {
		uint64_t begin_us = round_to_us(track->open.at[i].since),
			 end_us = round_to_us(track->until);
		if (begin_us != end_us) {
			begin_trace_event(to, "X", thread);
			json_unsigned(&to->json, "ts", begin_us);
			json_unsigned(&to->json, "dur", end_us - begin_us);
			strbuf_puts(json_value(&to->json, NULL),
				function_name_json(
					to, track->open.at[i].function));
			json_end_object(&to->json);
		}
	}
	track->open.n = MIN(kept, track->open.n);
}

static uint64_t moment_length(
	const struct event *event, const struct timeline_moment *moment)
{
	if (attr_counts_ns(&event->attr))
		return moment->period;
	if (event->attr.freq && event->attr.sample_freq)
		return NSEC_PER_SEC / event->attr.sample_freq;
	return MOMENT_NS;
}

/*
 * Adds a sample, which covers the time before MOMENT. If the gap after the
 * previous sample is at most the length of the sample, the sample is moved to
 * the end of the previous one, so that a function stays in one piece.
 */
static void add_chrome_moment(void *data, const struct timeline_moment *moment)
{
	struct chrome *to = data;
	const struct timeline_thread *thread =
		&to->timeline.threads.at[moment->thread];
	uint64_t length =
		moment_length(timeline_event(&to->timeline, thread), moment);
	uint64_t since = moment->time - MIN(moment->time, length);
	struct chrome_track *track;
	size_t i;

	if (moment->thread == to->tracks.n)
		array_push(&to->tracks);
	track = &to->tracks.at[moment->thread];
	if (since > track->until + length) {
		end_open_functions(to, moment->thread, 0);
		track->until = since;
	}
	/*
	 * Keep the outermost open functions that are also the outermost
	 * functions of the moment's stack.
	 */
	for (i = 0; i < track->open.n && i < moment->n; i++)
		if (function_numbers_find(&to->functions, moment->frames[i]) !=
			track->open.at[i].function)
			break;
	end_open_functions(to, moment->thread, i);
	for (; i < moment->n; i++)
		*array_push(&track->open) = (struct open_function){
			function_numbers_find(
				&to->functions, moment->frames[i]),
			track->until
		};
	track->until += length;
}

static void put_metadata_event(
	struct chrome *to, uint32_t number, const char *what, const char *name)
{
	begin_trace_event(to, "M", number);
	json_string(&to->json, "name", what);
	json_begin_object(&to->json, "args");
	json_visible(&to->json, "name", name);
	json_end_object(&to->json);
	json_end_object(&to->json);
}

static struct error *run_chrome_export(const struct options *options, int fd)
{
	struct chrome to = { .out = outflow_begin(options->output.file, &fd) };
	struct error *err = timeline_make(options, &to.timeline);

	to.functions.resolver = to.timeline.result.resolver;
	to.functions.names_builds = true;
	if (!err) {
		uint32_t i;
		to.json = (struct json){ .out = &to.out.text,
			.is_compact = true };
		json_begin_object(&to.json, NULL);
		json_string(&to.json, "displayTimeUnit", "ns");
		json_begin_array(&to.json, "traceEvents");
		timeline_run(&to.timeline, &to.out, add_chrome_moment, &to);
		for (i = 0; i < to.tracks.n; i++) {
			end_open_functions(&to, i, 0);
			const struct timeline_thread *thread =
				&to.timeline.threads.at[i];
			_cleanup_strbuf_ struct strbuf name = { 0 };
			char unnamed[SURVEY_COMM_SIZE];
			strbuf_puts(&name,
				timeline_name(&to.timeline, thread, unnamed));
			if (thread->ids.pid == thread->ids.tid &&
				!thread->event)
				put_metadata_event(
					&to, i, "process_name", name.at);
			if (thread->event)
				strbuf_printf(&name, " (%s)",
					timeline_event(&to.timeline, thread)
						->name);
			put_metadata_event(&to, i, "thread_name", name.at);
			outflow_some(&to.out);
		}
		json_line(&to.json, "\n");
		json_end_array(&to.json);
		json_end_object(&to.json);
		strbuf_putc(&to.out.text, '\n');
	}
	err = outflow_end(&to.out, err);
	array_each(&to.names, name)
		free(*name);
	array_free(&to.names);
	array_each(&to.tracks, track)
		array_free(&track->open);
	array_free(&to.tracks);
	function_numbers_deinit(&to.functions);
	timeline_deinit(&to.timeline);
	return err;
}

const struct export export_chrome = { "chrome", false, run_chrome_export };
