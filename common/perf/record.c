/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/record.h"

#include <stdio.h>

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT])
{
	size_t i;

	text[0] = '\0';
	for (i = 0; i < id->size; i++)
		snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
	return text;
}

static const char *const names[RECORD_END] = {
	[RECORD_MMAP] = "MMAP",
	[RECORD_LOST] = "LOST",
	[RECORD_COMM] = "COMM",
	[RECORD_EXIT] = "EXIT",
	[RECORD_THROTTLE] = "THROTTLE",
	[RECORD_UNTHROTTLE] = "UNTHROTTLE",
	[RECORD_FORK] = "FORK",
	[RECORD_READ] = "READ",
	[RECORD_SAMPLE] = "SAMPLE",
	[RECORD_MMAP2] = "MMAP2",
	[RECORD_AUX] = "AUX",
	[RECORD_ITRACE_START] = "ITRACE_START",
	[RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
	[RECORD_SWITCH] = "SWITCH",
	[RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[RECORD_NAMESPACES] = "NAMESPACES",
	[RECORD_KSYMBOL] = "KSYMBOL",
	[RECORD_BPF_EVENT] = "BPF_EVENT",
	[RECORD_CGROUP] = "CGROUP",
	[RECORD_TEXT_POKE] = "TEXT_POKE",
	[RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
	[RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
	[RECORD_HEADER_ATTR] = "ATTR",
	[RECORD_HEADER_EVENT_TYPE] = "EVENT_TYPE",
	[RECORD_HEADER_TRACING_DATA] = "TRACING_DATA",
	[RECORD_HEADER_BUILD_ID] = "BUILD_ID",
	[RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
	[RECORD_ID_INDEX] = "ID_INDEX",
	[RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO",
	[RECORD_AUXTRACE] = "AUXTRACE",
	[RECORD_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
	[RECORD_THREAD_MAP] = "THREAD_MAP",
	[RECORD_CPU_MAP] = "CPU_MAP",
	[RECORD_STAT_CONFIG] = "STAT_CONFIG",
	[RECORD_STAT] = "STAT",
	[RECORD_STAT_ROUND] = "STAT_ROUND",
	[RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
	[RECORD_TIME_CONV] = "TIME_CONV",
	[RECORD_HEADER_FEATURE] = "FEATURE",
	[RECORD_COMPRESSED] = "COMPRESSED",
	[RECORD_FINISHED_INIT] = "FINISHED_INIT",
	[RECORD_COMPRESSED2] = "COMPRESSED2",
	[RECORD_BPF_METADATA] = "BPF_METADATA",
	[RECORD_SCHEDSTAT_CPU] = "SCHEDSTAT_CPU",
	[RECORD_SCHEDSTAT_DOMAIN] = "SCHEDSTAT_DOMAIN",
};

const char *record_name(uint32_t type)
{
	if (type >= RECORD_END || !names[type])
		return "UNKNOWN";
	return names[type];
}

/* Returns the text that is the last field of a record, before the trailer. */
static const char *rest_text(struct bytes *b)
{
	return bytes_text(b, bytes_left(b));
}

static bool is_all_zero(const uint8_t *bytes, size_t size)
{
	while (size && !bytes[size - 1])
		size--;
	return size == 0;
}

bool record_has_build_id(const struct record *record)
{
	struct bytes b = record_payload(record);
	const uint8_t *size, *id;

	if (!(record->misc & MISC_MMAP_BUILD_ID))
		return false;
	bytes_take(&b, 2 * sizeof(uint32_t) + 3 * sizeof(uint64_t));
	size = bytes_take(&b, sizeof(uint32_t));
	id = bytes_take(&b, BUILD_ID_MAX);
	return b.ok && *size && *size <= BUILD_ID_MAX &&
		is_all_zero(size + 1, 3) &&
		is_all_zero(id + *size, BUILD_ID_MAX - *size);
}

bool record_read_mmap(const struct record *record, struct record_mmap *ret)
{
	struct bytes b = record_payload(record);

	memset(ret, 0, sizeof(*ret));
	ret->pid = bytes_u32(&b);
	ret->tid = bytes_u32(&b);
	ret->start = bytes_u64(&b);
	ret->size = bytes_u64(&b);
	ret->offset = bytes_u64(&b);
	if (record->type == RECORD_MMAP2) {
		if (record_has_build_id(record)) {
			const void *stored;

			ret->build_id.size = bytes_u8(&b);
			bytes_take(&b, 3);
			stored = bytes_take(&b, BUILD_ID_MAX);
			if (stored)
				memcpy(ret->build_id.bytes, stored,
					BUILD_ID_MAX);
		} else {
			ret->major = bytes_u32(&b);
			ret->minor = bytes_u32(&b);
			ret->inode = bytes_u64(&b);
			ret->generation = bytes_u64(&b);
		}
		ret->prot = bytes_u32(&b);
		ret->flags = bytes_u32(&b);
	}
	ret->is_data = record->misc & MISC_MMAP_DATA;
	ret->path = rest_text(&b);
	return b.ok;
}

bool record_read_comm(const struct record *record, struct record_comm *ret)
{
	struct bytes b = record_payload(record);

	ret->pid = bytes_u32(&b);
	ret->tid = bytes_u32(&b);
	ret->is_exec = record->misc & MISC_COMM_EXEC;
	ret->comm = rest_text(&b);
	return b.ok;
}

bool record_read_task(const struct record *record, struct record_task *ret)
{
	struct bytes b = record_payload(record);

	ret->pid = bytes_u32(&b);
	ret->ppid = bytes_u32(&b);
	ret->tid = bytes_u32(&b);
	ret->ptid = bytes_u32(&b);
	ret->time = bytes_u64(&b);
	return b.ok;
}

bool record_read_lost(const struct record *record, struct record_lost *ret)
{
	struct bytes b = record_payload(record);

	ret->id = record->type == RECORD_LOST ? bytes_u64(&b) : 0;
	ret->lost = bytes_u64(&b);
	return b.ok;
}

bool record_read_ksymbol(
	const struct record *record, struct record_ksymbol *ret)
{
	struct bytes b = record_payload(record);

	ret->start = bytes_u64(&b);
	ret->size = bytes_u32(&b);
	ret->type = bytes_u16(&b);
	ret->flags = bytes_u16(&b);
	ret->name = rest_text(&b);
	return b.ok;
}

size_t record_id_offset(uint32_t type)
{
	switch (type) {
	case RECORD_LOST: return RECORD_HEADER_SIZE;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE: return RECORD_HEADER_SIZE + 8;
	default: return 0;
	}
}

uint64_t record_extra_size(const struct record *record)
{
	struct bytes b = record_payload(record);

	if (record->type == RECORD_HEADER_TRACING_DATA)
		return ALIGN_UP((uint64_t)bytes_u32(&b), 8);
	if (record->type == RECORD_AUXTRACE)
		return bytes_u64(&b);
	return 0;
}

static void put_record_header(
	struct strbuf *out, uint32_t type, uint16_t misc, size_t size)
{
	strbuf_put_u32(out, type);
	strbuf_put_u16(out, misc);
	strbuf_put_u16(out, (uint16_t)size);
}

/* Returns the size of TEXT, padded to 8 and limited by the record's size. */
static size_t text_room(const char *text, size_t fixed, size_t trailer_size)
{
	size_t most =
		RECORD_SIZE_ALIGNED - RECORD_HEADER_SIZE - fixed - trailer_size;

	return MIN(ALIGN_UP(strlen(text) + 1, 8), most);
}

static void put_text(struct strbuf *out, const char *text, size_t room)
{
	size_t length = MIN(strlen(text), room - 1);

	strbuf_put(out, text, length);
	strbuf_fill(out, 0, room - length);
}

void record_write_mmap2(struct strbuf *out, uint16_t misc,
	const struct record_mmap *map, const void *trailer, size_t trailer_size)
{
	const size_t fixed = 64; /* pid .. flags */
	size_t room = text_room(map->path, fixed, trailer_size);

	if (map->build_id.size)
		misc |= MISC_MMAP_BUILD_ID;
	put_record_header(out, RECORD_MMAP2, misc,
		RECORD_HEADER_SIZE + fixed + room + trailer_size);
	strbuf_put_u32(out, map->pid);
	strbuf_put_u32(out, map->tid);
	strbuf_put_u64(out, map->start);
	strbuf_put_u64(out, map->size);
	strbuf_put_u64(out, map->offset);
	if (map->build_id.size) {
		strbuf_put_u32(out, 0);
		out->at[out->n - 4] = (char)map->build_id.size;
		strbuf_put(out, map->build_id.bytes, BUILD_ID_MAX);
	} else {
		strbuf_put_u32(out, map->major);
		strbuf_put_u32(out, map->minor);
		strbuf_put_u64(out, map->inode);
		strbuf_put_u64(out, map->generation);
	}
	strbuf_put_u32(out, map->prot);
	strbuf_put_u32(out, map->flags);
	put_text(out, map->path, room);
	strbuf_put(out, trailer, trailer_size);
}

void record_write_comm(struct strbuf *out, const struct record_comm *comm,
	const void *trailer, size_t trailer_size)
{
	size_t room = text_room(comm->comm, 8, trailer_size);

	put_record_header(out, RECORD_COMM, comm->is_exec ? MISC_COMM_EXEC : 0,
		RECORD_HEADER_SIZE + 8 + room + trailer_size);
	strbuf_put_u32(out, comm->pid);
	strbuf_put_u32(out, comm->tid);
	put_text(out, comm->comm, room);
	strbuf_put(out, trailer, trailer_size);
}

void record_write_task(struct strbuf *out, uint32_t type,
	const struct record_task *task, const void *trailer,
	size_t trailer_size)
{
	put_record_header(out, type, 0, RECORD_HEADER_SIZE + 24 + trailer_size);
	strbuf_put_u32(out, task->pid);
	strbuf_put_u32(out, task->ppid);
	strbuf_put_u32(out, task->tid);
	strbuf_put_u32(out, task->ptid);
	strbuf_put_u64(out, task->time);
	strbuf_put(out, trailer, trailer_size);
}

void record_write_lost_samples(struct strbuf *out, uint64_t lost,
	const void *trailer, size_t trailer_size)
{
	put_record_header(out, RECORD_LOST_SAMPLES, 0,
		RECORD_HEADER_SIZE + 8 + trailer_size);
	strbuf_put_u64(out, lost);
	strbuf_put(out, trailer, trailer_size);
}

void record_write(struct strbuf *out, uint32_t type, uint16_t misc,
	const void *payload, size_t payload_size)
{
	put_record_header(out, type, misc, RECORD_HEADER_SIZE + payload_size);
	strbuf_put(out, payload, payload_size);
}
