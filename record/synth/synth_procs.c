/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/synth_procs.h"

#include <ctype.h>
#include <dirent.h>
#include <sys/mman.h>

#include "common/util/alloc.h"
#include "common/util/hash.h"
#include "record/synth/build_ids.h"
#include "record/synth/namespaces.h"
#include "record/sys/maps_line.h"
#include "record/sys/sysfile.h"

#define SOME_BYTES KIB(64)

struct procs {
	const struct sample_layout *layout;
	struct sample_id trailer;
	ARRAY(pid_t) pids; /* that were added */
	struct hash_index by_pid;
	struct build_ids *build_ids;
	DIR *pass; /* NULL between passes */
	size_t n_new;
	bool has_namespaces, has_data;
};

struct procs *procs_create(const struct sample_layout *layout, uint64_t id)
{
	struct procs *procs = xcalloc(1, sizeof(*procs));

	procs->layout = layout;
	procs->trailer.id = id;
	procs->build_ids = build_ids_create();
	return procs;
}

void procs_destroy(struct procs *procs)
{
	if (!procs)
		return;
	if (procs->pass)
		closedir(procs->pass);
	build_ids_destroy(procs->build_ids);
	array_free(&procs->pids);
	hash_free(&procs->by_pid);
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

static char anonymous[] = "//anon"; /* as the kernel's MMAP2 has it */

static void add_mapping(struct procs *procs, pid_t pid, char *text,
	struct strbuf *out)
{
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	struct maps_line line;
	struct record_mmap map;
	uint32_t code = 0;
	size_t size;

	if (!maps_line_parse(text, &line))
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
		map.build_id = build_ids_of(procs->build_ids, &map);
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
