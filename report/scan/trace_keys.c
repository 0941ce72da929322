/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/trace_keys.h"

#include <fnmatch.h>

#include "common/util/alloc.h"
#include "report/survey/tracepoint.h"
#include "report/util/string_table.h"

/* Raw data that were looked at already, and the number of their text. */
struct seen {
	uint64_t hash, number;
};

struct traces {
	struct tracepoint_names names;
	ARRAY(struct source {
		const struct reader *reader;
		struct tracepoints *tracepoints;
	}) sources; /* by input */
	struct texts texts;
	ARRAY(struct seen) seen;
	struct hash_index by_raw;
};

static const char *find_nothing(void *data _unused_, uint64_t address _unused_,
	uint64_t *start_ret _unused_)
{
	return NULL;
}

struct traces *traces_create(void)
{
	struct traces *traces = xcalloc(1, sizeof(*traces));

	traces->names.find = find_nothing;
	texts_number(&traces->texts, "N/A");
	return traces;
}

void traces_add(struct traces *traces, const struct reader *reader)
{
	*array_push(&traces->sources) = (struct source){ reader,
		tracepoints_create(reader_features(reader), &traces->names) };
}

void traces_destroy(struct traces *traces)
{
	if (!traces)
		return;
	array_each(&traces->sources, source)
		tracepoints_destroy(source->tracepoints);
	array_free(&traces->sources);
	texts_deinit(&traces->texts);
	array_free(&traces->seen);
	hash_free(&traces->by_raw);
	free(traces);
}

/*
 * The field that NAME asks of EVENT: what is behind the last dot, if what is
 * before it fits the event, with or without its system. NULL: none.
 */
static const char *field_of(
	const struct source *source, uint32_t event, const char *name)
{
	const char *dot = strrchr(name, '.');
	_cleanup_free_ char *pattern = NULL;
	const char *whole, *colon;

	if (reader_event(source->reader, event)->attr.type !=
		PERF_TYPE_TRACEPOINT)
		return NULL;
	if (!dot)
		return name;
	pattern = xstrndup(name, (size_t)(dot - name));
	whole = reader_event(source->reader, event)->name;
	colon = strchr(whole, ':');
	if (fnmatch(pattern, whole, 0) &&
		fnmatch(pattern, colon ? colon + 1 : whole, 0))
		return NULL;
	return dot + 1;
}

static uint64_t id_of(const struct source *source, uint32_t event)
{
	return reader_event(source->reader, event)->attr.config;
}

static bool has_field(const struct source *source, const char *name)
{
	uint32_t i, n = (uint32_t)reader_n_events(source->reader);

	for (i = 0; i < n; i++) {
		const char *field = field_of(source, i, name);

		if (field &&
			tracepoints_have_field(source->tracepoints,
				id_of(source, i), field))
			return true;
	}
	return false;
}

bool traces_have_field(const struct traces *traces, const char *name)
{
	array_each(&traces->sources, source)
		if (has_field(source, name))
			return true;
	return false;
}

static uint64_t look(struct traces *traces, struct trace_event of,
	const uint8_t *raw, size_t size, const char *name)
{
	const struct source *source = &traces->sources.at[of.input];
	_cleanup_strbuf_ struct strbuf text = { 0 };
	uint64_t id = id_of(source, of.event);
	const char *field = NULL;

	if (name) {
		field = field_of(source, of.event, name);
		if (!field)
			return 0;
		tracepoints_print_value(
			source->tracepoints, id, raw, size, field, &text);
	} else {
		tracepoints_print(source->tracepoints, id, raw, size, &text);
	}
	return text.n ? texts_number(&traces->texts, text.at) : 0;
}

uint64_t traces_find(struct traces *traces, struct trace_event of,
	const uint8_t *raw, size_t size, const char *name)
{
	const struct source *source = &traces->sources.at[of.input];
	uint64_t hash;
	uint32_t i, probe;
	struct seen *seen;

	if (!raw || reader_event(source->reader, of.event)->attr.type !=
			PERF_TYPE_TRACEPOINT)
		return 0;
	hash = hash_words(hash_bytes(raw, size),
		hash_words((uint64_t)of.input << 32 | of.event,
			name ? hash_string(name) : 0));
	probe = hash_start(hash);
	while ((i = hash_next(&traces->by_raw, hash, &probe)) != HASH_NONE)
		if (traces->seen.at[i].hash == hash)
			return traces->seen.at[i].number;
	hash_insert(&traces->by_raw, hash, (uint32_t)traces->seen.n);
	seen = array_push(&traces->seen);
	seen->hash = hash;
	seen->number = look(traces, of, raw, size, name);
	return seen->number;
}

const char *traces_text(const struct traces *traces, uint64_t number)
{
	return texts_at(&traces->texts, (uint32_t)number);
}
