/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "record/sys/sysfile.h"

static const char *const mount_points[] = { "/sys/kernel/tracing",
	"/sys/kernel/debug/tracing" };

static int open_mounted_tracefs(int *errnum)
{
	size_t i;

	*errnum = ENOENT;
	for (i = 0; i < ARRAY_SIZE(mount_points); i++) {
		int dir = open(
			mount_points[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (dir >= 0 && faccessat(dir, "events", R_OK, 0) == 0)
			return dir;
		if (errno == EACCES)
			*errnum = EACCES;
		if (dir >= 0)
			close(dir);
	}
	return -1;
}

struct error *tracefs_open(const char *path, struct tracefs *ret)
{
	int errnum = ENOENT;

	if (path)
		ret->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	else
		ret->dir = open_mounted_tracefs(&errnum);
	if (ret->dir < 0 && !path) {
		/*
		 * Mount tracefs privately, so that no other process sees the
		 * mount (fsopen(2), Linux 5.2).
		 */
		_cleanup_close_ int context =
			(int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
		ret->dir = context < 0 ||
				syscall(SYS_fsconfig, context,
					FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0
			? -1
			: (int)syscall(
				  SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	}
	if (ret->dir >= 0)
		return NULL;
	if (errnum == EACCES)
		return error_new(
			"tracepoints need %s, which only root can read; to "
			"allow all users, as root: " TRACEFS_OPEN_COMMAND,
			mount_points[0]);
	return error_new("tracepoints need tracefs, which is not mounted; as "
			 "root: " TRACEFS_MOUNT_COMMAND);
}

void tracefs_close(struct tracefs *tracefs)
{
	if (tracefs->dir >= 0)
		close(tracefs->dir);
	tracefs->dir = -1;
}

/*
 * Returns whether NAME, which comes from the command line, stays in the
 * directory "events".
 */
static bool is_tracefs_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

bool tracefs_id(const struct tracefs *tracefs, const char *group,
	const char *name, uint64_t *ret)
{
	_cleanup_free_ char *path = xasprintf("events/%s/%s/id", group, name);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char *end;

	if (!is_tracefs_name(group) || !is_tracefs_name(name) ||
		!sysfile_slurp(tracefs->dir, path, &text) || !text.n)
		return false;
	*ret = strtoull(text.at, &end, 10);
	return end != text.at;
}

/* Lists the directories in FOLDER that match PATTERN, sorted. */
static void list_tracefs_folders(const struct tracefs *tracefs,
	const char *folder, const char *pattern, struct tracefs_names *ret)
{
	int fd = openat(
		tracefs->dir, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && entry->d_type == DT_DIR &&
			fnmatch(pattern, entry->d_name, 0) == 0)
			*array_push(&ret->list) = xstrdup(entry->d_name);
	closedir(dir);
	array_sort(&ret->list, string_compare);
}

void tracefs_groups(const struct tracefs *tracefs, const char *pattern,
	struct tracefs_names *ret)
{
	list_tracefs_folders(tracefs, "events", pattern, ret);
}

void tracefs_events(const struct tracefs *tracefs, const char *group,
	const char *pattern, struct tracefs_names *ret)
{
	_cleanup_free_ char *folder = xasprintf("events/%s", group);

	if (is_tracefs_name(group))
		list_tracefs_folders(tracefs, folder, pattern, ret);
}

void tracefs_names_deinit(struct tracefs_names *names)
{
	array_each(&names->list, name)
		free(*name);
	array_free(&names->list);
}

bool tracefs_format(const struct tracefs *tracefs, const char *group,
	const char *name, struct strbuf *out)
{
	_cleanup_free_ char *path =
		xasprintf("events/%s/%s/format", group, name);

	return is_tracefs_name(group) && is_tracefs_name(name) &&
		sysfile_slurp(tracefs->dir, path, out);
}

static bool put_tracefs_file(
	const struct tracefs *tracefs, const char *path, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (!sysfile_slurp(tracefs->dir, path, &text))
		return false;
	strbuf_put_u64(out, text.n);
	strbuf_put(out, text.at, text.n);
	return true;
}

static size_t group_length(const char *name)
{
	return strcspn(name, ":");
}

static bool is_same_group(const char *a, const char *b)
{
	size_t length = group_length(a);

	return length == group_length(b) && !memcmp(a, b, length);
}

/* Appends the formats of all NAMES in the group of NAMES[FIRST]. */
static bool put_group_formats(const struct tracefs *tracefs,
	const char *const *names, size_t n, size_t first, struct strbuf *out)
{
	size_t length = group_length(names[first]), count_at, i;
	uint32_t count = 0;

	strbuf_put(out, names[first], length);
	strbuf_putc(out, '\0');
	count_at = out->n;
	strbuf_put_u32(out, 0);
	for (i = first; i < n; i++) {
		_cleanup_free_ char *path = NULL;

		if (!is_same_group(names[i], names[first]))
			continue;
		path = xasprintf("events/%.*s/%s/format", (int)length, names[i],
			names[i] + length + 1);
		if (!put_tracefs_file(tracefs, path, out))
			return false;
		count++;
	}
	memcpy(out->at + count_at, &count, sizeof(count));
	return true;
}

static bool is_first_of_group(const char *const *names, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (is_same_group(names[i], names[at]))
			return false;
	return true;
}

bool tracefs_tracing_data(const struct tracefs *tracefs,
	const char *const *names, size_t n, struct strbuf *out)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c',
		'i', 'n', 'g', '0', '.', '6', '\0' };
	const uint16_t one = 1;
	uint32_t n_groups = 0;
	size_t i;

	strbuf_put(out, magic, sizeof(magic));
	strbuf_put_u8(out, *(const uint8_t *)&one == 0); /* big-endian? */
	strbuf_put_u8(out, sizeof(long));
	strbuf_put_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
	strbuf_put(out, "header_page", sizeof("header_page"));
	if (!put_tracefs_file(tracefs, "events/header_page", out))
		return false;
	strbuf_put(out, "header_event", sizeof("header_event"));
	if (!put_tracefs_file(tracefs, "events/header_event", out))
		return false;
	strbuf_put_u32(out, 0); /* formats of ftrace's own events */
	for (i = 0; i < n; i++)
		n_groups += is_first_of_group(names, i);
	strbuf_put_u32(out, n_groups);
	for (i = 0; i < n; i++)
		if (is_first_of_group(names, i) &&
			!put_group_formats(tracefs, names, n, i, out))
			return false;
	strbuf_put_u32(out, 0); /* kallsyms */
	strbuf_put_u32(out, 0); /* printk formats */
	strbuf_put_u64(out, 0); /* saved command lines */
	return true;
}
