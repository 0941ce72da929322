/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell's own sections of a recording. A section is a named, zstd-compressed
 * payload in type-65 records, which every reader of perf.data skips. A
 * section directory lists the sections; the 64-byte trailer at the end of the
 * file points to it (doc/format.md). A recording is readable without its
 * sections.
 */
#ifndef DWELL_COMMON_FILE_SECTION_H
#define DWELL_COMMON_FILE_SECTION_H

#include "common/perf/record.h"
#include "common/util/array.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"

#define SECTION_NAME_MAX 16u /* bytes of a section's name, with the NUL */
#define SECTION_RAW_MAX MIB(1024)
#define SECTIONS_MAX 64u

#define SECTION_INDEX "index"	  /* {u64 offset, block_info} per block */
#define SECTION_SYMBOLS "symbols" /* symbols_section.h */
/* symbols_section.h, added by dwell pack */
#define SECTION_PACKED "pack-symbols"
/* as in symbols_section.h, but with link-time addresses; added by dwell pack */
#define SECTION_PACKED_DATA "pack-data"
#define SECTION_LINES "lines"	      /* report/lines/packed_lines.h */
#define SECTION_CODE "code"	      /* report/symbols/code_bytes.h */
#define SECTION_RULES "rules"	      /* report/unwind/dso_rules.h */
#define SECTION_SOURCE "source"	      /* report/lines/packed_source.h */
#define SECTION_JIT "jit"	      /* jit_section.h */
#define SECTION_PACKED_JIT "pack-jit" /* replaces "jit" after dwell pack */
#define SECTION_LOSSES "losses"	      /* loss.h */
#define SECTION_UNSAMPLED "unsampled" /* struct section_unsampled */
#define SECTION_META "meta"	      /* key\0value\0 ... */
/* {u64 offset, size, checksum} per checksummed range of the file */
#define SECTION_CHECKSUMS "checksums"
/* {u64 missing samples, first time, last time} */
#define SECTION_DAMAGE "damage"
#define META_VERSION 1u
#define META_CLOCK_CLOSE "clock_close_ns"    /* time when sampling ended */
#define META_RUNTIME_FRAMES "runtime_frames" /* frames read and rejected */

struct section {
	char name[SECTION_NAME_MAX];
	uint32_t version;
	uint64_t offset; /* file offset of the first type-65 record */
	/* compressed size: the zstd frame without record headers */
	uint64_t stored_size;
	uint64_t raw_size;
	uint64_t checksum; /* section_checksum() of the uncompressed payload */
};

#define TRAILER_SIZE 64u

struct section_trailer {
	uint64_t directory_offset, directory_size;
	uint64_t data_offset, data_size; /* records, as in the file header */
	/*
	 * section_checksum() of the first WRITER_HEADER_SIZE bytes of the file
	 * and of the bytes between the end of the data and the trailer; 0: no
	 * checksum.
	 */
	uint64_t checksum;
};
#define WRITER_HEADER_SIZE 104u /* perf's struct perf_file_header, version 2 */

/*
 * Size of an entry of the section "index": u64 offset, encoded struct
 * block_info.
 */
#define SECTION_INDEX_ENTRY_SIZE 48u

/*
 * Checksum of zero bytes. The checksums of sections are 64-bit FNV-1a hashes.
 */
#define SECTION_CHECKSUM_EMPTY UINT64_C(0xcbf29ce484222325)
uint64_t section_checksum(const void *data, size_t size);
/*
 * Returns the checksum of earlier data, which have the checksum SUM, followed
 * by DATA.
 */
uint64_t section_checksum_more(uint64_t sum, const void *data, size_t size);

/*
 * Maximum of payload bytes in one type-65 record, after the record header and a
 * u64 of 0.
 */
#define SECTION_CHUNK_MAX (RECORD_SIZE_ALIGNED - 16u)
/* Size of the smallest type-65 record that every reader accepts. */
#define SECTION_RECORD_MIN 80u

/*
 * Appends SIZE bytes of DATA to OUT as the payload of type-65 records. Returns
 * the offset of the first payload byte from the old end of OUT. A payload of up
 * to SECTION_CHUNK_MAX bytes is contiguous, because it fits into one record.
 */
size_t section_wrap(struct strbuf *out, const void *data, size_t size);

/*
 * Compresses RAW and appends the compressed bytes to OUT as type-65 records.
 * Fills RET, the entry for the section directory; ret->offset is FILE_OFFSET
 * plus the old out->n.
 */
void section_write(struct strbuf *out, uint64_t file_offset, const char *name,
	uint32_t version, const struct strbuf *raw, struct section *ret);

/*
 * Decompresses SECTION into RAW_RET. DATA is the file's content from
 * section->offset on, with a SIZE of at least section_span(). Returns false if
 * the section is damaged.
 */
bool section_read(const struct section *section, const uint8_t *data,
	size_t size, struct strbuf *raw_ret);
/*
 * Returns the number of bytes that SECTION occupies in the file, including the
 * record headers, or 0 if a size in SECTION is not valid.
 */
uint64_t section_span(const struct section *section);

void section_directory_write(
	const struct section *sections, size_t n, struct strbuf *out);
/*
 * Reads the section directory in B into RET, an array of SECTIONS_MAX elements.
 * Returns the number of sections, or -1 if it is damaged.
 */
int section_directory_read(struct bytes b, struct section *ret);

void section_trailer_write(
	const struct section_trailer *trailer, struct strbuf *out);
bool section_trailer_read(struct bytes b, struct section_trailer *ret);

/*
 * One entry of the section "unsampled", version 1: the CPU time that one clock
 * event counted, and the part of this CPU time without a sample. A part has no
 * sample if the event's timer skipped periods.
 */
#define UNSAMPLED_VERSION 1u
struct section_unsampled {
	uint64_t id;	       /* ID of the event, as in the attribute table */
	uint64_t cpu_ns;       /* the CPU time that the event counted */
	uint64_t unsampled_ns; /* the part of CPU_NS without a sample */
};

/* Appends UNSAMPLED to OUT as an entry of the section "unsampled". */
void section_unsampled_write(
	const struct section_unsampled *unsampled, struct strbuf *out);
/*
 * Reads the next entry of a section "unsampled" from B. Returns false at the
 * end of the section, or if the entry has impossible values.
 */
bool section_unsampled_read(struct bytes *b, struct section_unsampled *ret);
/*
 * Appends a sentence without a full stop to OUT: the share of the CPU time of
 * the event NAME that has no sample. unsampled->cpu_ns is not 0.
 */
void section_unsampled_print(const struct section_unsampled *unsampled,
	const char *name, struct strbuf *out);

#endif
