/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_write.h"

#include "common/file/reader.h"
#include "common/file/writer.h"
#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/pack/redact.h"
#include "report/util/output.h"
#include "report/util/progress.h"

/* --- blocks of another compression level --------------------------------- */

/*
 * Writes records in blocks of another compression level. The records of an
 * input block stay together; plain records are collected until a block is full.
 */
struct pack_blocks {
	const struct reader *reader;
	struct writer *writer;
	int level;
	struct block_encoder *encoder;
	uint32_t sequence;
	uint64_t raw_size;	/* uncompressed size of all records so far */
	struct strbuf waiting;	/* records not yet written */
	struct block_info info; /* describes the records in .waiting */
	uint8_t out[RECORD_SIZE_ALIGNED];
};

/* READER and WRITER are borrowed as long as the result. */
static struct pack_blocks *pack_blocks_create(
	const struct reader *reader, struct writer *writer, int level)
{
	struct pack_blocks *blocks = xcalloc(1, sizeof(*blocks));

	blocks->reader = reader;
	blocks->writer = writer;
	blocks->level = level;
	blocks->encoder = block_encoder_create();
	return blocks;
}

/*
 * Returns the block info of the first half of the records in RAW. The times in
 * a block info are bounds, so each half keeps the times of INFO.
 */
static struct block_info first_half_info(
	const uint8_t *raw, const struct block_info *info)
{
	struct block_info half = *info;
	struct record record;

	half.raw_size = half.records = half.samples = 0;
	while (half.records < info->records / 2 &&
		record_at(raw + half.raw_size, info->raw_size - half.raw_size,
			false, &record)) {
		half.raw_size += record.size;
		half.records++;
		half.samples += record.type == RECORD_SAMPLE;
	}
	return half;
}

static struct error *encode_raw_block(struct pack_blocks *blocks,
	const uint8_t *raw, const struct block_info *whole)
{
	struct block_info info = *whole, half;
	struct error *err;
	size_t size;

	info.sequence = blocks->sequence;
	size = block_encode(
		blocks->encoder, blocks->level, &info, raw, blocks->out);
	if (size) {
		blocks->sequence++;
		return writer_put_block(
			blocks->writer, blocks->out, size, &info);
	}
	half = first_half_info(raw, whole);
	if (!half.raw_size || half.raw_size == whole->raw_size)
		return writer_put(blocks->writer, raw, whole->raw_size);
	info.raw_size = whole->raw_size - half.raw_size;
	info.records = whole->records - half.records;
	info.samples = whole->samples - MIN(whole->samples, half.samples);
	err = encode_raw_block(blocks, raw, &half);
	return err ? err : encode_raw_block(blocks, raw + half.raw_size, &info);
}

/* Writes the records in .waiting as a block. */
static struct error *pack_blocks_flush(struct pack_blocks *blocks)
{
	const struct block_info info = blocks->info;
	struct error *err;

	if (!info.records)
		return NULL;
	err = encode_raw_block(
		blocks, (const uint8_t *)blocks->waiting.at, &info);
	blocks->info = (struct block_info){ 0 };
	strbuf_clear(&blocks->waiting);
	return err;
}

/*
 * Returns the time of RECORD, or 0 if RECORD has no time, like the records that
 * perf's tools write.
 */
static uint64_t packed_record_time(
	const struct pack_blocks *blocks, const struct record *record)
{
	const struct sample_layout *layout;
	struct sample_id id;
	uint64_t time = 0;

	if (record->type >= RECORD_HEADER_ATTR ||
		!reader_n_events(blocks->reader))
		return 0;
	layout = reader_layout(
		blocks->reader, reader_event_of(blocks->reader, record));
	if (record->type != RECORD_SAMPLE)
		return sample_id_read(layout, record, &id) ? id.time : 0;
	if (layout->time && layout->time + sizeof(time) <= record->size)
		memcpy(&time, record->data + layout->time, sizeof(time));
	return time;
}

static void describe_record(
	struct block_info *info, const struct record *record, uint64_t time)
{
	bool is_sample = record->type == RECORD_SAMPLE;

	info->kind |= is_sample ? BLOCK_SAMPLES : BLOCK_SIDEBAND;
	info->raw_size += record->size;
	info->records++;
	info->samples += is_sample;
	if (!time)
		return;
	if (!info->first_time || time < info->first_time)
		info->first_time = time;
	info->last_time = MAX(info->last_time, time);
}

/*
 * Adds RECORD, a plain record. RECORD is written later, but before the next
 * block.
 */
static struct error *pack_blocks_add(
	struct pack_blocks *blocks, const struct record *record)
{
	struct error *err = NULL;

	if (blocks->waiting.n + record->size > BLOCK_RAW_MAX)
		err = pack_blocks_flush(blocks);
	strbuf_put(&blocks->waiting, record->data, record->size);
	describe_record(
		&blocks->info, record, packed_record_time(blocks, record));
	blocks->raw_size += record->size;
	return err;
}

/* --- the copy ------------------------------------------------------------ */

struct copy {
	struct reader *reader;
	struct cursor *cursor;
	struct writer *writer;
	struct pack_blocks *blocks; /* NULL: blocks are copied unchanged */
	struct strbuf room, spare;
	bool redacts;
	bool has_traces; /* the recording has AUX traces, which are not
			    copied */
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
	/*
	 * Writes the INFO->raw_size bytes of records at RAW, which INFO
	 * describes, as a block.
	 */
	struct error *err = pack_blocks_flush(copy->blocks);

	copy->blocks->raw_size += extent->info.raw_size;
	return err ? err
		   : encode_raw_block(copy->blocks,
			     copy->redacts
				     ? redact_copy(copy, chunk.data, chunk.size)
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

/*
 * Marks FACTS as compressed with RATIO. The head of the file is written with
 * RATIO 1, before the compression ratio is known.
 */
static void describe_packed_blocks(struct features *facts, uint64_t ratio)
{
	facts->compression_ratio = (uint32_t)MAX(ratio, UINT64_C(1));
	facts->mmap_len = BLOCK_MMAP_LEN;
	features_mark(facts, FEATURE_COMPRESSED);
}

/*
 * Returns the zstd level of the copy; 0: blocks are copied unchanged. Redacted
 * blocks are compressed again with the level of the recording.
 */
static int packed_level(
	const struct reader *reader, const struct pack_write_config *config)
{
	uint32_t level = reader_features(reader)->compression_level;

	if (config->level || !config->redacts || !has_blocks(reader))
		return config->level;
	return (int)MAX(MIN(level, PACK_LEVEL_MAX), 1u);
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
	if (level)
		head.compression_level = (uint32_t)level;
	if (level || has_blocks(reader))
		describe_packed_blocks(&head, 1);
	err = writer_create(&sink, &head, &copy.writer);
	if (!err && level)
		copy.blocks = pack_blocks_create(reader, copy.writer, level);
	if (!err)
		err = copy_all_extents(&copy);
	if (!err) {
		closing.compression_level = head.compression_level;
		if (copy.blocks)
			describe_packed_blocks(&closing,
				copy.blocks->raw_size /
					writer_size(copy.writer));
		else if (feature_is_present(&head, FEATURE_COMPRESSED))
			describe_packed_blocks(
				&closing, closing.compression_ratio);
		err = writer_close(copy.writer, &closing,
			config->sections->at.at, config->sections->at.n);
	}
	/* BLOCKS may be NULL. */
	if (copy.blocks) {
		block_encoder_destroy(copy.blocks->encoder);
		strbuf_free(&copy.blocks->waiting);
		free(copy.blocks);
	}
	writer_destroy(copy.writer);
	rewrite_deinit(&head);
	return err;
}
