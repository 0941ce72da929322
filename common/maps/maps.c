/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/maps/maps.h"

#include "common/maps/maps_private.h"
#include "common/util/alloc.h"

/* Size of a 32-bit address space. */
#define SPACE32_SIZE (UINT64_C(1) << 32)

bool maps_is_anonymous(const char *path)
{
	static const char *const starts[] = { "//anon", "/dev/zero",
		"/anon_hugepage", "[heap]", "[stack", "/SYSV" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(starts); i++)
		if (string_starts(path, starts[i]))
			return true;
	return false;
}

#define DELETED " (deleted)"

const char *maps_path_end(const char *path)
{
	size_t n = strlen(path), deleted = strlen(DELETED);

	return path + n -
		(n >= deleted && string_is(path + n - deleted, DELETED)
				? deleted
				: 0);
}

bool maps_is_vdso(const char *path)
{
	return string_is(path, MAPS_VDSO) || string_is(path, MAPS_VDSO32);
}

const char *maps_dso_path(const struct record_mmap *map)
{
	bool is_low = map->size && map->start < SPACE32_SIZE &&
		map->size <= SPACE32_SIZE - map->start;

	return is_low && map->pid != MAPS_KERNEL_PID &&
			string_is(map->path, MAPS_VDSO)
		? MAPS_VDSO32
		: map->path;
}

static void lower_code_offset(struct dso *dso, const struct record_mmap *map)
{
	if (!map->is_data)
		dso->code_offset = MIN(dso->code_offset, map->offset);
}

/*
 * Returns the index of the DSO of MAP. Adds the DSO if MAPS does not contain
 * it.
 */
static uint32_t maps_intern_dso(
	struct maps *maps, const struct record_mmap *map)
{
	/* Code in anonymous memory differs between processes. */
	bool is_own = maps_is_anonymous(map->path) || !*map->path;
	uint32_t pid = is_own ? map->pid : 0;
	const char *path = maps_dso_path(map);
	uint64_t hash = hash_words(hash_string(path), pid);
	uint32_t n = (uint32_t)maps->dsos.n;
	struct dso *dso;

	hash_each_match(&maps->by_dso, hash, i) {
		dso = &maps->dsos.at[i];
		bool is_data = map->is_data &&
			(maps_is_anonymous(map->path) || !*map->path);
		if (!(dso->is_data == is_data && dso->major == map->major &&
			    dso->minor == map->minor &&
			    dso->inode == map->inode &&
			    dso->generation == map->generation &&
			    build_id_equal(&dso->build_id, &map->build_id) &&
			    string_is(dso->path, maps_dso_path(map))) ||
			(pid && dso->pid != pid))
			continue;
		lower_code_offset(dso, map);
		return i;
	}
	hash_insert(&maps->by_dso, hash, n);
	dso = array_push(&maps->dsos);
	dso->path = xstrdup(path);
	dso->build_id = map->build_id;
	dso->major = map->major;
	dso->minor = map->minor;
	dso->inode = map->inode;
	dso->generation = map->generation;
	dso->pid = map->pid;
	dso->is_data = map->is_data && is_own;
	dso->code_offset = UINT64_MAX;
	lower_code_offset(dso, map);
	return n;
}

uint32_t maps_add_dso(struct maps *maps, const struct dso *like)
{
	const struct record_mmap map = {
		.pid = like->pid,
		.major = like->major,
		.minor = like->minor,
		.inode = like->inode,
		.generation = like->generation,
		.build_id = like->build_id,
		.path = like->path,
		.is_data = like->is_data,
		.offset = like->code_offset,
	};

	return maps_intern_dso(maps, &map);
}

static uint32_t new_space(struct maps *maps, struct space space)
{
	*array_push(&maps->spaces) = space;
	return (uint32_t)maps->spaces.n - 1;
}

struct maps *maps_create(void)
{
	struct maps *maps = xcalloc(1, sizeof(*maps));
	struct maps_process *kernel = array_push(&maps->processes);

	array_push(&maps->nodes);
	*array_push(&maps->comms) = xstrdup("");
	maps->random = 1;
	new_space(maps, (struct space){ 0 });
	kernel->pid = MAPS_KERNEL_PID;
	kernel->epoch = ++maps->epochs;
	*array_push(&kernel->versions) = (struct space_version){ 0,
		new_space(maps, (struct space){ 0 }) };
	hash_insert(&maps->by_pid, hash_words(MAPS_KERNEL_PID, 0), 0);
	return maps;
}

void maps_destroy(struct maps *maps)
{
	if (!maps)
		return;
	array_each(&maps->processes, process)
		array_free(&process->versions);
	array_each(&maps->threads, thread)
		array_free(&thread->comms);
	array_each(&maps->dsos, dso)
		free(dso->path);
	array_each(&maps->comms, comm)
		free(*comm);
	array_free(&maps->nodes);
	array_free(&maps->mappings);
	array_free(&maps->spaces);
	array_free(&maps->processes);
	array_free(&maps->threads);
	array_free(&maps->dsos);
	array_free(&maps->comms);
	hash_free(&maps->by_pid);
	hash_free(&maps->by_tid);
	hash_free(&maps->by_dso);
	hash_free(&maps->by_comm);
	free(maps);
}

/*
 * Gives the process PID a new address space from TIME on, a copy of SPACE. Adds
 * the process if it is unknown.
 */
static struct maps_process *begin_space(
	struct maps *maps, uint32_t pid, struct space space, uint64_t time)
{
	struct maps_process *process = maps_process(maps, pid);
	uint64_t last = 0;

	if (!process) {
		hash_insert(&maps->by_pid, hash_words(pid, 0),
			(uint32_t)maps->processes.n);
		process = array_push(&maps->processes);
		process->pid = pid;
	}
	process->epoch = ++maps->epochs;
	if (process->versions.n)
		last = process->versions.at[process->versions.n - 1].time;
	/* Keep the versions in time order, even if the records are not. */
	*array_push(&process->versions) =
		(struct space_version){ MAX(time, last),
			new_space(maps, space) };
	return process;
}

static uint32_t intern_comm(struct maps *maps, const char *comm)
{
	uint64_t hash = hash_string(comm);
	uint32_t n = (uint32_t)maps->comms.n;

	hash_each_match(&maps->by_comm, hash, i)
		if (string_is(maps->comms.at[i], comm))
			return i;
	hash_insert(&maps->by_comm, hash, n);
	*array_push(&maps->comms) = xstrdup(comm);
	return n;
}

static const struct maps_comm *newest_comm(const struct maps_thread *thread)
{
	return thread->comms.n ? &thread->comms.at[thread->comms.n - 1] : NULL;
}

static struct maps_thread *find_or_add_thread(
	struct maps *maps, uint32_t pid, uint32_t tid)
{
	struct maps_thread *thread = maps_thread(maps, pid, tid);

	if (thread)
		return thread;
	hash_insert(
		&maps->by_tid, hash_words(pid, tid), (uint32_t)maps->threads.n);
	thread = array_push(&maps->threads);
	thread->pid = pid;
	thread->tid = tid;
	return thread;
}

/* Gives THREAD a name, in the use USE of its ID, from TIME on. */
static void add_comm_version(
	struct maps_thread *thread, uint32_t comm, uint32_t use, uint64_t time)
{
	const struct maps_comm *last = newest_comm(thread);
	struct maps_comm version = { time, comm, use };

	thread->ended = 0;
	if (last && last->comm == comm && last->use == use)
		return;
	if (last)
		version.time = MAX(time, last->time);
	*array_push(&thread->comms) = version;
}

void maps_add_mmap(
	struct maps *maps, const struct record_mmap *map, uint64_t time)
{
	struct mapping mapping = { .start = map->start,
		.offset = map->offset,
		.is_data = map->is_data,
		.prot = map->prot & 0xf,
		.flags = map->flags & 0x7ffffff };

	/*
	 * The kernel's mapping has the size of its initial text, but code of
	 * start-up and of late features lies after it: extend it. Mappings of
	 * modules are added later and replace parts of it.
	 */
	if ((map->pid == MAPS_KERNEL_PID &&
		    string_starts(map->path, "[kernel.kallsyms]")) ||
		__builtin_add_overflow(map->start, map->size, &mapping.end))
		mapping.end = UINT64_MAX;
	if (mapping.end <= mapping.start)
		return;
	if (maps_is_anonymous(map->path))
		mapping.offset = mapping.start;
	mapping.dso = maps_intern_dso(maps, map);
	struct maps_process *process = maps_process(maps, map->pid);
	uint32_t overlap, space;

	if (!process)
		process = begin_space(maps, map->pid,
			(struct space){ .program = ++maps->programs }, time);
	space = maps_newest_space(process);
	overlap = maps_tree_overlap(
		maps, maps->spaces.at[space].root, mapping.start, mapping.end);
	/*
	 * Ignore MAP if it maps the bytes that OVERLAP maps to the same
	 * addresses, as after mprotect(). A code mapping replaces a data
	 * mapping.
	 */
	if (overlap != NO_NODE) {
		const struct maps_node *node = &maps->nodes.at[overlap];
		const struct mapping *old = &maps->mappings.at[node->mapping];

		if (old->dso == mapping.dso &&
			old->is_data <= mapping.is_data &&
			node->start <= mapping.start &&
			node->end >= mapping.end &&
			old->start - old->offset ==
				mapping.start - mapping.offset)
			return;
	}
	*array_push(&maps->mappings) = mapping;
	/*
	 * Do not start a new space for the kernel: kernel addresses in call
	 * chains are always looked up in the newest kernel mapping.
	 */
	if (overlap != NO_NODE && map->pid != MAPS_KERNEL_PID) {
		process = begin_space(
			maps, map->pid, maps->spaces.at[space], time);
		space = maps_newest_space(process);
	}
	maps->spaces.at[space].root =
		maps_tree_put(maps, maps->spaces.at[space].root,
			&(struct maps_node){ .start = mapping.start,
				.end = mapping.end,
				.mapping = (uint32_t)maps->mappings.n - 1,
				.epoch = process->epoch });
}

void maps_add_ksymbol(struct maps *maps, const struct record_ksymbol *symbol)
{
	struct record_mmap map = { .pid = MAPS_KERNEL_PID,
		.start = symbol->start,
		.size = symbol->size,
		.path = symbol->name };

	if (!(symbol->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER))
		maps_add_mmap(maps, &map, 0);
}

void maps_add_comm(
	struct maps *maps, const struct record_comm *comm, uint64_t time)
{
	const struct maps_process *process = maps_process(maps, comm->pid);
	struct maps_thread *thread =
		find_or_add_thread(maps, comm->pid, comm->tid);
	const struct maps_comm *last = newest_comm(thread);
	struct space space = { 0 };

	add_comm_version(thread, intern_comm(maps, comm->comm),
		last ? last->use : 0, time);
	if (!comm->is_exec)
		return;
	if (process)
		space.before_exec = maps_newest_space(process);
	space.program = ++maps->programs;
	begin_space(maps, comm->pid, space, time);
}

/*
 * A FORK record at time 0 was synthesized from /proc. It describes the
 * parent-child relation only; the child's mappings have records of their own.
 */
void maps_add_fork(
	struct maps *maps, const struct record_task *fork, uint64_t time)
{
	struct maps_thread *thread =
		find_or_add_thread(maps, fork->pid, fork->tid);
	const struct maps_thread *creator =
		maps_thread(maps, fork->ppid, fork->ptid);
	const struct maps_comm *name = creator ? newest_comm(creator) : NULL;
	const struct maps_comm *last = newest_comm(thread);
	uint32_t use = last ? last->use : 0;
	/*
	 * The ID is that of one new thread: the main thread of another process,
	 * or another thread of the same process. IDs 0 (idle) and -1 (other PID
	 * namespaces) stand for several threads.
	 */
	bool has_single_id = fork->tid && fork->tid != UINT32_MAX &&
		(fork->tid == fork->pid) != (fork->pid == fork->ppid);
	/*
	 * A new thread with the ID of THREAD is another thread, unless THREAD
	 * has no end and only records of the time 0: the recorder then found it
	 * in /proc just after its FORK record.
	 */
	bool is_reused = time && has_single_id &&
		(thread->ended || (last && last->time));
	struct maps_process *parent;
	struct space space = { 0 };

	if (is_reused || name)
		add_comm_version(
			thread, name ? name->comm : 0, use + is_reused, time);
	/* The thread ID is in use again. */
	thread->ended = 0;
	if (fork->pid == fork->ppid || time == 0)
		return;
	parent = maps_process(maps, fork->ppid);
	if (parent) {
		space = maps->spaces.at[maps_newest_space(parent)];
		/*
		 * Both processes now share tree nodes, which may not be changed
		 * in place: start a new epoch of the parent.
		 */
		parent->epoch = ++maps->epochs;
	}
	space.program = ++maps->programs;
	begin_space(maps, fork->pid, space, time);
}

void maps_end_thread(
	struct maps *maps, uint32_t pid, uint32_t tid, uint64_t time)
{
	find_or_add_thread(maps, pid, tid)->ended = time;
}

bool maps_wants_record(uint32_t type)
{
	return type == RECORD_MMAP || type == RECORD_MMAP2 ||
		type == RECORD_COMM || type == RECORD_FORK ||
		type == RECORD_KSYMBOL;
}

bool maps_add_record(
	struct maps *maps, const struct record *record, uint64_t time)
{
	struct record_comm comm;
	struct record_task task;
	struct record_ksymbol symbol;

	switch (record->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2: {
		struct record_mmap map;

		if (!record_read_mmap(record, &map))
			return false;
		if (!(record->misc & MISC_MMAP_DATA))
			maps_add_mmap(maps, &map, time);
		return true;
	}
	case RECORD_COMM:
		if (!record_read_comm(record, &comm))
			return false;
		maps_add_comm(maps, &comm, time);
		return true;
	case RECORD_FORK:
		if (!record_read_task(record, &task))
			return false;
		maps_add_fork(maps, &task, time);
		return true;
	case RECORD_KSYMBOL:
		if (!record_read_ksymbol(record, &symbol))
			return false;
		maps_add_ksymbol(maps, &symbol);
		return true;
	}
	return true;
}
