/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of an open recording besides its records: damaged places, reserved
 * memory, and dwell's own sections.
 */
#include "config.h"

#include <stdatomic.h>

#include "common/file/reader.h"
#include "common/file/reader_private.h"
#include "common/util/alloc.h"

static void add_damage_place(struct reader *reader, const char *what,
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

void reader_add_damage(struct reader *reader, uint64_t offset, const char *what)
{
	add_damage_place(
		reader, what, &(struct damage_place){ .offset = offset });
}

void reader_add_block_damage(struct reader *reader, uint64_t offset,
	const char *what, const struct block_info *info)
{
	add_damage_place(reader, what,
		&(struct damage_place){ .offset = offset,
			.samples = info->samples,
			.first_time = info->first_time,
			.last_time = info->last_time });
}

void reader_add_early_end(
	struct reader *reader, uint64_t offset, const char *what)
{
	/* "The file is cut off" is reported already. */
	if (damages_has(reader->damages, reader->size))
		return;
	add_damage_place(reader, what,
		&(struct damage_place){
			.offset = offset, .is_end = !reader->is_closed });
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

bool reader_reserve(struct reader *reader, uint64_t size)
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

void reader_release(struct reader *reader, uint64_t size)
{
	uint64_t kept = atomic_load(&reader->kept);

	while (!atomic_compare_exchange_weak(
		&reader->kept, &kept, kept - MIN(size, kept)))
		;
}

static const struct section *find_reader_section(
	const struct reader *reader, const char *name, uint32_t version)
{
	int i;

	for (i = 0; i < reader->n_sections; i++)
		if (string_is(reader->sections[i].name, name) &&
			reader->sections[i].version == version)
			return &reader->sections[i];
	return NULL;
}

static bool load_reader_section(struct reader *reader,
	const struct section *section, struct strbuf *ret)
{
	_cleanup_free_ uint8_t *data = NULL;
	uint64_t span = section_span(section);

	if (!span || section->offset > reader->size ||
		span > reader->size - section->offset ||
		!reader_reserve(reader, section->raw_size))
		return false;
	data = xmalloc(span);
	if (reader_read_at(reader, section->offset, data, span) == span &&
		section_read(section, data, span, ret))
		return true;
	reader_release(reader, section->raw_size);
	return false;
}

bool reader_section(struct reader *reader, const char *name, uint32_t version,
	struct strbuf *ret)
{
	const struct section *section =
		find_reader_section(reader, name, version);
	_cleanup_free_ char *what = NULL;

	if (!section)
		return false;
	if (load_reader_section(reader, section, ret))
		return true;
	what = xasprintf("section \"%s\" is damaged", name);
	reader_add_damage(reader, section->offset, what);
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
