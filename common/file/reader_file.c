/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the bytes of a recording: a file, or the files of a directory (perf
 * record --threads) as if they were concatenated. The first file has the
 * header; the others contain only records. Also keeps the state of the open
 * recording besides its records: damaged places, reserved memory, and dwell's
 * own sections.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/file/reader.h"
#include "common/file/reader_private.h"
#include "common/file/spool.h"
#include "common/util/alloc.h"
#include "common/util/budget.h"

/* Limit of files in a directory recording; more than a machine has CPUs. */
#define PARTS_MAX 65536u

const struct reader_part *reader_part(
	const struct reader *reader, uint64_t offset)
{
	size_t i = reader->parts.n - 1;

	while (i && offset < reader->parts.at[i].start)
		i--;
	return &reader->parts.at[i];
}

size_t reader_read_at(
	const struct reader *reader, uint64_t offset, void *out, size_t size)
{
	const struct reader_part *part = reader_part(reader, offset);
	size_t done = 0;

	offset -= part->start;
	while (done < size) {
		ssize_t n = pread(part->fd, (uint8_t *)out + done, size - done,
			(off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

/* Adds FD as the next file of the recording. Takes ownership of FD. */
static struct error *add_file_part(struct reader *reader, int fd)
{
	struct reader_part *part = array_push(&reader->parts);
	struct stat status;

	part->fd = fd;
	/*
	 * Leave a byte between files, so that no file ends where another one
	 * begins.
	 */
	part->start = reader->size + (reader->parts.n > 1);
	if (fstat(fd, &status) < 0)
		return error_errno(errno, "cannot read the file's status");
	if (!S_ISREG(status.st_mode))
		return error_new("not a regular file. To read a stream: -i -");
	reader->size = part->start + (uint64_t)status.st_size;
	part->end = reader->size;
	reader_add_expansion(reader, 0);
	return NULL;
}

static int open_part_path(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

struct error *reader_open_file(struct reader *reader)
{
	struct error *err = NULL;
	struct stat status;
	int fd = -1;

	if (string_is(reader->path, "-")) {
		err = spool_read(STDIN_FILENO, SPOOL_MEMORY_MAX, &fd);
	} else if (stat(reader->path, &status) == 0 &&
		S_ISDIR(status.st_mode)) {
		_cleanup_free_ char *path = xasprintf("%s/data", reader->path);

		reader->is_folder = true;
		fd = open_part_path(path);
		if (fd < 0)
			return error_errno(errno,
				"the directory contains no recording: data");
	} else {
		fd = open_part_path(reader->path);
	}
	if (err)
		return err;
	if (fd < 0)
		return error_errno(errno, "cannot open the file");
	return add_file_part(reader, fd);
}

struct error *reader_open_parts(struct reader *reader)
{
	struct error *err = NULL;
	size_t i;

	reader->parts.at[0].end = reader->end;
	for (i = 0; !err && reader->is_folder && i < PARTS_MAX; i++) {
		_cleanup_free_ char *path =
			xasprintf("%s/data.%zu", reader->path, i);
		int fd = open_part_path(path);

		if (fd < 0 && errno == ENOENT)
			break;
		err = fd < 0 ? error_errno(errno, "cannot open the file")
			     : add_file_part(reader, fd);
		err = error_wrap(err, "data.%zu", i);
	}
	return err;
}

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
	/*
	 * The damage "the file is cut off", with this offset, was added
	 * already.
	 */
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

struct budget *reader_budget(struct reader *reader)
{
	return &reader->budget;
}

void reader_add_expansion(struct reader *reader, int64_t size)
{
	reader->expansion += size;

	/* Blocks that do not compress are longer than their content. */
	int64_t expansion = MAX(reader->expansion, INT64_C(0));
	uint64_t content = reader->size +
		MIN((uint64_t)expansion,
			(READER_EXPANSION_MAX - 1) * reader->size);

	budget_set_limit(&reader->budget,
		READER_MEMORY_FREE + READER_MEMORY_RATIO * content);
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

/* Returns NULL, or the reason why SECTION was not read. */
static const char *load_reader_section(struct reader *reader,
	const struct section *section, struct strbuf *ret)
{
	_cleanup_free_ uint8_t *data = NULL;
	uint64_t span = section_span(section);

	if (!span || section->offset > reader->size ||
		span > reader->size - section->offset)
		return "is damaged";
	if (!budget_reserve(&reader->budget, section->raw_size))
		return "needs " READER_MEMORY_EXCESS;
	data = xmalloc(span);
	if (reader_read_at(reader, section->offset, data, span) == span &&
		section_read(section, data, span, ret))
		return NULL;
	budget_release(&reader->budget, section->raw_size);
	return "is damaged";
}

bool reader_section(struct reader *reader, const char *name, uint32_t version,
	struct strbuf *ret)
{
	const struct section *section =
		find_reader_section(reader, name, version);
	_cleanup_free_ char *what = NULL;
	const char *reason;

	if (!section)
		return false;
	reason = load_reader_section(reader, section, ret);
	if (!reason)
		return true;
	what = xasprintf("section \"%s\" %s", name, reason);
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
