/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/file_symbols.h"

#include <fcntl.h>

#include "common/elf/elf.h"
#include "record/synth/mapped_file.h"

struct symbols_job {
	struct timed_job job;
	struct dso dso;	      /* its path is owned */
	struct pinned pinned; /* its descriptor is owned */
	uint64_t started;
	struct symtab table;
	bool is_dynsym_only;
};

/*
 * Returns true if the held file was not modified: a file can be written to when
 * no process executes it.
 */
static bool is_pinned_unchanged(const struct symbols_job *job)
{
	const struct dso *dso = &job->dso;
	struct build_id id;

	if (dso->build_id.size)
		return elf_read_build_id(job->pinned.fd, &id) &&
			build_id_equal(&id, &dso->build_id);
	return mapped_modified_ns(job->pinned.fd) == job->pinned.modified_ns;
}

static int open_symbols_file(const struct dso *dso, uint64_t started)
{
	const struct mapped_file mapped = {
		.pid = dso->pid,
		.path = dso->path,
		.major = dso->major,
		.minor = dso->minor,
		.inode = dso->inode,
		.build_id = dso->build_id,
	};
	_cleanup_close_ int fd = mapped_open(&mapped);

	if (fd < 0)
		return -1;
	if (!dso->build_id.size && mapped_modified_ns(fd) >= started)
		return -1;
	return take_fd(fd);
}

/* The vdso is not a file; ours is that of all 64-bit programs. */
static struct elf_file *open_symbols_elf(struct symbols_job *job)
{
	struct elf_file *file;
	struct error *err;
	int fd;

	if (string_is(job->dso.path, MAPS_VDSO))
		return elf_file_open_vdso();
	if (job->pinned.fd >= 0 && is_pinned_unchanged(job))
		fd = take_fd(job->pinned.fd);
	else
		fd = open_symbols_file(&job->dso, job->started);
	if (fd < 0)
		return NULL;
	err = elf_file_open(fd, job->dso.path, &file);
	if (!err)
		return file;
	error_free(err);
	return NULL;
}

static void read_symbols_job(struct timed_job *job)
{
	struct symbols_job *own = (struct symbols_job *)job;
	struct elf_file *file = open_symbols_elf(own);

	if (!file)
		return;
	own->is_dynsym_only = !elf_file_own_symbols(file, &own->table);
	elf_file_plt(file, &own->table);
	elf_file_close(file);
	symtab_finish(&own->table);
}

static void free_symbols_job(struct timed_job *job)
{
	struct symbols_job *own = (struct symbols_job *)job;

	if (own->pinned.fd >= 0)
		close(own->pinned.fd);
	symtab_deinit(&own->table);
	free(own->dso.path);
	free(own);
}

bool file_symbols_read(struct timed_worker *worker,
	const struct file_symbols_request *request, struct symtab *table,
	bool *is_dynsym_only_ret)
{
	struct symbols_job *job = xcalloc(1, sizeof(*job));

	job->job = (struct timed_job){ read_symbols_job, free_symbols_job };
	job->dso = *request->dso;
	job->dso.path = xstrdup(request->dso->path);
	job->pinned = request->pinned;
	if (request->pinned.fd >= 0)
		job->pinned.fd = fcntl(request->pinned.fd, F_DUPFD_CLOEXEC, 0);
	job->started = request->started;
	if (!timed_worker_run(worker, &job->job))
		return false;
	*table = job->table;
	*is_dynsym_only_ret = job->is_dynsym_only;
	job->table = (struct symtab){ 0 };
	free_symbols_job(&job->job);
	return table->symbols.n > 0;
}
