/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording: a pipe-mode perf stream, append only, that becomes an
 * ordinary perf.data when it is closed (doc/format.md). Readable at every
 * length in between. The sink is a set of callbacks, so tests need no disk.
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
 * Writes the head: HOST's features that are marked present, and its .events
 * (attrs, names, ids). HOST is borrowed until the writer is destroyed; its
 * hostname must be there.
 */
struct error *writer_create(const struct sink *sink,
	const struct features *host, struct writer **ret) _must_check_;
void writer_destroy(struct writer *writer);

/* Appends whole plain records; when the disk is full, those that fit. */
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
 * Closes the file: CLOSING's features that are marked present, those of the
 * host that the head has no room for (a record holds 64 KiB), the own
 * sections and the index, the tail, and last of all the header. On failure
 * the file is cut back to the stream, which every reader takes. What stays a
 * stream gets the own sections and what points to them, and no features: they
 * have no place there.
 */
struct error *writer_close(struct writer *writer,
	const struct features *closing, const struct writer_section *sections,
	size_t n_sections) _must_check_;

#endif
