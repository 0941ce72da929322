/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/sample.h"
#include "common/perf/abi.h"

#define TRAILER_BITS                                           \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | \
		PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |      \
		PERF_SAMPLE_IDENTIFIER)

/* The first fields of a sample, 8 bytes each, in ABI order. */
static const uint64_t leading_fields[] = { PERF_SAMPLE_IDENTIFIER,
	PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR,
	PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
	PERF_SAMPLE_PERIOD };

void sample_layout_init(
	struct sample_layout *layout, const struct perf_event_attr *attr)
{
	*layout = (struct sample_layout){
		.type = attr->sample_type,
		.read_format = attr->read_format,
		.branch_type = attr->branch_sample_type,
		/* The frequency if attr.freq is set (a union), as in perf. */
		.period = attr->sample_period,
		.n_regs_user =
			(uint8_t)__builtin_popcountll(attr->sample_regs_user),
		.n_regs_intr =
			(uint8_t)__builtin_popcountll(attr->sample_regs_intr),
		.has_trailer = attr->sample_id_all,
	};
	uint8_t offset = RECORD_HEADER_SIZE;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(leading_fields); i++) {
		uint64_t bit = leading_fields[i];

		if (!(layout->type & bit))
			continue;
		if (bit == PERF_SAMPLE_IP)
			layout->ip = offset;
		else if (bit == PERF_SAMPLE_TID)
			layout->tid = offset;
		else if (bit == PERF_SAMPLE_TIME)
			layout->time = offset;
		else if (bit == PERF_SAMPLE_CPU)
			layout->cpu = offset;
		else if (bit == PERF_SAMPLE_PERIOD)
			layout->period_at = offset;
		else if (bit == PERF_SAMPLE_IDENTIFIER ||
			(bit == PERF_SAMPLE_ID && !layout->id))
			layout->id = offset;
		offset += 8;
	}
	layout->leading_size = offset - RECORD_HEADER_SIZE;
	if (layout->type & PERF_SAMPLE_READ)
		layout->counts = offset;
	else if (layout->type & PERF_SAMPLE_CALLCHAIN)
		layout->callchain = offset;
	if (layout->has_trailer) {
		uint64_t type = layout->type;
		uint8_t from_end = 0;

		layout->trailer_size =
			8 * (uint8_t)__builtin_popcountll(type & TRAILER_BITS);
		if (type & PERF_SAMPLE_IDENTIFIER)
			layout->trailer_id = from_end += 8;
		if (type & PERF_SAMPLE_CPU)
			from_end += 8;
		if (type & PERF_SAMPLE_STREAM_ID)
			from_end += 8;
		if (type & PERF_SAMPLE_ID) {
			from_end += 8;
			if (!layout->trailer_id)
				layout->trailer_id = from_end;
		}
		if (type & PERF_SAMPLE_TIME)
			layout->trailer_time = from_end + 8;
	}
}

/* Returns the next N elements of EACH bytes, borrowed from B, or NULL. */
static const uint8_t *take_list(struct bytes *b, uint64_t n, size_t each)
{
	if (n > bytes_left(b) / each) {
		b->ok = false;
		return NULL;
	}
	return bytes_take(b, n * each);
}

/* Returns the number of u64 words per counter of a group. */
static size_t words_per_counter(const struct sample_counts *counts)
{
	return 1 + counts->has_id + counts->has_lost;
}

bool sample_read_counts(const struct sample_layout *layout, struct bytes *b,
	struct sample_counts *ret)
{
	uint64_t format = layout->read_format;
	bool is_group = format & PERF_FORMAT_GROUP;

	memset(ret, 0, sizeof(*ret));
	ret->has_id = format & PERF_FORMAT_ID;
	ret->has_lost = format & ABI_FORMAT_LOST;
	ret->n = 1;
	if (is_group)
		ret->n = bytes_u64(b);
	else
		ret->only.value = bytes_u64(b);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		ret->enabled = bytes_u64(b);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		ret->running = bytes_u64(b);
	if (is_group) {
		ret->group = take_list(b, ret->n, 8 * words_per_counter(ret));
	} else {
		ret->only.id = ret->has_id ? bytes_u64(b) : 0;
		ret->only.lost = ret->has_lost ? bytes_u64(b) : 0;
	}
	return b->ok;
}

struct sample_count sample_count_at(
	const struct sample_counts *counts, uint64_t i)
{
	struct sample_count count = { 0 };
	size_t size = 8 * words_per_counter(counts);
	struct bytes b;

	if (!counts->group)
		return counts->only;
	b = bytes_of(counts->group + i * size, size, false);
	count.value = bytes_u64(&b);
	count.id = counts->has_id ? bytes_u64(&b) : 0;
	count.lost = counts->has_lost ? bytes_u64(&b) : 0;
	return count;
}

/* Fields that do not set .has_more; few samples have other fields. */
#define COMMON_FIELDS                                                          \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |           \
		PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |         \
		PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
		PERF_SAMPLE_CALLCHAIN)

/* Reads the fields behind the leading fields, in ABI order. */
static void read_trailing_fields(
	const struct sample_layout *layout, struct bytes *b, struct sample *ret)
{
	uint64_t type = layout->type;

	ret->has_more = type & ~(uint64_t)COMMON_FIELDS;
	if (unlikely(type & PERF_SAMPLE_READ))
		sample_read_counts(layout, b, &ret->counts);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		ret->n_chain = bytes_u64(b);
		ret->chain = take_list(b, ret->n_chain, 8);
	}
	if (likely(!ret->has_more))
		return;
	if (type & PERF_SAMPLE_RAW) {
		ret->raw_size = bytes_u32(b);
		ret->raw = bytes_take(b, ret->raw_size);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		ret->n_branches = bytes_u64(b);
		if (layout->branch_type & ABI_BRANCH_HW_INDEX)
			ret->branch_index = bytes_u64(b);
		ret->branches = take_list(b, ret->n_branches, 24);
		if (layout->branch_type & ABI_BRANCH_COUNTERS)
			ret->branch_counters = take_list(b, ret->n_branches, 8);
	}
	if (type & PERF_SAMPLE_REGS_USER) {
		ret->regs_user_abi = bytes_u64(b);
		if (ret->regs_user_abi)
			ret->regs_user =
				bytes_take(b, 8 * (size_t)layout->n_regs_user);
	}
	if (type & PERF_SAMPLE_STACK_USER)
		ret->stack_room = bytes_u64(b);
	if (ret->stack_room) {
		ret->stack = take_list(b, ret->stack_room, 1);
		ret->stack_size = MIN(bytes_u64(b), ret->stack_room);
	}
	if (type & (PERF_SAMPLE_WEIGHT | ABI_SAMPLE_WEIGHT_STRUCT))
		ret->weight = bytes_u64(b);
	if (type & PERF_SAMPLE_DATA_SRC)
		ret->data_src = bytes_u64(b);
	if (type & PERF_SAMPLE_TRANSACTION)
		ret->transaction = bytes_u64(b);
	if (type & PERF_SAMPLE_REGS_INTR) {
		ret->regs_intr_abi = bytes_u64(b);
		if (ret->regs_intr_abi)
			ret->regs_intr =
				bytes_take(b, 8 * (size_t)layout->n_regs_intr);
	}
	if (type & PERF_SAMPLE_PHYS_ADDR)
		ret->phys_addr = bytes_u64(b);
	if (type & PERF_SAMPLE_CGROUP)
		ret->cgroup = bytes_u64(b);
	if (type & ABI_SAMPLE_DATA_PAGE_SIZE)
		ret->data_page_size = bytes_u64(b);
	if (type & ABI_SAMPLE_CODE_PAGE_SIZE)
		ret->code_page_size = bytes_u64(b);
	if (type & ABI_SAMPLE_AUX) {
		ret->aux_size = bytes_u64(b);
		ret->aux = take_list(b, ret->aux_size, 1);
	}
}

static uint64_t next_u64(struct bytes *b)
{
	uint64_t value;

	memcpy(&value, b->at, sizeof(value));
	b->at += sizeof(value);
	return b->swap ? bswap_64(value) : value;
}

static uint32_t next_u32(struct bytes *b)
{
	uint32_t value;

	memcpy(&value, b->at, sizeof(value));
	b->at += sizeof(value);
	return b->swap ? bswap_32(value) : value;
}

bool sample_read_next(const struct sample_layout *layout,
	const struct record *record, struct sample *ret)
{
	struct bytes b = record_payload(record), leading = b;

	memset(ret, 0,
		unlikely(ret->has_more) ? sizeof(*ret)
					: offsetof(struct sample, raw_size));
	ret->cpumode = record->misc & MISC_CPUMODE;
	ret->cpu = UINT32_MAX;
	ret->period = layout->period;
	if (!bytes_take(&b, layout->leading_size))
		return false;
	if (layout->type & PERF_SAMPLE_IDENTIFIER)
		ret->id = next_u64(&leading);
	if (layout->type & PERF_SAMPLE_IP)
		ret->ip = next_u64(&leading);
	if (layout->type & PERF_SAMPLE_TID) {
		ret->pid = next_u32(&leading);
		ret->tid = next_u32(&leading);
	}
	if (layout->type & PERF_SAMPLE_TIME)
		ret->time = next_u64(&leading);
	if (layout->type & PERF_SAMPLE_ADDR)
		ret->addr = next_u64(&leading);
	if (layout->type & PERF_SAMPLE_ID)
		ret->id = next_u64(&leading);
	if (layout->type & PERF_SAMPLE_STREAM_ID)
		ret->stream_id = next_u64(&leading);
	if (layout->type & PERF_SAMPLE_CPU) {
		ret->cpu = next_u32(&leading);
		next_u32(&leading);
	}
	if (layout->type & PERF_SAMPLE_PERIOD)
		ret->period = next_u64(&leading);
	read_trailing_fields(layout, &b, ret);
	return b.ok;
}

bool sample_read(const struct sample_layout *layout,
	const struct record *record, struct sample *ret)
{
	ret->has_more = true;
	return sample_read_next(layout, record, ret);
}

size_t sample_find_chain(
	const struct sample_layout *layout, const struct record *record)
{
	size_t at = layout->callchain;
	struct sample_counts counts;
	struct bytes b;

	if (layout->counts && layout->type & PERF_SAMPLE_CALLCHAIN &&
		layout->counts < record->size) {
		b = bytes_of(record->data + layout->counts,
			record->size - layout->counts, record->swap);
		if (sample_read_counts(layout, &b, &counts))
			at = record->size - bytes_left(&b);
	}
	return at + 8 <= record->size ? at : 0;
}

bool sample_id_read(const struct sample_layout *layout,
	const struct record *record, struct sample_id *ret)
{
	uint64_t type = layout->type;
	struct bytes b;

	memset(ret, 0, sizeof(*ret));
	ret->cpu = UINT32_MAX;
	if (!layout->has_trailer)
		return true;
	if (record->size < RECORD_HEADER_SIZE + layout->trailer_size)
		return false;
	b = bytes_of(record->data + record->size - layout->trailer_size,
		layout->trailer_size, record->swap);
	if (type & PERF_SAMPLE_TID) {
		ret->pid = bytes_u32(&b);
		ret->tid = bytes_u32(&b);
	}
	if (type & PERF_SAMPLE_TIME)
		ret->time = bytes_u64(&b);
	if (type & PERF_SAMPLE_ID)
		ret->id = bytes_u64(&b);
	if (type & PERF_SAMPLE_STREAM_ID)
		ret->stream_id = bytes_u64(&b);
	if (type & PERF_SAMPLE_CPU) {
		ret->cpu = bytes_u32(&b);
		bytes_u32(&b);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		ret->id = bytes_u64(&b);
	return b.ok;
}

static uint8_t *put_id_field(uint8_t *out, const void *value, size_t size)
{
	memcpy(out, value, size);
	return out + size;
}

void sample_id_write(const struct sample_layout *layout,
	const struct sample_id *id, uint8_t out[SAMPLE_ID_SIZE_MAX])
{
	uint64_t type = layout->has_trailer ? layout->type : 0;
	const uint32_t reserved = 0;

	if (type & PERF_SAMPLE_TID) {
		out = put_id_field(out, &id->pid, sizeof(id->pid));
		out = put_id_field(out, &id->tid, sizeof(id->tid));
	}
	if (type & PERF_SAMPLE_TIME)
		out = put_id_field(out, &id->time, sizeof(id->time));
	if (type & PERF_SAMPLE_ID)
		out = put_id_field(out, &id->id, sizeof(id->id));
	if (type & PERF_SAMPLE_STREAM_ID)
		out = put_id_field(out, &id->stream_id, sizeof(id->stream_id));
	if (type & PERF_SAMPLE_CPU) {
		out = put_id_field(out, &id->cpu, sizeof(id->cpu));
		out = put_id_field(out, &reserved, sizeof(reserved));
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_id_field(out, &id->id, sizeof(id->id));
}

bool sample_peek_id(const struct sample_layout *layout,
	const struct record *record, uint64_t *id_ret)
{
	bool is_sample = record->type == RECORD_SAMPLE;
	size_t offset = layout->id;
	struct bytes b;

	if (is_sample ? !layout->id : !layout->trailer_id)
		return false;
	if (!is_sample && record->size < layout->trailer_id)
		return false;
	if (!is_sample)
		offset = record->size - layout->trailer_id;
	if (offset < RECORD_HEADER_SIZE || offset > record->size)
		return false;
	b = bytes_of(
		record->data + offset, record->size - offset, record->swap);
	*id_ret = bytes_u64(&b);
	return b.ok;
}
