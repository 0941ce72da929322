/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the event of a record, by the file's attributes, IDs and names. */
#include "config.h"

#include "common/file/reader.h"
#include "common/file/reader_private.h"
#include "common/perf/swap.h"
#include "common/util/alloc.h"

bool reader_find_id(const struct reader *reader, uint64_t id, size_t *event_ret)
{
	uint64_t hash = hash_words(id, 0);

	hash_each_match(&reader->by_id, hash, i) {
		if (reader->ids.at[i].id != id)
			continue;
		*event_ret = reader->ids.at[i].event;
		return true;
	}
	return false;
}

void reader_add_event(struct reader *reader, const struct perf_event_attr *attr,
	struct bytes ids)
{
	struct event *event = array_push(&reader->events);
	size_t known;

	event->attr = *attr;
	event->name = attr_name(attr);
	while (bytes_left(&ids) >= 8 && event->ids.n < ATTR_IDS_MAX) {
		uint64_t id = bytes_u64(&ids);

		*array_push(&event->ids) = id;
		/* If another event has ID already, that event keeps ID. */
		if (reader_find_id(reader, id, &known))
			continue;
		hash_insert(&reader->by_id, hash_words(id, 0),
			(uint32_t)reader->ids.n);
		*array_push(&reader->ids) =
			(struct reader_id){ id, reader->events.n - 1 };
	}
	sample_layout_init(array_push(&reader->layouts), attr);
}

static void rename_event(struct reader *reader, size_t i, const char *name)
{
	if (i >= reader->events.n || !name || !*name)
		return;
	free(reader->events.at[i].name);
	reader->events.at[i].name = xstrdup(name);
}

void reader_name_events(struct reader *reader)
{
	size_t i;

	if (reader->features.events.n != reader->events.n)
		return;
	for (i = 0; i < reader->events.n; i++)
		rename_event(reader, i, reader->features.events.at[i].name);
}

void reader_take_description(struct reader *reader, const struct record *record)
{
	struct bytes b = record_payload(record);

	if (record->type == RECORD_EVENT_UPDATE) {
		uint64_t kind = bytes_u64(&b), id = bytes_u64(&b);
		const char *name = bytes_string(&b);
		size_t event;

		if (b.ok && kind == EVENT_UPDATE_NAME &&
			reader_find_id(reader, id, &event))
			rename_event(reader, event, name);
	} else if (!reader->is_pipe) {
		return;
	} else if (record->type == RECORD_HEADER_ATTR) {
		struct perf_event_attr attr;
		struct bytes peeked = b;
		uint32_t size;

		bytes_u32(&peeked);
		size = bytes_u32(&peeked);
		if (attr_read(&b, size ? size : PERF_ATTR_SIZE_VER0, &attr) &&
			reader->events.n < ATTR_EVENTS_MAX)
			reader_add_event(reader, &attr, b);
	} else if (record->type == RECORD_HEADER_FEATURE) {
		uint64_t bit = bytes_u64(&b);

		if (bit >= FEATURE_BITS || !bytes_left(&b))
			return;
		feature_read(&reader->features, (unsigned)bit, b);
		if (bit == FEATURE_EVENT_DESC)
			reader_name_events(reader);
	} else if (record->type == RECORD_HEADER_BUILD_ID) {
		struct bytes whole =
			bytes_of(record->data, record->size, record->swap);

		feature_read(&reader->features, FEATURE_BUILD_ID, whole);
	}
}

void reader_take_tracing_data(
	struct reader *reader, uint64_t offset, uint64_t size)
{
	_cleanup_free_ uint8_t *data = NULL;

	if (size > FEATURE_SIZE_MAX || offset > reader->size ||
		size > reader->size - offset)
		return;
	data = xmalloc(size);
	size = reader_read_at(reader, offset, data, size);
	feature_read(&reader->features, FEATURE_TRACING_DATA,
		bytes_of(data, size, reader->swap));
}

size_t reader_n_events(const struct reader *reader)
{
	return reader->events.n;
}

const char *reader_event_name(const struct reader *reader, uint64_t id)
{
	size_t event;

	return reader_find_id(reader, id, &event)
		? reader->events.at[event].name
		: "event";
}

const struct event *reader_event(const struct reader *reader, size_t i)
{
	return &reader->events.at[i];
}

bool reader_has_stack_copies(const struct reader *reader)
{
	array_each(&reader->events, event)
		if (event->attr.sample_type & PERF_SAMPLE_REGS_USER &&
			event->attr.sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	return false;
}

const struct sample_layout *reader_layout(const struct reader *reader, size_t i)
{
	return &reader->layouts.at[i];
}

size_t reader_event_of(const struct reader *reader, const struct record *record)
{
	size_t event = 0;
	uint64_t id;

	if (reader->events.n > 1 &&
		sample_peek_id(&reader->layouts.at[0], record, &id))
		reader_find_id(reader, id, &event);
	return event;
}

void reader_swap(const struct reader *reader, uint8_t *data, size_t size)
{
	static const struct sample_layout none;
	struct record record;

	for (; record_at(data, size, true, &record);
		data += record.size, size -= record.size)
		swap_record(data, &record,
			reader->events.n
				? reader_layout(reader,
					  reader_event_of(reader, &record))
				: &none);
}
