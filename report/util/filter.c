/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/filter.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>

#include "common/util/cli.h"
#include "report/util/name_parts.h"

/* Prefix of the path of a file that contains names, as in perf. */
#define FILE_MARK "file://"

void filter_names_deinit(struct filter_names *list)
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
	array_free(&filter->addresses);
	cpus_deinit(&filter->cpus);
}

/*
 * Returns the first LENGTH bytes of *WORDS, owned by the caller, and moves
 * *WORDS behind these bytes and the comma that follows. Returns NULL at the end
 * of *WORDS.
 */
static char *cut_list_word(const char **words, size_t length)
{
	char *word;

	if (!**words)
		return NULL;
	word = xstrndup(*words, length);
	*words += length + ((*words)[length] == ',');
	return word;
}

void filter_add_names(struct filter_names *list, const char *words)
{
	char *word;

	if (!words) {
		filter_names_deinit(list);
		return;
	}
	while ((word = cut_list_word(&words, strcspn(words, ","))))
		*array_push(&list->names) = word;
}

static struct error *add_file_lines(struct filter_names *list, const char *path)
{
	FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0, before = list->names.n;
	ssize_t length;

	if (!file)
		return error_errno(errno, "%s: cannot open", path);
	while ((length = getline(&line, &room, file)) > 0) {
		if (line[length - 1] == '\n')
			length--;
		if (length)
			*array_push(&list->names) =
				xstrndup(line, (size_t)length);
	}
	fclose(file);
	if (list->names.n == before)
		return error_new("%s: no names in the file", path);
	return NULL;
}

struct error *filter_add_listed(struct filter_names *list, const char *words)
{
	struct error *err = NULL;
	char *word;

	if (!words)
		filter_names_deinit(list);
	while (!err && words && *words) {
		size_t depth = 0, length = 0;

		/*
		 * A comma inside of brackets is a part of the name, unless a
		 * bracket is not closed.
		 */
		while (words[length] && (depth || words[length] != ','))
			length += name_step(words, length, &depth);
		word = cut_list_word(
			&words, depth ? strcspn(words, ",") : length);
		if (strncmp(word, FILE_MARK, strlen(FILE_MARK))) {
			*array_push(&list->names) = word;
			continue;
		}
		err = add_file_lines(list, word + strlen(FILE_MARK));
		free(word);
	}
	return err;
}

void filter_add_addresses(struct filter *filter)
{
	array_each(&filter->symbols.names, name) {
		char *end;
		uint64_t address = strtoull(*name, &end, 16);

		if (isxdigit((unsigned char)**name) && !*end)
			*array_push(&filter->addresses) = address;
	}
}

bool filter_has_address(const struct filter *filter, uint64_t address)
{
	array_each(&filter->addresses, first)
		if (address - *first < MAX(filter->address_range, 1u))
			return true;
	return false;
}

struct error *filter_add_numbers(
	struct filter_numbers *list, const char *what, const char *words)
{
	if (!words) {
		array_free(&list->numbers);
		return NULL;
	}
	for (;;) {
		_cleanup_free_ char *word =
			cut_list_word(&words, strcspn(words, ","));
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

bool filter_passes_name(const struct filter_names *list, const char *name)
{
	array_each(&list->names, wanted)
		if (string_is(*wanted, name))
			return true;
	return list->names.n == 0;
}

bool filter_matches(const struct filter_names *list, const char *name)
{
	array_each(&list->names, pattern)
		if (string_is(*pattern, name) || !fnmatch(*pattern, name, 0))
			return true;
	return false;
}

static bool list_passes_number(
	const struct filter_numbers *list, uint32_t number)
{
	array_each(&list->numbers, wanted)
		if (*wanted == number)
			return true;
	return list->numbers.n == 0;
}

bool filter_passes_task(const struct filter *filter, uint32_t pid, uint32_t tid)
{
	return list_passes_number(&filter->pids, pid) &&
		list_passes_number(&filter->tids, tid);
}
