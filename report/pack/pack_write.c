/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_write.h"

#include "common/util/log.h"
#include "report/pack/pack_blocks.h"
#include "report/pack/redact.h"
#include "report/util/output_limit.h"
#include "report/util/progress.h"

struct copy {
	struct reader *reader;
	struct cursor *cursor;
	struct writer *writer;
	struct pack_blocks *blocks; /* NULL: copy them unchanged */
	struct strbuf room, spare;
	bool redacts;
	bool has_traces; /* AUX traces, which are not copied */
};

static struct error *copy_block(struct copy *copy, const struct extent *extent)
{
	strbuf_clear(&copy->room);
	if (!reader_copy(copy->reader, extent, &copy->room))
		return error_new("%s: cannot read the block at offset 0x%llx",
			reader_path(copy->reader),
			(unsigned long long)extent->offset);
	return writer_put_block(
		copy->writer, copy->room.at, copy->room.n, &extent->info);
}

/* Returns a redacted copy of the records at DATA; valid until the next call. */
static const uint8_t *redact_copy(
	struct copy *copy, const void *data, size_t size)
{
	uint8_t *at;
	struct record record;
	size_t done = 0;

	strbuf_clear(&copy->spare);
	strbuf_put(&copy->spare, data, size);
	at = (uint8_t *)copy->spare.at;
	while (record_at(at + done, size - done, false, &record)) {
		redact_record(at + done, record.size);
		done += record.size;
	}
	return at;
}

static struct error *encode_block(
	struct copy *copy, const struct extent *extent)
{
	struct chunk chunk;

	cursor_load(copy->cursor, extent);
	if (cursor_next(copy->cursor, &chunk))
		return NULL;
	return pack_blocks_put(copy->blocks,
		copy->redacts ? redact_copy(copy, chunk.data, chunk.size)
			      : chunk.data,
		&extent->info);
}

static struct error *copy_one_record(
	struct copy *copy, const struct record *from)
{
	struct record record = *from;

	if (copy->redacts && redact_drops(record.type))
		return NULL;
	if (copy->redacts)
		record.data = redact_copy(copy, record.data, record.size);
	if (copy->blocks)
		return pack_blocks_add(copy->blocks, &record);
	strbuf_put(&copy->room, record.data, record.size);
	return NULL;
}

static struct error *copy_plain_records(
	struct copy *copy, const struct extent *extent)
{
	struct error *err = NULL;
	struct chunk chunk;

	cursor_load(copy->cursor, extent);
	while (!err && cursor_next(copy->cursor, &chunk) == 0) {
		struct record record;
		size_t at = 0;

		strbuf_clear(&copy->room);
		while (!err &&
			record_at(chunk.data + at, chunk.size - at, false,
				&record)) {
			if (rewrite_keeps(&record))
				err = copy_one_record(copy, &record);
			copy->has_traces |= record.type == RECORD_AUXTRACE;
			at += record.size;
		}
		if (!err)
			err = writer_put(
				copy->writer, copy->room.at, copy->room.n);
	}
	return err;
}

static struct error *copy_packed_extent(
	struct copy *copy, const struct extent *extent)
{
	/* Readable records of a damaged block are copied as plain records. */
	if (extent->coding != EXTENT_BLOCK ||
		damages_has(reader_damages(copy->reader), extent->offset))
		return copy_plain_records(copy, extent);
	return copy->blocks ? encode_block(copy, extent)
			    : copy_block(copy, extent);
}

static struct error *copy_all_extents(struct copy *copy)
{
	size_t n = reader_n_extents(copy->reader), i;
	struct error *err = NULL;

	copy->cursor = cursor_create(copy->reader);
	for (i = 0; !err && i < n; i++) {
		progress_show("packing", i, n);
		err = copy_packed_extent(copy, reader_extent(copy->reader, i));
	}
	if (!err && copy->blocks)
		err = pack_blocks_flush(copy->blocks);
	progress_clear();
	if (copy->has_traces)
		log_note("%s: AUX traces were not copied; only the original "
			 "recording contains them",
			reader_path(copy->reader));
	cursor_destroy(copy->cursor);
	strbuf_free(&copy->room);
	strbuf_free(&copy->spare);
	return err;
}

static bool has_blocks(const struct reader *reader)
{
	size_t i;

	for (i = 0; i < reader_n_extents(reader); i++)
		if (reader_extent(reader, i)->coding == EXTENT_BLOCK)
			return true;
	return false;
}

/* The head is written before the real RATIO is known. */
static void describe_packed_blocks(struct features *facts, uint64_t ratio)
{
	facts->compression_ratio = (uint32_t)MAX(ratio, UINT64_C(1));
	facts->mmap_len = BLOCK_MMAP_LEN;
	features_mark(facts, FEATURE_COMPRESSED);
}

/* Redacted blocks keep their compression level. */
static int packed_level(
	const struct reader *reader, const struct pack_write_config *config)
{
	uint32_t level = reader_features(reader)->compression_level;

	if (config->level || !config->redacts || !has_blocks(reader))
		return config->level;
	return (int)MAX(MIN(level, PACK_LEVEL_MAX), 1u);
}

static void describe_head(
	const struct reader *reader, int level, struct features *head)
{
	if (level)
		head->compression_level = (uint32_t)level;
	if (level || has_blocks(reader))
		describe_packed_blocks(head, 1);
}

static void describe_packed_closing(const struct copy *copy,
	const struct features *head, struct features *closing)
{
	closing->compression_level = head->compression_level;
	if (copy->blocks)
		describe_packed_blocks(closing,
			pack_blocks_raw(copy->blocks) /
				writer_size(copy->writer));
	else if (feature_is_present(head, FEATURE_COMPRESSED))
		describe_packed_blocks(closing, closing->compression_ratio);
}

struct error *pack_write(
	struct reader *reader, const struct pack_write_config *config, int fd)
{
	bool is_file = lseek(fd, 0, SEEK_CUR) >= 0;
	struct sink sink = output_limit_sink(&fd);
	struct features head = rewrite_head(reader);
	struct copy copy = { .reader = reader, .redacts = config->redacts };
	int level = packed_level(reader, config);
	struct features closing;
	struct error *err;

	if (!is_file)
		sink = (struct sink){ .append = sink.append,
			.data = sink.data };

	if (config->redacts) {
		redact_features(&head);
		redact_sections(config->sections);
	}
	closing = rewrite_closing(&head, is_file);
	describe_head(reader, level, &head);
	err = writer_create(&sink, &head, &copy.writer);
	if (!err && level)
		copy.blocks = pack_blocks_create(reader, copy.writer, level);
	if (!err)
		err = copy_all_extents(&copy);
	if (!err) {
		describe_packed_closing(&copy, &head, &closing);
		err = writer_close(copy.writer, &closing,
			config->sections->at.at, config->sections->at.n);
	}
	pack_blocks_destroy(copy.blocks);
	writer_destroy(copy.writer);
	rewrite_deinit(&head);
	return err;
}
