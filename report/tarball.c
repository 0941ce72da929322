/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tarball.h"

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>

#include "common/alloc.h"

#define LIBRARY "libarchive.so.13"
/* What is read of the file at once. */
#define BLOCK_SIZE KIB(64)

struct tarball {
	const char *name; /* borrowed */
	struct archive *archive;
	typeof(archive_read_free) *free;
	typeof(archive_error_string) *error_string;
	typeof(archive_read_next_header) *next_header;
	typeof(archive_read_data) *read_data;
	typeof(archive_entry_pathname) *path;
	typeof(archive_entry_filetype) *type;
	typeof(archive_entry_hardlink) *hard_link;
	typeof(archive_entry_size) *size;
};

static bool load(struct tarball *tarball, void *library)
{
	tarball->free = dlsym(library, "archive_read_free");
	tarball->error_string = dlsym(library, "archive_error_string");
	tarball->next_header = dlsym(library, "archive_read_next_header");
	tarball->read_data = dlsym(library, "archive_read_data");
	tarball->path = dlsym(library, "archive_entry_pathname");
	tarball->type = dlsym(library, "archive_entry_filetype");
	tarball->hard_link = dlsym(library, "archive_entry_hardlink");
	tarball->size = dlsym(library, "archive_entry_size");
	return tarball->free && tarball->error_string &&
		tarball->next_header && tarball->read_data &&
		tarball->path && tarball->type && tarball->hard_link &&
		tarball->size;
}

/* What it can't do by itself it would start another program for. */
static bool support_formats(struct tarball *tarball, void *library)
{
	static const char *const names[] = {
		"archive_read_support_format_tar",
		"archive_read_support_filter_bzip2",
		"archive_read_support_filter_gzip",
		"archive_read_support_filter_xz",
		"archive_read_support_filter_zstd",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		int (*enable)(struct archive *) =
			dlsym(library, names[i]);

		if (!enable || enable(tarball->archive) != ARCHIVE_OK)
			return false;
	}
	return true;
}

static struct error *open_archive(struct tarball *tarball, int fd)
{
	/* It stays loaded: libraries of its kind don't like to be taken out. */
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	typeof(archive_read_new) *begin;
	typeof(archive_read_open_fd) *open_fd;

	if (!library || !load(tarball, library))
		return error_new("%s: archives can't be read: " LIBRARY
				 " can't be loaded (Debian's package is "
				 "libarchive13)",
			tarball->name);
	begin = dlsym(library, "archive_read_new");
	open_fd = dlsym(library, "archive_read_open_fd");
	tarball->archive = begin ? begin() : NULL;
	if (!tarball->archive || !open_fd || !support_formats(tarball, library))
		return error_new("%s: archives can't be read: " LIBRARY
				 " lacks tar, bzip2, gzip, xz or zstd",
			tarball->name);
	if (open_fd(tarball->archive, fd, BLOCK_SIZE) == ARCHIVE_OK)
		return NULL;
	return tarball_error(tarball);
}

struct error *tarball_open(int fd, const char *name, struct tarball **ret)
{
	struct tarball *tarball = xcalloc(1, sizeof(*tarball));
	struct error *err;

	tarball->name = name;
	err = open_archive(tarball, fd);
	if (err)
		tarball_close(tarball);
	else
		*ret = tarball;
	return err;
}

void tarball_close(struct tarball *tarball)
{
	if (!tarball)
		return;
	if (tarball->archive)
		tarball->free(tarball->archive);
	free(tarball);
}

static enum tarball_kind kind_of(
	const struct tarball *tarball, struct archive_entry *entry)
{
	if (!tarball->path(entry))
		return TARBALL_OTHER;
	if (tarball->hard_link(entry))
		return TARBALL_LINK;
	switch (tarball->type(entry)) {
	case AE_IFREG:
		return TARBALL_FILE;
	case AE_IFDIR:
		return TARBALL_FOLDER;
	case AE_IFLNK:
		return TARBALL_LINK;
	default:
		return TARBALL_OTHER;
	}
}

int tarball_next(struct tarball *tarball, struct tarball_entry *ret)
{
	struct archive_entry *entry;
	int status = tarball->next_header(tarball->archive, &entry);
	int64_t size;

	if (status == ARCHIVE_EOF)
		return 1;
	/* A warning is about names in odd characters and the like. */
	if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
		return -1;
	size = tarball->size(entry);
	ret->path = tarball->path(entry);
	ret->kind = kind_of(tarball, entry);
	ret->size = size < 0 ? UINT64_MAX : (uint64_t)size;
	return 0;
}

ssize_t tarball_read(struct tarball *tarball, void *data, size_t size)
{
	return tarball->read_data(tarball->archive, data, size);
}

struct error *tarball_error(struct tarball *tarball)
{
	const char *text = tarball->error_string(tarball->archive);

	return error_new("%s: not a whole tar file: %s", tarball->name,
		text ? text : "no reason is told");
}
