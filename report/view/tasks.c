/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/tasks.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/util/output.h"
#include "report/view/table.h"

/* Blanks before a mapping: it stands below the names. */
#define MAP_INDENT 32
/* Deeper generations stand no further to the right. */
#define LEVELS_MAX 1000

struct task {
	uint32_t pid, tid;
	int64_t parent;   /* tid; -1: not known */
	const char *comm; /* borrowed from the maps */
	bool is_shown;
};

struct tasks {
	struct reader *reader;
	const struct maps *maps;
	bool is_full; /* there was more than there is memory for */
	ARRAY(struct task) list; /* by tid */
	ARRAY(struct child {
		int64_t parent;
		size_t task; /* place in the list */
	}) children; /* by parent */
	ARRAY(struct fork {
		uint32_t tid, parent;
		size_t order;
	}) forks; /* by tid, the last one of each first */
	ARRAY(struct mapped {
		uint32_t pid;
		size_t order;
		struct mapping mapping;
	}) mapped; /* by pid, then address */
	struct table *table; /* instead of text; or NULL */
	struct strbuf *out;
};

/* --- collecting ----------------------------------------------------------- */

/* What an array takes that grows by one of SIZE. */
static bool affords(struct tasks *tasks, size_t size)
{
	if (!reader_affords(tasks->reader, 2 * size))
		tasks->is_full = true;
	return !tasks->is_full;
}

static void take_comm(
	void *data, uint32_t pid, uint32_t tid, const char *comm)
{
	struct tasks *tasks = data;

	if (!affords(tasks, sizeof(struct task) + sizeof(struct child)))
		return;
	*array_push(&tasks->list) = (struct task){
		.pid = pid, .tid = tid, .parent = -1, .comm = comm
	};
}

static void ignore_end(void *data _unused_, uint32_t pid _unused_,
	uint32_t tid _unused_, uint64_t time _unused_)
{
}

static void take_mapping(
	void *data, uint32_t pid, const struct mapping *mapping)
{
	struct tasks *tasks = data;

	if (!affords(tasks, sizeof(struct mapped)))
		return;
	*array_push(&tasks->mapped) = (struct mapped){
		.pid = pid, .order = tasks->mapped.n, .mapping = *mapping
	};
}

static void ignore_mapping(void *data _unused_, uint32_t pid _unused_,
	const struct mapping *mapping _unused_)
{
}

static void take_forks(struct tasks *tasks, const struct chunk *chunk)
{
	struct record_task task;
	struct record record;
	size_t at = 0;

	while (record_at(chunk->data + at, chunk->size - at, false, &record)) {
		if (record.type == RECORD_FORK &&
			record_read_task(&record, &task) &&
			affords(tasks, sizeof(struct fork)))
			*array_push(&tasks->forks) = (struct fork){
				task.tid, task.ptid, tasks->forks.n
			};
		at += record.size;
	}
}

/* Who made whom is no part of the survey. */
static void read_forks(struct tasks *tasks)
{
	struct reader *reader = tasks->reader;
	struct cursor *cursor = cursor_create(reader);
	struct chunk chunk;
	size_t i;

	for (i = 0; i < reader_n_extents(reader); i++) {
		const struct extent *extent = reader_extent(reader, i);

		if (extent->coding == EXTENT_BLOCK &&
			extent->info.kind == BLOCK_SAMPLES)
			continue;
		cursor_load(cursor, extent);
		while (cursor_next(cursor, &chunk) == 0)
			take_forks(tasks, &chunk);
	}
	cursor_destroy(cursor);
}

static int compare_tasks(const void *a, const void *b)
{
	const struct task *left = a, *right = b;

	if (left->tid != right->tid)
		return COMPARE(left->tid, right->tid);
	return COMPARE(left->pid, right->pid);
}

static int compare_forks(const void *a, const void *b)
{
	const struct fork *left = a, *right = b;

	if (left->tid != right->tid)
		return COMPARE(left->tid, right->tid);
	return COMPARE(right->order, left->order);
}

static int compare_mapped(const void *a, const void *b)
{
	const struct mapped *left = a, *right = b;

	if (left->pid != right->pid)
		return COMPARE(left->pid, right->pid);
	return COMPARE(left->order, right->order);
}

/* Both lists are by tid. */
static void find_parents(struct tasks *tasks)
{
	size_t at = 0;

	array_each(&tasks->list, task) {
		while (at < tasks->forks.n &&
			tasks->forks.at[at].tid < task->tid)
			at++;
		if (at < tasks->forks.n && tasks->forks.at[at].tid == task->tid)
			task->parent = tasks->forks.at[at].parent;
	}
}

/* --- printing ------------------------------------------------------------- */

static void put_mappings(struct tasks *tasks, uint32_t pid, int level)
{
	size_t i = array_count_before(
		&tasks->mapped, mapped, mapped->pid < pid);

	for (; i < tasks->mapped.n && tasks->mapped.at[i].pid == pid; i++) {
		const struct mapping *mapping = &tasks->mapped.at[i].mapping;
		const struct dso *dso = maps_dso(tasks->maps, mapping->dso);

		strbuf_printf(tasks->out,
			"%*s%" PRIx64 "-%" PRIx64 " %08" PRIx64 " %" PRIu64
			" ",
			MAP_INDENT + level, "", mapping->start, mapping->end,
			mapping->offset, dso->inode);
		escape_text(tasks->out, dso->path);
		strbuf_putc(tasks->out, '\n');
		output_some(tasks->out);
	}
}

static void put_task_row(struct table *table, const struct task *task)
{
	table_signed(table, (int32_t)task->pid);
	table_signed(table, (int32_t)task->tid);
	table_signed(table, (int32_t)task->parent);
	table_text(table, task->comm);
}

static void put_task(struct tasks *tasks, struct task *task, int level)
{
	task->is_shown = true;
	if (tasks->table) {
		put_task_row(tasks->table, task);
		output_some(tasks->out);
		return;
	}
	strbuf_printf(tasks->out, "  %8d %8d %8d |%*s", (int32_t)task->pid,
		(int32_t)task->tid, (int32_t)task->parent, level, "");
	escape_text(tasks->out, task->comm);
	strbuf_putc(tasks->out, '\n');
	put_mappings(tasks, task->pid, level);
}

struct waiting {
	size_t task;
	int level;
};

/*
 * TASK and all below it, without recursion: a file may tell of any number of
 * generations, or of somebody who is its own ancestor.
 */
static void put_family(struct tasks *tasks, size_t task)
{
	ARRAY(struct waiting) stack = { 0 };

	*array_push(&stack) = (struct waiting){ task, 0 };
	while (stack.n) {
		struct waiting next = stack.at[--stack.n];
		struct task *parent = &tasks->list.at[next.task];
		size_t i, end;

		if (parent->is_shown)
			continue;
		put_task(tasks, parent, next.level);
		i = array_count_before(
			&tasks->children, child, child->parent < parent->tid);
		end = array_count_before(
			&tasks->children, child, child->parent <= parent->tid);
		while (end > i)
			*array_push(&stack) = (struct waiting){
				tasks->children.at[--end].task,
				MIN(next.level + 1, LEVELS_MAX)
			};
	}
	array_free(&stack);
}

static int compare_children(const void *a, const void *b)
{
	const struct child *left = a, *right = b;

	if (left->parent != right->parent)
		return COMPARE(left->parent, right->parent);
	return COMPARE(left->task, right->task);
}

static bool is_known(const struct tasks *tasks, int64_t tid)
{
	size_t i = array_count_before(&tasks->list, task, task->tid < tid);

	return i < tasks->list.n && tasks->list.at[i].tid == tid;
}

static void put_all(struct tasks *tasks)
{
	size_t i;

	array_each(&tasks->list, task)
		*array_push(&tasks->children) = (struct child){
			task->parent, (size_t)(task - tasks->list.at)
		};
	array_sort(&tasks->children, compare_children);
	if (!tasks->table)
		strbuf_printf(tasks->out, "# %8s %8s %8s  %s\n", "pid", "tid",
			"ppid", "comm");
	for (i = 0; i < tasks->list.n; i++)
		if (!is_known(tasks, tasks->list.at[i].parent))
			put_family(tasks, i);
	/* Those who are their own ancestors. */
	for (i = 0; i < tasks->list.n; i++)
		put_family(tasks, i);
}

static void put_mapping_rows(const struct tasks *tasks, struct table *table)
{
	array_each(&tasks->mapped, mapped) {
		const struct mapping *mapping = &mapped->mapping;
		const struct dso *dso = maps_dso(tasks->maps, mapping->dso);

		table_signed(table, (int32_t)mapped->pid);
		table_address(table, mapping->start);
		table_address(table, mapping->end);
		table_address(table, mapping->offset);
		table_number(table, dso->inode);
		table_text(table, dso->path);
		output_some(tasks->out);
	}
}

static void find(struct tasks *tasks, bool has_maps)
{
	const struct maps_visitor visitor = { take_comm, ignore_end,
		has_maps ? take_mapping : ignore_mapping, tasks };

	maps_visit(tasks->maps, 0, &visitor);
	read_forks(tasks);
	array_sort(&tasks->list, compare_tasks);
	if (!tasks->list.n || tasks->list.at[0].tid) {
		take_comm(tasks, 0, 0, "swapper");
		array_sort(&tasks->list, compare_tasks);
	}
	array_sort(&tasks->forks, compare_forks);
	array_sort(&tasks->mapped, compare_mapped);
	find_parents(tasks);
	if (tasks->is_full)
		log_note("%s: it tells of too many threads or mappings for its "
			 "size; those behind the first ones are left out",
			reader_path(tasks->reader));
}

static void tasks_deinit(struct tasks *tasks)
{
	array_free(&tasks->list);
	array_free(&tasks->children);
	array_free(&tasks->forks);
	array_free(&tasks->mapped);
}

void tasks_print(struct reader *reader, const struct survey *survey,
	bool has_maps, struct strbuf *out)
{
	struct tasks tasks = { .reader = reader,
		.maps = survey->maps,
		.out = out };

	find(&tasks, has_maps);
	put_all(&tasks);
	tasks_deinit(&tasks);
}

void tasks_put_table(struct reader *reader, const struct survey *survey,
	bool has_maps, const char *view, struct strbuf *out)
{
	static const char *const of_task[] = { "pid", "tid", "ppid", "comm",
		NULL };
	static const char *const of_mapping[] = { "pid", "start", "end",
		"offset", "inode", "path", NULL };
	struct table table;
	struct tasks tasks = { .reader = reader,
		.maps = survey->maps,
		.table = &table,
		.out = out };

	table_begin(&table, view, has_maps ? "mmaps" : "tasks",
		has_maps ? of_mapping : of_task, out);
	find(&tasks, has_maps);
	if (has_maps)
		put_mapping_rows(&tasks, &table);
	else
		put_all(&tasks);
	tasks_deinit(&tasks);
	table_end(&table);
}
