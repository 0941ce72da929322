/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/unpacked.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/util/alloc.h"

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)

struct unpacked {
	char *path; /* owned */
	int folder;
	int fd;		  /* descriptor of the file being written; -1: none */
	char partial[32]; /* temporary name of the file being written */
	struct unpacked_counts counts;
	char *first_blocked; /* path of the first blocked file; owned */
};

/*
 * Creates the folder PATH if it does not exist. Returns 0 or an errno. For a
 * folder that exists, mkdir(2) may fail with EROFS or EACCES.
 */
static int make_folder(const char *path)
{
	struct stat status;
	int errnum;

	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	errnum = errno;
	return stat(path, &status) == 0 ? 0 : errnum;
}

/* Creates all folders of PATH that do not exist. Returns 0 or an errno. */
static int make_all_folders(char *path)
{
	char *at = path;
	int errnum = 0;

	while (!errnum && (at = strchr(at + 1, '/'))) {
		*at = '\0';
		errnum = make_folder(path);
		*at = '/';
	}
	return errnum ?: make_folder(path);
}

struct error *unpacked_open(const char *folder, struct unpacked **ret)
{
	_cleanup_free_ char *path = xstrdup(folder);
	struct unpacked *unpacked;
	struct error *err;
	int errnum = make_all_folders(path);

	if (errnum)
		return error_hint(error_errno(errnum,
					  "cannot create the folder %s", path),
			"use --debug-dir DIR for another folder");
	unpacked = xcalloc(1, sizeof(*unpacked));
	unpacked->path = take_pointer(path);
	unpacked->fd = -1;
	snprintf(unpacked->partial, sizeof(unpacked->partial), ".unpacking.%d",
		(int)getpid());
	/* The folder itself may be a symbolic link, its subfolders may not. */
	unpacked->folder =
		open(unpacked->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (unpacked->folder < 0) {
		err = error_errno(errno, "%s", unpacked->path);
		unpacked_close(unpacked);
		return err;
	}
	*ret = unpacked;
	return NULL;
}

void unpacked_close(struct unpacked *unpacked)
{
	if (!unpacked)
		return;
	unpacked_drop(unpacked);
	if (unpacked->folder >= 0)
		close(unpacked->folder);
	free(unpacked->path);
	free(unpacked->first_blocked);
	free(unpacked);
}

const char *unpacked_path(const struct unpacked *unpacked)
{
	return unpacked->path;
}

struct error *unpacked_begin(struct unpacked *unpacked, int *fd_ret)
{
	*fd_ret = unpacked->fd;
	if (unpacked->fd >= 0 && ftruncate(unpacked->fd, 0) == 0 &&
		lseek(unpacked->fd, 0, SEEK_SET) == 0)
		return NULL;
	unpacked_drop(unpacked);
	/*
	 * A killed process with the same PID may have left its temporary file.
	 */
	unlinkat(unpacked->folder, unpacked->partial, 0);
	unpacked->fd = openat(unpacked->folder, unpacked->partial,
		O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (unpacked->fd < 0)
		return error_errno(
			errno, "%s: cannot create a file", unpacked->path);
	*fd_ret = unpacked->fd;
	return NULL;
}

void unpacked_drop(struct unpacked *unpacked)
{
	if (unpacked->fd < 0)
		return;
	close(unpacked->fd);
	unpacked->fd = -1;
	unlinkat(unpacked->folder, unpacked->partial, 0);
}

/*
 * Opens the subfolder NAME of the descriptor FOLDER, and creates the subfolder
 * if it does not exist. Closes FOLDER. Returns a descriptor, or -errno.
 */
static int enter_subfolder(int folder, const char *name)
{
	_cleanup_close_ int from = folder;
	int fd;

	if (mkdirat(from, name, 0777) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(from, name, FOLDER_FLAGS);
	return fd < 0 ? -errno : fd;
}

/*
 * Counts the file REST/NAME in the subfolder FIRST of the build IDs, which is
 * not installed because a file or a symbolic link is in its place.
 */
static void count_kept_file(struct unpacked *unpacked, const char *first,
	const char *rest, const char *name)
{
	_cleanup_free_ char *path = xasprintf(
		"%s/.build-id/%s/%s/%s", unpacked->path, first, rest, name);
	struct stat status;

	if (stat(path, &status) == 0) {
		unpacked->counts.kept++;
		return;
	}
	if (!unpacked->counts.blocked++)
		unpacked->first_blocked = take_pointer(path);
}

/*
 * Moves the written file to REST/NAME below FOLDER, which is closed, the
 * subfolder FIRST. An existing file is kept, and also a symbolic link REST,
 * which perf may have created. Returns 0 or an errno.
 */
static int install_file(struct unpacked *unpacked, int folder,
	const char *first, const char *rest, const char *name)
{
	struct stat status;
	_cleanup_close_ int own = enter_subfolder(folder, rest);
	bool is_there = own == -ELOOP || own == -ENOTDIR;

	if (own < 0 && !is_there)
		return -own;
	if (is_there || fstatat(own, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
		count_kept_file(unpacked, first, rest, name);
		return 0;
	}
	if (renameat(unpacked->folder, unpacked->partial, own, name) < 0)
		return errno;
	unpacked->counts.placed++;
	return 0;
}

struct error *unpacked_put(struct unpacked *unpacked, const struct build_id *id,
	enum unpacked_name name)
{
	static const char *const names[UNPACKED_NAMES] = {
		[UNPACKED_ELF] = "elf",
		[UNPACKED_VDSO] = "vdso",
		[UNPACKED_KALLSYMS] = "kallsyms",
	};
	char text[BUILD_ID_TEXT], first[3] = { 0 };
	int folder = openat(unpacked->folder, ".", FOLDER_FLAGS), errnum;
	const char *where = "";

	build_id_text(id, text);
	memcpy(first, text, 2);
	if (folder >= 0)
		folder = enter_subfolder(folder, where = ".build-id");
	if (folder >= 0)
		folder = enter_subfolder(folder, where = first);
	errnum = folder < 0
		? -folder
		: install_file(unpacked, folder, first, text + 2, names[name]);
	unpacked_drop(unpacked);
	if (!errnum)
		return NULL;
	return error_errno(errnum, "%s%s%s: cannot install a file",
		unpacked->path, where == first ? "/.build-id/" : "/", where);
}

struct error *unpacked_blocked(const struct unpacked *unpacked)
{
	uint64_t n = unpacked->counts.blocked;

	if (!n)
		return NULL;
	return error_hint(
		error_new("%" PRIu64 " file%s not installed: a symbolic link "
			  "without a file, or a file in the place of a folder, "
			  "has the name: %s",
			n, n == 1 ? " was" : "s were", unpacked->first_blocked),
		"remove such links to install the files");
}

struct unpacked_counts unpacked_counts(const struct unpacked *unpacked)
{
	return unpacked->counts;
}
