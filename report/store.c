/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/store.h"

#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/alloc.h"

#define DEBUG_ROOT "/usr/lib/debug"

/* Recorded paths are hostile: a FIFO or a device must not be waited for. */
static int open_regular(const char *path, struct stat *status)
{
	_cleanup_close_ int fd = -1;

	if (path[0] != '/')
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, status) < 0 || !S_ISREG(status->st_mode))
		return -1;
	return take_fd(fd);
}

static struct elf_file *open_elf(int fd, const char *path)
{
	struct elf_file *file = NULL;
	struct error *err = elf_file_open(fd, path, &file);

	error_free(err);
	return err ? NULL : file;
}

static bool is_same_inode(
	const struct store_wish *wish, const struct stat *status)
{
	uint64_t changed = (uint64_t)status->st_mtim.tv_sec * NSEC_PER_SEC +
		(uint64_t)status->st_mtim.tv_nsec;

	return wish->dso->inode == status->st_ino &&
		wish->dso->major == major(status->st_dev) &&
		wish->dso->minor == minor(status->st_dev) &&
		wish->end <= ALIGN_UP((uint64_t)status->st_size, 4096) &&
		(!wish->recorded_ns || changed < wish->recorded_ns);
}

struct elf_file *store_open(
	const struct store_wish *wish, enum store_trust *trust_ret)
{
	struct elf_file *file;
	struct build_id found;
	struct stat status;
	int fd = open_regular(wish->dso->path, &status);

	file = fd < 0 ? NULL : open_elf(fd, wish->dso->path);
	if (!file)
		return NULL;
	*trust_ret = STORE_SAME;
	if (wish->build_id.size) {
		if (elf_file_build_id(file, &found) &&
			build_id_equal(&found, &wish->build_id))
			return file;
		elf_file_close(file);
		return NULL;
	}
	if (!is_same_inode(wish, &status))
		*trust_ret = STORE_DOUBTFUL;
	return file;
}

static struct elf_file *open_debug_at(
	const char *path, const struct build_id *wanted)
{
	struct build_id found;
	struct elf_file *file;
	struct stat status;
	int fd = open_regular(path, &status);

	file = fd < 0 ? NULL : open_elf(fd, path);
	if (!file)
		return NULL;
	if (elf_file_build_id(file, &found) && build_id_equal(&found, wanted))
		return file;
	elf_file_close(file);
	return NULL;
}

static struct elf_file *open_debuglink(struct elf_file *file, const char *path,
	const struct build_id *wanted)
{
	_cleanup_free_ char *copy = xstrdup(path);
	uint32_t crc;
	const char *name = elf_file_debuglink(file, &crc);
	const char *folder = dirname(copy);
	struct elf_file *found;
	size_t i;

	if (!name || strchr(name, '/'))
		return NULL;
	for (i = 0; i < 3; i++) {
		_cleanup_free_ char *at = NULL;

		if (i == 0)
			at = xasprintf("%s/%s", folder, name);
		else if (i == 1)
			at = xasprintf("%s/.debug/%s", folder, name);
		else
			at = xasprintf(DEBUG_ROOT "%s/%s", folder, name);
		found = open_debug_at(at, wanted);
		if (found)
			return found;
	}
	return NULL;
}

struct elf_file *store_open_debug(struct elf_file *file, const char *path)
{
	_cleanup_free_ char *at = NULL;
	char text[BUILD_ID_TEXT];
	struct elf_file *found;
	struct build_id id;

	if (!elf_file_build_id(file, &id) || id.size < 2)
		return NULL;
	build_id_text(&id, text);
	at = xasprintf(
		DEBUG_ROOT "/.build-id/%.2s/%s.debug", text, text + 2);
	found = open_debug_at(at, &id);
	return found ? found : open_debuglink(file, path, &id);
}
