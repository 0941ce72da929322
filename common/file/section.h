/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell's own sections: named payloads, each a zstd frame laid into type-65
 * records that every reader of perf.data skips, found through a directory that
 * the 64-byte trailer at the file's end points to (doc/format.md). They are a
 * help, never a need.
 */
#ifndef DWELL_COMMON_FILE_SECTION_H
#define DWELL_COMMON_FILE_SECTION_H

#include "common/perf/record.h"
#include "common/util/array.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"

#define SECTION_NAME_MAX 16u /* NUL included */
#define SECTION_RAW_MAX MIB(1024)
#define SECTIONS_MAX 64u

#define SECTION_INDEX "index"     /* {u64 offset, block_info} per block */
#define SECTION_SYMBOLS "symbols" /* bundle.h */
#define SECTION_PACKED "pack-symbols" /* more of these */
#define SECTION_PACKED_DATA "pack-data" /* bundle.h, by linked address */
#define SECTION_LINES "lines"     /* report/lines/packed_lines.h */
#define SECTION_CODE "code"       /* report/symbols/packed_code.h */
#define SECTION_RULES "rules"     /* report/unwind/packed_rules.h */
#define SECTION_SOURCE "source"   /* report/lines/packed_source.h */
#define SECTION_JIT "jit"         /* jit.h */
#define SECTION_PACKED_JIT "pack-jit" /* in place of these */
#define SECTION_LOSSES "losses"   /* loss.h */
#define SECTION_META "meta"       /* key\0value\0 ... */
#define SECTION_CHECKSUMS "checksums" /* {u64 offset, size, checksum} each */
#define SECTION_DAMAGE "damage"   /* {u64 samples, first time, last time} */
#define META_VERSION 1u
#define META_CLOCK_CLOSE "clock_close_ns" /* when sampling had ended */

struct section {
	char name[SECTION_NAME_MAX];
	uint32_t version;
	uint64_t offset;      /* of its first type-65 record in the file */
	uint64_t stored_size; /* of the zstd frame, wrapping not counted */
	uint64_t raw_size;
	uint64_t checksum;    /* section_checksum() of the raw payload */
};

#define TRAILER_SIZE 64u

struct trailer {
	uint64_t directory_offset, directory_size;
	uint64_t data_offset, data_size; /* as in the file header */
	/*
	 * section_checksum() of the first WRITER_HEADER_SIZE bytes of the file
	 * and of all between the data's end and the trailer; 0: none.
	 */
	uint64_t checksum;
};
#define WRITER_HEADER_SIZE 104u /* perf_file_header, version 2 */

/* One {u64 offset; struct block_info} of the index. */
#define SECTION_INDEX_ENTRY_SIZE 48u

/* FNV-1a with 64 bits. */
#define SECTION_CHECKSUM_EMPTY UINT64_C(0xcbf29ce484222325)
uint64_t section_checksum(const void *data, size_t size);
/* The checksum of what SUM is the checksum of, followed by DATA. */
uint64_t section_checksum_more(uint64_t sum, const void *data, size_t size);

/* Payload bytes behind the two leading words of a type-65 record. */
#define SECTION_CHUNK_MAX (RECORD_SIZE_ALIGNED - 16u)
/* The smallest type-65 record that every reader takes. */
#define SECTION_RECORD_MIN 80u

/*
 * Appends SIZE bytes as type-65 records. Returns where the first payload byte
 * stands, counted from out->n before; payloads up to SECTION_CHUNK_MAX lie in
 * one piece.
 */
size_t section_wrap(struct strbuf *out, const void *data, size_t size);

/*
 * Compresses RAW and appends it wrapped; fills SECTION but for its offset,
 * which is FILE_OFFSET plus out->n before.
 */
void section_write(struct strbuf *out, uint64_t file_offset, const char *name,
	uint32_t version, const struct strbuf *raw, struct section *ret);

/*
 * Unwraps and decompresses: DATA is the file from section->offset on, SIZE
 * bytes of it at least section_span(). Returns false on damage.
 */
bool section_read(const struct section *section, const uint8_t *data,
	size_t size, struct strbuf *raw_ret);
/* Bytes that SECTION takes in the file, wrapping included; 0 if absurd. */
uint64_t section_span(const struct section *section);

void section_directory_write(
	const struct section *sections, size_t n, struct strbuf *out);
/* Room for SECTIONS_MAX at RET. Returns how many were read, or -1. */
int section_directory_read(struct bytes b, struct section *ret);

void trailer_write(const struct trailer *trailer, struct strbuf *out);
bool trailer_read(struct bytes b, struct trailer *ret);

#endif
