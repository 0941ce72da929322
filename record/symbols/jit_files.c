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
	uint32_t inner_pid; /* PID in the own PID namespace */
	int root; /* root directory, owned; -1: the process has ended */
	struct jit_files files;
	uint64_t n_seen;  /* number of mappings of JIT code */
	bool is_reported; /* a message about .pid was printed */
};

struct jits {
	struct timed_worker *worker;
	size_t n_max;
	ARRAY(struct jit_task) tasks;
};

struct jits *jits_create(struct timed_worker *worker, size_t n_max)
{
	struct jits *jits = xcalloc(1, sizeof(*jits));

	jits->worker = worker;
	jits->n_max = n_max;
	return jits;
}

static void close_jit_fd(int *fd)
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
		close_jit_fd(&task->root);
		close_jit_fd(&task->files.perfmap);
		close_jit_fd(&task->files.dump);
	}
	array_free(&jits->tasks);
	free(jits);
}

bool jit_file_is_owned(int fd, uid_t user)
{
	struct stat file;

	return fd >= 0 && fstat(fd, &file) == 0 && file.st_uid == user;
}

void jit_file_report_ignored(uint32_t pid, const char *what, const char *why)
{
	log_note("ignored the %s of process %u: it %s", what, pid, why);
}

/* --- opening files, in a separate thread ------------------------------------
 */

struct map_job {
	struct timed_job job;
	int root; /* root directory of the process, owned */
	uint32_t inner_pid;
	uid_t user;
	int fd;		 /* perf map, owned; -1: none or not trusted */
	const char *why; /* why the file is not trusted; NULL: the file is
			    trusted or does not exist */
};

static void open_map_job(struct timed_job *job)
{
	struct map_job *own = (struct map_job *)job;
	_cleanup_close_ int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "tmp/perf-%u.map", own->inner_pid);
	fd = safe_open_file(own->root, path, PATH_LINKS_REFUSED);
	if (fd < 0)
		own->why = safe_open_refusal(own->root, path);
	else if (jit_file_is_owned(fd, own->user))
		own->fd = take_fd(fd);
	else
		own->why = JIT_FILE_FOREIGN;
}

static void free_map_job(struct timed_job *job)
{
	struct map_job *own = (struct map_job *)job;

	close_jit_fd(&own->root);
	close_jit_fd(&own->fd);
	free(own);
}

/* Reports an untrusted file, and closes *FD if an older file is open. */
static void reject_jit_file(
	struct jit_task *task, int *fd, const char *what, const char *why)
{
	if (!task->is_reported)
		jit_file_report_ignored(task->pid, what, why);
	task->is_reported = true;
	close_jit_fd(fd);
}

/* Opens the perf map of TASK. The new file replaces a file opened before. */
static void open_perf_map(struct jits *jits, struct jit_task *task)
{
	struct map_job *job;

	if (task->root < 0)
		return;
	job = xcalloc(1, sizeof(*job));
	job->job = (struct timed_job){ open_map_job, free_map_job };
	job->root = fcntl(task->root, F_DUPFD_CLOEXEC, 0);
	job->inner_pid = task->inner_pid;
	job->user = task->files.user;
	job->fd = -1;
	if (!timed_worker_run(jits->worker, &job->job))
		return;
	if (job->why)
		reject_jit_file(
			task, &task->files.perfmap, "perf map", job->why);
	if (job->fd >= 0) {
		close_jit_fd(&task->files.perfmap);
		task->files.perfmap = take_fd(job->fd);
	}
	free_map_job(&job->job);
}

/* --- processes --------------------------------------------------------------
 */

static bool read_jit_task(struct jit_task *task)
{
	_cleanup_close_ int proc = safe_open_proc((pid_t)task->pid);
	_cleanup_strbuf_ struct strbuf status = { 0 };
	const char *user, *pids, *end;

	if (proc < 0 || !sysfile_slurp(proc, "status", &status))
		return false;
	strbuf_putc(&status, '\0');
	task->root = safe_open_root(proc);
	user = strstr(status.at, "\nUid:");
	pids = strstr(status.at, "\nNSpid:");
	if (task->root < 0 || !user ||
		sscanf(user, " Uid: %*u %u", &task->files.user) != 1)
		return false;
	task->inner_pid = task->pid;
	if (!pids)
		return true;
	/* The last PID in NSpid is the PID in the innermost namespace. */
	end = pids + 1 + strcspn(pids + 1, "\n");
	while (end > pids && end[-1] != '\t' && end[-1] != ' ')
		end--;
	return sscanf(end, "%u", &task->inner_pid) == 1;
}

static struct jit_task *find_jit_task(const struct jits *jits, uint32_t pid)
{
	array_each(&jits->tasks, task)
		if (task->pid == pid)
			return task;
	return NULL;
}

/*
 * Returns the task of PID, or NULL if it has ended or there are too many tasks.
 */
static struct jit_task *find_or_add_jit_task(struct jits *jits, uint32_t pid)
{
	struct jit_task *task = find_jit_task(jits, pid);
	struct jit_task new = {
		.pid = pid, .root = -1, .files = { .perfmap = -1, .dump = -1 }
	};

	if (task && task->root >= 0)
		return task;
	if ((!task && jits->tasks.n >= jits->n_max) || !read_jit_task(&new)) {
		close_jit_fd(&new.root);
		return NULL;
	}
	if (!task) {
		task = array_push(&jits->tasks);
	} else {
		new.files.perfmap = task->files.perfmap;
		new.files.dump = task->files.dump;
	}
	*task = new;
	return task;
}

/* Returns true for ".../jit-PID.dump" with one of the PIDs of TASK. */
static bool is_jitdump_of(const struct jit_task *task, const char *path)
{
	const char *base = strrchr(path, '/');
	unsigned pid;
	int n = 0;

	return base && sscanf(base, "/jit-%u.dump%n", &pid, &n) == 1 && n &&
		base + n == maps_path_end(base) &&
		(pid == task->inner_pid || pid == task->pid);
}

bool jits_add_mapping(struct jits *jits, const struct record_mmap *map)
{
	struct jit_task *task;
	const char *base = strrchr(map->path, '/');

	if (base && string_starts(base, "/jit-") && strstr(base, ".dump")) {
		task = find_or_add_jit_task(jits, map->pid);
		if (!task || !is_jitdump_of(task, map->path))
			return false;
		struct mapped_job *job = mapped_find(jits->worker, map);
		if (job) {
			if (jit_file_is_owned(job->fd, task->files.user)) {
				close_jit_fd(&task->files.dump);
				task->files.dump = take_fd(job->fd);
			} else if (job->fd >= 0) {
				reject_jit_file(task, &task->files.dump,
					"jitdump", JIT_FILE_FOREIGN);
			}
			mapped_job_destroy(job);
		}
		return true;
	}
	if (!maps_is_anonymous(map->path))
		return false;
	task = find_or_add_jit_task(jits, map->pid);
	if (!task)
		return false;
	/* Do not wait for the exit: the container may be removed before. */
	task->n_seen++;
	if ((task->n_seen & (task->n_seen - 1)) == 0)
		open_perf_map(jits, task);
	return false;
}

void jits_add_exit(struct jits *jits, uint32_t pid)
{
	struct jit_task *task = find_jit_task(jits, pid);

	if (!task)
		return;
	open_perf_map(jits, task);
	close_jit_fd(&task->root);
}

void jits_refresh(struct jits *jits)
{
	array_each(&jits->tasks, task)
		open_perf_map(jits, task);
}

struct jit_files jits_find(const struct jits *jits, uint32_t pid)
{
	const struct jit_task *task = find_jit_task(jits, pid);

	return task ? task->files
		    : (struct jit_files){ .perfmap = -1, .dump = -1 };
}
