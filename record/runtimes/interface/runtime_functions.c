/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/interface/runtime_functions.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/hash.h"

#define FUNCTIONS_MAX 1000000u
#define TEXT_MAX MIB(256)
#define OTHERS "[functions above dwell's limit]"

#define LINES_MAX (RUNTIME_FUNCTION_SIZE / 2)

struct runtime_functions {
	pthread_mutex_t lock; /* guards the following members */
	/* .name is owned; .file is in the same allocation */
	ARRAY(struct runtime_function) list;
	struct hash_index by_name;
	size_t text; /* bytes of all names and paths of files */
};

static void add_function(struct runtime_functions *functions,
	const struct runtime_function *like)
{
	size_t name_size = strlen(like->name) + 1;
	size_t file_size = strlen(like->file) + 1;
	struct runtime_function *function = array_push(&functions->list);
	char *texts = xmalloc(name_size + file_size);

	*function = *like;
	function->name = memcpy(texts, like->name, name_size);
	function->file = memcpy(texts + name_size, like->file, file_size);
	functions->text += name_size + file_size;
}

struct runtime_functions *runtime_functions_create(void)
{
	struct runtime_functions *functions = xcalloc(1, sizeof(*functions));

	pthread_mutex_init(&functions->lock, NULL);
	add_function(functions,
		&(struct runtime_function){ .name = OTHERS, .file = "" });
	return functions;
}

void runtime_functions_destroy(struct runtime_functions *functions)
{
	if (!functions)
		return;
	array_each(&functions->list, function)
		free((char *)function->name);
	array_free(&functions->list);
	hash_free(&functions->by_name);
	pthread_mutex_destroy(&functions->lock);
	free(functions);
}

static uint32_t find_or_add_function(struct runtime_functions *functions,
	const struct runtime_function *function)
{
	uint64_t hash = hash_words(hash_string(function->name),
		hash_words(hash_string(function->file),
			(uint64_t)function->runtime << 32 |
				function->first_line));
	uint32_t number = (uint32_t)functions->list.n;

	hash_each_match(&functions->by_name, hash, i)
		if (functions->list.at[i].runtime == function->runtime &&
			functions->list.at[i].first_line ==
				function->first_line &&
			string_is(functions->list.at[i].name, function->name) &&
			string_is(functions->list.at[i].file, function->file))
			return i;
	if (number >= FUNCTIONS_MAX || functions->text >= TEXT_MAX)
		return 0;
	add_function(functions, function);
	hash_insert(&functions->by_name, hash, number);
	return number;
}

uint32_t runtime_functions_add(struct runtime_functions *functions,
	const struct runtime_function *function)
{
	uint32_t number;

	pthread_mutex_lock(&functions->lock);
	number = find_or_add_function(functions, function);
	pthread_mutex_unlock(&functions->lock);
	return number;
}

uint64_t runtime_function_address(struct runtime_functions *functions,
	unsigned runtime, uint32_t number, uint32_t line)
{
	uint64_t first, slot = 0;

	pthread_mutex_lock(&functions->lock);
	first = number < functions->list.n
		? functions->list.at[number].first_line
		: 0;
	pthread_mutex_unlock(&functions->lock);
	if (line && first && line >= first && line - first + 1 < LINES_MAX)
		slot = line - first + 1;
	return RUNTIME_BASE(runtime) +
		((uint64_t)number << RUNTIME_FUNCTION_SHIFT) + 2 * slot + 1;
}

bool runtime_functions_find(struct runtime_functions *functions,
	unsigned runtime, uint64_t place, struct runtime_function *ret,
	uint32_t *line_ret)
{
	uint64_t number = place >> RUNTIME_FUNCTION_SHIFT;
	uint32_t slot = (uint32_t)(place & (RUNTIME_FUNCTION_SIZE - 1)) / 2;
	bool is_found;

	pthread_mutex_lock(&functions->lock);
	is_found = number < functions->list.n &&
		(!number || functions->list.at[number].runtime == runtime);
	if (is_found)
		*ret = functions->list.at[number];
	pthread_mutex_unlock(&functions->lock);
	*line_ret = is_found && slot ? ret->first_line + slot - 1 : 0;
	return is_found;
}
