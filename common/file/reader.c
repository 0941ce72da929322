/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/reader.h"

#include <stdatomic.h>

#include "common/file/reader_private.h"
#include "common/util/alloc.h"

static void add_place(struct reader *reader, const char *what,
	const struct damage_place *like)
{
	_cleanup_free_ char *text = like->offset == reader->size
		? xstrdup(what)
		: xasprintf("%s at byte %llu of %llu", what,
			  (unsigned long long)like->offset,
			  (unsigned long long)reader->size);
	struct damage_place place = *like;

	place.what = text;
	damages_add(reader->damages, &place);
}

void reader_damaged(struct reader *reader, uint64_t offset, const char *what)
{
	add_place(reader, what, &(struct damage_place){ .offset = offset });
}

void reader_block_damaged(struct reader *reader, uint64_t offset,
	const char *what, const struct block_info *info)
{
	add_place(reader, what,
		&(struct damage_place){ .offset = offset,
			.samples = info->samples,
			.first_time = info->first_time,
			.last_time = info->last_time });
}

void reader_ends(struct reader *reader, uint64_t offset, const char *what)
{
	/* That the file was cut says it all. */
	if (damages_has(reader->damages, reader->size))
		return;
	add_place(reader, what,
		&(struct damage_place){
			.offset = offset, .is_end = !reader->is_closed });
}

/* --- opening -------------------------------------------------------------- */

/* Of copies of stacks few bytes are looked at. Streams tell later, or not. */
static bool has_stacks(const struct reader *reader)
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
	reader->is_mapped = !reader->swap && has_stacks(reader);
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

/* --- asking --------------------------------------------------------------- */

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

struct damages *reader_damages(const struct reader *reader)
{
	return reader->damages;
}

const char *reader_damage(const struct reader *reader)
{
	struct damage_place place;

	return damages_first(reader->damages, &place) ? place.what : NULL;
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
	return reader->size + reader->expansion;
}

bool reader_is_pipe(const struct reader *reader)
{
	return reader->is_pipe;
}

const struct features *reader_features(const struct reader *reader)
{
	return &reader->features;
}

bool reader_affords(struct reader *reader, uint64_t size)
{
	uint64_t most = READER_MEMORY_FREE + READER_MEMORY_RATIO * reader->size;

	uint64_t kept = atomic_load(&reader->kept);

	do {
		if (size > most || kept > most - size)
			return false;
	} while (!atomic_compare_exchange_weak(
		&reader->kept, &kept, kept + size));
	return true;
}

void reader_returns(struct reader *reader, uint64_t size)
{
	uint64_t kept = atomic_load(&reader->kept);

	while (!atomic_compare_exchange_weak(
		&reader->kept, &kept, kept - MIN(size, kept)))
		;
}

static const struct section *find_section(
	const struct reader *reader, const char *name, uint32_t version)
{
	int i;

	for (i = 0; i < reader->n_sections; i++)
		if (string_is(reader->sections[i].name, name) &&
			reader->sections[i].version == version)
			return &reader->sections[i];
	return NULL;
}

static bool load_section(struct reader *reader, const struct section *section,
	struct strbuf *ret)
{
	_cleanup_free_ uint8_t *data = NULL;
	uint64_t span = section_span(section);

	if (!span || section->offset > reader->size ||
		span > reader->size - section->offset ||
		!reader_affords(reader, section->raw_size))
		return false;
	data = xmalloc(span);
	if (reader_read_at(reader, section->offset, data, span) == span &&
		section_read(section, data, span, ret))
		return true;
	reader_returns(reader, section->raw_size);
	return false;
}

bool reader_section(struct reader *reader, const char *name, uint32_t version,
	struct strbuf *ret)
{
	const struct section *section = find_section(reader, name, version);
	_cleanup_free_ char *what = NULL;

	if (!section)
		return false;
	if (load_section(reader, section, ret))
		return true;
	what = xasprintf("its section \"%s\" is damaged", name);
	reader_damaged(reader, section->offset, what);
	return false;
}

size_t reader_n_sections(const struct reader *reader)
{
	return (size_t)reader->n_sections;
}

const struct section *reader_section_at(const struct reader *reader, size_t i)
{
	return &reader->sections[i];
}

bool reader_copy(const struct reader *reader, const struct extent *extent,
	struct strbuf *out)
{
	size_t before = out->n;

	strbuf_fill(out, 0, extent->size);
	return reader_read_at(reader, extent->offset, out->at + before,
		       extent->size) == extent->size;
}
