/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/thread_names.h"

#include "common/maps/maps.h"
#include "report/util/string_table.h"

/* The number of names from which on they split the rows of functions. */
#define SPLIT_MIN 4u

/* A thread of which the last name is in a row. */
struct shown_thread {
	uint32_t pid, name; /* .name is a number in thread_search.names */
};

struct thread_search {
	struct string_table names; /* the names in rows, then other names */
	ARRAY(uint64_t) samples;   /* of each name in rows */
	uint64_t n_samples;	   /* their sum */
	ARRAY(struct shown_thread) threads; /* threads of one input */
};

static void add_shown_thread(
	void *data, uint32_t pid, uint32_t tid _unused_, const char *comm)
{
	struct thread_search *search = data;
	uint32_t name = string_table_intern(&search->names, comm);

	if (name < search->samples.n)
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

/* Replaces BEST by the process of INPUT's threads that has the most names. */
static void choose_most_names(struct thread_search *search,
	const struct input *input, struct thread_names *best)
{
	const struct shown_thread *at = search->threads.at;
	size_t n = search->threads.n, i = 0;

	array_sort(&search->threads, compare_shown_threads);
	while (i < n) {
		uint32_t pid = at[i].pid;
		struct thread_names process = { .pid = pid };

		for (; i < n && at[i].pid == pid; i++) {
			bool is_first = !process.n_threads++;

			if (!is_first && at[i - 1].name == at[i].name)
				continue;
			process.n_names++;
			process.samples += search->samples.at[at[i].name];
		}
		if (process.n_names <= best->n_names)
			continue;
		*best = process;
		/* the name of the last process that had the PID */
		struct maps_context last =
			maps_context(input->survey.maps, pid, pid, UINT64_MAX);

		best->process =
			survey_process_comm(&input->survey, pid, last.pid_use);
	}
	array_clear(&search->threads);
}

void thread_names_find(const struct field_names *names,
	const struct hist *hists, size_t n, const struct hist_request *request,
	struct thread_names *ret)
{
	struct thread_search search = { 0 };
	const struct maps_visitor visitor = { .comm = add_shown_thread,
		.data = &search };
	size_t key = FIELDS_MAX, i;

	*ret = (struct thread_names){ 0 };
	/* Rows by thread ID are not those of a name. */
	for (i = 0; i < request->n_fields; i++) {
		if (string_is(request->fields[i]->name, "tid"))
			return;
		if (string_is(request->fields[i]->name, "comm"))
			key = i;
	}
	if (key == FIELDS_MAX)
		return;
	for (i = 0; i < n; i++) {
		array_each(&hists[i].rows, row) {
			_cleanup_strbuf_ struct strbuf name = { 0 };
			uint32_t number;

			if (row->is_hidden || row->is_rest)
				continue;
			strbuf_puts(&name, "");
			field_comm_text(names, row->key[key], &name);
			number = string_table_intern(&search.names, name.at);
			if (number == search.samples.n)
				array_push(&search.samples);
			search.samples.at[number] += row->samples;
			search.n_samples += row->samples;
		}
	}
	array_each(&names->inputs->at, input) {
		maps_visit(input->survey.maps, 0, &visitor);
		choose_most_names(&search, input, ret);
	}
	ret->split_rows = ret->n_names >= SPLIT_MIN &&
		ret->samples >= search.n_samples / 2;
	string_table_deinit(&search.names);
	array_free(&search.samples);
	array_free(&search.threads);
}
