/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/jit_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/maps/maps.h"
#include "common/util/log.h"
#include "record/synth/mapped_file.h"
#include "record/sys/safe_open.h"
#include "record/sys/sysfile.h"

struct jit_task {
	uint32_t pid;
	uint32_t inner_pid; /* as it sees itself */
	uid_t user;
	int root;           /* owned, as the next two; -1: it has ended */
	struct jit_files files;
	uint64_t n_seen;    /* mappings of made code */
	bool is_told;       /* that a file isn't taken */
};

struct jits {
	struct patience *patience;
	size_t n_max;
	ARRAY(struct jit_task) tasks;
};

struct jits *jits_create(struct patience *patience, size_t n_max)
{
	struct jits *jits = xcalloc(1, sizeof(*jits));

	jits->patience = patience;
	jits->n_max = n_max;
	return jits;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void jits_destroy(struct jits *jits)
{
	if (!jits)
		return;
	array_each(&jits->tasks, task) {
		close_fd(&task->root);
		close_fd(&task->files.perfmap);
		close_fd(&task->files.dump);
	}
	array_free(&jits->tasks);
	free(jits);
}

/* --- what is opened by a thread of its own --------------------------------- */

#define FOREIGN "is not its user's"

struct map_job {
	struct patience_job job;
	int root;  /* owned */
	uint32_t inner_pid;
	uid_t user;
	int fd;    /* owned; -1: there is none, or not to be trusted */
	const char *why; /* it isn't to be trusted; NULL: it is, or isn't there */
};

static bool belongs_to(int fd, uid_t user)
{
	struct stat file;

	return fd >= 0 && fstat(fd, &file) == 0 && file.st_uid == user;
}

static void work(struct patience_job *job)
{
	struct map_job *own = (struct map_job *)job;
	_cleanup_close_ int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "tmp/perf-%u.map", own->inner_pid);
	fd = inside_open(own->root, path, BELOW_LINKS_REFUSED);
	if (fd < 0)
		own->why = inside_refusal(own->root, path);
	else if (belongs_to(fd, own->user))
		own->fd = take_fd(fd);
	else
		own->why = FOREIGN;
}

static void drop(struct patience_job *job)
{
	struct map_job *own = (struct map_job *)job;

	close_fd(&own->root);
	close_fd(&own->fd);
	free(own);
}

/* FD held the file, or an older one in its place, since an earlier look. */
static void refuse_file(
	struct jit_task *task, int *fd, const char *what, const char *why)
{
	if (!task->is_told)
		log_note("the %s of process %u %s: what it says about code is "
			 "ignored",
			what, task->pid, why);
	task->is_told = true;
	close_fd(fd);
}

/* Its name may have come to mean another file; else what was found counts. */
static void open_map(struct jits *jits, struct jit_task *task)
{
	struct map_job *job;

	if (task->root < 0)
		return;
	job = xcalloc(1, sizeof(*job));
	job->job = (struct patience_job){ work, drop };
	job->root = fcntl(task->root, F_DUPFD_CLOEXEC, 0);
	job->inner_pid = task->inner_pid;
	job->user = task->user;
	job->fd = -1;
	if (!patience_run(jits->patience, &job->job))
		return;
	if (job->why)
		refuse_file(task, &task->files.perfmap, "perf map", job->why);
	if (job->fd >= 0) {
		close_fd(&task->files.perfmap);
		task->files.perfmap = take_fd(job->fd);
	}
	drop(&job->job);
}

static void open_dump(struct jits *jits, struct jit_task *task,
	const struct record_mmap *map)
{
	struct mapped_job *job = mapped_find(jits->patience, map);

	if (!job)
		return;
	if (belongs_to(job->fd, task->user)) {
		close_fd(&task->files.dump);
		task->files.dump = take_fd(job->fd);
	} else if (job->fd >= 0) {
		refuse_file(task, &task->files.dump, "jitdump", FOREIGN);
	}
	mapped_job_destroy(job);
}

/* --- who is looked after --------------------------------------------------- */

static bool read_status(const char *status, struct jit_task *task)
{
	const char *user = strstr(status, "\nUid:");
	const char *pids = strstr(status, "\nNSpid:");
	const char *end;

	if (!user || sscanf(user, " Uid: %*u %u", &task->user) != 1)
		return false;
	task->inner_pid = task->pid;
	if (!pids)
		return true;
	/* The last one is of the innermost namespace. */
	end = pids + 1 + strcspn(pids + 1, "\n");
	while (end > pids && end[-1] != '\t' && end[-1] != ' ')
		end--;
	return sscanf(end, "%u", &task->inner_pid) == 1;
}

static bool look_at(struct jit_task *task)
{
	_cleanup_close_ int proc = inside_proc((pid_t)task->pid);
	_cleanup_strbuf_ struct strbuf status = { 0 };

	if (proc < 0 || !sysfile_slurp(proc, "status", &status))
		return false;
	strbuf_putc(&status, '\0');
	task->root = inside_root(proc);
	return task->root >= 0 && read_status(status.at, task);
}

static struct jit_task *find(const struct jits *jits, uint32_t pid)
{
	array_each(&jits->tasks, task)
		if (task->pid == pid)
			return task;
	return NULL;
}

/* NULL if it is gone, or there are too many. */
static struct jit_task *find_or_add(struct jits *jits, uint32_t pid)
{
	struct jit_task *task = find(jits, pid);
	struct jit_task new = { .pid = pid, .root = -1, .files = { -1, -1 } };

	if (task && task->root >= 0)
		return task;
	if ((!task && jits->tasks.n >= jits->n_max) || !look_at(&new)) {
		close_fd(&new.root);
		return NULL;
	}
	if (!task)
		task = array_push(&jits->tasks);
	else
		new.files = task->files;
	*task = new;
	return task;
}

/* ".../jit-PID.dump", by either of its PIDs. */
static bool is_dump(const struct jit_task *task, const char *path)
{
	const char *base = strrchr(path, '/');
	unsigned pid;
	int n = 0;

	return base && sscanf(base, "/jit-%u.dump%n", &pid, &n) == 1 && n &&
		(!base[n] || string_is(base + n, " (deleted)")) &&
		(pid == task->inner_pid || pid == task->pid);
}

static bool may_be_dump(const char *path)
{
	const char *base = strrchr(path, '/');

	return base && string_starts(base, "/jit-") && strstr(base, ".dump");
}

static bool is_power_of_two(uint64_t n)
{
	return (n & (n - 1)) == 0;
}

bool jits_see(struct jits *jits, const struct record_mmap *map)
{
	struct jit_task *task;

	if (may_be_dump(map->path)) {
		task = find_or_add(jits, map->pid);
		if (!task || !is_dump(task, map->path))
			return false;
		open_dump(jits, task, map);
		return true;
	}
	if (!maps_is_anonymous(map->path))
		return false;
	task = find_or_add(jits, map->pid);
	/* Its container may be gone before its end is seen. */
	if (task && is_power_of_two(++task->n_seen))
		open_map(jits, task);
	return false;
}

void jits_exit(struct jits *jits, uint32_t pid)
{
	struct jit_task *task = find(jits, pid);

	if (!task)
		return;
	open_map(jits, task);
	close_fd(&task->root);
}

void jits_refresh(struct jits *jits)
{
	array_each(&jits->tasks, task)
		open_map(jits, task);
}

struct jit_files jits_find(const struct jits *jits, uint32_t pid)
{
	const struct jit_task *task = find(jits, pid);

	return task ? task->files : (struct jit_files){ -1, -1 };
}
