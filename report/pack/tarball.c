/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/tarball.h"

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <errno.h>
#include <sys/stat.h>

#include "common/util/alloc.h"

#define LIBRARY "libarchive.so.13"
/* Size of each read of the file, in bytes. */
#define BLOCK_SIZE KIB(64)
/*
 * Limits of the uncompressed size: EXPANDS_MAX times the file size, plus
 * EXPANDED_SMALL bytes. Compressed programs have a tenth of their size at best.
 */
#define EXPANDS_MAX 100u
#define EXPANDED_SMALL MIB(16)

struct tarball {
	const char *name; /* name of the file in messages; borrowed */
	/*
	 * .bytes decompresses the file for .archive, which reads the tar
	 * entries.
	 */
	struct archive *bytes, *archive;
	uint64_t expanded, expanded_max;
	typeof(archive_read_new) *begin;
	typeof(archive_read_free) *free;
	typeof(archive_read_open_fd) *open_fd;
	typeof(archive_read_open) *open;
	typeof(archive_filter_count) *filter_count;
	typeof(archive_error_string) *error_string;
	typeof(archive_set_error) *set_error;
	typeof(archive_read_next_header) *next_header;
	typeof(archive_read_data_block) *read_block;
	typeof(archive_entry_pathname) *path;
	typeof(archive_entry_filetype) *type;
	typeof(archive_entry_hardlink) *hard_link;
	typeof(archive_entry_size) *size;
};

static bool load_libarchive(struct tarball *tarball, void *library)
{
	const struct {
		void **function;
		const char *name;
	} wanted[] = {
		{ (void **)&tarball->begin, "archive_read_new" },
		{ (void **)&tarball->free, "archive_read_free" },
		{ (void **)&tarball->open_fd, "archive_read_open_fd" },
		{ (void **)&tarball->open, "archive_read_open" },
		{ (void **)&tarball->filter_count, "archive_filter_count" },
		{ (void **)&tarball->error_string, "archive_error_string" },
		{ (void **)&tarball->set_error, "archive_set_error" },
		{ (void **)&tarball->next_header, "archive_read_next_header" },
		{ (void **)&tarball->read_block, "archive_read_data_block" },
		{ (void **)&tarball->path, "archive_entry_pathname" },
		{ (void **)&tarball->type, "archive_entry_filetype" },
		{ (void **)&tarball->hard_link, "archive_entry_hardlink" },
		{ (void **)&tarball->size, "archive_entry_size" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		*wanted[i].function = dlsym(library, wanted[i].name);
		if (!*wanted[i].function)
			return false;
	}
	return true;
}

static bool support_feature(
	struct archive *archive, void *library, const char *name)
{
	int (*enable)(struct archive *) = dlsym(library, name);

	return enable && enable(archive) == ARCHIVE_OK;
}

/*
 * Enables tar and all filters (compression formats). Returns false if a filter
 * is not built into libarchive: libarchive would run another program for it.
 */
static bool support_all_formats(struct tarball *tarball, void *library)
{
	static const char *const filters[] = {
		"archive_read_support_filter_bzip2",
		"archive_read_support_filter_gzip",
		"archive_read_support_filter_xz",
		"archive_read_support_filter_zstd",
		"archive_read_support_format_raw",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(filters); i++)
		if (!support_feature(tarball->bytes, library, filters[i]))
			return false;
	return support_feature(
		tarball->archive, library, "archive_read_support_format_tar");
}

/* Decompresses the next bytes for ARCHIVE; an archive_read_callback. */
static la_ssize_t read_uncompressed(
	struct archive *archive, void *context, const void **ret)
{
	struct tarball *tarball = context;
	size_t size = 0;
	int64_t offset;
	int status;

	do
		status = tarball->read_block(
			tarball->bytes, ret, &size, &offset);
	while ((status == ARCHIVE_OK || status == ARCHIVE_WARN) && !size);
	if (status == ARCHIVE_EOF)
		return 0;
	if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
		tarball->set_error(archive, EIO, "%s",
			tarball->error_string(tarball->bytes)
				?: "cannot decompress it");
		return -1;
	}
	tarball->expanded += size;
	return tarball->expanded <= tarball->expanded_max ? (la_ssize_t)size
							  : -1;
}

/*
 * Opens the compressed file FD. Refuses a file that is compressed more than
 * once, because it may decompress forever without output.
 */
static struct error *open_compressed_file(struct tarball *tarball, int fd)
{
	struct archive_entry *entry;
	struct stat status;

	if (fstat(fd, &status) < 0)
		return error_errno(errno, "%s", tarball->name);
	tarball->expanded_max =
		(uint64_t)status.st_size * EXPANDS_MAX + EXPANDED_SMALL;
	if (tarball->open_fd(tarball->bytes, fd, BLOCK_SIZE) != ARCHIVE_OK ||
		tarball->next_header(tarball->bytes, &entry) != ARCHIVE_OK)
		return error_new("%s: not a complete tar file: %s",
			tarball->name,
			tarball->error_string(tarball->bytes) ?: "it is empty");
	/* filter_count() also counts the reader of the file as a filter. */
	if (tarball->filter_count(tarball->bytes) > 2)
		return error_new("%s: compressed more than once; decompress "
				 "it first",
			tarball->name);
	return NULL;
}

static struct error *open_tar_archive(struct tarball *tarball, int fd)
{
	/*
	 * libarchive is never unloaded: libraries that it loads may not support
	 * unloading.
	 */
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	struct error *err;

	if (!library || !load_libarchive(tarball, library))
		return error_new("%s: cannot read archives: " LIBRARY
				 " cannot be loaded (Debian package: "
				 "libarchive13)",
			tarball->name);
	tarball->bytes = tarball->begin();
	tarball->archive = tarball->begin();
	if (!tarball->bytes || !tarball->archive ||
		!support_all_formats(tarball, library))
		return error_new("%s: cannot read archives: " LIBRARY
				 " lacks tar, bzip2, gzip, xz or zstd",
			tarball->name);
	err = open_compressed_file(tarball, fd);
	if (err)
		return err;
	if (tarball->open(tarball->archive, tarball, NULL, read_uncompressed,
		    NULL) == ARCHIVE_OK)
		return NULL;
	return tarball_error(tarball);
}

struct error *tarball_open(int fd, const char *name, struct tarball **ret)
{
	struct tarball *tarball = xcalloc(1, sizeof(*tarball));
	struct error *err;

	tarball->name = name;
	err = open_tar_archive(tarball, fd);
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
	if (tarball->bytes)
		tarball->free(tarball->bytes);
	free(tarball);
}

static enum tarball_kind tarball_kind_of(
	const struct tarball *tarball, struct archive_entry *entry)
{
	if (!tarball->path(entry))
		return TARBALL_OTHER;
	if (tarball->hard_link(entry))
		return TARBALL_LINK;
	switch (tarball->type(entry)) {
	case AE_IFREG: return TARBALL_FILE;
	case AE_IFDIR: return TARBALL_FOLDER;
	case AE_IFLNK: return TARBALL_LINK;
	default: return TARBALL_OTHER;
	}
}

/*
 * Returns 0, above 0 at the end of the archive or entry, or below 0 after an
 * error. Warnings are ignored: for example about unusual characters in names.
 */
static int archive_result(int status)
{
	if (status == ARCHIVE_EOF)
		return 1;
	return status == ARCHIVE_OK || status == ARCHIVE_WARN ? 0 : -1;
}

int tarball_next(struct tarball *tarball, struct tarball_entry *ret)
{
	struct archive_entry *entry;
	int result =
		archive_result(tarball->next_header(tarball->archive, &entry));
	int64_t size;

	if (result)
		return result;
	size = tarball->size(entry);
	ret->path = tarball->path(entry);
	ret->kind = tarball_kind_of(tarball, entry);
	ret->size = size < 0 ? UINT64_MAX : (uint64_t)size;
	return 0;
}

int tarball_read(struct tarball *tarball, struct tarball_piece *ret)
{
	const void *at = NULL;
	int64_t offset = 0;
	int result;

	ret->size = 0;
	result = archive_result(tarball->read_block(
		tarball->archive, &at, &ret->size, &offset));
	ret->at = at;
	ret->offset = offset < 0 ? UINT64_MAX : (uint64_t)offset;
	return result;
}

struct error *tarball_error(struct tarball *tarball)
{
	const char *text = tarball->error_string(tarball->archive);

	/*
	 * dwell sets the limit of the uncompressed size, so libarchive has no
	 * message about it.
	 */
	if (tarball->expanded > tarball->expanded_max)
		return error_new("%s: expands to more than %u times its size, "
				 "which is the limit",
			tarball->name, EXPANDS_MAX);
	return error_new("%s: not a complete tar file: %s", tarball->name,
		text ? text : "unknown error");
}
