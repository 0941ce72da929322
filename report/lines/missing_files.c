/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/missing_files.h"

#include <sys/stat.h>

#include "common/elf/cache.h"
#include "common/util/alloc.h"

static uint64_t state_of(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return 0;
	uint64_t numbers[] = { status.st_dev, status.st_ino,
		(uint64_t)status.st_size, (uint64_t)status.st_ctim.tv_sec,
		(uint64_t)status.st_ctim.tv_nsec };
	return cache_checksum(1, numbers, sizeof(numbers));
}

void sought_add(struct sought *sought, char *path)
{
	if (path)
		*array_push(&sought->files) =
			(struct sought_file){ path, state_of(path) };
}

void sought_deinit(struct sought *sought)
{
	array_each(&sought->files, file)
		free(file->path);
	array_free(&sought->files);
}

bool sought_holds(const struct sought *sought)
{
	array_each(&sought->files, file)
		if (state_of(file->path) != file->state)
			return false;
	return true;
}

void sought_write(const struct sought *sought, struct strbuf *out)
{
	strbuf_put_u64(out, sought->files.n);
	array_each(&sought->files, file) {
		strbuf_put_u64(out, file->state);
		strbuf_put(out, file->path, strlen(file->path) + 1);
	}
	strbuf_align(out, 8);
}

void sought_read(struct sought *sought, struct bytes *b)
{
	const uint8_t *start = b->at;
	uint64_t n = bytes_u64(b);

	while (n-- && b->ok) {
		uint64_t state = bytes_u64(b);
		const char *path = bytes_string(b);

		if (b->ok)
			*array_push(&sought->files) =
				(struct sought_file){ xstrdup(path), state };
	}
	bytes_take(b, ALIGN_UP((size_t)(b->at - start), 8) -
			(size_t)(b->at - start));
}
