/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/filter.h"

#include <fnmatch.h>

#include "common/cli.h"

void filter_names_deinit(struct name_list *list)
{
	array_each(&list->names, name)
		free(*name);
	array_free(&list->names);
}

void filter_deinit(struct filter *filter)
{
	filter_names_deinit(&filter->comms);
	filter_names_deinit(&filter->dsos);
	filter_names_deinit(&filter->symbols);
	filter_names_deinit(&filter->events);
	filter_names_deinit(&filter->cgroups);
	filter_names_deinit(&filter->hosts);
	array_free(&filter->pids.numbers);
	array_free(&filter->tids.numbers);
	cpus_deinit(&filter->cpus);
}

/* The next word of a comma-separated list; owned; NULL at its end. */
static char *next_word(const char **words)
{
	size_t length = strcspn(*words, ",");
	char *word;

	if (!**words)
		return NULL;
	word = xstrndup(*words, length);
	*words += length + ((*words)[length] == ',');
	return word;
}

void filter_add_names(struct name_list *list, const char *words)
{
	char *word;

	if (!words) {
		filter_names_deinit(list);
		return;
	}
	while ((word = next_word(&words)))
		*array_push(&list->names) = word;
}

struct error *filter_add_numbers(
	struct number_list *list, const char *what, const char *words)
{
	if (!words) {
		array_free(&list->numbers);
		return NULL;
	}
	for (;;) {
		_cleanup_free_ char *word = next_word(&words);
		struct error *err;
		uint64_t number;

		if (!word)
			return NULL;
		err = cli_number(word, what, 0, INT32_MAX, &number);
		if (err)
			return err;
		*array_push(&list->numbers) = (uint32_t)number;
	}
}

bool filter_passes_name(const struct name_list *list, const char *name)
{
	array_each(&list->names, wanted)
		if (string_is(*wanted, name))
			return true;
	return list->names.n == 0;
}

bool filter_matches(const struct name_list *list, const char *name)
{
	array_each(&list->names, pattern)
		if (string_is(*pattern, name) || !fnmatch(*pattern, name, 0))
			return true;
	return false;
}

bool filter_passes_number(const struct number_list *list, uint32_t number)
{
	array_each(&list->numbers, wanted)
		if (*wanted == number)
			return true;
	return list->numbers.n == 0;
}

bool filter_passes_task(
	const struct filter *filter, uint32_t pid, uint32_t tid)
{
	return filter_passes_number(&filter->pids, pid) &&
		filter_passes_number(&filter->tids, tid);
}
