/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/tracepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <event-parse.h>

#include "common/util/escape.h"
#include "report/survey/tracepoint_check.h"
#include "report/survey/tracing.h"

/* Limit of the number of formats in one recording; kernels have far fewer. */
#define FORMATS_MAX 65536u
/*
 * Limit of a child's CPU time; the valid formats of a file take milliseconds.
 */
#define CHILD_SECONDS_MAX 5u
#define CHILD_DEATHS_MAX 16u

struct tracepoint_event {
	uint64_t id;
	size_t extent; /* least size of the raw data */
	enum tracepoint_use use;
	struct tep_event *event; /* owned by .tep of struct tracepoints */
};

struct tracepoints {
	struct tep_handle *tep;
	struct trace_seq text;
	ARRAY(struct tracepoint_event) events; /* sorted by .id */
	uint8_t *room; /* TRACEPOINT_ROOM bytes; zero between uses */
};

/* Called by libtraceevent for "%pS" and similar conversions. */
static char *resolve_tracepoint_function(
	void *data, unsigned long long *address, char **module_ret)
{
	const struct tracepoint_names *names = data;
	uint64_t start;
	const char *name =
		names->find ? names->find(names->data, *address, &start) : NULL;

	*module_ret = NULL;
	if (name)
		*address = start;
	return (char *)name;
}

/* The formats of a recording that have passed tracepoint_check_text(). */
struct formats {
	struct tracing tracing;
	ARRAY(struct format {
		char *text;	    /* owned */
		const char *system; /* borrowed */
	})
	list;
};

static struct tracepoints *create_tracepoints(
	const struct tracing *tracing, const struct tracepoint_names *names)
{
	struct tracepoints *tracepoints = xcalloc(1, sizeof(*tracepoints));

	tep_set_loglevel(TEP_LOG_NONE);
	tracepoints->tep = tep_alloc();
	if (!tracepoints->tep)
		abort();
	tep_set_function_resolver(
		tracepoints->tep, resolve_tracepoint_function, (void *)names);
	tep_set_long_size(tracepoints->tep, tracing->long_size);
	tep_set_page_size(tracepoints->tep, (int)tracing->page_size);
	tep_set_file_bigendian(tracepoints->tep,
		tracing->is_big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	trace_seq_init(&tracepoints->text);
	tracepoints->room = xcalloc(1, TRACEPOINT_ROOM);
	return tracepoints;
}

static void parse_format(
	struct tracepoints *tracepoints, const struct format *format)
{
	tep_parse_event(tracepoints->tep, format->text, strlen(format->text),
		format->system);
}

/* Copies the events of libtraceevent, which are sorted by ID. */
static void collect_events(struct tracepoints *tracepoints)
{
	int i, n = tep_get_events_count(tracepoints->tep);

	for (i = 0; i < n; i++) {
		struct tep_event *event = tep_get_event(tracepoints->tep, i);
		struct tracepoint_event *tracepoint_event;

		if (!event ||
			event != tep_find_event(tracepoints->tep, event->id))
			continue;
		tracepoint_event = array_push(&tracepoints->events);
		tracepoint_event->id = (uint64_t)event->id;
		tracepoint_event->event = event;
		tracepoint_event->use = tracepoint_check_event(
			event, &tracepoint_event->extent);
		if (tracepoint_event->use == TRACEPOINT_FIELDS)
			event->flags |= TEP_EVENT_FL_PRINTRAW;
	}
}

void tracepoints_destroy(struct tracepoints *tracepoints)
{
	if (!tracepoints)
		return;
	trace_seq_destroy(&tracepoints->text);
	tep_free(tracepoints->tep);
	array_free(&tracepoints->events);
	free(tracepoints->room);
	free(tracepoints);
}

static const struct tracepoint_event *find_tracepoint(
	const struct tracepoints *tracepoints, uint64_t id)
{
	size_t i;

	if (!tracepoints)
		return NULL;
	i = array_count_before(&tracepoints->events, tracepoint_event,
		tracepoint_event->id < id);
	if (i == tracepoints->events.n || tracepoints->events.at[i].id != id)
		return NULL;
	return &tracepoints->events.at[i];
}

/*
 * Formats RECORD as text. The data of RECORD are in tracepoints->room, which
 * has space for all accesses that passed the checks.
 */
static void print_tracepoint(struct tracepoints *tracepoints,
	const struct tracepoint_event *tracepoint_event,
	struct tep_record *record, struct strbuf *out)
{
	struct trace_seq *text = &tracepoints->text;

	if (tracepoint_event->use == TRACEPOINT_COUNTS &&
		!tracepoint_check_counts(tracepoint_event->event, record->data))
		return;
	trace_seq_reset(text);
	tep_print_event(tracepoints->tep, text, record, "%s", TEP_PRINT_INFO);
	if (text->state != TRACE_SEQ__GOOD)
		return;
	trace_seq_terminate(text);
	escape_text(out, text->buffer);
}

void tracepoints_print(struct tracepoints *tracepoints, uint64_t id,
	const uint8_t *raw, size_t size, struct strbuf *out)
{
	const struct tracepoint_event *tracepoint_event =
		find_tracepoint(tracepoints, id);
	struct tep_record record = { .size = (int)size };

	if (!tracepoint_event || tracepoint_event->use == TRACEPOINT_NOT ||
		size < tracepoint_event->extent)
		return;
	/*
	 * In .room, zeros follow the data, because libtraceevent may read them.
	 */
	memcpy(tracepoints->room, raw, size);
	record.data = tracepoints->room;
	if (tep_data_type(tracepoints->tep, &record) ==
		tracepoint_event->event->id)
		print_tracepoint(tracepoints, tracepoint_event, &record, out);
	memset(tracepoints->room, 0, size);
}

void tracepoints_print_fields(
	const struct tracepoints *tracepoints, uint64_t id, struct strbuf *out)
{
	const struct tracepoint_event *tracepoint_event =
		find_tracepoint(tracepoints, id);
	const struct tep_format_field *field = tracepoint_event
		? tracepoint_event->event->format.fields
		: NULL;

	for (; field; field = field->next) {
		escape_text(out, field->name);
		if (field->next)
			strbuf_putc(out, ',');
	}
}

bool tracepoints_have_field(
	struct tracepoints *tracepoints, uint64_t id, const char *name)
{
	const struct tracepoint_event *tracepoint_event =
		find_tracepoint(tracepoints, id);

	return tracepoint_event && tracepoint_event->use != TRACEPOINT_NOT &&
		tep_find_any_field(tracepoint_event->event, name);
}

void tracepoints_print_value(struct tracepoints *tracepoints, uint64_t id,
	const uint8_t *raw, size_t size, const char *name, struct strbuf *out)
{
	const struct tracepoint_event *tracepoint_event =
		find_tracepoint(tracepoints, id);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t length = strlen(name), i;
	struct tep_format_field *field;
	struct trace_seq *seq;

	if (!tracepoints_have_field(tracepoints, id, name) ||
		size < tracepoint_event->extent)
		return;
	field = tep_find_any_field(tracepoint_event->event, name);
	/*
	 * Take the value of the word "NAME=..." in the text. That of a string
	 * can contain spaces, at which it would end.
	 */
	if (!(field->flags & TEP_FIELD_IS_STRING))
		tracepoints_print(tracepoints, id, raw, size, &text);
	for (i = 0; i + length < text.n; i++) {
		const char *at = text.at + i;

		if ((i && at[-1] != ' ') || strncmp(at, name, length) != 0 ||
			at[length] != '=')
			continue;
		at += length + 1;
		strbuf_put(out, at, strcspn(at, " "));
		return;
	}
	seq = &tracepoints->text;
	trace_seq_reset(seq);
	memcpy(tracepoints->room, raw, size);
	tep_print_field(seq, tracepoints->room, field);
	memset(tracepoints->room, 0, size);
	if (seq->state != TRACE_SEQ__GOOD)
		return;
	trace_seq_terminate(seq);
	escape_text(out, seq->buffer);
}

/*
 * In a child process: parses format number I, and formats made-up data by it.
 */
static void try_tracepoint_format(const struct formats *formats, size_t i)
{
	static const struct tracepoint_names no_names;
	struct tracepoints *tracepoints =
		create_tracepoints(&formats->tracing, &no_names);
	_cleanup_strbuf_ struct strbuf out = { 0 };
	unsigned fill;

	parse_format(tracepoints, &formats->list.at[i]);
	collect_events(tracepoints);
	for (fill = 0; fill <= UINT8_MAX && tracepoints->events.n; fill += 51) {
		const struct tracepoint_event *tracepoint_event =
			&tracepoints->events.at[0];
		struct tep_record record = { .size = UINT16_MAX,
			.data = tracepoints->room };
		uint16_t type = (uint16_t)tracepoint_event->id;

		if (tracepoint_event->use == TRACEPOINT_NOT)
			break;
		memset(tracepoints->room, (int)fill, UINT16_MAX);
		memcpy(tracepoints->room, &type, sizeof(type));
		print_tracepoint(tracepoints, tracepoint_event, &record, &out);
	}
	tracepoints_destroy(tracepoints);
}

/*
 * In a child process: tries the formats from number FIRST on. The byte that is
 * written to PIPE before each format lets the parent count the formats.
 */
static void _noreturn_ try_formats(
	const struct formats *formats, size_t first, int pipe)
{
	/*
	 * Discard messages and core files of the child, which would only
	 * confuse the user.
	 */
	const struct rlimit none = { 0, 0 };
	const struct rlimit time = { CHILD_SECONDS_MAX, CHILD_SECONDS_MAX };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	size_t i;

	if (null >= 0)
		dup2(null, STDERR_FILENO);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_CPU, &time);
	for (i = first; i < formats->list.n; i++) {
		if (write(pipe, "", 1) != 1)
			_exit(1);
		try_tracepoint_format(formats, i);
	}
	_exit(0);
}

/*
 * Tries all formats in a child process, because libtraceevent may crash. Sets
 * IS_BAD[i] of each format at which a child died. After CHILD_DEATHS_MAX
 * deaths, or if fork() fails, all remaining formats are bad.
 */
static void find_bad_formats(const struct formats *formats, bool *is_bad)
{
	size_t n = formats->list.n, first = 0, deaths = 0;

	while (first < n && deaths++ < CHILD_DEATHS_MAX) {
		int ends[2], status;
		size_t begun = 0;
		char bytes[256];
		ssize_t size;
		pid_t child, ended;

		if (pipe2(ends, O_CLOEXEC) < 0)
			break;
		child = fork();
		if (child == 0)
			try_formats(formats, first, ends[1]);
		close(ends[1]);
		/* Count the formats that the child began to try. */
		while (child > 0 &&
			((size = read(ends[0], bytes, sizeof(bytes))) > 0 ||
				(size < 0 && errno == EINTR)))
			begun += size > 0 ? (size_t)size : 0;
		close(ends[0]);
		do
			ended = child > 0 ? waitpid(child, &status, 0) : 0;
		while (ended < 0 && errno == EINTR);
		if (ended > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
			return;
		if (!begun)
			break;
		first += begun;
		is_bad[first - 1] = true;
	}
	memset(is_bad + first, true, n - first);
}

struct tracepoints *tracepoints_create(
	const struct features *features, const struct tracepoint_names *names)
{
	struct tracepoints *tracepoints;
	struct formats formats = { 0 };
	struct tracing rest;
	const char *text;
	bool *is_bad;
	size_t n = 0, size, i;

	if (!features->tracing_data ||
		!tracing_begin(bytes_of(features->tracing_data,
				       features->tracing_data_size, false),
			&formats.tracing))
		return NULL;
	rest = formats.tracing;
	while (tracing_next(&rest, &text, &size) && n++ < FORMATS_MAX)
		if (tracepoint_check_text(text, size))
			*array_push(&formats.list) =
				(struct format){ xstrndup(text, size),
					rest.system };
	is_bad = xcalloc(formats.list.n + 1, sizeof(*is_bad));
	find_bad_formats(&formats, is_bad);
	tracepoints = create_tracepoints(&formats.tracing, names);
	for (i = 0; i < formats.list.n; i++) {
		if (!is_bad[i])
			parse_format(tracepoints, &formats.list.at[i]);
		free(formats.list.at[i].text);
	}
	collect_events(tracepoints);
	array_free(&formats.list);
	free(is_bad);
	return tracepoints;
}
