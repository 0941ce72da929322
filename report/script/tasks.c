/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/tasks.h"

#include <inttypes.h>

#include "common/util/budget.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/scan/record_visit.h"
#include "report/util/output.h"
#include "report/view/table.h"

/* Number of spaces before a mapping, so that it is below the thread names. */
#define MAP_INDENT 32
/*
 * Limit of the indentation: threads at deeper levels are not indented further.
 */
#define LEVELS_MAX 1000

struct task {
	uint32_t pid, tid;
	int64_t parent;	  /* TID of the parent; -1: not known */
	const char *comm; /* borrowed from the maps */
	bool is_shown;
};

struct tasks {
	struct reader *reader;
	const struct maps *maps;
	bool is_full;		 /* more data than the memory limit permits */
	ARRAY(struct task) list; /* sorted by TID */
	ARRAY(struct child {
		int64_t parent;
		size_t task; /* index in .list */
	})
	children; /* sorted by parent */
	ARRAY(struct fork {
		uint32_t tid, parent;
		size_t order;
	})
	forks; /* sorted by TID; the last FORK of each TID first */
	ARRAY(struct mapped {
		uint32_t pid;
		size_t order;
		struct mapping mapping;
	})
	mapped;		     /* sorted by PID, then by .order */
	struct table *table; /* table for JSON or CSV; NULL: text */
	struct strbuf *out;
};

/* --- collecting ----------------------------------------------------------- */

/*
 * Reserves memory for an array that grows by one element of SIZE bytes. Returns
 * false, and sets .is_full, if the memory limit is reached.
 */
static bool reserve_task_memory(struct tasks *tasks, size_t size)
{
	if (!budget_reserve(reader_budget(tasks->reader), 2 * size))
		tasks->is_full = true;
	return !tasks->is_full;
}

static void add_commed_task(
	void *data, uint32_t pid, uint32_t tid, const char *comm)
{
	struct tasks *tasks = data;

	if (!reserve_task_memory(
		    tasks, sizeof(struct task) + sizeof(struct child)))
		return;
	*array_push(&tasks->list) = (struct task){
		.pid = pid, .tid = tid, .parent = -1, .comm = comm
	};
}

static void add_task_mapping(
	void *data, uint32_t pid, const struct mapping *mapping)
{
	struct tasks *tasks = data;

	if (!reserve_task_memory(tasks, sizeof(struct mapped)))
		return;
	*array_push(&tasks->mapped) = (struct mapped){
		.pid = pid, .order = tasks->mapped.n, .mapping = *mapping
	};
}

static int compare_task_ids(const void *a, const void *b)
{
	const struct task *left = a, *right = b;

	if (left->tid != right->tid)
		return COMPARE(left->tid, right->tid);
	return COMPARE(left->pid, right->pid);
}

static int compare_task_forks(const void *a, const void *b)
{
	const struct fork *left = a, *right = b;

	if (left->tid != right->tid)
		return COMPARE(left->tid, right->tid);
	return COMPARE(right->order, left->order);
}

static int compare_task_mappings(const void *a, const void *b)
{
	const struct mapped *left = a, *right = b;

	if (left->pid != right->pid)
		return COMPARE(left->pid, right->pid);
	return COMPARE(left->order, right->order);
}

/* --- printing ------------------------------------------------------------- */

static void put_task_line(struct tasks *tasks, struct task *task, int level)
{
	task->is_shown = true;
	if (tasks->table) {
		table_signed(tasks->table, (int32_t)task->pid);
		table_signed(tasks->table, (int32_t)task->tid);
		table_signed(tasks->table, (int32_t)task->parent);
		table_text(tasks->table, task->comm);
		output_some(tasks->out);
		return;
	}
	strbuf_printf(tasks->out, "  %8d %8d %8d |%*s", (int32_t)task->pid,
		(int32_t)task->tid, (int32_t)task->parent, level, "");
	escape_text(tasks->out, task->comm);
	strbuf_putc(tasks->out, '\n');
	size_t i = array_count_before(
		&tasks->mapped, mapped, mapped->pid < task->pid);

	for (; i < tasks->mapped.n && tasks->mapped.at[i].pid == task->pid;
		i++) {
		const struct mapping *mapping = &tasks->mapped.at[i].mapping;
		const struct dso *dso = maps_dso(tasks->maps, mapping->dso);

		strbuf_printf(tasks->out,
			"%*s%" PRIx64 "-%" PRIx64 " %08" PRIx64 " %" PRIu64 " ",
			MAP_INDENT + level, "", mapping->start, mapping->end,
			mapping->offset, dso->inode);
		escape_text(tasks->out, dso->path);
		strbuf_putc(tasks->out, '\n');
		output_some(tasks->out);
	}
}

struct pending_task {
	size_t task;
	int level;
};

/*
 * Prints TASK and its descendants. Not recursive, because a file can contain
 * any number of generations, or a task that is its own ancestor.
 */
static void put_task_tree(struct tasks *tasks, size_t task)
{
	ARRAY(struct pending_task) stack = { 0 };

	*array_push(&stack) = (struct pending_task){ task, 0 };
	while (stack.n) {
		struct pending_task next = stack.at[--stack.n];
		struct task *parent = &tasks->list.at[next.task];
		size_t i, end;

		if (parent->is_shown)
			continue;
		put_task_line(tasks, parent, next.level);
		i = array_count_before(
			&tasks->children, child, child->parent < parent->tid);
		end = array_count_before(
			&tasks->children, child, child->parent <= parent->tid);
		while (end > i)
			*array_push(&stack) = (struct pending_task){
				tasks->children.at[--end].task,
				MIN(next.level + 1, LEVELS_MAX)
			};
	}
	array_free(&stack);
}

static int compare_task_children(const void *a, const void *b)
{
	const struct child *left = a, *right = b;

	if (left->parent != right->parent)
		return COMPARE(left->parent, right->parent);
	return COMPARE(left->task, right->task);
}

static bool has_task_id(const struct tasks *tasks, int64_t tid)
{
	size_t i = array_count_before(&tasks->list, task, task->tid < tid);

	return i < tasks->list.n && tasks->list.at[i].tid == tid;
}

static void put_task_trees(struct tasks *tasks)
{
	size_t i;

	array_each(&tasks->list, task)
		*array_push(&tasks->children) = (struct child){ task->parent,
			(size_t)(task - tasks->list.at) };
	array_sort(&tasks->children, compare_task_children);
	if (!tasks->table)
		strbuf_printf(tasks->out, "# %8s %8s %8s  %s\n", "pid", "tid",
			"ppid", "comm");
	for (i = 0; i < tasks->list.n; i++)
		if (!has_task_id(tasks, tasks->list.at[i].parent))
			put_task_tree(tasks, i);
	/* Print the remaining threads, which are their own ancestors. */
	for (i = 0; i < tasks->list.n; i++)
		put_task_tree(tasks, i);
}

/* Reads the FORK records, because the survey does not keep parents. */
static void read_task_forks(struct tasks *tasks)
{
	struct record_visit visit = { .reader = tasks->reader,
		.type = RECORD_FORK };
	struct record_task task;

	while (record_visit_next(&visit))
		if (record_read_task(&visit.record, &task) &&
			reserve_task_memory(tasks, sizeof(struct fork)))
			*array_push(&tasks->forks) = (struct fork){ task.tid,
				task.ptid, tasks->forks.n };
	array_sort(&tasks->forks, compare_task_forks);
}

static void collect_tasks(struct tasks *tasks, bool has_maps)
{
	const struct maps_visitor visitor = { .comm = add_commed_task,
		.mapping = has_maps ? add_task_mapping : NULL,
		.data = tasks };
	size_t at = 0;

	maps_visit(tasks->maps, 0, &visitor);
	read_task_forks(tasks);
	array_sort(&tasks->list, compare_task_ids);
	if (!tasks->list.n || tasks->list.at[0].tid) {
		add_commed_task(tasks, 0, 0, "swapper");
		array_sort(&tasks->list, compare_task_ids);
	}
	array_sort(&tasks->mapped, compare_task_mappings);
	/* Set the parents. Both arrays are sorted by TID. */
	array_each(&tasks->list, task) {
		while (at < tasks->forks.n &&
			tasks->forks.at[at].tid < task->tid)
			at++;
		if (at < tasks->forks.n && tasks->forks.at[at].tid == task->tid)
			task->parent = tasks->forks.at[at].parent;
	}
	if (tasks->is_full)
		log_note("%s: threads and mappings need more memory than a "
			 "recording of this size may use; only the first "
			 "ones are shown",
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
	struct tasks tasks = {
		.reader = reader, .maps = survey->maps, .out = out
	};

	collect_tasks(&tasks, has_maps);
	put_task_trees(&tasks);
	tasks_deinit(&tasks);
}

void tasks_put_table(struct reader *reader, const struct survey *survey,
	bool has_maps, const char *view, struct strbuf *out)
{
	static const char *const task_columns[] = { "pid", "tid", "ppid",
		"comm", NULL };
	static const char *const mapping_columns[] = { "pid", "start", "end",
		"offset", "inode", "path", NULL };
	struct table table;
	struct tasks tasks = { .reader = reader,
		.maps = survey->maps,
		.table = &table,
		.out = out };

	table_begin(&table, view, has_maps ? "mmaps" : "tasks",
		has_maps ? mapping_columns : task_columns, out);
	collect_tasks(&tasks, has_maps);
	if (has_maps) {
		array_each(&tasks.mapped, mapped) {
			const struct mapping *mapping = &mapped->mapping;
			const struct dso *dso =
				maps_dso(tasks.maps, mapping->dso);

			table_signed(&table, (int32_t)mapped->pid);
			table_address(&table, mapping->start);
			table_address(&table, mapping->end);
			table_address(&table, mapping->offset);
			table_number(&table, dso->inode);
			table_text(&table, dso->path);
			output_some(tasks.out);
		}
	} else
		put_task_trees(&tasks);
	tasks_deinit(&tasks);
	table_end(&table);
}
