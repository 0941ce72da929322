/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/tracepoint.h"

#include <event-parse.h>

#include "common/util/escape.h"
#include "report/survey/tracepoint_check.h"
#include "report/survey/tracepoint_try.h"
#include "report/survey/tracing.h"

/* Formats of one recording: far above what any kernel has. */
#define FORMATS_MAX 65536u

struct known {
	uint64_t id;
	size_t extent; /* bytes that the raw data have at least */
	enum tracepoint_use use;
	struct tep_event *event; /* owned by the handle */
};

struct tracepoints {
	struct tep_handle *tep;
	struct trace_seq text;
	ARRAY(struct known) known; /* by id */
	uint8_t *room;             /* TRACEPOINT_ROOM; zeros in between */
};

/* Asked by libtraceevent, for what "%pS" and its kin print. */
static char *find_function(
	void *data, unsigned long long *address, char **module_ret)
{
	const struct tracepoint_names *names = data;
	uint64_t start;
	const char *name = names->find(names->data, *address, &start);

	*module_ret = NULL;
	if (name)
		*address = start;
	return (char *)name;
}

/* The formats of a file that pass the first check. */
struct formats {
	struct tracing tracing;
	ARRAY(struct format {
		char *text;         /* owned */
		const char *system; /* borrowed */
	}) list;
};

static void collect_formats(struct formats *formats)
{
	struct tracing rest = formats->tracing;
	const char *text;
	unsigned n = 0;
	size_t size;

	while (tracing_next(&rest, &text, &size) && n++ < FORMATS_MAX)
		if (tracepoint_check_text(text, size))
			*array_push(&formats->list) = (struct format){
				xstrndup(text, size), rest.system
			};
}

static struct tracepoints *create(
	const struct tracing *tracing, const struct tracepoint_names *names)
{
	struct tracepoints *tracepoints = xcalloc(1, sizeof(*tracepoints));

	tep_set_loglevel(TEP_LOG_NONE);
	tracepoints->tep = tep_alloc();
	if (!tracepoints->tep)
		abort();
	tep_set_function_resolver(
		tracepoints->tep, find_function, (void *)names);
	tep_set_long_size(tracepoints->tep, tracing->long_size);
	tep_set_page_size(tracepoints->tep, (int)tracing->page_size);
	tep_set_file_bigendian(tracepoints->tep,
		tracing->is_big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	trace_seq_init(&tracepoints->text);
	tracepoints->room = xcalloc(1, TRACEPOINT_ROOM);
	return tracepoints;
}

static void add_format(
	struct tracepoints *tracepoints, const struct format *format)
{
	tep_parse_event(tracepoints->tep, format->text, strlen(format->text),
		format->system);
}

/* In the order of ids, as libtraceevent keeps them. */
static void know_events(struct tracepoints *tracepoints)
{
	int i, n = tep_get_events_count(tracepoints->tep);

	for (i = 0; i < n; i++) {
		struct tep_event *event = tep_get_event(tracepoints->tep, i);
		struct known *known;

		if (!event || event != tep_find_event(tracepoints->tep,
				      event->id))
			continue;
		known = array_push(&tracepoints->known);
		known->id = (uint64_t)event->id;
		known->event = event;
		known->use = tracepoint_check_event(event, &known->extent);
		if (known->use == TRACEPOINT_FIELDS)
			event->flags |= TEP_EVENT_FL_PRINTRAW;
	}
}

void tracepoints_destroy(struct tracepoints *tracepoints)
{
	if (!tracepoints)
		return;
	trace_seq_destroy(&tracepoints->text);
	tep_free(tracepoints->tep);
	array_free(&tracepoints->known);
	free(tracepoints->room);
	free(tracepoints);
}

static const struct known *find(
	const struct tracepoints *tracepoints, uint64_t id)
{
	size_t from = 0, to = tracepoints ? tracepoints->known.n : 0;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		const struct known *known = &tracepoints->known.at[middle];

		if (known->id == id)
			return known;
		if (known->id < id)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

/* RECORD's data are in .room, which has room for all that is checked. */
static void print(struct tracepoints *tracepoints, const struct known *known,
	struct tep_record *record, struct strbuf *out)
{
	struct trace_seq *text = &tracepoints->text;

	if (known->use == TRACEPOINT_COUNTS &&
		!tracepoint_check_counts(known->event, record->data))
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
	const struct known *known = find(tracepoints, id);
	struct tep_record record = { .size = (int)size };

	if (!known || known->use == TRACEPOINT_NOT || size < known->extent)
		return;
	/* Read beyond its end it has zeros. */
	memcpy(tracepoints->room, raw, size);
	record.data = tracepoints->room;
	if (tep_data_type(tracepoints->tep, &record) == known->event->id)
		print(tracepoints, known, &record, out);
	memset(tracepoints->room, 0, size);
}

void tracepoints_print_fields(const struct tracepoints *tracepoints,
	uint64_t id, struct strbuf *out)
{
	const struct known *known = find(tracepoints, id);
	const struct tep_format_field *field =
		known ? known->event->format.fields : NULL;

	for (; field; field = field->next) {
		escape_text(out, field->name);
		if (field->next)
			strbuf_putc(out, ',');
	}
}

bool tracepoints_have_field(
	struct tracepoints *tracepoints, uint64_t id, const char *name)
{
	const struct known *known = find(tracepoints, id);

	return known && known->use != TRACEPOINT_NOT &&
		tep_find_any_field(known->event, name);
}

/* The word "NAME=..." of a text, without its name; false if there is none. */
static bool put_word(
	struct strbuf *out, const struct strbuf *text, const char *name)
{
	size_t length = strlen(name), i;

	for (i = 0; i + length < text->n; i++) {
		const char *at = text->at + i;

		if ((i && at[-1] != ' ') || strncmp(at, name, length) != 0 ||
			at[length] != '=')
			continue;
		at += length + 1;
		strbuf_put(out, at, strcspn(at, " "));
		return true;
	}
	return false;
}

void tracepoints_print_value(struct tracepoints *tracepoints, uint64_t id,
	const uint8_t *raw, size_t size, const char *name,
	struct strbuf *out)
{
	const struct known *known = find(tracepoints, id);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct tep_format_field *field;
	struct trace_seq *seq;

	if (!tracepoints_have_field(tracepoints, id, name) ||
		size < known->extent)
		return;
	tracepoints_print(tracepoints, id, raw, size, &text);
	if (text.n && put_word(out, &text, name))
		return;
	field = tep_find_any_field(known->event, name);
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

static const char *no_function(void *data _unused_, uint64_t address _unused_,
	uint64_t *start_ret _unused_)
{
	return NULL;
}

/* In a child: reads one format, and prints made-up data by it. */
static void try_format(void *data, size_t i)
{
	static const struct tracepoint_names nobody = { no_function, NULL };
	const struct formats *formats = data;
	struct tracepoints *tracepoints = create(&formats->tracing, &nobody);
	_cleanup_strbuf_ struct strbuf out = { 0 };
	unsigned fill;

	add_format(tracepoints, &formats->list.at[i]);
	know_events(tracepoints);
	for (fill = 0; fill <= UINT8_MAX && tracepoints->known.n; fill += 51) {
		const struct known *known = &tracepoints->known.at[0];
		struct tep_record record = { .size = UINT16_MAX,
			.data = tracepoints->room };
		uint16_t type = (uint16_t)known->id;

		if (known->use == TRACEPOINT_NOT)
			break;
		memset(tracepoints->room, (int)fill, UINT16_MAX);
		memcpy(tracepoints->room, &type, sizeof(type));
		print(tracepoints, known, &record, &out);
	}
	tracepoints_destroy(tracepoints);
}

struct tracepoints *tracepoints_create(const struct features *features,
	const struct tracepoint_names *names)
{
	struct tracepoints *tracepoints = NULL;
	struct formats formats = { 0 };
	bool *is_bad;
	size_t i;

	if (!features->tracing_data ||
		!tracing_begin(bytes_of(features->tracing_data,
				       features->tracing_data_size, false),
			&formats.tracing))
		return NULL;
	collect_formats(&formats);
	is_bad = xcalloc(formats.list.n + 1, sizeof(*is_bad));
	tracepoint_try(try_format, &formats, formats.list.n, is_bad);
	tracepoints = create(&formats.tracing, names);
	for (i = 0; i < formats.list.n; i++) {
		if (!is_bad[i])
			add_format(tracepoints, &formats.list.at[i]);
		free(formats.list.at[i].text);
	}
	know_events(tracepoints);
	array_free(&formats.list);
	free(is_bad);
	return tracepoints;
}
