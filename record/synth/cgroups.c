/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "common/util/alloc.h"
#include "record/sys/sysfile.h"

#define MOUNTS "/proc/self/mounts"
/* Enough for any machine; what is deeper or more is not named. */
#define CGROUPS_MAX 100000u

/* Takes the next word of a line of MOUNTS. */
static const char *next_word(char **rest)
{
	const char *word = strsep(rest, " ");

	return word ? word : "";
}

static bool has_option(const char *options, const char *wanted)
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

/* Where the hierarchy is mounted, or NULL; owned by the caller. */
static char *find_mount(void)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char *rest, *line, *found = NULL;

	if (!sysfile_slurp(AT_FDCWD, MOUNTS, &text) || !text.n)
		return NULL;
	rest = text.at;
	while ((line = strsep(&rest, "\n"))) {
		const char *folder, *type, *options;

		next_word(&line);
		folder = next_word(&line);
		type = next_word(&line);
		options = next_word(&line);
		if (string_is(type, "cgroup") &&
			has_option(options, "perf_event")) {
			free(found);
			return xstrdup(folder);
		}
		if (string_is(type, "cgroup2") && !found)
			found = xstrdup(folder);
	}
	return found;
}

/* NAME below MOUNT; it may begin with MOUNT already. */
static struct error *open_one(const char *mount, const char *name, int *fd_ret)
{
	size_t n = strlen(mount);
	bool is_whole = strncmp(name, mount, n) == 0 && name[n] == '/';
	_cleanup_free_ char *path =
		is_whole ? xstrdup(name) : xasprintf("%s/%s", mount, name);

	*fd_ret = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd_ret >= 0)
		return NULL;
	return error_errno(errno, "-G: the cgroup '%s' in %s", name, mount);
}

static struct error *open_list(const char *mount, const char *list,
	size_t n_events, struct cgroups *ret)
{
	_cleanup_free_ char *copy = xstrdup(list);
	char *rest = copy, *name;
	struct error *err = NULL;

	while (!err && (name = strsep(&rest, ","))) {
		int fd = -1;

		if (ret->fds.n == n_events)
			return error_usage("-G: more cgroups than events, "
					   "which are %zu",
				n_events);
		if (*name)
			err = open_one(mount, name, &fd);
		*array_push(&ret->fds) = fd;
	}
	/* One is for all. */
	while (!err && !strchr(list, ',') && ret->fds.n < n_events) {
		int fd = -1;

		err = open_one(mount, list, &fd);
		*array_push(&ret->fds) = fd;
	}
	return err;
}

struct error *cgroups_open(
	const char *list, size_t n_events, struct cgroups *ret)
{
	_cleanup_free_ char *mount = find_mount();

	*ret = (struct cgroups){ 0 };
	if (!list)
		return NULL;
	if (!*list)
		return error_usage("-G needs the name of a cgroup");
	if (!mount)
		return error_new("-G: no cgroups are mounted; as root: "
				 "mount -t cgroup2 none /sys/fs/cgroup");
	return open_list(mount, list, n_events, ret);
}

void cgroups_close(struct cgroups *cgroups)
{
	array_each (&cgroups->fds, fd)
		if (*fd >= 0)
			close(*fd);
	array_free(&cgroups->fds);
}

static int open_in_cgroup(const struct opener *opener,
	const struct perf_event_attr *attr, pid_t pid _unused_, int cpu)
{
	const int *fd = opener->data;

	return (int)syscall(SYS_perf_event_open, attr, *fd, cpu,
		opener_group(opener),
		PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);
}

struct opener cgroups_opener(const struct cgroups *cgroups, size_t event,
	const struct opener *fallback)
{
	if (event >= cgroups->fds.n || cgroups->fds.at[event] < 0)
		return *fallback;
	return (struct opener){ .open = open_in_cgroup,
		.data = &cgroups->fds.at[event] };
}

/*
 * The kernel's number of a cgroup is what its file handle holds
 * (name_to_handle_at(2), since Linux 5.5). False before.
 */
static bool read_id(const char *path, uint64_t *ret)
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

static void add_record(
	struct procs *procs, uint64_t id, const char *name, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	size_t trailer_size = procs_trailer(procs, 0, 0, trailer);

	strbuf_put_u64(&payload, id);
	strbuf_put(&payload, *name ? name : "/", MAX(strlen(name), 1u) + 1);
	strbuf_align(&payload, 8);
	strbuf_put(&payload, trailer, trailer_size);
	record_write(out, RECORD_CGROUP, 0, payload.at, payload.n);
}

struct walk {
	ARRAY(char *) paths; /* owned */
};

/* A group may be called ".hidden". */
static bool is_child(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && !string_is(entry->d_name, ".") &&
		!string_is(entry->d_name, "..");
}

static void add_children(struct walk *walk, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && walk->paths.n < CGROUPS_MAX && (entry = readdir(dir)))
		if (is_child(entry))
			*array_push(&walk->paths) =
				xasprintf("%s/%s", path, entry->d_name);
	if (dir)
		closedir(dir);
}

void cgroups_add_all(struct procs *procs, struct strbuf *out)
{
	char *mount = find_mount();
	size_t i, n = mount ? strlen(mount) : 0;
	struct walk walk = { 0 };
	uint64_t id;

	if (mount)
		*array_push(&walk.paths) = mount;
	for (i = 0; i < walk.paths.n; i++) {
		char *path = walk.paths.at[i];

		/* A record holds no longer one. */
		if (strlen(path) < PATH_MAX && read_id(path, &id)) {
			add_record(procs, id, path + n, out);
			add_children(&walk, path);
		}
	}
	array_each (&walk.paths, path)
		free(*path);
	array_free(&walk.paths);
}
