/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/procs.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "common/alloc.h"
#include "common/hash.h"
#include "record/mapped.h"
#include "record/namespaces.h"
#include "record/sysfile.h"

#define MODULES "/proc/modules"
#define KERNEL_PATH "[kernel.kallsyms]_text"
#define KERNEL_PID UINT32_MAX
#define SOME_BYTES KIB(64)
#define PATIENCE_MS 1000u /* for the build ID of one file */

/* A file whose build ID was asked for. */
struct known_file {
	dev_t device;
	ino_t inode;
	struct build_id id; /* size 0: it has none */
};

struct procs {
	const struct sample_layout *layout;
	struct sample_id trailer;
	ARRAY(pid_t) pids; /* that were added */
	struct hash_index by_pid;
	ARRAY(struct known_file) files;
	struct hash_index by_file;
	struct patience *patience;
	DIR *pass; /* NULL between passes */
	size_t n_new;
	bool has_namespaces, has_data;
};

struct procs *procs_create(const struct sample_layout *layout, uint64_t id)
{
	struct procs *procs = xcalloc(1, sizeof(*procs));

	procs->layout = layout;
	procs->trailer.id = id;
	procs->patience = patience_create(PATIENCE_MS);
	return procs;
}

void procs_destroy(struct procs *procs)
{
	if (!procs)
		return;
	if (procs->pass)
		closedir(procs->pass);
	patience_destroy(procs->patience);
	array_free(&procs->pids);
	array_free(&procs->files);
	hash_free(&procs->by_pid);
	hash_free(&procs->by_file);
	free(procs);
}

void procs_set_time(struct procs *procs, uint64_t time)
{
	procs->trailer.time = time;
}

void procs_tell_namespaces(struct procs *procs)
{
	procs->has_namespaces = true;
}

void procs_tell_data(struct procs *procs)
{
	procs->has_data = true;
}

void procs_forget(struct procs *procs)
{
	array_clear(&procs->pids);
	hash_free(&procs->by_pid);
}

size_t procs_trailer(struct procs *procs, pid_t pid, pid_t tid,
	uint8_t trailer[SAMPLE_ID_SIZE_MAX])
{
	procs->trailer.pid = (uint32_t)pid;
	procs->trailer.tid = (uint32_t)tid;
	sample_id_write(procs->layout, &procs->trailer, trailer);
	return procs->layout->trailer_size;
}

static const struct known_file *find_file(
	const struct procs *procs, uint64_t hash, dev_t device, ino_t inode)
{
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&procs->by_file, hash, &probe)) != HASH_NONE)
		if (procs->files.at[i].device == device &&
			procs->files.at[i].inode == inode)
			return &procs->files.at[i];
	return NULL;
}

/* One line of /proc/PID/maps. */
struct maps_line {
	uint64_t start, end;
	char rights[5];
	uint64_t offset;
	unsigned major, minor;
	uint64_t inode;
	char *path; /* borrowed from the line */
};

/* Whoever mapped the file may have chosen one that can't be read to an end. */
static struct build_id find_build_id(
	struct procs *procs, const struct mapped *mapped)
{
	struct mapped_job *job = mapped_job_create(mapped);
	struct build_id id = { 0 };

	if (!patience_run(procs->patience, &job->job))
		return id;
	id = job->build_id;
	mapped_job_destroy(job);
	return id;
}

/* The build ID of what is mapped, read once per file. */
static struct build_id mapped_build_id(
	struct procs *procs, pid_t pid, const struct maps_line *line)
{
	struct mapped mapped = {
		.pid = (uint32_t)pid,
		.start = line->start,
		.end = line->end,
		.path = line->path,
		.major = line->major,
		.minor = line->minor,
		.inode = line->inode,
	};
	dev_t device = makedev(line->major, line->minor);
	uint64_t hash = hash_words(device, line->inode);
	const struct known_file *known =
		find_file(procs, hash, device, (ino_t)line->inode);
	struct known_file *new;

	if (known)
		return known->id;
	hash_insert(&procs->by_file, hash, (uint32_t)procs->files.n);
	new = array_push(&procs->files);
	*new = (struct known_file){ device, (ino_t)line->inode,
		find_build_id(procs, &mapped) };
	return new->id;
}

/* The kernel writes a newline in a path as \012. */
static void unescape(char *path)
{
	char *from = path, *to = path;

	while (*from) {
		if (string_starts(from, "\\012")) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

static bool parse_line(char *line, struct maps_line *ret)
{
	int path_at = 0;

	if (sscanf(line,
		    "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64
		    " %n",
		    &ret->start, &ret->end, ret->rights, &ret->offset,
		    &ret->major, &ret->minor, &ret->inode, &path_at) < 7 ||
		!path_at)
		return false;
	ret->path = line + path_at;
	ret->path[strcspn(ret->path, "\n")] = '\0';
	unescape(ret->path);
	return true;
}

static char anonymous[] = "//anon"; /* as the kernel's MMAP2 has it */

static void add_mapping(struct procs *procs, pid_t pid, char *text,
	struct strbuf *out)
{
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	struct maps_line line;
	struct record_mmap map;
	uint32_t code = 0;
	size_t size;

	if (!parse_line(text, &line))
		return;
	if (line.rights[2] == 'x')
		code = PROT_EXEC;
	else if (!procs->has_data || line.rights[0] != 'r')
		return;
	if (!*line.path)
		line.path = anonymous;
	map = (struct record_mmap){
		.pid = (uint32_t)pid,
		.tid = (uint32_t)pid,
		.start = line.start,
		.size = line.end - line.start,
		.offset = line.offset,
		.major = line.major,
		.minor = line.minor,
		.inode = line.inode,
		.prot = (line.rights[0] == 'r' ? PROT_READ : 0u) |
			(line.rights[1] == 'w' ? PROT_WRITE : 0u) | code,
		.flags = line.rights[3] == 's' ? MAP_SHARED : MAP_PRIVATE,
		.path = line.path,
	};
	if (line.inode && line.path[0] == '/')
		map.build_id = mapped_build_id(procs, pid, &line);
	size = procs_trailer(procs, pid, pid, trailer);
	record_write_mmap2(out, code ? MISC_USER : MISC_USER | MISC_MMAP_DATA,
		&map, trailer, size);
}

static void add_mappings(struct procs *procs, pid_t pid, struct strbuf *out)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/maps", (int)pid);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char *rest, *line;

	if (!sysfile_slurp(AT_FDCWD, path, &text) || !text.n)
		return;
	rest = text.at;
	while ((line = strsep(&rest, "\n")))
		add_mapping(procs, pid, line, out);
}

static void add_thread(
	struct procs *procs, pid_t pid, pid_t tid, struct strbuf *out)
{
	_cleanup_free_ char *path =
		xasprintf("/proc/%d/task/%d/comm", (int)pid, (int)tid);
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	size_t size = procs_trailer(procs, pid, tid, trailer);
	struct record_comm comm = {
		.pid = (uint32_t)pid,
		.tid = (uint32_t)tid,
	};
	char name[16]; /* as the kernel cuts it: TASK_COMM_LEN */

	if (!sysfile_line(path, name, sizeof(name)))
		return;
	comm.comm = name;
	record_write_comm(out, &comm, trailer, size);
	if (procs->has_namespaces)
		namespaces_add(pid, tid, trailer, size, out);
}

static bool is_added(const struct procs *procs, uint64_t hash, pid_t pid)
{
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&procs->by_pid, hash, &probe)) != HASH_NONE)
		if (procs->pids.at[i] == pid)
			return true;
	return false;
}

bool procs_add(struct procs *procs, pid_t pid, struct strbuf *out)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/task", (int)pid);
	uint64_t hash = hash_words((uint64_t)pid, 0);
	struct dirent *entry;
	DIR *dir;

	if (is_added(procs, hash, pid))
		return false;
	dir = opendir(path);
	if (!dir)
		return false;
	hash_insert(&procs->by_pid, hash, (uint32_t)procs->pids.n);
	*array_push(&procs->pids) = pid;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			add_thread(procs, pid,
				(pid_t)strtol(entry->d_name, NULL, 10), out);
	closedir(dir);
	add_mappings(procs, pid, out);
	return true;
}

bool procs_add_some(struct procs *procs, struct strbuf *out, size_t *n_ret)
{
	size_t start = out->n;
	struct dirent *entry;

	if (!procs->pass) {
		procs->pass = opendir("/proc");
		procs->n_new = 0;
	}
	while (procs->pass && (entry = readdir(procs->pass))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0)
			continue;
		procs->n_new += procs_add(procs, pid, out);
		if (out->n - start >= SOME_BYTES)
			return true;
	}
	*n_ret = procs->n_new;
	if (procs->pass)
		closedir(procs->pass);
	procs->pass = NULL;
	return false;
}

/* A MMAP record: kernel mappings have no inode to tell. */
static void add_kernel_map(struct procs *procs, uint64_t start, uint64_t size,
	uint64_t offset, const char *name, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	size_t trailer_size = procs_trailer(procs, -1, 0, trailer);

	strbuf_put_u32(&payload, KERNEL_PID);
	strbuf_put_u32(&payload, 0);
	strbuf_put_u64(&payload, start);
	strbuf_put_u64(&payload, size);
	strbuf_put_u64(&payload, offset);
	strbuf_put(&payload, name, strlen(name) + 1);
	strbuf_align(&payload, 8);
	strbuf_put(&payload, trailer, trailer_size);
	record_write(out, RECORD_MMAP, MISC_KERNEL, payload.at, payload.n);
}

/* "ext4 1048576 2 - Live 0xffffffffc0000000" */
static void add_module(
	struct procs *procs, const char *line, struct strbuf *out)
{
	char name[128], shown[130];
	uint64_t size, start;

	if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size,
		    &start) < 3 ||
		!start)
		return;
	snprintf(shown, sizeof(shown), "[%s]", name);
	add_kernel_map(procs, start, size, 0, shown, out);
}

void procs_add_kernel(struct procs *procs, const struct kallsyms *kallsyms,
	struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	uint64_t start = kallsyms->text_start, end = kallsyms->text_end;
	char *rest, *line;

	if (!start || end <= start)
		return;
	add_kernel_map(procs, start, ALIGN_UP(end, 4096) - start, start,
		KERNEL_PATH, out);
	if (!sysfile_slurp(AT_FDCWD, MODULES, &text) || !text.n)
		return;
	rest = text.at;
	while ((line = strsep(&rest, "\n")))
		add_module(procs, line, out);
}
