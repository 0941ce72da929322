/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/order.h"

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/util/progress.h"

struct held {
	uint64_t time, position;
	size_t offset; /* in the arena */
};

struct order {
	struct reader *reader;
	const struct survey *survey;
	const struct order_wanted *wanted;
	bool has_others; /* records beside samples are wanted */
	struct cursor *cursor;
	ARRAY(struct held) held;
	struct strbuf arena;
	uint64_t oldest; /* time of what is held */
	uint64_t cost;   /* of what is held, as the reader counts it */
	bool is_broken;  /* more had to be held than there is room for */
	order_take *take;
	void *data; /* for take */
};

static uint64_t time_of(const struct order *order, const struct record *record,
	uint64_t position)
{
	const struct sample_layout *layout = reader_layout(order->reader,
		reader_event_of(order->reader, record));
	struct sample_id id;
	uint64_t time = 0;

	if (record->type != RECORD_SAMPLE) {
		sample_id_read(layout, record, &id);
		time = id.time;
	} else if (layout->time && layout->time + sizeof(time) <= record->size) {
		memcpy(&time, record->data + layout->time, sizeof(time));
	}
	return survey_time(order->survey, time, position);
}

typedef void visit(struct order *order, const struct record *record,
	uint64_t position, void *data);

static bool wants_extent(const struct order *order, const struct extent *extent)
{
	return order->has_others ||
		pick_has_extent(order->wanted->pick, extent);
}

static bool wants_record(const struct order *order, uint32_t type)
{
	return type == RECORD_SAMPLE ||
		(type < RECORD_END && order->wanted->types[type]);
}

static void each_wanted(struct order *order, const struct extent *extent,
	visit *function, void *data)
{
	struct chunk chunk;

	if (!wants_extent(order, extent) || progress_is_given_up())
		return;
	cursor_load(order->cursor, extent);
	while (cursor_next(order->cursor, &chunk) == 0) {
		struct record record;
		size_t at = 0;

		while (record_at(chunk.data + at, chunk.size - at, false,
			&record)) {
			if (wants_record(order, record.type))
				function(order, &record, chunk.position + at,
					data);
			at += record.size;
		}
	}
}

/* What the recorder tells of the time before has no time of its own. */
static bool is_timeless(const struct record *record, uint64_t time)
{
	return !time && record->type != RECORD_SAMPLE;
}

static void note_first(struct order *order, const struct record *record,
	uint64_t position, void *data)
{
	uint64_t time = time_of(order, record, position), *first = data;

	if (!is_timeless(record, time))
		*first = MIN(*first, time);
}

static int compare_held(const void *a, const void *b)
{
	const struct held *left = a, *right = b;

	if (left->time != right->time)
		return COMPARE(left->time, right->time);
	return COMPARE(left->offset, right->offset);
}

static size_t cost_of(const struct record *record)
{
	return record->size + 2 * sizeof(struct held);
}

/* Gives what is older than UNTIL, keeps the rest. */
static void release(struct order *order, uint64_t until)
{
	struct strbuf rest = { 0 };
	uint64_t cost = 0;
	size_t kept = 0;

	if (order->oldest >= until)
		return;
	order->oldest = UINT64_MAX;
	array_sort(&order->held, compare_held);
	array_each(&order->held, held) {
		const uint8_t *bytes =
			(const uint8_t *)order->arena.at + held->offset;
		struct record record;

		if (!record_at(bytes, order->arena.n - held->offset, false,
			    &record))
			continue;
		if (held->time < until) {
			order->take(order->data, &record, held->position);
			continue;
		}
		cost += cost_of(&record);
		order->oldest = MIN(order->oldest, held->time);
		held->offset = rest.n;
		strbuf_put(&rest, bytes, record.size);
		order->held.at[kept++] = *held;
	}
	order->held.n = kept;
	strbuf_free(&order->arena);
	order->arena = rest;
	reader_returns(order->reader, order->cost - MIN(cost, order->cost));
	order->cost = MIN(cost, order->cost);
}

/*
 * What a file expands to may be without bounds: then samples go before older
 * ones have come.
 */
static void hold(struct order *order, const struct record *record,
	uint64_t position, void *data _unused_)
{
	uint64_t time = time_of(order, record, position);

	if (is_timeless(record, time)) {
		order->take(order->data, record, position);
		return;
	}
	if (!reader_affords(order->reader, cost_of(record))) {
		order->is_broken = true;
		release(order, UINT64_MAX);
	} else {
		order->cost += cost_of(record);
	}
	*array_push(&order->held) = (struct held){
		.time = time,
		.position = position,
		.offset = order->arena.n,
	};
	order->oldest = MIN(order->oldest, time);
	strbuf_put(&order->arena, record->data, record->size);
}

static uint64_t first_time(struct order *order, const struct extent *extent)
{
	uint64_t first = UINT64_MAX;

	if (extent->coding != EXTENT_BLOCK || !order->survey->has_time)
		each_wanted(order, extent, note_first, &first);
	else if (wants_extent(order, extent) && extent->info.first_time)
		first = extent->info.first_time;
	return first;
}

/* perf's compressed streams can only be read from their start. */
static void rewind_cursor(struct order *order)
{
	cursor_destroy(order->cursor);
	order->cursor = cursor_create(order->reader);
}

/* What is older than all that follows can go. */
static void give_sorted(struct order *order)
{
	size_t n = reader_n_extents(order->reader), i;
	_cleanup_free_ uint64_t *first = xcalloc(n + 1, sizeof(*first));

	for (i = 0; i < n; i++)
		first[i] = first_time(order, reader_extent(order->reader, i));
	first[n] = UINT64_MAX;
	for (i = n; i-- > 0;)
		first[i] = MIN(first[i], first[i + 1]);
	rewind_cursor(order);
	for (i = 0; i < n; i++) {
		each_wanted(
			order, reader_extent(order->reader, i), hold, NULL);
		release(order, first[i + 1]);
	}
	release(order, UINT64_MAX);
	if (order->is_broken)
		log_note("%s: its samples are so far from their order that not "
			 "all are shown in it",
			reader_path(order->reader));
}

static void give(struct order *order, const struct record *record,
	uint64_t position, void *data _unused_)
{
	order->take(order->data, record, position);
}

static void give_unsorted(struct order *order)
{
	size_t n = reader_n_extents(order->reader), i;

	for (i = 0; i < n; i++)
		each_wanted(
			order, reader_extent(order->reader, i), give, NULL);
}

void order_records(struct reader *reader, const struct survey *survey,
	const struct order_wanted *wanted, order_take *take, void *data)
{
	struct order order = { .reader = reader,
		.survey = survey,
		.wanted = wanted,
		.oldest = UINT64_MAX,
		.take = take,
		.data = data };
	size_t type;

	for (type = 0; type < RECORD_END; type++)
		order.has_others |= wanted->types[type];
	rewind_cursor(&order);
	if (wanted->is_unsorted)
		give_unsorted(&order);
	else
		give_sorted(&order);
	cursor_destroy(order.cursor);
	array_free(&order.held);
	strbuf_free(&order.arena);
}

void order_samples(struct reader *reader, const struct survey *survey,
	const struct pick *pick, order_take *take, void *data)
{
	const struct order_wanted wanted = { .pick = pick };

	order_records(reader, survey, &wanted, take, data);
}
