/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace format of Chrome's tracing, which Perfetto and speedscope read,
 * too: how long each function was on the stack, as samples show it. What is
 * written of a thread is what has ended, so nothing is kept but the open
 * functions.
 */
#include "config.h"

#include <inttypes.h>

#include "common/perf/attr.h"
#include "common/util/escape.h"
#include "report/export/export.h"
#include "report/resolve/function_numbers.h"
#include "report/result/timeline.h"

/* Of a sample of what isn't sampled by time. */
#define MOMENT_NS 1000u
/* Above all numbers of threads: there those of its other events begin. */
#define TID_BITS 22

struct track {
	ARRAY(struct open_function {
		uint32_t function;
		uint64_t since;
	}) open; /* the outermost first */
	uint64_t until; /* where its last sample ended */
};

struct chrome {
	struct timeline timeline;
	struct outflow out;
	struct code_names functions;
	ARRAY(char *) names; /* of functions, as JSON; owned */
	ARRAY(struct track) tracks; /* by thread */
	bool has_some; /* an event was written */
};

static const char *name_of(struct chrome *to, uint32_t function)
{
	const struct code_name *of = code_names_at(&to->functions, function);
	struct strbuf name = { 0 };

	while (to->names.n <= function)
		array_push(&to->names);
	if (to->names.at[function])
		return to->names.at[function];
	strbuf_puts(&name, "\"name\":");
	escape_json_visible(&name, of->name);
	strbuf_puts(&name, ",\"cat\":");
	escape_json_visible(&name,
		resolver_dso_name(to->functions.resolver, of->dso_name));
	to->names.at[function] = name.at;
	return name.at;
}

/*
 * Whole microseconds: readers add times up as floating point, and take what
 * ends a rounding error behind what begins there for something else.
 */
static uint64_t to_us(uint64_t ns)
{
	return (ns + 500) / 1000;
}

/* An event's beginning. */
static void begin(struct chrome *to, char phase, uint32_t number)
{
	const struct timeline_thread *thread =
		&to->timeline.threads.at[number];
	uint64_t tid = thread->tid | (uint64_t)thread->event << TID_BITS;

	strbuf_printf(&to->out.text,
		"%s\n{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu64,
		to->has_some ? "," : "", phase, thread->pid, tid);
	to->has_some = true;
}

static void put_function(struct chrome *to, uint32_t thread,
	const struct open_function *function, uint64_t until)
{
	uint64_t begin_us = to_us(function->since), end_us = to_us(until);
	struct strbuf *text = &to->out.text;

	if (begin_us == end_us)
		return;
	begin(to, 'X', thread);
	strbuf_printf(text, ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",",
		begin_us, end_us - begin_us);
	strbuf_puts(text, name_of(to, function->function));
	strbuf_putc(text, '}');
}

/* All but the KEPT outermost ones. Callers first, as equal times nest so. */
static void end_functions(struct chrome *to, uint32_t thread, size_t kept)
{
	struct track *track = &to->tracks.at[thread];
	size_t i;

	for (i = kept; i < track->open.n; i++)
		put_function(to, thread, &track->open.at[i], track->until);
	track->open.n = MIN(kept, track->open.n);
}

static uint64_t length_of(
	const struct event *event, const struct timeline_moment *moment)
{
	if (attr_counts_ns(&event->attr))
		return moment->period;
	if (event->attr.freq && event->attr.sample_freq)
		return NSEC_PER_SEC / event->attr.sample_freq;
	return MOMENT_NS;
}

/* How many of the open functions are MOMENT's callers. */
static size_t count_kept(struct chrome *to, const struct track *track,
	const struct timeline_moment *moment)
{
	size_t i;

	for (i = 0; i < track->open.n && i < moment->n; i++)
		if (code_names_number(&to->functions, moment->frames[i]) !=
			track->open.at[i].function)
			break;
	return i;
}

/*
 * A sample is the time before it. Samples that touch, or nearly so, are moved
 * together, so that what goes on is in one piece, and as long as they are.
 */
static void take(void *data, const struct timeline_moment *moment)
{
	struct chrome *to = data;
	const struct timeline_thread *thread =
		&to->timeline.threads.at[moment->thread];
	uint64_t length =
		length_of(timeline_event(&to->timeline, thread), moment);
	uint64_t since = moment->time - MIN(moment->time, length);
	struct track *track;
	size_t i;

	if (moment->thread == to->tracks.n)
		array_push(&to->tracks);
	track = &to->tracks.at[moment->thread];
	if (since > track->until + length) {
		end_functions(to, moment->thread, 0);
		track->until = since;
	}
	i = count_kept(to, track, moment);
	end_functions(to, moment->thread, i);
	for (; i < moment->n; i++)
		*array_push(&track->open) = (struct open_function){
			code_names_number(&to->functions, moment->frames[i]),
			track->until };
	track->until += length;
}

static void put_metadata(struct chrome *to, uint32_t number, const char *what,
	const char *name)
{
	struct strbuf *text = &to->out.text;

	begin(to, 'M', number);
	strbuf_printf(text, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	escape_json_visible(text, name);
	strbuf_puts(text, "}}");
}

static void put_names(struct chrome *to, uint32_t number)
{
	const struct timeline_thread *thread =
		&to->timeline.threads.at[number];
	_cleanup_strbuf_ struct strbuf name = { 0 };
	char unnamed[SURVEY_COMM_SIZE];

	strbuf_puts(&name, timeline_name(&to->timeline, thread, unnamed));
	if (thread->pid == thread->tid && !thread->event)
		put_metadata(to, number, "process_name", name.at);
	if (thread->event)
		strbuf_printf(&name, " (%s)",
			timeline_event(&to->timeline, thread)->name);
	put_metadata(to, number, "thread_name", name.at);
}

static void put_all(struct chrome *to)
{
	uint32_t i;

	strbuf_puts(&to->out.text,
		"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	timeline_run(&to->timeline, &to->out, take, to);
	for (i = 0; i < to->tracks.n; i++) {
		end_functions(to, i, 0);
		put_names(to, i);
		outflow_some(&to->out);
	}
	strbuf_puts(&to->out.text, "\n]}\n");
}

static struct error *run(const struct options *options, int fd)
{
	struct chrome to = { .out = outflow_begin(options->output, &fd) };
	struct error *err = timeline_make(options, &to.timeline);

	to.functions.resolver = to.timeline.result.resolver;
	if (!err)
		put_all(&to);
	err = outflow_end(&to.out, err);
	array_each(&to.names, name)
		free(*name);
	array_free(&to.names);
	array_each(&to.tracks, track)
		array_free(&track->open);
	array_free(&to.tracks);
	code_names_deinit(&to.functions);
	timeline_deinit(&to.timeline);
	return err;
}

const struct export export_chrome = {
	"chrome", false, run
};
