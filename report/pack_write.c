/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack_write.h"

#include "common/log.h"
#include "report/progress.h"

struct copy {
	struct reader *reader;
	struct cursor *cursor;
	struct writer *writer;
	struct strbuf room;
	bool has_traces; /* of AUX buffers, which are left out */
};

static struct error *copy_block(
	struct copy *copy, const struct extent *extent)
{
	strbuf_clear(&copy->room);
	if (!reader_copy(copy->reader, extent, &copy->room))
		return error_new("%s: can't be read at 0x%llx",
			reader_path(copy->reader),
			(unsigned long long)extent->offset);
	return writer_put_block(copy->writer, copy->room.at, copy->room.n,
		&extent->info);
}

static struct error *copy_records(
	struct copy *copy, const struct extent *extent)
{
	struct error *err = NULL;
	struct chunk chunk;

	cursor_load(copy->cursor, extent);
	while (!err && cursor_next(copy->cursor, &chunk) == 0) {
		struct record record;
		size_t at = 0;

		strbuf_clear(&copy->room);
		while (record_at(chunk.data + at, chunk.size - at, false,
			&record)) {
			if (rewrite_keeps(&record))
				strbuf_put(&copy->room, record.data,
					record.size);
			copy->has_traces |= record.type == RECORD_AUXTRACE;
			at += record.size;
		}
		err = writer_put(copy->writer, copy->room.at, copy->room.n);
	}
	return err;
}

static struct error *copy_all(struct reader *reader, struct writer *writer)
{
	struct copy copy = { reader, cursor_create(reader), writer, { 0 },
		false };
	struct error *err = NULL;
	size_t n = reader_n_extents(reader), i;

	for (i = 0; !err && i < n; i++) {
		const struct extent *extent = reader_extent(reader, i);

		progress_show("packing", i, n);
		err = extent->coding == EXTENT_BLOCK
			? copy_block(&copy, extent)
			: copy_records(&copy, extent);
	}
	progress_clear();
	if (copy.has_traces)
		log_note("%s: traces of AUX buffers are left out; only the "
			 "recording itself has them",
			reader_path(reader));
	cursor_destroy(copy.cursor);
	strbuf_free(&copy.room);
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

/* How well it compressed isn't known at the head, and stays as it was. */
static void describe_blocks(const struct features *from,
	struct features *head, struct features *closing)
{
	head->compression_ratio = 1;
	features_mark(head, FEATURE_COMPRESSED);
	closing->compression_ratio = from->compression_ratio;
	features_mark(closing, FEATURE_COMPRESSED);
}

struct error *pack_write(struct reader *reader,
	const struct rewrite_sections *sections, int fd)
{
	bool is_file = lseek(fd, 0, SEEK_CUR) >= 0;
	struct sink sink = is_file ? sink_of_file(&fd) : sink_of_stream(&fd);
	struct features head = rewrite_head(reader);
	struct features closing = rewrite_closing(&head, is_file);
	struct writer *writer = NULL;
	struct error *err;

	if (has_blocks(reader))
		describe_blocks(reader_features(reader), &head, &closing);
	err = writer_create(&sink, &head, &writer);
	if (!err)
		err = copy_all(reader, writer);
	if (!err)
		err = writer_close(
			writer, &closing, sections->at.at, sections->at.n);
	writer_destroy(writer);
	rewrite_deinit(&head);
	return err;
}
