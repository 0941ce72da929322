/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/trace_keys.h"

#include <fnmatch.h>

#include "common/util/alloc.h"
#include "report/survey/tracepoint.h"
#include "report/util/string_table.h"

/* Hash of raw data that were formatted, and the number of the text. */
struct seen_text {
	uint64_t hash, number;
};

struct trace_keys {
	struct tracepoint_names names;
	ARRAY(struct source {
		const struct reader *reader;
		struct tracepoints *tracepoints;
	})
	sources; /* by input number */
	struct string_table texts;
	ARRAY(struct seen_text) seen;
	struct hash_index by_raw;
};

struct trace_keys *trace_keys_create(void)
{
	struct trace_keys *traces = xcalloc(1, sizeof(*traces));

	string_table_intern(&traces->texts, "N/A");
	return traces;
}

void trace_keys_add(struct trace_keys *traces, const struct reader *reader)
{
	*array_push(&traces->sources) = (struct source){ reader,
		tracepoints_create(reader_features(reader), &traces->names) };
}

void trace_keys_destroy(struct trace_keys *traces)
{
	if (!traces)
		return;
	array_each(&traces->sources, source)
		tracepoints_destroy(source->tracepoints);
	array_free(&traces->sources);
	string_table_deinit(&traces->texts);
	array_free(&traces->seen);
	hash_free(&traces->by_raw);
	free(traces);
}

/*
 * Returns the part of NAME behind the last dot, which is the field, if the part
 * before the dot matches EVENT with or without its subsystem ("sched:").
 * Returns NULL if EVENT does not match.
 */
static const char *match_field_name(
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

static uint64_t tracepoint_id(const struct source *source, uint32_t event)
{
	return reader_event(source->reader, event)->attr.config;
}

bool trace_keys_have_field(const struct trace_keys *traces, const char *name)
{
	uint32_t i;

	array_each(&traces->sources, source)
		for (i = 0; i < reader_n_events(source->reader); i++) {
			const char *field = match_field_name(source, i, name);

			if (field &&
				tracepoints_have_field(source->tracepoints,
					tracepoint_id(source, i), field))
				return true;
		}
	return false;
}

uint64_t trace_keys_find(struct trace_keys *traces, struct trace_event of,
	const uint8_t *raw, size_t size, const char *name)
{
	const struct source *source = &traces->sources.at[of.input];
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *field = NULL;
	uint64_t hash, number;

	if (!raw ||
		reader_event(source->reader, of.event)->attr.type !=
			PERF_TYPE_TRACEPOINT)
		return 0;
	hash = hash_words(hash_bytes(raw, size),
		hash_words((uint64_t)of.input << 32 | of.event,
			name ? hash_string(name) : 0));
	hash_each_match(&traces->by_raw, hash, i)
		if (traces->seen.at[i].hash == hash)
			return traces->seen.at[i].number;
	if (name)
		field = match_field_name(source, of.event, name);
	if (field)
		tracepoints_print_value(source->tracepoints,
			tracepoint_id(source, of.event), raw, size, field,
			&text);
	else if (!name)
		tracepoints_print(source->tracepoints,
			tracepoint_id(source, of.event), raw, size, &text);
	number = text.n ? string_table_intern(&traces->texts, text.at) : 0;
	hash_insert(&traces->by_raw, hash, (uint32_t)traces->seen.n);
	*array_push(&traces->seen) = (struct seen_text){ hash, number };
	return number;
}

const char *trace_keys_text(const struct trace_keys *traces, uint64_t number)
{
	return string_table_at(&traces->texts, (uint32_t)number);
}
