/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/filter.h"

#include "common/cli.h"

static void list_deinit(struct name_list *list)
{
	array_each(&list->names, name)
		free(*name);
	array_free(&list->names);
}

void filter_deinit(struct filter *filter)
{
	list_deinit(&filter->comms);
	list_deinit(&filter->dsos);
	list_deinit(&filter->symbols);
	array_free(&filter->tids);
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

	while ((word = next_word(&words)))
		*array_push(&list->names) = word;
}

struct error *filter_add_tids(struct filter *filter, const char *words)
{
	for (;;) {
		_cleanup_free_ char *word = next_word(&words);
		struct error *err;
		uint64_t tid;

		if (!word)
			return NULL;
		err = cli_number(word, "--tid", 0, INT32_MAX, &tid);
		if (err)
			return err;
		*array_push(&filter->tids) = (uint32_t)tid;
	}
}

bool filter_passes_name(const struct name_list *list, const char *name)
{
	array_each(&list->names, wanted)
		if (string_is(*wanted, name))
			return true;
	return list->names.n == 0;
}

bool filter_passes_tid(const struct filter *filter, uint32_t tid)
{
	array_each(&filter->tids, wanted)
		if (*wanted == tid)
			return true;
	return filter->tids.n == 0;
}
