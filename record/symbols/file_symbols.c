/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/file_symbols.h"

#include <fcntl.h>

#include "common/elf/elf.h"
#include "record/synth/mapped_file.h"

struct names_job {
	struct patience_job job;
	struct dso dso; /* its path is owned */
	struct pinned pinned; /* its descriptor is owned */
	uint64_t started;
	struct symtab table;
	bool is_dynsym_only;
};

/* What was held may have been written to, once nothing ran it any more. */
static bool is_unchanged(const struct names_job *job)
{
	const struct dso *dso = &job->dso;
	struct build_id id;

	if (dso->build_id.size)
		return elf_read_build_id(job->pinned.fd, &id) &&
			build_id_equal(&id, &dso->build_id);
	return mapped_modified_ns(job->pinned.fd) == job->pinned.modified_ns;
}

static int search(const struct dso *dso, uint64_t started)
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

	if (fd < 0)
		return -1;
	if (!dso->build_id.size && mapped_modified_ns(fd) >= started)
		return -1;
	return take_fd(fd);
}

/* The vdso is no file; ours is that of all programs of 64 bits. */
static struct elf_file *open_elf(struct names_job *job)
{
	struct elf_file *file;
	struct error *err;
	int fd;

	if (string_is(job->dso.path, MAPS_VDSO))
		return elf_file_open_vdso();
	if (job->pinned.fd >= 0 && is_unchanged(job))
		fd = take_fd(job->pinned.fd);
	else
		fd = search(&job->dso, job->started);
	if (fd < 0)
		return NULL;
	err = elf_file_open(fd, job->dso.path, &file);
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
	own->is_dynsym_only = !elf_file_own_symbols(file, &own->table);
	elf_file_plt(file, &own->table);
	elf_file_close(file);
	symtab_finish(&own->table);
}

static void drop(struct patience_job *job)
{
	struct names_job *own = (struct names_job *)job;

	if (own->pinned.fd >= 0)
		close(own->pinned.fd);
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
	job->pinned = wish->pinned;
	if (wish->pinned.fd >= 0)
		job->pinned.fd = fcntl(wish->pinned.fd, F_DUPFD_CLOEXEC, 0);
	job->started = wish->started;
	if (!patience_run(patience, &job->job))
		return false;
	*table = job->table;
	*is_dynsym_only_ret = job->is_dynsym_only;
	job->table = (struct symtab){ 0 };
	drop(&job->job);
	return table->symbols.n > 0;
}
