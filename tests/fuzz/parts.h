/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording as a list of parts: records, decompressed blocks, decompressed
 * own sections, features, and attributes. A fuzz target changes a part, and
 * parts_put() writes a recording in which sizes, offsets, and checksums fit
 * again (doc/format.md). Only little-endian recordings are taken apart.
 */
#ifndef DWELL_FUZZ_PARTS_H
#define DWELL_FUZZ_PARTS_H

#include "common/file/block.h"
#include "common/file/section.h"
#include "common/util/array.h"

/* {u64 offset, u64 size, u64 checksum} of each stretch without its own. */
#define PARTS_CHECKSUMS "checksums"
/* Where the trailer has the checksum of header and tail; 0: none. */
#define PARTS_SEAL_AT 48u

struct part_data {
	bool is_block;		/* .records were compressed into one block */
	struct block_info info; /* of a block */
	struct strbuf records;
};

struct part_section {
	char name[SECTION_NAME_MAX];
	uint32_t version;
	struct strbuf raw;
};

struct part_feature {
	unsigned bit;
	struct strbuf bytes;
};

struct part_event {
	struct strbuf attr; /* the same size in all events */
	struct strbuf ids;
};

struct parts {
	bool is_stream;	    /* 16 bytes of header, then records only */
	bool has_trailer;   /* dwell's own: a directory of sections */
	bool has_checksums; /* the section "checksums" */
	bool is_sealed;	    /* the trailer has a checksum of header and tail */
	struct strbuf head; /* records between a closed file's header and its
			     * data */
	ARRAY(struct part_data) data;
	ARRAY(struct part_section) sections; /* but "index", "checksums" */
	ARRAY(struct part_feature) features; /* of a closed file, in order */
	ARRAY(struct part_event) events;     /* of a closed file */
};

/*
 * Copies a recording of SIZE bytes into *RET, which the caller deinits in any
 * case. Returns false if the outer layout is damaged: then *RET is incomplete.
 */
bool parts_take(const uint8_t *data, size_t size, struct parts *ret);
/* Appends the recording to OUT, which is empty. */
void parts_put(const struct parts *parts, struct strbuf *out);
void parts_deinit(struct parts *parts);

/*
 * Returns the number of bytes of the record at the start of SIZE bytes,
 * including the bytes behind a record of type 66 or 71 that its size field does
 * not count. Returns 0 if there is no whole record.
 */
size_t parts_record_span(const uint8_t *data, size_t size);

#endif
