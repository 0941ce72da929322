/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/cfi_files.h"

#include <libgen.h>

#include "common/elf/elf.h"
#include "common/unwind/cfi.h"
#include "common/unwind/cfi_source.h"
#include "common/util/alloc.h"
#include "record/synth/mapped_file.h"
#include "record/sys/safe_open.h"

#define DEBUG_ROOT "/usr/lib/debug"

/* Detects a held file that was overwritten after it was opened. */
static bool has_build_id_of(int fd, const struct dso *dso)
{
	struct build_id id;

	if (!dso->build_id.size)
		return true;
	return elf_read_build_id(fd, &id) &&
		build_id_equal(&id, &dso->build_id);
}

struct elf_file *cfi_files_open(const struct cfi_files *files,
	const struct dso *dso, const struct mapping *mapping, uint32_t pid)
{
	struct elf_file *file = NULL;
	int fd = -1;

	if (string_is(dso->path, MAPS_VDSO))
		return elf_file_open_vdso();
	if ((dso->path[0] != '/' && !maps_is_vdso(dso->path)) || dso->is_data)
		return NULL;
	if (files->tracker)
		fd = file_tracker_open_file(files->tracker, dso);
	if (fd >= 0 && !has_build_id_of(fd, dso)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0) {
		const struct record_mmap map = {
			.pid = pid,
			.start = mapping->start,
			.size = mapping->end - mapping->start,
			.path = dso->path,
			.major = dso->major,
			.minor = dso->minor,
			.inode = dso->inode,
			.build_id = dso->build_id,
		};
		fd = mapped_open_in_time(files->worker, &map);
	}
	if (fd < 0)
		return NULL;
	error_free(elf_file_open(fd, dso->path, &file));
	return file;
}

struct debug_job {
	struct timed_job job;
	pid_t pid;
	char *folder, *name; /* owned: directory of the stripped file; name in
				its debug link, or NULL */
	struct build_id id;
	uint32_t crc;		/* used if there is no build ID */
	struct elf_file *found; /* the debug file, owned */
};

static bool is_debug_file_of(const struct debug_job *job, struct elf_file *file)
{
	struct build_id id;

	if (!job->id.size)
		return elf_file_has_crc(file, job->crc);
	return elf_file_build_id(file, &id) && build_id_equal(&id, &job->id);
}

/* Opens PATH below ROOT as the debug file. Takes ownership of PATH. */
static bool try_debug_path(struct debug_job *job, int root, char *path)
{
	int fd = safe_open_file(root, path, PATH_LINKS_FOLLOWED);
	struct elf_file *file = NULL;

	if (fd >= 0)
		error_free(elf_file_open(fd, path, &file));
	free(path);
	if (!file)
		return false;
	if (is_debug_file_of(job, file)) {
		job->found = file;
		return true;
	}
	elf_file_close(file);
	return false;
}

static bool try_build_id(struct debug_job *job, int root)
{
	char text[BUILD_ID_TEXT];

	if (job->id.size < 2)
		return false;
	build_id_text(&job->id, text);
	return try_debug_path(job, root,
		xasprintf(
			DEBUG_ROOT "/.build-id/%.2s/%s.debug", text, text + 2));
}

static bool try_debug_link(struct debug_job *job, int root)
{
	static const char *const places[][2] = { { "", "" }, { "", "/.debug" },
		{ DEBUG_ROOT, "" } };
	size_t i;

	for (i = 0; job->name && i < ARRAY_SIZE(places); i++)
		if (try_debug_path(job, root,
			    xasprintf("%s%s%s/%s", places[i][0], job->folder,
				    places[i][1], job->name)))
			return true;
	return false;
}

static void find_debug_file(struct timed_job *job)
{
	struct debug_job *own = (struct debug_job *)job;
	const pid_t pids[] = { own->pid, getpid() };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		_cleanup_close_ int proc = safe_open_proc(pids[i]);
		_cleanup_close_ int root = safe_open_root(proc);

		if (root >= 0 &&
			(try_build_id(own, root) || try_debug_link(own, root)))
			return;
	}
}

static void free_debug_job(struct timed_job *job)
{
	struct debug_job *own = (struct debug_job *)job;

	elf_file_close(own->found);
	free(own->folder);
	free(own->name);
	free(own);
}

struct elf_file *cfi_files_open_debug(const struct cfi_files *files,
	struct elf_file *file, const struct dso *dso, uint32_t pid)
{
	_cleanup_free_ char *path = NULL;
	struct debug_job *job;
	struct elf_file *found;
	const char *name;

	if (dso->path[0] != '/' || !cfi_source_is_sparse(file))
		return NULL;
	job = xcalloc(1, sizeof(*job));
	path = xstrdup(dso->path);
	name = elf_file_debuglink(file, &job->crc);
	job->job = (struct timed_job){ find_debug_file, free_debug_job };
	job->pid = (pid_t)pid;
	job->folder = xstrdup(dirname(path));
	if (name && !strchr(name, '/'))
		job->name = xstrdup(name);
	elf_file_build_id(file, &job->id);
	if (!timed_worker_run(files->worker, &job->job))
		return NULL;
	found = take_pointer(job->found);
	free_debug_job(&job->job);
	return found;
}
