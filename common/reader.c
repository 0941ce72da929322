/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/reader_private.h"

/* --- bytes of the file ---------------------------------------------------- */

size_t reader_read_at(
	const struct reader *reader, uint64_t offset, void *out, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(reader->fd, (uint8_t *)out + done,
			size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

void reader_damaged(struct reader *reader, uint64_t offset, const char *what)
{
	if (reader->damage)
		return;
	if (offset == reader->size)
		reader->damage = xstrdup(what);
	else
		reader->damage = xasprintf("%s at byte %llu of %llu", what,
			(unsigned long long)offset,
			(unsigned long long)reader->size);
}

/* --- opening -------------------------------------------------------------- */

/* Standard input can't be read twice: keep it in a file without a name. */
static struct error *spool(int *fd_ret)
{
	_cleanup_free_ uint8_t *buffer = xmalloc(WINDOW_SIZE);
	FILE *file = tmpfile();
	struct error *err = NULL;
	ssize_t n;

	if (!file)
		return error_errno(errno, "making a temporary file");
	while ((n = read(STDIN_FILENO, buffer, WINDOW_SIZE)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = error_errno(errno, "reading");
		else if (fwrite(buffer, 1, (size_t)n, file) != (size_t)n)
			err = error_errno(errno, "writing a temporary file");
		if (err)
			break;
	}
	if (!err && fflush(file))
		err = error_errno(errno, "writing a temporary file");
	*fd_ret = err ? -1 : fcntl(fileno(file), F_DUPFD_CLOEXEC, 3);
	fclose(file);
	return err;
}

static struct error *open_file(struct reader *reader)
{
	struct stat status;
	struct error *err;

	if (string_is(reader->path, "-")) {
		err = spool(&reader->fd);
		if (err)
			return err;
	} else {
		reader->fd =
			open(reader->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	}
	if (reader->fd < 0)
		return error_errno(errno, "can't be opened");
	if (fstat(reader->fd, &status) < 0)
		return error_errno(errno, "can't be examined");
	if (S_ISDIR(status.st_mode))
		return error_new("is a directory; name a file with -i");
	if (!S_ISREG(status.st_mode))
		return error_new("is not a regular file; pipe it into '-i -'");
	reader->size = (uint64_t)status.st_size;
	return NULL;
}

struct error *reader_open(const char *path, struct reader **ret)
{
	struct reader *reader = xcalloc(1, sizeof(*reader));
	struct error *err;

	reader->path = xstrdup(path);
	reader->fd = -1;
	err = open_file(reader);
	if (!err)
		err = reader_read_header(reader);
	if (err) {
		reader_close(reader);
		return error_wrap(err, "%s", path);
	}
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
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->damage);
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

const char *reader_damage(const struct reader *reader)
{
	return reader->damage;
}

const char *reader_path(const struct reader *reader)
{
	return reader->path;
}

uint64_t reader_size(const struct reader *reader)
{
	return reader->size;
}

bool reader_is_pipe(const struct reader *reader)
{
	return reader->is_pipe;
}

const struct features *reader_features(const struct reader *reader)
{
	return &reader->features;
}

bool reader_section(struct reader *reader, const char *name, uint32_t version,
	struct strbuf *ret)
{
	_cleanup_free_ uint8_t *data = NULL;
	const struct section *section = NULL;
	uint64_t span;
	int i;

	for (i = 0; i < reader->n_sections; i++)
		if (string_is(reader->sections[i].name, name) &&
			reader->sections[i].version == version)
			section = &reader->sections[i];
	span = section ? section_span(section) : 0;
	if (!span || section->offset > reader->size ||
		span > reader->size - section->offset)
		return false;
	data = xmalloc(span);
	return reader_read_at(reader, section->offset, data, span) == span &&
		section_read(section, data, span, ret);
}
