/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/mapped_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

#include "common/elf/elf.h"
#include "common/maps/maps.h"
#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "record/sys/safe_open.h"
#include "record/sys/tasks.h"

#define VDSO_SIZE_MAX KIB(256)
/*
 * Limit of the lines of /proc/PID/maps that are read. The default of
 * vm.max_map_count is 65,530.
 */
#define LINES_MAX 100000u
#define PIECES_MAX 16u /* mappings of one file within a reported range */

/*
 * Returns whether FD is the mapped file, or a copy of it; FILE is the status of
 * the file. If FD was opened by the map_files link
 * of the mapping (IS_BY_MAPPING), which always leads to the mapped file, the
 * inode is sufficient: some file systems (btrfs) report different devices in
 * mappings and in stat().
 */
static bool is_mapped_file(const struct mapped_file *mapped, int fd,
	const struct stat *file, bool is_by_mapping)
{
	struct build_id id;

	if (mapped->build_id.size)
		return elf_read_build_id(fd, &id) &&
			build_id_equal(&id, &mapped->build_id);
	if (file->st_ino != mapped->inode)
		return false;
	return is_by_mapping ||
		file->st_dev == makedev(mapped->major, mapped->minor);
}

static int open_in_root(const struct mapped_file *mapped, pid_t pid)
{
	_cleanup_close_ int proc = safe_open_proc(pid);
	_cleanup_close_ int root = safe_open_root(proc);
	_cleanup_close_ int fd = -1;
	struct stat file;

	if (root >= 0)
		fd = safe_open_file(root, mapped->path, PATH_LINKS_FOLLOWED);
	return fd >= 0 && fstat(fd, &file) == 0 &&
			is_mapped_file(mapped, fd, &file, false)
		? take_fd(fd)
		: -1;
}

static int open_map_files_link(
	const struct mapped_file *mapped, uint64_t start, uint64_t end)
{
	struct stat file;
	_cleanup_close_ int fd =
		safe_open_mapping((pid_t)mapped->pid, start, end, &file);

	return fd >= 0 && is_mapped_file(mapped, fd, &file, true) ? take_fd(fd)
								  : -1;
}

static int open_executable(const struct mapped_file *mapped)
{
	struct stat file;
	_cleanup_close_ int fd = safe_open_exe((pid_t)mapped->pid, &file);

	return fd >= 0 && is_mapped_file(mapped, fd, &file, false) ? take_fd(fd)
								   : -1;
}

/*
 * Opens the mapped file by a part of the mapping that still exists. The ELF
 * loaders of the kernel and of ld.so first map the whole file with the
 * permissions of its first segment, which the kernel reports if they include
 * execution, and then map the other segments over this mapping.
 */
static int open_part_of_mapping(const struct mapped_file *mapped)
{
	char name[64];
	FILE *maps;
	int fd;

	if (mapped->start >= mapped->end)
		return -1;
	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/maps", mapped->pid);
	maps = fopen(name, "re");
	if (!maps)
		return -1;
	char text[32 * KIB(1)]; /* a line; 4 characters per byte of PATH_MAX */
	unsigned n_lines = 0, n_pieces = 0;
	struct task_mapping line;
	fd = -1;

	while (fd < 0 && n_lines++ < LINES_MAX &&
		fgets(text, sizeof(text), maps) &&
		task_mapping_parse(text, &line) && line.start < mapped->end) {
		/*
		 * The kernel reports either a build ID, or device and inode of
		 * a mapping.
		 */
		if (line.start < mapped->start || !line.inode ||
			(!mapped->build_id.size &&
				(line.inode != mapped->inode ||
					line.major != mapped->major ||
					line.minor != mapped->minor)))
			continue;
		if (n_pieces++ == PIECES_MAX)
			break;
		fd = open_map_files_link(mapped, line.start, line.end);
	}
	fclose(maps);
	return fd;
}

int mapped_open(const struct mapped_file *mapped)
{
	int fd = -1;

	if (string_is(mapped->path, MAPS_VDSO32)) {
		/* Copy the vdso of the process into a memory file. */
		size_t size = (size_t)(mapped->end - mapped->start);
		_cleanup_free_ void *image = NULL;
		_cleanup_close_ int copy = -1;
		struct iovec ours, theirs;

		if (mapped->start >= mapped->end || size > VDSO_SIZE_MAX)
			return -1;
		image = xmalloc(size);
		ours = (struct iovec){ image, size };
		theirs = (struct iovec){ (void *)(uintptr_t)mapped->start,
			size };
		if (process_vm_readv((pid_t)mapped->pid, &ours, 1, &theirs, 1,
			    0) != (ssize_t)size)
			return -1;
		copy = memfd_create("vdso", MFD_CLOEXEC);
		return copy < 0 || write(copy, image, size) != (ssize_t)size
			? -1
			: take_fd(copy);
	}
	if (mapped->path[0] != '/')
		return -1;
	if (mapped->start < mapped->end)
		fd = open_map_files_link(mapped, mapped->start, mapped->end);
	if (fd < 0)
		fd = open_executable(mapped);
	if (fd < 0)
		fd = open_in_root(mapped, (pid_t)mapped->pid);
	if (fd < 0)
		fd = open_in_root(mapped, getpid());
	if (fd < 0)
		fd = open_part_of_mapping(mapped);
	return fd;
}

uint64_t mapped_modified_ns(int fd)
{
	struct stat file;

	if (fstat(fd, &file) < 0)
		return UINT64_MAX;
	return clock_ns(&file.st_mtim);
}

static void find_mapped_job(struct timed_job *job)
{
	struct mapped_job *own = (struct mapped_job *)job;
	int fd_at_path;

	own->fd = mapped_open(&own->mapped);
	if (own->fd < 0)
		return;
	elf_read_build_id(own->fd, &own->build_id);
	own->modified_ns = mapped_modified_ns(own->fd);
	if (own->mapped.path[0] != '/')
		return;
	fd_at_path = open_in_root(&own->mapped, getpid());
	own->is_at_path = fd_at_path >= 0;
	if (fd_at_path >= 0)
		close(fd_at_path);
}

static void free_mapped_job(struct timed_job *job)
{
	mapped_job_destroy((struct mapped_job *)job);
}

struct mapped_job *mapped_find(
	struct timed_worker *worker, const struct record_mmap *map)
{
	struct mapped_job *job = xcalloc(1, sizeof(*job));

	job->job = (struct timed_job){ find_mapped_job, free_mapped_job };
	job->mapped = (struct mapped_file){
		.pid = map->pid,
		.start = map->start,
		.end = map->start + map->size,
		.path = xstrdup(maps_dso_path(map)),
		.major = map->major,
		.minor = map->minor,
		.inode = map->inode,
		.build_id = map->build_id,
	};
	job->fd = -1;
	return timed_worker_run(worker, &job->job) ? job : NULL;
}

void mapped_job_destroy(struct mapped_job *job)
{
	if (job->fd >= 0)
		close(job->fd);
	free((char *)job->mapped.path);
	free(job);
}

int mapped_open_in_time(
	struct timed_worker *worker, const struct record_mmap *map)
{
	struct mapped_job *job = mapped_find(worker, map);
	int fd;

	if (!job)
		return -1;
	fd = take_fd(job->fd);
	mapped_job_destroy(job);
	return fd;
}
