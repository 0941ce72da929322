/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/traces.h"

#include <fnmatch.h>

#include "common/hash.h"
#include "report/tracepoint.h"

/* Raw data that were looked at already, and the number of their text. */
struct seen {
	uint64_t hash, number;
};

struct traces {
	const struct reader *reader;
	struct tracepoint_names names;
	struct tracepoints *tracepoints;
	ARRAY(char *) texts; /* owned */
	ARRAY(struct seen) seen;
	struct hash_index by_text, by_raw;
};

static const char *find_nothing(void *data _unused_, uint64_t address _unused_,
	uint64_t *start_ret _unused_)
{
	return NULL;
}

struct traces *traces_create(const struct reader *reader)
{
	struct traces *traces = xcalloc(1, sizeof(*traces));

	traces->reader = reader;
	traces->names.find = find_nothing;
	traces->tracepoints = tracepoints_create(
		reader_features(reader), &traces->names);
	*array_push(&traces->texts) = xstrdup("N/A");
	return traces;
}

void traces_destroy(struct traces *traces)
{
	if (!traces)
		return;
	tracepoints_destroy(traces->tracepoints);
	array_each(&traces->texts, text)
		free(*text);
	array_free(&traces->texts);
	array_free(&traces->seen);
	hash_free(&traces->by_text);
	hash_free(&traces->by_raw);
	free(traces);
}

/*
 * The field that NAME asks of EVENT: what is behind the last dot, if what is
 * before it fits the event, with or without its system. NULL: none.
 */
static const char *field_of(
	const struct traces *traces, uint32_t event, const char *name)
{
	const char *dot = strrchr(name, '.');
	_cleanup_free_ char *pattern = NULL;
	const char *whole, *colon;

	if (reader_event(traces->reader, event)->attr.type !=
		PERF_TYPE_TRACEPOINT)
		return NULL;
	if (!dot)
		return name;
	pattern = xstrndup(name, (size_t)(dot - name));
	whole = reader_event(traces->reader, event)->name;
	colon = strchr(whole, ':');
	if (fnmatch(pattern, whole, 0) &&
		fnmatch(pattern, colon ? colon + 1 : whole, 0))
		return NULL;
	return dot + 1;
}

static uint64_t id_of(const struct traces *traces, uint32_t event)
{
	return reader_event(traces->reader, event)->attr.config;
}

bool traces_have_field(const struct traces *traces, const char *name)
{
	uint32_t i, n = (uint32_t)reader_n_events(traces->reader);

	for (i = 0; i < n; i++) {
		const char *field = field_of(traces, i, name);

		if (field &&
			tracepoints_have_field(traces->tracepoints,
				id_of(traces, i), field))
			return true;
	}
	return false;
}

static uint64_t intern(struct traces *traces, const char *text)
{
	uint64_t hash = hash_string(text);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&traces->by_text, hash, &probe)) != HASH_NONE)
		if (string_is(traces->texts.at[i], text))
			return i;
	i = (uint32_t)traces->texts.n;
	hash_insert(&traces->by_text, hash, i);
	*array_push(&traces->texts) = xstrdup(text);
	return i;
}

static uint64_t look(struct traces *traces, uint32_t event,
	const uint8_t *raw, size_t size, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *field = NULL;

	if (name) {
		field = field_of(traces, event, name);
		if (!field)
			return 0;
		tracepoints_print_value(traces->tracepoints,
			id_of(traces, event), raw, size, field, &text);
	} else {
		tracepoints_print(traces->tracepoints, id_of(traces, event),
			raw, size, &text);
	}
	return text.n ? intern(traces, text.at) : 0;
}

uint64_t traces_find(struct traces *traces, uint32_t event, const uint8_t *raw,
	size_t size, const char *name)
{
	uint64_t hash;
	uint32_t i, probe;
	struct seen *seen;

	if (!raw || reader_event(traces->reader, event)->attr.type !=
			PERF_TYPE_TRACEPOINT)
		return 0;
	hash = hash_words(hash_bytes(raw, size),
		hash_words(event, name ? hash_string(name) : 0));
	probe = hash_start(hash);
	while ((i = hash_next(&traces->by_raw, hash, &probe)) != HASH_NONE)
		if (traces->seen.at[i].hash == hash)
			return traces->seen.at[i].number;
	hash_insert(&traces->by_raw, hash, (uint32_t)traces->seen.n);
	seen = array_push(&traces->seen);
	seen->hash = hash;
	seen->number = look(traces, event, raw, size, name);
	return seen->number;
}

const char *traces_text(const struct traces *traces, uint64_t number)
{
	return traces->texts.at[number];
}
