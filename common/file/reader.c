/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/reader.h"

#include "common/file/reader_private.h"
#include "common/util/alloc.h"

/* --- opening -------------------------------------------------------------- */

/*
 * Returns true if samples have stack copies. Such files are mapped, because
 * only a few bytes of each stack copy are read. Returns false for streams, of
 * which the attributes come later, as records, or not at all.
 */
static bool has_stack_copies(const struct reader *reader)
{
	array_each(&reader->events, event)
		if (event->attr.sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	return false;
}

struct error *reader_open(const char *path, struct reader **ret)
{
	struct reader *reader = xcalloc(1, sizeof(*reader));
	struct error *err;

	reader->path = xstrdup(path);
	reader->damages = damages_create();
	err = reader_open_file(reader);
	if (!err)
		err = reader_read_header(reader);
	if (!err)
		err = reader_open_parts(reader);
	if (err) {
		reader_close(reader);
		return error_wrap(err, "%s", path);
	}
	reader->is_mapped = !reader->swap && has_stack_copies(reader);
	reader->cursor = cursor_create(reader);
	*ret = reader;
	return NULL;
}

void reader_close(struct reader *reader)
{
	if (!reader)
		return;
	cursor_destroy(reader->cursor);
	features_deinit(&reader->features);
	array_each(&reader->events, event)
		event_deinit(event);
	array_free(&reader->events);
	array_free(&reader->layouts);
	array_free(&reader->ids);
	array_free(&reader->extents);
	hash_free(&reader->by_id);
	array_each(&reader->parts, part)
		close(part->fd);
	array_free(&reader->parts);
	damages_destroy(reader->damages);
	free(reader->path);
	free(reader);
}

/* --- queries -------------------------------------------------------------- */

size_t reader_n_extents(const struct reader *reader)
{
	return reader->extents.n;
}

const struct extent *reader_extent(const struct reader *reader, size_t i)
{
	return &reader->extents.at[i];
}

bool reader_is_ordered(const struct reader *reader)
{
	return reader->is_ordered;
}

const char *reader_path(const struct reader *reader)
{
	return reader->path;
}

uint64_t reader_size(const struct reader *reader)
{
	return reader->size;
}

uint64_t reader_expanded_size(const struct reader *reader)
{
	return reader->size + (uint64_t)reader->expansion;
}

bool reader_is_pipe(const struct reader *reader)
{
	return reader->is_pipe;
}

const struct features *reader_features(const struct reader *reader)
{
	return &reader->features;
}

bool reader_is_swapped(const struct reader *reader)
{
	return reader->swap;
}

bool reader_copy(const struct reader *reader, const struct extent *extent,
	struct strbuf *out)
{
	size_t before = out->n;

	strbuf_fill(out, 0, extent->size);
	return reader_read_at(reader, extent->offset, out->at + before,
		       extent->size) == extent->size;
}
