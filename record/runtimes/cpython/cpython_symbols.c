/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/cpython/cpython_symbols.h"

#include <pthread.h>

#include "record/runtimes/interface/file_identity.h"
#include "record/runtimes/interface/module_symbols.h"

#define FILES_MAX 16u

static struct {
	pthread_mutex_t lock;
	size_t next; /* the place of the next file: the oldest one */
	struct known_file {
		struct file_identity identity;
		bool has_symbols;
		struct cpython_symbols symbols;
	} files[FILES_MAX];
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

static uint64_t address_of(
	const struct module_symbols *symbols, const char *name)
{
	const struct module_symbol *symbol = module_symbols_find(symbols, name);

	return symbol ? symbol->address : 0;
}

/* Finds the parts of the function that interprets. */
static void find_function(struct elf_file *file,
	const struct module_symbols *symbols, struct function_parts *ret)
{
	const struct module_symbol *found =
		module_symbols_find(symbols, "_PyEval_EvalFrameDefault");

	/* The other is only a wrapper if the first exists. */
	if (!found)
		found = module_symbols_find(symbols, "PyEval_EvalFrameEx");
	if (found)
		function_parts_find(file, found, ret);
}

static bool read_symbols(struct elf_file *file, struct cpython_symbols *ret)
{
	static const char *const names[] = { "_PyRuntime",
		"_PyThreadState_Current", "PyCode_Type", "Py_Version",
		"_PyEval_EvalFrameDefault", "PyEval_EvalFrameEx" };
	struct module_symbols symbols = { 0 };
	bool is_read;

	*ret = (struct cpython_symbols){ 0 };
	is_read = module_symbols_read(file, names, ARRAY_SIZE(names), &symbols);
	if (is_read) {
		ret->runtime = address_of(&symbols, "_PyRuntime");
		ret->current_thread =
			address_of(&symbols, "_PyThreadState_Current");
		ret->code_type = address_of(&symbols, "PyCode_Type");
		ret->version = address_of(&symbols, "Py_Version");
		find_function(file, &symbols, &ret->function);
	}
	array_free(&symbols.list);
	return is_read;
}

static const struct known_file *find_or_read_file(
	struct elf_file *file, const struct file_identity *identity)
{
	struct known_file *place;
	size_t i;

	for (i = 0; i < FILES_MAX; i++)
		if (file_identity_equal(&known.files[i].identity, identity))
			return &known.files[i];
	place = &known.files[known.next++ % FILES_MAX];
	place->identity = *identity;
	place->has_symbols = read_symbols(file, &place->symbols);
	return place;
}

bool cpython_symbols_read(struct elf_file *file, struct cpython_symbols *ret)
{
	const struct known_file *found;
	struct file_identity identity;
	bool has_symbols;

	if (!file_identity_read(file, &identity))
		return false;
	pthread_mutex_lock(&known.lock);
	found = find_or_read_file(file, &identity);
	*ret = found->symbols;
	has_symbols = found->has_symbols;
	pthread_mutex_unlock(&known.lock);
	return has_symbols;
}
