/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_write.h"

#include <ctype.h>

#include "common/file/features.h"
#include "common/file/line_unit.h"
#include "common/file/packed_dsos.h"
#include "common/file/reader.h"
#include "common/file/symbols_section.h"
#include "common/file/writer.h"
#include "common/maps/maps.h"
#include "common/util/alloc.h"
#include "common/util/log.h"
#include "report/pack/rewrite.h"
#include "report/util/output.h"
#include "report/util/progress.h"

/*
 * Removes facts about the recorded machine from a recording: the host name,
 * command lines and folders. Strings are overwritten in place. Names of
 * functions, file names without folders, and names of commands and threads
 * stay, because reports need these names (dwell-pack(1) has the list).
 */

/* Offset of the path in a record of each type, in bytes. */
#define MMAP_PATH 40u
#define MMAP2_PATH 72u
#define CGROUP_PATH 16u
#define BUILD_ID_PATH 36u

/*
 * Moves the end of a string, from FROM on, to TO in the same string. Overwrites
 * the freed bytes with 0.
 */
static void close_text_gap(char *to, const char *from)
{
	size_t length = strlen(from), gap = (size_t)(from - to);

	memmove(to, from, length);
	memset(to + length, 0, gap);
}

/* Returns whether TEXT contains WORD directly before END. */
static bool is_word_before(const char *text, const char *end, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(end - text) >= length &&
		memcmp(end - length, word, length) == 0;
}

/*
 * Removes the folders of an absolute PATH: "/usr/bin/make" becomes "/make",
 * which is still the path of a file.
 */
static void redact_path(char *path)
{
	char *name = strrchr(path, '/');

	if (path[0] == '/' && name != path && !maps_is_anonymous(path))
		close_text_gap(path, name);
}

/*
 * Returns whether SLASH in the function name TEXT begins a path. The slash in
 * "Lorg/me/Main;" (Java), "operator/" and "operator /" does not.
 */
static bool begins_path(const char *text, const char *slash)
{
	const char *end = slash;

	if (end > text &&
		(isalnum((unsigned char)end[-1]) ||
			(unsigned char)end[-1] >= 0x80 ||
			strchr("_$)]>;", end[-1])))
		return false;
	while (end > text && end[-1] == ' ')
		end--;
	return !is_word_before(text, end, "operator");
}

/*
 * Removes folders from names of JIT code: "*run /home/me/x.js:3",
 * "py::run:/home/me/x.py". Names of folders may contain blanks and colons, so
 * all text from the start of the path to the last slash is removed.
 */
static void redact_name(char *text)
{
	char *start = strchr(text, '/');
	const char *last = strrchr(text, '/');

	while (start && !begins_path(text, start))
		start = strchr(start + 1, '/');
	if (!start || start == last)
		return;
	while (start > text && start[-1] == '.')
		start--;
	if (is_word_before(text, start, "file:"))
		start -= strlen("file:");
	close_text_gap(start, last + 1);
}

static void redact_path_at(uint8_t *data, size_t size, size_t at)
{
	if (at < size && memchr(data + at, '\0', size - at))
		redact_path((char *)data + at);
}

/* Redacts the record of SIZE bytes at DATA, in place. */
static void redact_record(uint8_t *data, size_t size)
{
	struct record record;

	if (!record_at(data, size, false, &record))
		return;
	switch (record.type) {
	case RECORD_MMAP: redact_path_at(data, size, MMAP_PATH); break;
	case RECORD_MMAP2: redact_path_at(data, size, MMAP2_PATH); break;
	case RECORD_HEADER_BUILD_ID:
		redact_path_at(data, size, BUILD_ID_PATH);
		break;
	case RECORD_CGROUP:
		if (CGROUP_PATH < size &&
			memchr(data + CGROUP_PATH, '\0', size - CGROUP_PATH))
			memset(data + CGROUP_PATH, 0,
				strlen((char *)data + CGROUP_PATH));
		break;
	default: break;
	}
}

/*
 * Redacts HEAD, the features for writer_create(). Strings are overwritten in
 * place.
 */
static void redact_features(struct features *head)
{
	head->hostname = (char *)"";
	head->present[FEATURE_CMDLINE / 64] &=
		~(UINT64_C(1) << FEATURE_CMDLINE % 64);
	array_each(&head->build_ids, entry)
		redact_path(entry->path);
	array_each(&head->events, event) {
		/* "uprobe:/home/me/x:step" becomes "uprobe:x:step". */
		char *name = event->name;
		char *path = strchr(name, ':');
		char *folder = strrchr(name, '/');

		if (string_starts(name, "uprobe:") && folder)
			close_text_gap(path + 1, folder + 1);
	}
}

/* --- dwell's sections ----------------------------------------------------- */

static void redact_symbols(struct bytes b)
{
	uint32_t n = bytes_u32(&b), i;

	for (i = 0; i < n && b.ok; i++) {
		uint32_t path_room, n_symbols, names;
		char *path;

		bytes_take(&b, SYMBOLS_DSO_IDENTITY_SIZE);
		path_room = bytes_u32(&b);
		n_symbols = bytes_u32(&b);
		names = bytes_u32(&b);
		char *text = (char *)bytes_take(&b, path_room);
		path = text && memchr(text, '\0', path_room) ? text : NULL;
		if (path)
			redact_path(path);
		bytes_take(&b, (size_t)n_symbols * 16);
		bytes_take(&b, names);
	}
}

static void redact_text(struct line_unit *unit, uint32_t text)
{
	if (text != LINE_NONE) {
		/*
		 * Remove the folders and the slash. The path of a source file,
		 * unlike that of a mapped file, need not be absolute.
		 */
		char *path = line_unit_texts(unit) + text;
		char *name = strrchr(path, '/');

		if (name)
			close_text_gap(path, name + 1);
	}
}

static void redact_unit(void *piece, size_t size)
{
	struct line_unit *unit = piece;
	uint32_t i;

	if (!line_unit_is_sound(unit, size))
		return;
	for (i = 0; i < unit->n_pieces; i++)
		redact_text(unit, line_unit_pieces(unit)[i].file);
	for (i = 0; i < unit->n_nodes; i++)
		redact_text(unit, line_unit_nodes(unit)[i].call_file);
	for (i = 0; i < unit->n_functions; i++)
		redact_text(unit, line_unit_functions(unit)[i].file);
}

/*
 * Redacts the section B of packed_dsos.h: the path of each DSO, and the data of
 * each DSO with REDACT_PIECE. REDACT_PIECE is NULL if the data contains no
 * paths.
 */
static void redact_dsos(
	struct bytes b, void (*redact_piece)(void *piece, size_t size))
{
	uint32_t n = bytes_u32(&b), i;
	struct packed_entry entry;

	bytes_u32(&b);
	for (i = 0; i < n && packed_dsos_next(&b, &entry); i++) {
		redact_path(entry.path);
		if (redact_piece)
			redact_piece(entry.piece, entry.size);
	}
}

static void redact_jit(struct bytes b)
{
	uint32_t n = bytes_u32(&b), entry = bytes_u32(&b), i;

	for (i = 0; i < n && b.ok; i++) {
		uint32_t n_symbols, size;
		char *names;

		bytes_u32(&b);
		n_symbols = bytes_u32(&b);
		size = bytes_u32(&b);
		bytes_u32(&b);
		bytes_take(&b, (size_t)n_symbols * entry);
		names = (char *)bytes_take(&b, size);
		if (names) {
			char *end = names + size;

			while (names < end &&
				memchr(names, '\0', (size_t)(end - names))) {
				size_t room = strlen(names) + 1;

				redact_name(names);
				names += room;
			}
		}
	}
}

static void redact_sections(struct rewrite_sections *sections)
{
	array_each(&sections->at, section) {
		const struct bytes b =
			bytes_of(section->raw.at, section->raw.n, false);

		if (string_is(section->name, SECTION_SYMBOLS) ||
			string_is(section->name, SECTION_PACKED) ||
			string_is(section->name, SECTION_PACKED_DATA))
			redact_symbols(b);
		else if (string_is(section->name, SECTION_LINES))
			redact_dsos(b, redact_unit);
		else if (string_is(section->name, SECTION_CODE) ||
			string_is(section->name, SECTION_RULES))
			redact_dsos(b, NULL);
		else if (string_is(section->name, SECTION_JIT) ||
			string_is(section->name, SECTION_PACKED_JIT))
			redact_jit(b);
	}
}

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
	/*
	 * The times in a block info are bounds, so each half keeps the times of
	 * WHOLE.
	 */
	half = *whole;
	struct record record;

	half.raw_size = half.records = half.samples = 0;
	while (half.records < whole->records / 2 &&
		record_at(raw + half.raw_size, whole->raw_size - half.raw_size,
			false, &record)) {
		half.raw_size += record.size;
		half.records++;
		half.samples += record.type == RECORD_SAMPLE;
	}
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

/* --- the copy ------------------------------------------------------------ */

struct pack_copy {
	struct reader *reader;
	struct cursor *cursor;
	struct writer *writer;
	struct pack_blocks *blocks; /* NULL: blocks are copied unchanged */
	struct strbuf room, spare;
	bool redacts;
	bool has_traces; /* the recording has AUX traces, which are not
			    copied */
};

static struct error *copy_block(
	struct pack_copy *copy, const struct extent *extent)
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
	struct pack_copy *copy, const void *data, size_t size)
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
	struct pack_copy *copy, const struct extent *extent)
{
	struct reader_chunk chunk;

	cursor_load(copy->cursor, extent);
	if (cursor_next(copy->cursor, &chunk))
		return NULL;
	/*
	 * Write the records of the chunk as one block, which has the
	 * description of the original block.
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
	struct pack_copy *copy, const struct record *from)
{
	struct record record = *from;

	if (copy->redacts && record.type == RECORD_THREAD_MAP)
		return NULL;
	if (copy->redacts)
		record.data = redact_copy(copy, record.data, record.size);
	if (copy->blocks) {
		/*
		 * Add RECORD, a plain record. RECORD is written later, but
		 * before the next block.
		 */
		struct pack_blocks *blocks = copy->blocks;
		struct error *err = NULL;

		if (blocks->waiting.n + record.size > BLOCK_RAW_MAX)
			err = pack_blocks_flush(blocks);
		strbuf_put(&blocks->waiting, record.data, record.size);
		struct block_info *info = &blocks->info;
		uint64_t time = packed_record_time(blocks, &record);
		bool is_sample = record.type == RECORD_SAMPLE;

		info->kind |= is_sample ? BLOCK_SAMPLES : BLOCK_SIDEBAND;
		info->raw_size += record.size;
		info->records++;
		info->samples += is_sample;
		if (time) {
			if (!info->first_time || time < info->first_time)
				info->first_time = time;
			info->last_time = MAX(info->last_time, time);
		}
		blocks->raw_size += record.size;
		return err;
	}
	strbuf_put(&copy->room, record.data, record.size);
	return NULL;
}

static struct error *copy_plain_records(
	struct pack_copy *copy, const struct extent *extent)
{
	struct error *err = NULL;
	struct reader_chunk chunk;

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

static struct error *copy_all_extents(struct pack_copy *copy)
{
	size_t n = reader_n_extents(copy->reader), i;
	struct error *err = NULL;

	copy->cursor = cursor_create(copy->reader);
	for (i = 0; !err && i < n; i++) {
		progress_show("packing", i, n);
		const struct extent *extent = reader_extent(copy->reader, i);

		/* Readable records of a damaged block are copied as plain records. */
		if (extent->coding != EXTENT_BLOCK ||
			damages_has(
				reader_damages(copy->reader), extent->offset))
			err = copy_plain_records(copy, extent);
		else
			err = copy->blocks ? encode_block(copy, extent)
					   : copy_block(copy, extent);
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
	struct pack_copy copy = { .reader = reader,
		.redacts = config->redacts };
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
	if (!err && level) {
		copy.blocks = xcalloc(1, sizeof(*copy.blocks));
		/* Too large for a temporary on a small stack. */
		copy.blocks->reader = reader;
		copy.blocks->writer = copy.writer;
		copy.blocks->level = level;
		copy.blocks->encoder = block_encoder_create();
	}
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
	if (copy.blocks) {
		block_encoder_destroy(copy.blocks->encoder);
		strbuf_free(&copy.blocks->waiting);
		free(copy.blocks);
	}
	writer_destroy(copy.writer);
	rewrite_deinit(&head);
	return err;
}
