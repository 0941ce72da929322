/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/maps.h"

#include "common/alloc.h"
#include "common/maps_private.h"

static uint32_t new_space(struct maps *maps, struct space space)
{
	*array_push(&maps->spaces) = space;
	return (uint32_t)maps->spaces.n - 1;
}

struct maps *maps_create(void)
{
	struct maps *maps = xcalloc(1, sizeof(*maps));
	struct process *kernel = array_push(&maps->processes);

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

struct process *maps_process(const struct maps *maps, uint32_t pid)
{
	uint64_t hash = hash_words(pid, 0);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&maps->by_pid, hash, &probe)) != HASH_NONE)
		if (maps->processes.at[i].pid == pid)
			return &maps->processes.at[i];
	return NULL;
}

static struct thread *find_thread(
	const struct maps *maps, uint32_t pid, uint32_t tid)
{
	uint64_t hash = hash_words(pid, tid);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&maps->by_tid, hash, &probe)) != HASH_NONE)
		if (maps->threads.at[i].pid == pid &&
			maps->threads.at[i].tid == tid)
			return &maps->threads.at[i];
	return NULL;
}

/* Starts a new version of PID's address space at TIME. */
static struct process *begin_space(
	struct maps *maps, uint32_t pid, struct space space, uint64_t time)
{
	struct process *process = maps_process(maps, pid);
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
	/* A file out of order can't make time run backwards. */
	*array_push(&process->versions) = (struct space_version){
		MAX(time, last), new_space(maps, space) };
	return process;
}

static uint32_t newest_space(const struct process *process)
{
	return process->versions.at[process->versions.n - 1].space;
}

static uint32_t intern_comm(struct maps *maps, const char *comm)
{
	uint64_t hash = hash_string(comm);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&maps->by_comm, hash, &probe)) != HASH_NONE)
		if (string_is(maps->comms.at[i], comm))
			return i;
	i = (uint32_t)maps->comms.n;
	hash_insert(&maps->by_comm, hash, i);
	*array_push(&maps->comms) = xstrdup(comm);
	return i;
}

static struct thread *add_thread(
	struct maps *maps, uint32_t pid, uint32_t tid)
{
	struct thread *thread;

	hash_insert(&maps->by_tid, hash_words(pid, tid),
		(uint32_t)maps->threads.n);
	thread = array_push(&maps->threads);
	thread->pid = pid;
	thread->tid = tid;
	return thread;
}

static void set_comm(struct maps *maps, uint32_t pid, uint32_t tid,
	uint32_t comm, uint64_t time)
{
	struct thread *thread = find_thread(maps, pid, tid);
	uint64_t last = 0;

	if (!thread)
		thread = add_thread(maps, pid, tid);
	thread->ended = 0;
	if (thread->comms.n) {
		if (thread->comms.at[thread->comms.n - 1].comm == comm)
			return;
		last = thread->comms.at[thread->comms.n - 1].time;
	}
	*array_push(&thread->comms) =
		(struct comm_version){ MAX(time, last), comm };
}

static bool is_same_file(const struct dso *dso, const struct record_mmap *map)
{
	return dso->major == map->major && dso->minor == map->minor &&
		dso->inode == map->inode &&
		dso->generation == map->generation &&
		build_id_equal(&dso->build_id, &map->build_id) &&
		string_is(dso->path, map->path);
}

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

static uint32_t intern_dso(struct maps *maps, const struct record_mmap *map)
{
	/* What runs in anonymous memory differs from process to process. */
	bool is_own = maps_is_anonymous(map->path) || !*map->path;
	uint32_t pid = is_own ? map->pid : 0;
	uint64_t hash = hash_words(hash_string(map->path), pid);
	uint32_t i, probe = hash_start(hash);
	struct dso *dso;

	while ((i = hash_next(&maps->by_dso, hash, &probe)) != HASH_NONE)
		if (is_same_file(&maps->dsos.at[i], map) &&
			(!pid || maps->dsos.at[i].pid == pid))
			return i;
	i = (uint32_t)maps->dsos.n;
	hash_insert(&maps->by_dso, hash, i);
	dso = array_push(&maps->dsos);
	dso->path = xstrdup(map->path);
	dso->build_id = map->build_id;
	dso->major = map->major;
	dso->minor = map->minor;
	dso->inode = map->inode;
	dso->generation = map->generation;
	dso->pid = map->pid;
	return i;
}

/* A node that EPOCH may change: NODE itself or a copy. */
static uint32_t own(struct maps *maps, uint32_t node, uint32_t epoch)
{
	struct node *copy;

	if (maps->nodes.at[node].epoch == epoch)
		return node;
	copy = array_push(&maps->nodes);
	*copy = maps->nodes.at[node];
	copy->epoch = epoch;
	return (uint32_t)maps->nodes.n - 1;
}

static uint32_t new_node(struct maps *maps, uint64_t start, uint64_t end,
	uint32_t mapping, uint32_t epoch)
{
	/* xorshift32 (Marsaglia): heights need no better. */
	maps->random ^= maps->random << 13;
	maps->random ^= maps->random >> 17;
	maps->random ^= maps->random << 5;
	*array_push(&maps->nodes) = (struct node){
		.start = start,
		.end = end,
		.mapping = mapping,
		.priority = maps->random ^ (uint32_t)hash_seed,
		.epoch = epoch,
	};
	return (uint32_t)maps->nodes.n - 1;
}

/* Parts TREE into the nodes that start below ADDRESS and the others. */
static void split(struct maps *maps, uint32_t tree, uint64_t address,
	uint32_t epoch, uint32_t *below, uint32_t *others)
{
	uint32_t inner;

	if (tree == NO_NODE) {
		*below = *others = NO_NODE;
		return;
	}
	tree = own(maps, tree, epoch);
	if (maps->nodes.at[tree].start < address) {
		split(maps, maps->nodes.at[tree].right, address, epoch, &inner,
			others);
		maps->nodes.at[tree].right = inner;
		*below = tree;
	} else {
		split(maps, maps->nodes.at[tree].left, address, epoch, below,
			&inner);
		maps->nodes.at[tree].left = inner;
		*others = tree;
	}
}

/* Joins two trees, all of LEFT being below all of RIGHT. */
static uint32_t join(
	struct maps *maps, uint32_t left, uint32_t right, uint32_t epoch)
{
	uint32_t inner;

	if (left == NO_NODE || right == NO_NODE)
		return left == NO_NODE ? right : left;
	if (maps->nodes.at[left].priority > maps->nodes.at[right].priority) {
		left = own(maps, left, epoch);
		inner = join(maps, maps->nodes.at[left].right, right, epoch);
		maps->nodes.at[left].right = inner;
		return left;
	}
	right = own(maps, right, epoch);
	inner = join(maps, left, maps->nodes.at[right].left, epoch);
	maps->nodes.at[right].left = inner;
	return right;
}

static uint32_t last_node(const struct maps *maps, uint32_t tree)
{
	while (tree != NO_NODE && maps->nodes.at[tree].right != NO_NODE)
		tree = maps->nodes.at[tree].right;
	return tree;
}

/* The node that overlaps [START, END) and starts last; NO_NODE if none. */
static uint32_t find_overlap(
	const struct maps *maps, uint32_t tree, uint64_t start, uint64_t end)
{
	uint32_t found = NO_NODE;

	while (tree != NO_NODE) {
		const struct node *node = &maps->nodes.at[tree];

		if (node->start < end) {
			found = tree;
			tree = node->right;
		} else {
			tree = node->left;
		}
	}
	if (found != NO_NODE && maps->nodes.at[found].end <= start)
		return NO_NODE;
	return found;
}

/* A mapping of the same bytes to the same place, as mprotect() announces. */
static bool is_again(const struct maps *maps, uint32_t node,
	const struct mapping *new)
{
	const struct mapping *old =
		&maps->mappings.at[maps->nodes.at[node].mapping];

	return old->dso == new->dso &&
		maps->nodes.at[node].start <= new->start &&
		maps->nodes.at[node].end >= new->end &&
		old->start - old->offset == new->start - new->offset;
}

/* Puts a mapping into ROOT, over whatever is there. Returns the new root. */
static uint32_t overlay(struct maps *maps, uint32_t root, uint64_t start,
	uint64_t end, uint32_t mapping, uint32_t epoch)
{
	uint32_t below, rest, covered, above, edge, tail;

	split(maps, root, start, epoch, &below, &rest);
	split(maps, rest, end, epoch, &covered, &above);
	/* What sticks out on the right of the covered part goes on there. */
	edge = last_node(maps, covered != NO_NODE ? covered : below);
	if (edge != NO_NODE && maps->nodes.at[edge].end > end) {
		tail = new_node(maps, end, maps->nodes.at[edge].end,
			maps->nodes.at[edge].mapping, epoch);
		above = join(maps, tail, above, epoch);
	}
	edge = last_node(maps, below);
	if (edge != NO_NODE && maps->nodes.at[edge].end > start) {
		split(maps, below, maps->nodes.at[edge].start, epoch, &below,
			&rest);
		rest = own(maps, rest, epoch);
		maps->nodes.at[rest].end = start;
		below = join(maps, below, rest, epoch);
	}
	below = join(maps, below,
		new_node(maps, start, end, mapping, epoch), epoch);
	return join(maps, below, above, epoch);
}

static void add_mapping(struct maps *maps, uint32_t pid,
	const struct mapping *mapping, uint64_t time)
{
	struct process *process = maps_process(maps, pid);
	uint32_t overlap, space;

	if (!process)
		process = begin_space(maps, pid, (struct space){ 0 }, time);
	space = newest_space(process);
	overlap = find_overlap(maps, maps->spaces.at[space].root,
		mapping->start, mapping->end);
	if (overlap != NO_NODE && is_again(maps, overlap, mapping))
		return;
	*array_push(&maps->mappings) = *mapping;
	/* Stacks can't tell versions of the kernel: its newest one answers. */
	if (overlap != NO_NODE && pid != MAPS_KERNEL_PID) {
		process = begin_space(
			maps, pid, maps->spaces.at[space], time);
		space = newest_space(process);
	}
	maps->spaces.at[space].root =
		overlay(maps, maps->spaces.at[space].root, mapping->start,
			mapping->end, (uint32_t)maps->mappings.n - 1,
			process->epoch);
}

/*
 * The kernel's own mapping is recorded with the size of its first text, but
 * code of start-up and of late features lies behind: it reaches up to the
 * modules, whose mappings come after it.
 */
static bool is_kernel_text(const struct record_mmap *map)
{
	return map->pid == MAPS_KERNEL_PID &&
		string_starts(map->path, "[kernel.kallsyms]");
}

void maps_add_mmap(
	struct maps *maps, const struct record_mmap *map, uint64_t time)
{
	struct mapping mapping = { .start = map->start,
		.offset = map->offset };

	if (is_kernel_text(map) ||
		__builtin_add_overflow(map->start, map->size, &mapping.end))
		mapping.end = UINT64_MAX;
	if (mapping.end <= mapping.start)
		return;
	if (maps_is_anonymous(map->path))
		mapping.offset = mapping.start;
	mapping.dso = intern_dso(maps, map);
	add_mapping(maps, map->pid, &mapping, time);
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
	const struct process *process = maps_process(maps, comm->pid);
	struct space space = { 0 };

	set_comm(maps, comm->pid, comm->tid, intern_comm(maps, comm->comm),
		time);
	if (!comm->is_exec)
		return;
	if (process)
		space.before_exec = newest_space(process);
	begin_space(maps, comm->pid, space, time);
}

/*
 * A FORK at time 0 was made up from /proc: it tells who belongs to whom, and
 * the child's mappings stand in records of their own.
 */
void maps_add_fork(
	struct maps *maps, const struct record_task *fork, uint64_t time)
{
	const struct thread *parent_thread =
		find_thread(maps, fork->ppid, fork->ptid);
	struct thread *ended = find_thread(maps, fork->pid, fork->tid);
	struct process *parent;
	struct space space = { 0 };

	/* Its ids are used again. */
	if (ended)
		ended->ended = 0;
	if (parent_thread && parent_thread->comms.n)
		set_comm(maps, fork->pid, fork->tid,
			parent_thread->comms.at[parent_thread->comms.n - 1]
				.comm,
			time);
	if (fork->pid == fork->ppid || time == 0)
		return;
	parent = maps_process(maps, fork->ppid);
	if (parent) {
		space = maps->spaces.at[newest_space(parent)];
		/* From here on both own none of the nodes they share. */
		parent->epoch = ++maps->epochs;
	}
	begin_space(maps, fork->pid, space, time);
}

bool maps_wants_record(uint32_t type)
{
	return type == RECORD_MMAP || type == RECORD_MMAP2 ||
		type == RECORD_COMM || type == RECORD_FORK ||
		type == RECORD_KSYMBOL;
}

void maps_add_record(
	struct maps *maps, const struct record *record, uint64_t time)
{
	struct record_mmap map;
	struct record_comm comm;
	struct record_task task;
	struct record_ksymbol symbol;

	if (record->type == RECORD_COMM && record_read_comm(record, &comm))
		maps_add_comm(maps, &comm, time);
	else if (record->type == RECORD_FORK &&
		record_read_task(record, &task))
		maps_add_fork(maps, &task, time);
	else if (record->type == RECORD_KSYMBOL &&
		record_read_ksymbol(record, &symbol))
		maps_add_ksymbol(maps, &symbol);
	else if ((record->type == RECORD_MMAP ||
			 record->type == RECORD_MMAP2) &&
		!(record->misc & MISC_MMAP_DATA) &&
		record_read_mmap(record, &map))
		maps_add_mmap(maps, &map, time);
}

struct maps_context maps_context(
	const struct maps *maps, uint32_t pid, uint32_t tid, uint64_t time)
{
	const struct process *process = maps_process(maps, pid);
	const struct thread *thread = find_thread(maps, pid, tid);
	struct maps_context context = { .space = MAPS_NO_SPACE,
		.valid_until = UINT64_MAX };
	size_t n;

	if (process) {
		n = VERSIONS_BEFORE(&process->versions, time);
		if (n) {
			context.space = process->versions.at[n - 1].space;
			context.valid_from = process->versions.at[n - 1].time;
		}
		if (n < process->versions.n)
			context.valid_until = process->versions.at[n].time;
	}
	if (thread) {
		n = VERSIONS_BEFORE(&thread->comms, time);
		if (n) {
			context.comm = thread->comms.at[n - 1].comm;
			context.valid_from = MAX(context.valid_from,
				thread->comms.at[n - 1].time);
		}
		if (n < thread->comms.n)
			context.valid_until = MIN(context.valid_until,
				thread->comms.at[n].time);
	}
	return context;
}

static const struct mapping *find_below(
	const struct maps *maps, uint32_t at, uint64_t address)
{
	while (at != NO_NODE) {
		const struct node *node = &maps->nodes.at[at];

		if (address < node->start)
			at = node->left;
		else if (address >= node->end)
			at = node->right;
		else
			return &maps->mappings.at[node->mapping];
	}
	return NULL;
}

const struct mapping *maps_find(
	const struct maps *maps, uint32_t number, uint64_t address)
{
	const struct mapping *found;
	struct space space;

	if (number >= maps->spaces.n)
		return NULL;
	space = maps->spaces.at[number];
	found = find_below(maps, space.root, address);
	if (!found && space.before_exec != MAPS_NO_SPACE)
		found = find_below(maps,
			maps->spaces.at[space.before_exec].root, address);
	return found;
}

const char *maps_comm(const struct maps *maps, uint32_t comm)
{
	return comm < maps->comms.n ? maps->comms.at[comm] : "";
}

const struct dso *maps_dso(const struct maps *maps, uint32_t dso)
{
	return &maps->dsos.at[dso];
}

uint32_t maps_n_dsos(const struct maps *maps)
{
	return (uint32_t)maps->dsos.n;
}

uint32_t maps_n_spaces(const struct maps *maps)
{
	return (uint32_t)maps->spaces.n;
}

void maps_end_thread(
	struct maps *maps, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct thread *thread = find_thread(maps, pid, tid);

	if (!thread)
		thread = add_thread(maps, pid, tid);
	thread->ended = time;
}

struct pids {
	ARRAY(uint32_t) list;
};

static int compare_pids(const void *a, const void *b)
{
	return COMPARE(*(const uint32_t *)a, *(const uint32_t *)b);
}

static bool has_pid(const struct pids *pids, uint32_t pid)
{
	return pids->list.n &&
		bsearch(&pid, pids->list.at, pids->list.n, sizeof(pid),
			compare_pids);
}

static void visit_node(const struct maps *maps, uint32_t at, uint32_t pid,
	const struct maps_visitor *visitor)
{
	const struct node *node = &maps->nodes.at[at];
	struct mapping seen;

	if (at == NO_NODE)
		return;
	visit_node(maps, node->left, pid, visitor);
	seen = maps->mappings.at[node->mapping];
	seen.offset += node->start - seen.start;
	seen.start = node->start;
	seen.end = node->end;
	visitor->mapping(visitor->data, pid, &seen);
	visit_node(maps, node->right, pid, visitor);
}

static void visit_thread(const struct maps *maps, const struct thread *thread,
	const struct maps_visitor *visitor)
{
	size_t n = thread->comms.n;

	if (n)
		visitor->comm(visitor->data, thread->pid, thread->tid,
			maps_comm(maps, thread->comms.at[n - 1].comm));
	if (thread->ended)
		visitor->end(visitor->data, thread->pid, thread->tid,
			thread->ended);
}

void maps_visit(const struct maps *maps, uint64_t since,
	const struct maps_visitor *visitor)
{
	struct pids living = { 0 }, ended = { 0 };

	array_each(&maps->threads, thread) {
		bool is_over = maps_has_ended(thread, since);

		*array_push(is_over ? &ended.list : &living.list) = thread->pid;
		if (!is_over)
			visit_thread(maps, thread, visitor);
	}
	array_sort(&living.list, compare_pids);
	array_sort(&ended.list, compare_pids);
	array_each(&maps->processes, process)
		if (process->pid != MAPS_KERNEL_PID &&
			(has_pid(&living, process->pid) ||
				!has_pid(&ended, process->pid)))
			visit_node(maps,
				maps->spaces.at[newest_space(process)].root,
				process->pid, visitor);
	array_free(&living.list);
	array_free(&ended.list);
}
