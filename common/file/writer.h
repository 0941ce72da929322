/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording: an append-only stream in perf's pipe format, which
 * writer_close() turns into an ordinary perf.data (doc/format.md). The file is
 * readable at each length until then. The output is a struct sink, so tests
 * need no disk.
 *
 * Order of calls: create, any number of put, close, destroy.
 */
#ifndef DWELL_COMMON_FILE_WRITER_H
#define DWELL_COMMON_FILE_WRITER_H

#include "common/file/block.h"
#include "common/file/feature.h"
#include "common/file/section.h"
#include "common/util/error.h"
#include "common/util/sink.h"

struct writer;

/*
 * Creates a writer and writes the head of the recording to SINK: the features
 * of HOST that are marked present, and host->events (attributes, names, IDs).
 * HOST is borrowed until writer_destroy() and must have a hostname.
 */
struct error *writer_create(const struct sink *sink,
	const struct features *host, struct writer **ret) _must_check_;
void writer_destroy(struct writer *writer);

/*
 * Appends RECORDS, which are SIZE bytes of whole uncompressed records. If the
 * disk is full, appends the records that fit and returns an error.
 */
struct error *writer_put(
	struct writer *writer, const void *records, size_t size) _must_check_;
/* Appends one whole record from block_encode(), described by INFO. */
struct error *writer_put_block(struct writer *writer, const void *record,
	size_t size, const struct block_info *info) _must_check_;

uint64_t writer_size(const struct writer *writer);

struct writer_section {
	const char *name;
	uint32_t version;
	struct strbuf raw; /* borrowed */
};

/*
 * Closes the file. Appends the features of CLOSING that are marked present, the
 * host's features that are too large for the head (a record holds 64 KiB),
 * SECTIONS, the block index, and the tail. Writes the file header last. On
 * failure, cuts the file back to the stream, which every reader accepts. If the
 * sink cannot overwrite the header, the file stays a stream and gets SECTIONS
 * and their section directory, but no features: a stream has no room for
 * features at its end.
 */
struct error *writer_close(struct writer *writer,
	const struct features *closing, const struct writer_section *sections,
	size_t n_sections) _must_check_;

#endif
