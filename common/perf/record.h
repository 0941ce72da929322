/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads PERF_RECORD_* into structs, with bounds checks, and writes the records
 * that the recorder synthesizes. Layouts: enum perf_event_type of
 * linux/perf_event.h; doc/format.md for types from 64 on. Samples are in
 * sample.h.
 *
 * Texts in the structs are borrowed from the record's bytes. record_read_*()
 * return false if the record is too short.
 */
#ifndef DWELL_COMMON_PERF_RECORD_H
#define DWELL_COMMON_PERF_RECORD_H

#include "common/perf/abi.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"

#define RECORD_HEADER_SIZE 8u
#define RECORD_SIZE_MAX 65535u	   /* the size field is a u16 */
#define RECORD_SIZE_ALIGNED 65528u /* the largest multiple of 8 in a u16 */

#define BUILD_ID_MAX 20u

struct build_id {
	uint8_t size; /* in bytes; 0: no build ID */
	uint8_t bytes[BUILD_ID_MAX];
};

bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* Writes ID to TEXT in lower-case hex, "" if .size is 0. Returns TEXT. */
#define BUILD_ID_TEXT (2 * BUILD_ID_MAX + 1)
const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT]);

struct record {
	uint32_t type;
	uint16_t misc;
	uint16_t size;	     /* of the whole record with its header */
	const uint8_t *data; /* the whole record, borrowed */
	bool swap;
};

/*
 * Finds the record at the start of the SIZE bytes at DATA. Returns false if the
 * record is not complete or is smaller than a record header.
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

/* Returns a cursor over the bytes behind the header. */
static inline struct bytes record_payload(const struct record *record)
{
	return bytes_of(record->data + RECORD_HEADER_SIZE,
		record->size - RECORD_HEADER_SIZE, record->swap);
}

/* Returns perf's name of TYPE: "MMAP2", "FINISHED_ROUND"; or "UNKNOWN". */
const char *record_name(uint32_t type);

/* Sideband records are all records of the kernel except samples. */
static inline bool record_is_sideband(uint32_t type)
{
	return type != RECORD_SAMPLE && type < RECORD_USER_FIRST;
}

struct record_mmap { /* MMAP and MMAP2 */
	uint32_t pid, tid;
	uint64_t start, size, offset; /* offset: pgoff in bytes */
	uint32_t major, minor;	      /* 0 if there is a build_id instead */
	uint64_t inode, generation;
	uint32_t prot, flags; /* 0 in MMAP */
	bool is_data;	      /* the mapping is not executable */
	struct build_id build_id;
	const char *path;
};
bool record_read_mmap(const struct record *record, struct record_mmap *ret);
/*
 * Returns true if RECORD, a RECORD_MMAP2, has a build ID instead of inode
 * numbers. The flag MISC_MMAP_BUILD_ID alone does not prove that RECORD has a
 * build ID: if the kernel first wrote the mapping to an event with
 * attr.build_id, the kernel leaves the flag set for events without
 * attr.build_id, which get the inode numbers.
 */
bool record_has_build_id(const struct record *record);

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

struct record_lost { /* LOST and LOST_SAMPLES (id: 0) */
	uint64_t id, lost;
};
bool record_read_lost(const struct record *record, struct record_lost *ret);

struct record_ksymbol {
	uint64_t start;
	uint32_t size;
	uint16_t type, flags; /* flags bit 0: the symbol is removed */
	const char *name;
};
bool record_read_ksymbol(
	const struct record *record, struct record_ksymbol *ret);

/*
 * Returns the offset of the event ID from the start of a record of TYPE, if the
 * body of the record contains the ID. Returns 0 if only the sample_id trailer
 * can contain the ID.
 */
size_t record_id_offset(uint32_t type);

/*
 * Returns the size in bytes of the data behind RECORD that the size in RECORD's
 * header does not include. Only HEADER_TRACING_DATA and AUXTRACE have such
 * data; returns 0 for all other types.
 */
uint64_t record_extra_size(const struct record *record);

/*
 * record_write_*() append one record. Its size is a multiple of 8. TRAILER is
 * the record's sample_id (see sample_id_write()) of TRAILER_SIZE bytes. Texts
 * that are too long for a record are shortened.
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
/* Appends a header and PAYLOAD. The size of PAYLOAD is a multiple of 8. */
void record_write(struct strbuf *out, uint32_t type, uint16_t misc,
	const void *payload, size_t payload_size);

#endif
