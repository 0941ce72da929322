/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/synth_procs.h"

#include <ctype.h>
#include <dirent.h>
#include <sys/stat.h>

#include "common/perf/record.h"
#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/hash.h"
#include "record/synth/mapped_file.h"
#include "record/synth/process_maps.h"
#include "record/sys/sysfile.h"

#define BYTES_PER_STEP KIB(64)
#define READ_TIMEOUT_MS \
	1000u /* time limit for each file, and each copy of code */

struct synth_file {
	uint32_t major, minor;
	uint64_t inode;
	struct build_id id; /* size 0: no build ID */
};

/*
 * Build IDs of mapped files; each file is read once. A file that cannot be read
 * within a second, such as a file on a file system that does not respond, has
 * no build ID.
 */
struct build_ids {
	ARRAY(struct synth_file) files;
	struct hash_index by_file;
	struct timed_worker *worker;
};

/*
 * Returns the build ID of the file of the mapping MAP; size 0: none. The build
 * ID in MAP itself must be empty.
 */
static struct build_id build_ids_of(
	struct build_ids *ids, const struct record_mmap *map)
{
	uint64_t device = (uint64_t)map->major << 32 | map->minor;
	uint64_t hash = hash_words(device, map->inode);
	struct mapped_job *job;
	struct synth_file *new;

	hash_each_match(&ids->by_file, hash, i) {
		const struct synth_file *known = &ids->files.at[i];

		if (known->inode == map->inode && known->major == map->major &&
			known->minor == map->minor)
			return known->id;
	}
	hash_insert(&ids->by_file, hash, (uint32_t)ids->files.n);
	new = array_push(&ids->files);
	*new = (struct synth_file){ map->major, map->minor, map->inode };
	job = mapped_find(ids->worker, map);
	if (job) {
		new->id = job->build_id;
		mapped_job_destroy(job);
	}
	return new->id;
}

struct synth_procs {
	struct synth_procs_setup setup;
	struct sample_id trailer;
	ARRAY(pid_t) pids; /* processes that were added */
	struct hash_index by_pid;
	struct build_ids *build_ids;
	struct timed_worker *comparer; /* compares copies of code */
	DIR *proc_dir;		       /* NULL between passes */
	size_t n_new;
};

struct synth_procs *synth_procs_create(const struct synth_procs_setup *setup)
{
	struct synth_procs *procs = xcalloc(1, sizeof(*procs));

	procs->setup = *setup;
	procs->trailer.id = setup->id;
	struct build_ids *ids = xcalloc(1, sizeof(*ids));

	ids->worker = timed_worker_create(READ_TIMEOUT_MS);
	procs->build_ids = ids;
	procs->comparer = timed_worker_create(READ_TIMEOUT_MS);
	return procs;
}

void synth_procs_destroy(struct synth_procs *procs)
{
	if (!procs)
		return;
	if (procs->proc_dir)
		closedir(procs->proc_dir);
	struct build_ids *ids = procs->build_ids;

	timed_worker_destroy(ids->worker);
	array_free(&ids->files);
	hash_free(&ids->by_file);
	free(ids);
	timed_worker_destroy(procs->comparer);
	array_free(&procs->pids);
	hash_free(&procs->by_pid);
	free(procs);
}

void synth_procs_set_time(struct synth_procs *procs, uint64_t time)
{
	procs->trailer.time = time;
}

void synth_procs_forget(struct synth_procs *procs)
{
	array_clear(&procs->pids);
	hash_free(&procs->by_pid);
}

size_t synth_procs_trailer(struct synth_procs *procs, pid_t pid, pid_t tid,
	uint8_t trailer[SAMPLE_ID_SIZE_MAX])
{
	procs->trailer.pid = (uint32_t)pid;
	procs->trailer.tid = (uint32_t)tid;
	sample_id_write(procs->setup.layout, &procs->trailer, trailer);
	return procs->setup.layout->trailer_size;
}

/* Appends the record of MAP, a mapping of code unless IS_DATA. */
static void add_mapping(struct synth_procs *procs,
	const struct record_mmap *map, bool is_data, struct strbuf *out)
{
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	pid_t pid = (pid_t)map->pid;
	size_t size = synth_procs_trailer(procs, pid, pid, trailer);

	record_write_mmap2(out,
		is_data ? MISC_USER | MISC_MMAP_DATA : MISC_USER, map, trailer,
		size);
}

/* Files of /proc/PID/ns, in the order of linux/perf_event.h's *_NS_INDEX. */
static const char *const namespace_files[] = { "net", "uts", "ipc", "pid",
	"user", "mnt", "cgroup" };

/*
 * Appends a NAMESPACES record of thread TID to OUT. Appends nothing if the
 * thread has ended or is not readable.
 */
static void add_namespaces(pid_t pid, pid_t tid, const void *trailer,
	size_t trailer_size, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	struct stat file;
	size_t i;

	strbuf_put_u32(&payload, (uint32_t)pid);
	strbuf_put_u32(&payload, (uint32_t)tid);
	strbuf_put_u64(&payload, ARRAY_SIZE(namespace_files));
	for (i = 0; i < ARRAY_SIZE(namespace_files); i++) {
		_cleanup_free_ char *path = xasprintf("/proc/%d/task/%d/ns/%s",
			(int)pid, (int)tid, namespace_files[i]);

		if (stat(path, &file) < 0)
			return;
		strbuf_put_u64(&payload, file.st_dev);
		strbuf_put_u64(&payload, file.st_ino);
	}
	strbuf_put(&payload, trailer, trailer_size);
	record_write(out, RECORD_NAMESPACES, 0, payload.at, payload.n);
}

static void add_process_thread(
	struct synth_procs *procs, pid_t pid, pid_t tid, struct strbuf *out)
{
	_cleanup_free_ char *path =
		xasprintf("/proc/%d/task/%d/comm", (int)pid, (int)tid);
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	size_t size = synth_procs_trailer(procs, pid, tid, trailer);
	struct record_comm comm = {
		.pid = (uint32_t)pid,
		.tid = (uint32_t)tid,
	};
	char name[16]; /* the size in the kernel: TASK_COMM_LEN */

	if (!sysfile_line(path, name, sizeof(name)))
		return;
	comm.comm = name;
	record_write_comm(out, &comm, trailer, size);
	if (procs->setup.has_namespaces)
		add_namespaces(pid, tid, trailer, size, out);
}

bool synth_procs_add(struct synth_procs *procs, pid_t pid, struct strbuf *out)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/task", (int)pid);
	uint64_t hash = hash_words((uint64_t)pid, 0);
	struct dirent *entry;
	DIR *dir;

	hash_each_match(&procs->by_pid, hash, i)
		if (procs->pids.at[i] == pid)
			return false;
	dir = opendir(path);
	if (!dir)
		return false;
	hash_insert(&procs->by_pid, hash, (uint32_t)procs->pids.n);
	*array_push(&procs->pids) = pid;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			add_process_thread(procs, pid,
				(pid_t)strtol(entry->d_name, NULL, 10), out);
	closedir(dir);
	struct process_maps maps;
	struct record_mmap map;
	size_t i;

	process_maps_read((uint32_t)pid, &maps);
	for (i = 0; i < maps.lines.n; i++) {
		const struct task_mapping *line = &maps.lines.at[i];
		bool is_data = !process_maps_is_code(line);

		if (is_data &&
			(!procs->setup.has_data || line->rights[0] != 'r'))
			continue;
		map = process_maps_record(&maps, line);
		if (line->inode && line->path[0] == '/')
			map.build_id = build_ids_of(procs->build_ids, &map);
		add_mapping(procs, &map, is_data, out);
		if (process_maps_find_copied(&maps, i, procs->comparer, &map))
			add_mapping(procs, &map, false, out);
	}
	process_maps_deinit(&maps);
	return true;
}

bool synth_procs_add_some(
	struct synth_procs *procs, struct strbuf *out, size_t *n_ret)
{
	size_t start = out->n;
	struct dirent *entry;

	if (!procs->proc_dir) {
		procs->proc_dir = opendir("/proc");
		procs->n_new = 0;
	}
	while (procs->proc_dir && (entry = readdir(procs->proc_dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0)
			continue;
		procs->n_new += synth_procs_add(procs, pid, out);
		if (out->n - start >= BYTES_PER_STEP)
			return true;
	}
	*n_ret = procs->n_new;
	if (procs->proc_dir)
		closedir(procs->proc_dir);
	procs->proc_dir = NULL;
	return false;
}
