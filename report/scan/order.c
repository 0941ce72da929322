/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/order.h"

#include "common/util/alloc.h"
#include "common/util/budget.h"
#include "common/util/log.h"
#include "report/util/progress.h"

struct held_record {
	uint64_t time, position;
	size_t offset; /* of the record in order->arena */
};

struct order {
	struct reader *reader;
	const struct survey *survey;
	const struct order_request *wanted;
	bool has_others; /* records besides samples are requested */
	struct cursor *cursor;
	ARRAY(struct held_record) held;
	struct strbuf arena;
	uint64_t oldest; /* earliest time in .held */
	uint64_t cost;	 /* memory of .held, reserved from the reader */
	bool is_over;	 /* no more records are needed */
	bool is_broken;	 /* the memory limit was reached */
	order_visit *take;
	void *data; /* parameter of .take */
};

static uint64_t ordered_record_time(const struct order *order,
	const struct record *record, uint64_t position)
{
	const struct sample_layout *layout = reader_layout(
		order->reader, reader_event_of(order->reader, record));
	struct sample_id id;
	uint64_t time = 0;

	if (record->type != RECORD_SAMPLE) {
		sample_id_read(layout, record, &id);
		time = id.time;
	} else if (layout->time &&
		layout->time + sizeof(time) <= record->size) {
		memcpy(&time, record->data + layout->time, sizeof(time));
	}
	return survey_time(order->survey, time, position);
}

typedef void visit(struct order *order, const struct record *record,
	uint64_t position, void *data);

static bool wants_extent(const struct order *order, const struct extent *extent)
{
	return order->has_others ||
		sample_selection_has_extent(order->wanted->selection, extent);
}

static bool wants_record(const struct order *order, uint32_t type)
{
	return type == RECORD_SAMPLE ||
		(type < RECORD_END && order->wanted->types[type]);
}

static void visit_requested(struct order *order, const struct extent *extent,
	visit *function, void *data)
{
	struct record record;
	uint64_t position;

	if (!wants_extent(order, extent) || progress_is_given_up())
		return;
	cursor_load(order->cursor, extent);
	while (!order->is_over &&
		cursor_next_record(order->cursor, &record, &position))
		if (wants_record(order, record.type))
			function(order, &record, position, data);
}

/*
 * Records without a time describe the state before the recording; the recorder
 * synthesized them.
 */
static bool is_timeless_record(const struct record *record, uint64_t time)
{
	return !time && record->type != RECORD_SAMPLE;
}

static void update_first_time(struct order *order, const struct record *record,
	uint64_t position, void *data)
{
	uint64_t time = ordered_record_time(order, record, position),
		 *first = data;

	if (!is_timeless_record(record, time))
		*first = MIN(*first, time);
}

static int compare_held_records(const void *a, const void *b)
{
	const struct held_record *left = a, *right = b;

	if (left->time != right->time)
		return COMPARE(left->time, right->time);
	return COMPARE(left->offset, right->offset);
}

static size_t held_record_cost(const struct record *record)
{
	return record->size + 2 * sizeof(struct held_record);
}

static void take_ordered(
	struct order *order, const struct record *record, uint64_t position)
{
	if (!order->is_over)
		order->is_over = !order->take(order->data, record, position);
}

/*
 * Visits the buffered records with times before UNTIL, and keeps the other
 * records.
 */
static void visit_held_before(struct order *order, uint64_t until)
{
	struct strbuf rest = { 0 };
	uint64_t cost = 0;
	size_t kept = 0;

	if (order->oldest >= until)
		return;
	order->oldest = UINT64_MAX;
	array_sort(&order->held, compare_held_records);
	array_each(&order->held, held) {
		const uint8_t *bytes =
			(const uint8_t *)order->arena.at + held->offset;
		struct record record;

		if (!record_at(bytes, order->arena.n - held->offset, false,
			    &record))
			continue;
		if (held->time < until) {
			take_ordered(order, &record, held->position);
			continue;
		}
		cost += held_record_cost(&record);
		order->oldest = MIN(order->oldest, held->time);
		held->offset = rest.n;
		strbuf_put(&rest, bytes, record.size);
		order->held.at[kept++] = *held;
	}
	order->held.n = kept;
	strbuf_free(&order->arena);
	order->arena = rest;
	budget_release(reader_budget(order->reader),
		order->cost - MIN(cost, order->cost));
	order->cost = MIN(cost, order->cost);
}

/*
 * Buffers RECORD. The decompressed size of a file may be very large: at the
 * memory limit, buffered records are visited although older records may follow
 * in the file.
 */
static void hold_record(struct order *order, const struct record *record,
	uint64_t position, void *data _unused_)
{
	uint64_t time = ordered_record_time(order, record, position);

	if (is_timeless_record(record, time)) {
		take_ordered(order, record, position);
		return;
	}
	if (!budget_reserve(
		    reader_budget(order->reader), held_record_cost(record))) {
		order->is_broken = true;
		visit_held_before(order, UINT64_MAX);
	} else {
		order->cost += held_record_cost(record);
	}
	*array_push(&order->held) = (struct held_record){
		.time = time,
		.position = position,
		.offset = order->arena.n,
	};
	order->oldest = MIN(order->oldest, time);
	strbuf_put(&order->arena, record->data, record->size);
}

static uint64_t first_extent_time(
	struct order *order, const struct extent *extent)
{
	uint64_t first = UINT64_MAX;

	if (extent->coding != EXTENT_BLOCK || !order->survey->has_time)
		visit_requested(order, extent, update_first_time, &first);
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

/*
 * Visits records in the order of time: after each extent, all buffered records
 * that are older than every later record are visited.
 */
static void visit_sorted(struct order *order)
{
	size_t n = reader_n_extents(order->reader), i;
	_cleanup_free_ uint64_t *first = xcalloc(n + 1, sizeof(*first));

	for (i = 0; i < n; i++)
		first[i] = first_extent_time(
			order, reader_extent(order->reader, i));
	first[n] = UINT64_MAX;
	for (i = n; i-- > 0;)
		first[i] = MIN(first[i], first[i + 1]);
	rewind_cursor(order);
	for (i = 0; i < n && !order->is_over; i++) {
		visit_requested(order, reader_extent(order->reader, i),
			hold_record, NULL);
		visit_held_before(order, first[i + 1]);
	}
	visit_held_before(order, UINT64_MAX);
	if (order->is_broken)
		log_note("%s: samples are too far out of order: some are not "
			 "shown in the order of time",
			reader_path(order->reader));
}

static void visit_unheld(struct order *order, const struct record *record,
	uint64_t position, void *data _unused_)
{
	take_ordered(order, record, position);
}

static void visit_unsorted(struct order *order)
{
	size_t n = reader_n_extents(order->reader), i;

	for (i = 0; i < n && !order->is_over; i++)
		visit_requested(order, reader_extent(order->reader, i),
			visit_unheld, NULL);
}

void order_records(struct reader *reader, const struct survey *survey,
	const struct order_request *wanted, order_visit *take, void *data)
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
		visit_unsorted(&order);
	else
		visit_sorted(&order);
	cursor_destroy(order.cursor);
	array_free(&order.held);
	strbuf_free(&order.arena);
}

void order_samples(struct reader *reader, const struct survey *survey,
	const struct sample_selection *selection, order_visit *take, void *data)
{
	const struct order_request wanted = { .selection = selection };

	order_records(reader, survey, &wanted, take, data);
}
