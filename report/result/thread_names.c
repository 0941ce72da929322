/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/thread_names.h"

#include "common/maps/maps.h"
#include "report/util/string_table.h"

/* A thread of which the last name is in a row. */
struct shown_thread {
	uint32_t pid, name; /* .name is a number in thread_search.names */
};

struct thread_search {
	struct string_table names; /* the names in rows, then other names */
	size_t n_shown;		   /* number of names in rows */
	ARRAY(struct shown_thread) threads; /* threads of one input */
};

/*
 * Returns the index of the thread name in the keys of rows, or FIELDS_MAX if
 * rows are not grouped by thread name, or are grouped by thread ID.
 */
static size_t find_comm_key(const struct hist_request *request)
{
	size_t found = FIELDS_MAX, i;

	for (i = 0; i < request->n_fields; i++) {
		if (string_is(request->fields[i]->name, "tid"))
			return FIELDS_MAX;
		if (string_is(request->fields[i]->name, "comm"))
			found = i;
	}
	return found;
}

static void list_shown_names(
	const struct result *result, size_t key, struct thread_search *search)
{
	array_each(&result->hists, hist)
		array_each(&hist->rows, row) {
			_cleanup_strbuf_ struct strbuf name = { 0 };

			if (row->is_hidden || row->is_rest)
				continue;
			strbuf_puts(&name, "");
			field_comm_text(&result->names, row->key[key], &name);
			string_table_intern(&search->names, name.at);
		}
	search->n_shown = search->names.at.n;
}

static void add_shown_thread(
	void *data, uint32_t pid, uint32_t tid _unused_, const char *comm)
{
	struct thread_search *search = data;
	uint32_t name = string_table_intern(&search->names, comm);

	if (name < search->n_shown)
		*array_push(&search->threads) =
			(struct shown_thread){ pid, name };
}

static int compare_shown_threads(const void *a, const void *b)
{
	const struct shown_thread *left = a, *right = b;

	if (left->pid != right->pid)
		return COMPARE(left->pid, right->pid);
	return COMPARE(left->name, right->name);
}

/* Counts the threads from AT on, before END, that are of the process of AT. */
static struct thread_names count_process_names(
	const struct shown_thread *at, const struct shown_thread *end)
{
	struct thread_names process = { .pid = at->pid, .n_names = 1 };
	uint32_t name = at->name;

	for (; at < end && at->pid == process.pid; at++) {
		process.n_threads++;
		process.n_names += at->name != name;
		name = at->name;
	}
	return process;
}

/* Returns the name of the last process that had PID, or NULL. */
static const char *last_process_comm(const struct survey *survey, uint32_t pid)
{
	struct maps_context last =
		maps_context(survey->maps, pid, pid, UINT64_MAX);

	return survey_process_comm(survey, pid, last.pid_use);
}

/* Replaces BEST by the process of INPUT's threads that has the most names. */
static void choose_most_names(struct thread_search *search,
	const struct input *input, struct thread_names *best)
{
	size_t i = 0;

	array_sort(&search->threads, compare_shown_threads);
	while (i < search->threads.n) {
		struct thread_names process =
			count_process_names(search->threads.at + i,
				search->threads.at + search->threads.n);

		i += process.n_threads;
		if (process.n_names <= best->n_names)
			continue;
		*best = process;
		best->process = last_process_comm(&input->survey, process.pid);
	}
	array_clear(&search->threads);
}

bool thread_names_find(const struct result *result, struct thread_names *ret)
{
	struct thread_search search = { 0 };
	const struct maps_visitor visitor = { .comm = add_shown_thread,
		.data = &search };
	size_t key = find_comm_key(&result->request);

	*ret = (struct thread_names){ 0 };
	if (key == FIELDS_MAX)
		return false;
	list_shown_names(result, key, &search);
	array_each(&result->inputs.at, input) {
		maps_visit(input->survey.maps, 0, &visitor);
		choose_most_names(&search, input, ret);
	}
	string_table_deinit(&search.names);
	array_free(&search.threads);
	return ret->n_names > THREAD_NAMES_FEW;
}
