/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/packed_source.h"

#include "common/util/hash.h"

#define STRETCH_SIZE 8u

struct packed_source {
	struct strbuf section; /* memory of paths and lines */
	ARRAY(struct packed_file {
		const char *path;
		ARRAY(struct known_stretch {
			uint32_t first, n;
			size_t line; /* index of the first line in .lines */
		})
		stretches;
		/* Start of each line, and the end of the last one. */
		ARRAY(const char *) lines;
	})
	files;
	struct hash_index by_path;
};

static size_t count_packed_lines(const struct packed_file *file)
{
	const struct known_stretch *last;

	if (!file->stretches.n)
		return 0;
	last = &file->stretches.at[file->stretches.n - 1];
	return last->line + last->n;
}

static bool read_line_ranges(
	struct bytes *b, uint32_t n, struct packed_file *file)
{
	size_t line = 0;
	uint64_t before = 0;
	uint32_t i;

	if (n > bytes_left(b) / STRETCH_SIZE)
		return false;
	for (i = 0; i < n; i++) {
		struct known_stretch *stretch = array_push(&file->stretches);

		stretch->first = bytes_u32(b);
		stretch->n = bytes_u32(b);
		stretch->line = line;
		line += stretch->n;
		if (stretch->first < before)
			return false;
		before = (uint64_t)stretch->first + stretch->n;
	}
	return true;
}

static void free_packed_file(struct packed_file *file)
{
	array_free(&file->stretches);
	array_free(&file->lines);
}

/*
 * Reads the entry of a source file of at most MOST lines. Returns false if the
 * entry is damaged or has more lines.
 */
static bool read_packed_file(
	struct bytes *b, size_t most, struct packed_file *file)
{
	uint32_t path_room = bytes_u32(b), n = bytes_u32(b);
	uint32_t size = bytes_u32(b);
	const uint8_t *text, *end;
	size_t i;

	bytes_u32(b);
	if (!b->ok || !read_line_ranges(b, n, file) ||
		count_packed_lines(file) > most)
		return false;
	file->path = bytes_text(b, path_room);
	text = bytes_take(b, size);
	/* Entries are aligned to 8 bytes. */
	bytes_take(b, -(path_room + size) & 7u);
	if (!text)
		return false;
	/* The text must have as many lines as the ranges. */
	end = text + size;
	for (i = 0; i < count_packed_lines(file); i++) {
		const uint8_t *last = text < end
			? memchr(text, '\n', (size_t)(end - text))
			: NULL;

		if (!last)
			return false;
		*array_push(&file->lines) = (const char *)text;
		text = last + 1;
	}
	*array_push(&file->lines) = (const char *)text;
	return text == end;
}

struct packed_source *packed_source_read(struct strbuf *section)
{
	struct packed_source *packed = xcalloc(1, sizeof(*packed));
	struct bytes b = bytes_of(section->at, section->n, false);
	uint32_t n = bytes_u32(&b), i;
	size_t left = PACKED_SOURCE_LINES_MAX;

	packed->section = *section;
	*section = (struct strbuf){ 0 };
	bytes_u32(&b);
	for (i = 0; i < n; i++) {
		struct packed_file file = { 0 };

		if (!read_packed_file(&b, left, &file)) {
			free_packed_file(&file);
			break;
		}
		left -= count_packed_lines(&file);
		*array_push(&packed->files) = file;
		hash_insert(&packed->by_path, hash_string(file.path), i);
	}
	return packed;
}

struct packed_source *packed_source_create(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf section = { 0 };

	return reader_section(
		       reader, SECTION_SOURCE, PACKED_SOURCE_VERSION, &section)
		? packed_source_read(&section)
		: NULL;
}

void packed_source_destroy(struct packed_source *packed)
{
	if (!packed)
		return;
	array_each(&packed->files, file)
		free_packed_file(file);
	array_free(&packed->files);
	hash_free(&packed->by_path);
	strbuf_free(&packed->section);
	free(packed);
}

const char *packed_source_find(const struct packed_source *packed,
	const char *path, uint32_t line, size_t *size_ret)
{
	uint64_t hash = hash_string(path);
	const struct packed_file *file = NULL;
	const struct known_stretch *stretch;
	const char *const *at;
	size_t i;

	hash_each_match(&packed->by_path, hash, k)
		if (!file && string_is(packed->files.at[k].path, path))
			file = &packed->files.at[k];
	if (!file)
		return NULL;
	i = array_count_before(&file->stretches, x, x->first <= line);
	stretch = i ? &file->stretches.at[i - 1] : NULL;
	if (!stretch || line - stretch->first >= stretch->n)
		return NULL;
	at = &file->lines.at[stretch->line + (line - stretch->first)];
	*size_ret = (size_t)(at[1] - at[0]) - 1;
	return *at;
}

void packed_source_builder_add(struct packed_source_builder *builder,
	uint32_t line, const char *text, size_t size)
{
	size_t n = builder->stretches.n;
	struct packed_stretch *last = n ? &builder->stretches.at[n - 1] : NULL;

	if (last && last->first + last->n == line)
		last->n++;
	else
		*array_push(&builder->stretches) =
			(struct packed_stretch){ line, 1 };
	strbuf_put(&builder->text, text, size);
	strbuf_putc(&builder->text, '\n');
}

void packed_source_begin(uint32_t n, struct strbuf *out)
{
	strbuf_put_u32(out, n);
	strbuf_put_u32(out, 0);
}

void packed_source_put(const char *file, struct packed_source_builder *builder,
	struct strbuf *out)
{
	size_t path_room = strlen(file) + 1;

	strbuf_put_u32(out, (uint32_t)path_room);
	strbuf_put_u32(out, (uint32_t)builder->stretches.n);
	strbuf_put_u32(out, (uint32_t)builder->text.n);
	strbuf_put_u32(out, 0);
	array_each(&builder->stretches, stretch) {
		strbuf_put_u32(out, stretch->first);
		strbuf_put_u32(out, stretch->n);
	}
	strbuf_put(out, file, path_room);
	strbuf_put(out, builder->text.at, builder->text.n);
	strbuf_align(out, 8);
	array_free(&builder->stretches);
	strbuf_free(&builder->text);
}
