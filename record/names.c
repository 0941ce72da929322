/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/names.h"

#include <sys/stat.h>

#include "common/elf.h"
#include "record/mapped.h"

#define VDSO_NAME "[vdso]"

struct names_job {
	struct patience_job job;
	struct dso dso; /* its path is owned */
	int fd;         /* owned; -1: to be looked for */
	uint64_t started;
	struct symtab table;
	bool is_dynsym_only;
};

/* Without a build ID only its age tells whether it was written to since. */
static bool is_unchanged(const struct dso *dso, int fd, uint64_t started)
{
	struct stat file;

	if (dso->build_id.size)
		return true;
	return fstat(fd, &file) == 0 &&
		(uint64_t)file.st_mtim.tv_sec * NSEC_PER_SEC +
			(uint64_t)file.st_mtim.tv_nsec <
		started;
}

static int open_dso(const struct dso *dso, uint64_t started)
{
	const struct mapped mapped = {
		.pid = dso->pid,
		.path = dso->path,
		.major = dso->major,
		.minor = dso->minor,
		.inode = dso->inode,
		.build_id = dso->build_id,
	};
	_cleanup_close_ int fd = mapped_open(&mapped);

	return fd >= 0 && is_unchanged(dso, fd, started) ? take_fd(fd) : -1;
}

/* The vdso is no file; ours is the same as everyone's. */
static struct elf_file *open_elf(struct names_job *job)
{
	struct elf_file *file;
	struct error *err;

	if (string_is(job->dso.path, VDSO_NAME))
		return elf_file_open_vdso();
	if (job->fd < 0)
		job->fd = open_dso(&job->dso, job->started);
	if (job->fd < 0)
		return NULL;
	err = elf_file_open(take_fd(job->fd), job->dso.path, &file);
	if (!err)
		return file;
	error_free(err);
	return NULL;
}

static void work(struct patience_job *job)
{
	struct names_job *own = (struct names_job *)job;
	struct elf_file *file = open_elf(own);

	if (!file)
		return;
	if (!elf_file_symbols(file, file, ELF_SYMTAB, &own->table)) {
		elf_file_symbols(file, file, ELF_DYNSYM, &own->table);
		own->is_dynsym_only = true;
	}
	elf_file_plt(file, &own->table);
	elf_file_close(file);
	symtab_finish(&own->table);
}

static void drop(struct patience_job *job)
{
	struct names_job *own = (struct names_job *)job;

	if (own->fd >= 0)
		close(own->fd);
	symtab_deinit(&own->table);
	free(own->dso.path);
	free(own);
}

bool names_read(struct patience *patience, const struct names_wish *wish,
	struct symtab *table, bool *is_dynsym_only_ret)
{
	struct names_job *job = xcalloc(1, sizeof(*job));

	job->job = (struct patience_job){ work, drop };
	job->dso = *wish->dso;
	job->dso.path = xstrdup(wish->dso->path);
	job->fd = wish->fd;
	job->started = wish->started;
	if (!patience_run(patience, &job->job))
		return false;
	*table = job->table;
	*is_dynsym_only_ret = job->is_dynsym_only;
	job->table = (struct symtab){ 0 };
	drop(&job->job);
	return table->symbols.n > 0;
}
