/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "record/sys/sysfile.h"

#define MOUNTS "/proc/self/mounts"
/*
 * Limit of the control groups that are recorded; further control groups have no
 * names in reports.
 */
#define CGROUPS_MAX 100000u

/* Removes and returns the next word of a line of MOUNTS. */
static const char *next_mount_word(char **rest)
{
	const char *word = strsep(rest, " ");

	return word ? word : "";
}

static bool has_mount_option(const char *options, const char *wanted)
{
	size_t n = strlen(wanted);

	for (; options; options = strchr(options, ',')) {
		options += *options == ',';
		if (strncmp(options, wanted, n) == 0 &&
			(!options[n] || options[n] == ','))
			return true;
	}
	return false;
}

/*
 * Returns the mount point of the control group hierarchy that perf events use,
 * or NULL. The caller owns the string.
 */
static char *find_cgroup_mount(void)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char *rest, *line, *found = NULL;

	if (!sysfile_slurp(AT_FDCWD, MOUNTS, &text) || !text.n)
		return NULL;
	rest = text.at;
	while ((line = strsep(&rest, "\n"))) {
		const char *folder, *type, *options;

		next_mount_word(&line);
		folder = next_mount_word(&line);
		type = next_mount_word(&line);
		options = next_mount_word(&line);
		if (string_is(type, "cgroup") &&
			has_mount_option(options, "perf_event")) {
			free(found);
			return xstrdup(folder);
		}
		if (string_is(type, "cgroup2") && !found)
			found = xstrdup(folder);
	}
	return found;
}

/*
 * Opens NAME below MOUNT. NAME can be an absolute path that starts with MOUNT.
 */
static struct error *open_cgroup(
	const char *mount, const char *name, int *fd_ret)
{
	size_t n = strlen(mount);
	bool is_whole = strncmp(name, mount, n) == 0 && name[n] == '/';
	_cleanup_free_ char *path =
		is_whole ? xstrdup(name) : xasprintf("%s/%s", mount, name);

	*fd_ret = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd_ret >= 0)
		return NULL;
	return error_errno(
		errno, "-G: cannot open cgroup '%s' in %s", name, mount);
}

static struct error *open_cgroup_list(const char *mount, const char *list,
	size_t n_events, struct cgroups *ret)
{
	_cleanup_free_ char *copy = xstrdup(list);
	char *rest = copy, *name;
	struct error *err = NULL;

	while (!err && (name = strsep(&rest, ","))) {
		int fd = -1;

		if (ret->fds.n == n_events)
			return error_usage(
				"-G: more cgroups than events (%zu). Use one "
				"name for all events, or one per event",
				n_events);
		if (*name)
			err = open_cgroup(mount, name, &fd);
		*array_push(&ret->fds) = fd;
	}
	/* A single name applies to all events. */
	while (!err && !strchr(list, ',') && ret->fds.n < n_events) {
		int fd = -1;

		err = open_cgroup(mount, list, &fd);
		*array_push(&ret->fds) = fd;
	}
	return err;
}

struct error *cgroups_open(
	const char *list, size_t n_events, struct cgroups *ret)
{
	_cleanup_free_ char *mount = find_cgroup_mount();

	*ret = (struct cgroups){ 0 };
	if (!list)
		return NULL;
	if (!*list)
		return error_usage("-G: the name is empty. Use a path below "
				   "the mount point of the cgroup file system");
	if (!mount)
		return error_new("-G: no cgroup file system is mounted. As "
				 "root: mount -t cgroup2 none /sys/fs/cgroup");
	return open_cgroup_list(mount, list, n_events, ret);
}

void cgroups_close(struct cgroups *cgroups)
{
	array_each(&cgroups->fds, fd)
		if (*fd >= 0)
			close(*fd);
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

static void synth_cgroup_record(struct synth_procs *procs, uint64_t id,
	const char *name, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	size_t trailer_size = synth_procs_trailer(procs, 0, 0, trailer);

	strbuf_put_u64(&payload, id);
	strbuf_put(&payload, *name ? name : "/", MAX(strlen(name), 1u) + 1);
	strbuf_align(&payload, 8);
	strbuf_put(&payload, trailer, trailer_size);
	record_write(out, RECORD_CGROUP, 0, payload.at, payload.n);
}

struct cgroup_paths {
	ARRAY(char *) paths; /* owned */
};

/* Returns whether ENTRY is a control group, whose name can start with a dot. */
static bool is_child_cgroup(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && !string_is(entry->d_name, ".") &&
		!string_is(entry->d_name, "..");
}

static void add_child_cgroups(struct cgroup_paths *all, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && all->paths.n < CGROUPS_MAX && (entry = readdir(dir)))
		if (is_child_cgroup(entry))
			*array_push(&all->paths) =
				xasprintf("%s/%s", path, entry->d_name);
	if (dir)
		closedir(dir);
}

void cgroups_add_all(struct synth_procs *procs, struct strbuf *out)
{
	char *mount = find_cgroup_mount();
	size_t i, n = mount ? strlen(mount) : 0;
	struct cgroup_paths all = { 0 };
	uint64_t id;

	if (mount)
		*array_push(&all.paths) = mount;
	for (i = 0; i < all.paths.n; i++) {
		char *path = all.paths.at[i];

		/* A CGROUP record cannot contain a longer path. */
		if (strlen(path) < PATH_MAX && read_cgroup_id(path, &id)) {
			synth_cgroup_record(procs, id, path + n, out);
			add_child_cgroups(&all, path);
		}
	}
	array_each(&all.paths, path)
		free(*path);
	array_free(&all.paths);
}
