/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/missing_files.h"

#include <sys/stat.h>

#include "common/elf/cache.h"
#include "common/util/alloc.h"

static uint64_t file_state_of(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return 0;
	uint64_t numbers[] = { status.st_dev, status.st_ino,
		(uint64_t)status.st_size, (uint64_t)status.st_ctim.tv_sec,
		(uint64_t)status.st_ctim.tv_nsec };
	return cache_checksum(1, numbers, sizeof(numbers));
}

void missing_files_add(struct missing_files *missing, char *path)
{
	if (path)
		*array_push(&missing->files) =
			(struct missing_file){ path, file_state_of(path) };
}

void missing_files_deinit(struct missing_files *missing)
{
	array_each(&missing->files, file)
		free(file->path);
	array_free(&missing->files);
}

bool missing_files_are_unchanged(const struct missing_files *missing)
{
	array_each(&missing->files, file)
		if (file_state_of(file->path) != file->state)
			return false;
	return true;
}

void missing_files_write(
	const struct missing_files *missing, struct strbuf *out)
{
	strbuf_put_u64(out, missing->files.n);
	array_each(&missing->files, file) {
		strbuf_put_u64(out, file->state);
		strbuf_put(out, file->path, strlen(file->path) + 1);
	}
	strbuf_align(out, 8);
}

void missing_files_read(struct missing_files *missing, struct bytes *b)
{
	const uint8_t *start = b->at;
	uint64_t n = bytes_u64(b);

	while (n-- && b->ok) {
		uint64_t state = bytes_u64(b);
		const char *path = bytes_string(b);

		if (b->ok)
			*array_push(&missing->files) =
				(struct missing_file){ xstrdup(path), state };
	}
	bytes_take(b,
		ALIGN_UP((size_t)(b->at - start), 8) - (size_t)(b->at - start));
}
