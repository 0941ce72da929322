/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/path_in_root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

/*
 * Number of tries, as openat2 fails with EAGAIN if a rename happens meanwhile.
 */
#define TRIES_MAX 16
#define NAME_SIZE 256u /* NAME_MAX and a NUL byte */

/*
 * Copies the next component of *PATH to NAME. Returns false if *PATH is at its
 * end, or if the component is too long or "..".
 */
static bool next_path_component(const char **path, char name[NAME_SIZE])
{
	size_t length;

	*path += strspn(*path, "/");
	length = strcspn(*path, "/");
	if (!length || length >= NAME_SIZE)
		return false;
	memcpy(name, *path, length);
	name[length] = '\0';
	*path += length;
	return !string_is(name, "..");
}

static bool is_path_end(const char *path)
{
	return !path[strspn(path, "/")];
}

int path_in_root_walk(int root, const char *path, int flags)
{
	int at = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char name[NAME_SIZE];

	while (at >= 0 && next_path_component(&path, name)) {
		int next = openat(at, name,
			(is_path_end(path) ? flags : O_PATH) | O_NOFOLLOW |
				O_CLOEXEC);

		close(at);
		at = next;
	}
	if (at >= 0 && !is_path_end(path)) {
		close(at);
		return -1;
	}
	return at;
}

int path_in_root_open(
	int root, const char *path, int flags, enum path_in_root_links links)
{
	struct open_how how = {
		.flags = (unsigned)flags | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	unsigned tries = 0;
	int found;

	if (links == PATH_LINKS_REFUSED)
		how.resolve |= RESOLVE_NO_SYMLINKS;
	do
		found = (int)syscall(
			__NR_openat2, root, path, &how, sizeof(how));
	while (found < 0 && errno == EAGAIN && ++tries < TRIES_MAX);
	/* Seccomp filters without openat2 return EPERM. */
	if (found < 0 && (errno == ENOSYS || errno == EPERM))
		return path_in_root_walk(root, path, flags);
	return found;
}
