/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <regex.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/pattern.h"

#define MOUNTS "/proc/self/mounts"
#define MOUNT_LINE_MAX 8192u
/*
 * Limit of the control groups that are recorded; further control groups have no
 * names in reports.
 */
#define CGROUPS_MAX 100000u
/* A name with one of these characters is a regular expression, as in perf. */
#define REGEX_CHARACTERS "{}[]()|*+?^$"

/*
 * Returns the mount point of the control group hierarchy that perf events use,
 * or NULL. The caller owns the string.
 */
static char *find_cgroup_mount(void)
{
	FILE *file = setmntent(MOUNTS, "re");
	char line[MOUNT_LINE_MAX], *v1 = NULL, *v2 = NULL;
	struct mntent mount;

	while (file && !v1 && getmntent_r(file, &mount, line, sizeof(line))) {
		if (string_is(mount.mnt_type, "cgroup") &&
			hasmntopt(&mount, "perf_event"))
			v1 = xstrdup(mount.mnt_dir);
		else if (string_is(mount.mnt_type, "cgroup2") && !v2)
			v2 = xstrdup(mount.mnt_dir);
	}
	if (file)
		endmntent(file);
	if (!v1)
		return v2;
	free(v2);
	return v1;
}

static bool is_no_file(const char *path _unused_)
{
	return false;
}

COMPLETER(cgroups_complete)
{
	_cleanup_free_ char *mount = find_cgroup_mount();
	_cleanup_free_ char *root = xasprintf("%s/", mount ?: "");

	completion_skip(completion, ",");
	if (mount)
		completion_offer_paths(completion, root, is_no_file);
}

static struct error *find_cgroups(char **mount_ret)
{
	*mount_ret = find_cgroup_mount();
	return *mount_ret
		? NULL
		: error_new("no cgroup file system is mounted. As root: mount "
			    "-t cgroup2 none /sys/fs/cgroup");
}

/*
 * Returns the descriptor of the control group NAME, if an event of SELECTION
 * before EVENT has it, or -1.
 */
static int find_open_cgroup(const struct cgroups *cgroups,
	const struct selection *selection, size_t event, const char *name)
{
	while (event--)
		if (string_is(selection->events.at[event].cgroup ?: "", name))
			return cgroups->fds.at[event];
	return -1;
}

struct error *cgroups_open(
	const struct selection *selection, struct cgroups *ret)
{
	_cleanup_free_ char *mount = NULL;
	struct error *err = NULL;
	size_t i;

	*ret = (struct cgroups){ 0 };
	for (i = 0; i < selection->events.n && !err; i++) {
		const char *name = selection->events.at[i].cgroup;
		int fd = name ? find_open_cgroup(ret, selection, i, name) : -1;

		if (name && !mount)
			err = find_cgroups(&mount);
		if (name && fd < 0 && !err) {
			/*
			 * Open NAME below MOUNT. NAME can be an absolute path
			 * that starts with MOUNT.
			 */
			size_t n = strlen(mount);
			bool is_whole =
				strncmp(name, mount, n) == 0 && name[n] == '/';
			_cleanup_free_ char *path = is_whole
				? xstrdup(name)
				: xasprintf("%s/%s", mount, name);

			fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			err = fd >= 0 ? NULL
				      : error_errno(errno,
						"cannot open cgroup '%s' in %s",
						name, mount);
			*array_push(&ret->folders) = fd;
		}
		*array_push(&ret->fds) = fd;
	}
	return err;
}

void cgroups_close(struct cgroups *cgroups)
{
	array_each(&cgroups->folders, fd)
		if (*fd >= 0)
			close(*fd);
	array_free(&cgroups->folders);
	array_free(&cgroups->fds);
}

struct opener cgroups_opener(const struct cgroups *cgroups, size_t event,
	const struct opener *fallback)
{
	struct opener ret = *fallback;

	if (event < cgroups->fds.n && cgroups->fds.at[event] >= 0)
		ret.cgroup = &cgroups->fds.at[event];
	return ret;
}

/* Lists the paths of all control groups, MOUNT first. */
static void list_cgroup_paths(const char *mount, struct cgroup_names *ret)
{
	size_t i;

	*array_push(&ret->list) = xstrdup(mount);
	for (i = 0; i < ret->list.n; i++) {
		DIR *dir = opendir(ret->list.at[i]);
		struct dirent *entry;

		while (dir && ret->list.n < CGROUPS_MAX &&
			(entry = readdir(dir)))
			if (entry->d_type == DT_DIR &&
				!string_is(entry->d_name, ".") &&
				!string_is(entry->d_name, ".."))
				*array_push(&ret->list) = xasprintf("%s/%s",
					ret->list.at[i], entry->d_name);
		if (dir)
			closedir(dir);
	}
}

/* Adds the names of the control groups below MOUNT that match REGEX. */
static struct error *match_cgroups(
	const char *mount, const char *regex, struct cgroup_names *ret)
{
	struct cgroup_names all = { 0 };
	size_t skipped = strlen(mount) + 1;
	regex_t compiled;
	struct error *err =
		pattern_compile("--for-each-cgroup", regex, &compiled);

	if (err)
		return err;
	list_cgroup_paths(mount, &all);
	array_sort(&all.list, string_compare);
	array_each(&all.list, path) {
		const char *name =
			strlen(*path) > skipped ? *path + skipped : "/";

		if (regexec(&compiled, name, 0, NULL, 0) == 0)
			*array_push(&ret->list) = xstrdup(name);
	}
	cgroup_names_free(&all);
	regfree(&compiled);
	return NULL;
}

struct error *cgroup_names_list(const char *list, struct cgroup_names *ret)
{
	_cleanup_free_ char *names = xstrdup(list), *mount = NULL;
	struct error *err = find_cgroups(&mount);
	char *rest = names, *name;

	while (!err && (name = strsep(&rest, ",")))
		if (strpbrk(name, REGEX_CHARACTERS))
			err = match_cgroups(mount, name, ret);
		else if (*name)
			*array_push(&ret->list) = xstrdup(name);
	if (!err && !ret->list.n)
		err = error_new("--for-each-cgroup: no control group matches "
				"'%s' in %s",
			list, mount);
	return err;
}

void cgroup_names_free(struct cgroup_names *names)
{
	array_each(&names->list, name)
		free(*name);
	array_free(&names->list);
}

/*
 * Reads the ID of the control group PATH, which is its file handle
 * (name_to_handle_at(2)) since Linux 5.5. Returns false on older kernels.
 */
static bool read_cgroup_id(const char *path, uint64_t *ret)
{
	struct {
		struct file_handle handle;
		uint64_t id;
	} room = { .handle.handle_bytes = sizeof(uint64_t) };
	int mount;

	if (name_to_handle_at(AT_FDCWD, path, &room.handle, &mount, 0) < 0 ||
		room.handle.handle_bytes != sizeof(uint64_t))
		return false;
	memcpy(ret, room.handle.f_handle, sizeof(*ret));
	return true;
}

void cgroups_add_all(struct synth_procs *procs, struct strbuf *out)
{
	_cleanup_free_ char *mount = find_cgroup_mount();
	struct cgroup_names all = { 0 };
	uint64_t id;

	if (mount)
		list_cgroup_paths(mount, &all);
	/* A CGROUP record cannot contain a longer path. */
	array_each(&all.list, path)
		if (strlen(*path) < PATH_MAX && read_cgroup_id(*path, &id)) {
			const char *name = *path + strlen(mount);
			_cleanup_strbuf_ struct strbuf payload = { 0 };
			uint8_t trailer[SAMPLE_ID_SIZE_MAX];
			size_t trailer_size =
				synth_procs_trailer(procs, 0, 0, trailer);

			strbuf_put_u64(&payload, id);
			strbuf_put(&payload, *name ? name : "/",
				MAX(strlen(name), 1u) + 1);
			strbuf_align(&payload, 8);
			strbuf_put(&payload, trailer, trailer_size);
			record_write(
				out, RECORD_CGROUP, 0, payload.at, payload.n);
		}
	cgroup_names_free(&all);
}
