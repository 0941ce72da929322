/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/process_maps.h"

#include <sys/mman.h>
#include <sys/uio.h>

#include "common/elf/elf.h"
#include "common/maps/maps.h"
#include "common/util/alloc.h"
#include "record/synth/mapped_file.h"

/*
 * Limit of the lines of a process. The highest default of vm.max_map_count is
 * 1,048,576 (Fedora, Ubuntu).
 */
#define LINES_MAX 1048576u
#define CHUNK_SIZE 4096u
#define CHUNKS_MAX 256u /* compared of each copy */
#define SEGMENTS_MAX 16u
#define COPIES_MAX 64u /* compared of each process */

static char anonymous[] =
	"//anon"; /* path of anonymous memory in the kernel's MMAP2 records */

void process_maps_read(uint32_t pid, struct process_maps *ret)
{
	struct task_mapping line;
	char *rest;

	*ret = (struct process_maps){ .pid = pid };
	if (!task_mappings_read((pid_t)pid, &ret->text))
		return;
	rest = ret->text.at;
	while (ret->lines.n < LINES_MAX && task_mapping_next(&rest, &line))
		*array_push(&ret->lines) = line;
}

void process_maps_deinit(struct process_maps *maps)
{
	array_free(&maps->lines);
	strbuf_free(&maps->text);
}

bool process_maps_is_code(const struct task_mapping *line)
{
	return line->rights[2] == 'x';
}

/*
 * Returns whether the kernel's record of LINE has the path .anonymous. The name
 * that a process gave to memory (PR_SET_VMA_ANON_NAME) is in LINE only.
 */
static bool is_unnamed(const struct task_mapping *line)
{
	return !*line->path || string_starts(line->path, "[anon:");
}

bool process_maps_is_anonymous(const struct task_mapping *line)
{
	return is_unnamed(line) || maps_is_anonymous(line->path);
}

struct record_mmap process_maps_record(
	const struct process_maps *maps, const struct task_mapping *line)
{
	return (struct record_mmap){
		.pid = maps->pid,
		.tid = maps->pid,
		.start = line->start,
		.size = line->end - line->start,
		.offset = line->offset,
		.major = line->major,
		.minor = line->minor,
		.inode = line->inode,
		.prot = (line->rights[0] == 'r' ? PROT_READ : 0u) |
			(line->rights[1] == 'w' ? PROT_WRITE : 0u) |
			(process_maps_is_code(line) ? PROT_EXEC : 0u),
		.flags = line->rights[3] == 's' ? MAP_SHARED : MAP_PRIVATE,
		.path = is_unnamed(line) ? anonymous : line->path,
	};
}

/* The comparison of memory with the code of a file. */
struct copy_job {
	struct timed_job job;
	struct mapped_file mapped; /* a part of the file; .path is owned */
	uint64_t offset;	   /* file offset of the part */
	uint64_t start, end;	   /* the memory */
	/* If .is_same: the part of the memory that is code of the file. */
	struct record_mmap code;
	bool is_same;
};

/* Compares the first chunk, the last one, and others at equal distances. */
static bool is_same_code(const struct copy_job *job, int fd)
{
	const struct record_mmap *code = &job->code;
	uint64_t last = code->size / CHUNK_SIZE - 1;
	uint64_t n = MIN(last, CHUNKS_MAX - 1), i;
	uint8_t in_memory[CHUNK_SIZE], in_file[CHUNK_SIZE];

	for (i = 0; i <= n; i++) {
		uint64_t at = (n ? last * i / n : 0) * CHUNK_SIZE;
		struct iovec ours = { in_memory, sizeof(in_memory) };
		struct iovec theirs = { (void *)(uintptr_t)(code->start + at),
			CHUNK_SIZE };
		ssize_t read = pread(fd, in_file, sizeof(in_file),
			(off_t)(code->offset + at));

		if (read <= 0 ||
			process_vm_readv((pid_t)job->mapped.pid, &ours, 1,
				&theirs, 1, 0) != CHUNK_SIZE ||
			memcmp(in_memory, in_file, (size_t)read) != 0)
			return false;
	}
	return true;
}

/*
 * Sets the code of JOB to the part of the memory where ELF has an executable
 * segment, if linked addresses are moved by BASE. Returns false if there is
 * none.
 */
static bool find_replaced_code(
	struct copy_job *job, struct elf_file *elf, uint64_t base)
{
	struct elf_segment segments[SEGMENTS_MAX];
	size_t n = elf_file_segments(elf, segments, SEGMENTS_MAX), i;

	for (i = 0; i < n; i++) {
		uint64_t moved = base + segments[i].delta;
		uint64_t start = MAX(segments[i].start + moved, job->start);
		uint64_t end = MIN(segments[i].end + moved, job->end);

		if (start >= end || end - start < CHUNK_SIZE)
			continue;
		job->code.start = start;
		job->code.size = end - start;
		job->code.offset = start - moved;
		return true;
	}
	return false;
}

/*
 * Compares the memory with ELF. Two segments can share a page of the file: then
 * either can be the mapped part.
 */
static bool is_copy_of_file(struct copy_job *job, struct elf_file *elf)
{
	struct elf_segment segments[SEGMENTS_MAX];
	size_t n = elf_file_all_segments(elf, segments, SEGMENTS_MAX), i;

	for (i = 0; i < n; i++) {
		const struct elf_segment *segment = &segments[i];
		uint64_t base =
			job->mapped.start - job->offset - segment->delta;

		if (job->offset >= segment->start &&
			job->offset < segment->end &&
			find_replaced_code(job, elf, base) &&
			is_same_code(job, elf_file_fd(elf)))
			return true;
	}
	return false;
}

static void compare_copy(struct timed_job *job)
{
	struct copy_job *own = (struct copy_job *)job;
	struct elf_file *elf;
	struct error *err;
	int fd = mapped_open(&own->mapped);

	if (fd < 0)
		return;
	err = elf_file_open(fd, own->mapped.path, &elf);
	if (err) {
		error_free(err);
		return;
	}
	own->is_same = is_copy_of_file(own, elf);
	elf_file_build_id(elf, &own->code.build_id);
	elf_file_close(elf);
}

static void free_copy_job(struct timed_job *job)
{
	free((char *)((struct copy_job *)job)->mapped.path);
	free(job);
}

/*
 * Returns the mapping of a file behind line INDEX, if the line is between
 * mappings of this file, or directly before them: code can be the first
 * segment. Else returns NULL.
 */
static const struct task_mapping *find_file_around(
	struct process_maps *maps, size_t index)
{
	const struct task_mapping *lines = maps->lines.at, *before, *after;
	struct process_anonymous *run = &maps->run;

	if (index < run->first || index >= run->end) {
		*run = (struct process_anonymous){ index, index + 1, 0 };
		while (run->first > 0 &&
			process_maps_is_anonymous(&lines[run->first - 1]))
			run->first--;
		while (run->end < maps->lines.n &&
			process_maps_is_anonymous(&lines[run->end]))
			run->end++;
		run->close_on = run->end;
		while (run->end < maps->lines.n && run->close_on > run->first &&
			lines[run->close_on - 1].end ==
				lines[run->close_on].start)
			run->close_on--;
	}
	after = &lines[run->end];
	if (run->end == maps->lines.n || !after->inode)
		return NULL;
	if (index >= run->close_on)
		return after;
	before = run->first ? &lines[run->first - 1] : NULL;
	return before && before->inode == after->inode &&
			before->major == after->major &&
			before->minor == after->minor
		? after
		: NULL;
}

bool process_maps_find_copied(struct process_maps *maps, size_t index,
	struct timed_worker *worker, struct record_mmap *ret)
{
	const struct task_mapping *memory = &maps->lines.at[index], *file;
	struct copy_job *job;
	bool is_same;

	if (!process_maps_is_code(memory) || !process_maps_is_anonymous(memory))
		return false;
	file = find_file_around(maps, index);
	if (!file || maps->n_compared++ >= COPIES_MAX)
		return false;
	job = xcalloc(1, sizeof(*job));
	job->job = (struct timed_job){ compare_copy, free_copy_job };
	job->code = process_maps_record(maps, file);
	job->code.prot = PROT_READ | PROT_EXEC;
	job->code.path = NULL; /* MAPS may be freed before the job */
	job->mapped = (struct mapped_file){
		.pid = maps->pid,
		.start = file->start,
		.end = file->end,
		.path = xstrdup(file->path),
		.major = file->major,
		.minor = file->minor,
		.inode = file->inode,
	};
	job->offset = file->offset;
	job->start = memory->start;
	job->end = memory->end;
	if (!timed_worker_run(worker, &job->job))
		return false;
	is_same = job->is_same;
	*ret = job->code;
	ret->path = file->path;
	free_copy_job(&job->job);
	return is_same;
}
