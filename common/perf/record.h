/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Typed, bounds-checked views of PERF_RECORD_*, and builders for the records
 * that the recorder makes itself. Layouts: linux/perf_event.h, enum
 * perf_event_type; doc/format.md for types 64 and up.
 *
 * A view borrows its texts from the record's bytes. Samples are in sample.h.
 */
#ifndef DWELL_COMMON_PERF_RECORD_H
#define DWELL_COMMON_PERF_RECORD_H

#include "common/perf/abi.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"

#define RECORD_HEADER_SIZE 8u
#define RECORD_SIZE_MAX 65535u     /* the size field is a u16 */
#define RECORD_SIZE_ALIGNED 65528u /* the largest that is a multiple of 8 */

#define BUILD_ID_MAX 20u

struct build_id {
	uint8_t size; /* 0: none */
	uint8_t bytes[BUILD_ID_MAX];
};

bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* Lower-case hex into TEXT, "" for none; returns TEXT. */
#define BUILD_ID_TEXT (2 * BUILD_ID_MAX + 1)
const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT]);

struct record {
	uint32_t type;
	uint16_t misc;
	uint16_t size;       /* whole record, header included */
	const uint8_t *data; /* borrowed; at the header */
	bool swap;
};

/*
 * The record at the start of SIZE bytes. False when they hold no whole record
 * or its size is below that of a header.
 */
static inline bool record_at(
	const uint8_t *data, size_t size, bool swap, struct record *ret)
{
	struct bytes b = bytes_of(data, size, swap);

	ret->type = bytes_u32(&b);
	ret->misc = bytes_u16(&b);
	ret->size = bytes_u16(&b);
	ret->data = data;
	ret->swap = swap;
	return b.ok && ret->size >= RECORD_HEADER_SIZE && ret->size <= size;
}

/* A cursor over what is behind the header. */
static inline struct bytes record_payload(const struct record *record)
{
	return bytes_of(record->data + RECORD_HEADER_SIZE,
		record->size - RECORD_HEADER_SIZE, record->swap);
}

/* As perf spells them: "MMAP2", "FINISHED_ROUND"; "UNKNOWN" otherwise. */
const char *record_name(uint32_t type);

/* Sideband: every kernel record that is not a sample. */
static inline bool record_is_sideband(uint32_t type)
{
	return type != RECORD_SAMPLE && type < RECORD_USER_FIRST;
}

struct record_mmap { /* MMAP and MMAP2 */
	uint32_t pid, tid;
	uint64_t start, size, offset; /* offset: pgoff, in bytes */
	uint32_t major, minor;        /* 0 where build_id is told instead */
	uint64_t inode, generation;
	uint32_t prot, flags;         /* 0 in MMAP */
	bool is_data;                 /* no code was mapped */
	struct build_id build_id;
	const char *path;
};
bool record_read_mmap(const struct record *record, struct record_mmap *ret);

struct record_comm {
	uint32_t pid, tid;
	bool is_exec;
	const char *comm;
};
bool record_read_comm(const struct record *record, struct record_comm *ret);

struct record_task { /* FORK and EXIT */
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};
bool record_read_task(const struct record *record, struct record_task *ret);

struct record_lost { /* LOST and LOST_SAMPLES (which has no id of its own) */
	uint64_t id, lost;
};
bool record_read_lost(const struct record *record, struct record_lost *ret);

struct record_ksymbol {
	uint64_t start;
	uint32_t size;
	uint16_t type, flags; /* flags bit 0: it goes away */
	const char *name;
};
bool record_read_ksymbol(
	const struct record *record, struct record_ksymbol *ret);

/* Where records tell their event's id before the trailer, too; else 0. */
size_t record_id_offset(uint32_t type);

/*
 * A type-66 or type-71 record is followed by a payload of its own that its
 * header's size does not count. Returns that payload's size, 0 for all others.
 */
uint64_t record_extra_size(const struct record *record);

/*
 * Builders append one whole record, its size a multiple of 8. TRAILER is the
 * sample_id that goes behind (see sample_id_write()), of TRAILER_SIZE bytes.
 * A path that is too long for a record is cut.
 */
void record_write_mmap2(struct strbuf *out, uint16_t misc,
	const struct record_mmap *map, const void *trailer,
	size_t trailer_size);
void record_write_comm(struct strbuf *out, const struct record_comm *comm,
	const void *trailer, size_t trailer_size);
void record_write_task(struct strbuf *out, uint32_t type,
	const struct record_task *task, const void *trailer,
	size_t trailer_size);
void record_write_lost_samples(struct strbuf *out, uint64_t lost,
	const void *trailer, size_t trailer_size);
/* Any other record: its header, then PAYLOAD (a multiple of 8). */
void record_write(struct strbuf *out, uint32_t type, uint16_t misc,
	const void *payload, size_t payload_size);

#endif
