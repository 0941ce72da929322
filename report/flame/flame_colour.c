/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/flame/flame_colour.h"

#include <ctype.h>
#include <string.h>

#include "common/maps/runtime_dso.h"
#include "common/util/alloc.h"
#include "report/flame/module_name.h"

/* Maximum length of a thread name, COMM (linux, TASK_COMM_LEN - 1). */
#define COMM_LENGTH 15u

/*
 * Found by a search that kept apart, for normal vision and for each kind of colour
 * blindness, the classes and the modules; tests/cli/page.bats checks them.
 */
const struct flame_shade flame_shades[FLAME_COLOURS] = {
	[FLAME_COLOUR_KERNEL] = { "#faba5b", "#865b0c" },
	[FLAME_COLOUR_PROGRAM] = { "#7cb3fb", "#106bb1" },
	[FLAME_COLOUR_MODULE] = { "#d18198", "#ac496b" },
	{ "#ed8b77", "#7f2e21" },
	{ "#86a253", "#2a4200" },
	{ "#c3e3a1", "#5d7149" },
	{ "#69bb86", "#055a31" },
	{ "#71edec", "#007777" },
	{ "#8b92e1", "#2d3d7d" },
	{ "#bdaad4", "#766292" },
	{ "#bf84c0", "#614362" },
	{ "#ffc9e7", "#66134b" },
	[FLAME_COLOUR_SYSTEM] = { "#e2dbce", "#343028" },
	{ "#f1ebd8", "#393733" },
	{ "#e8e9db", "#30312c" },
	[FLAME_COLOUR_JIT] = { "#6dcff4", "#006079" },
	[FLAME_COLOUR_UNKNOWN] = { "#b0b4ba", "#575757" },
	[FLAME_COLOUR_COMMAND] = { "#dde1e7", "#3a414b" },
};

/*
 * Returns the length of NAME without its last digits, dots and signs, which
 * differ between a file and its thread, as in python3.11 and clang++.
 */
static size_t stem_length(const char *name)
{
	size_t n = strlen(name);

	while (n && strchr("+-.0123456789", name[n - 1]))
		n--;
	return n;
}

/*
 * Returns whether the file NAME is the program of a thread or process named
 * COMM.
 */
static bool is_program_of(const char *name, const char *comm)
{
	size_t n = stem_length(comm);

	if (strlen(comm) == COMM_LENGTH)
		return strncmp(name, comm, COMM_LENGTH) == 0;
	return n && n == stem_length(name) && strncmp(name, comm, n) == 0;
}

/*
 * Returns a number below N, the same in each run, unlike hash_string(): FNV-1a with 32
 * bits, multiplied by a prime that gives frequent names different numbers.
 */
static uint8_t hash_colour_name(const char *name, uint32_t n)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return (uint8_t)((hash * 2654450831u >> 16) % n);
}

static uint8_t module_colour(const char *name)
{
	return FLAME_COLOUR_MODULE +
		hash_colour_name(name, FLAME_MODULE_COLOURS);
}

static uint8_t system_colour(const char *name)
{
	return FLAME_COLOUR_SYSTEM +
		hash_colour_name(name, FLAME_SYSTEM_COLOURS);
}

static uint8_t dso_colour(const struct string_table *programs,
	const struct flame_function *function)
{
	const char *dso = function->dso;

	if (function->level == 'c' || function->level == FLAME_STATE)
		return FLAME_COLOUR_COMMAND;
	if (function->level == 'k')
		return FLAME_COLOUR_KERNEL;
	if (!dso || string_is(dso, "[unknown]"))
		return FLAME_COLOUR_UNKNOWN;
	if (string_starts(dso, MODULE_JIT_NAME) || runtime_dso_is(dso))
		return FLAME_COLOUR_JIT;
	const char *name = path_base(dso);

	array_each(&programs->at, program)
		if (is_program_of(name, *program))
			return FLAME_COLOUR_PROGRAM;
	return module_is_base_library(dso) ? system_colour(dso)
					   : module_colour(dso);
}

/*
 * Returns the one of the first N of MODULES that has the name of DSO, a program or
 * library: "llvm" for libLLVM-14.so.1; or NULL.
 */
static const char *find_dso_module(
	struct string_table *modules, size_t n, const char *dso)
{
	char stem[64];
	size_t i;
	uint32_t number;

	dso += string_starts(dso, "lib") ? strlen("lib") : 0;
	for (i = 0; i + 1 < sizeof(stem) &&
		(isalnum((unsigned char)dso[i]) || dso[i] == '_');
		i++)
		stem[i] = (char)tolower((unsigned char)dso[i]);
	stem[i] = '\0';
	number = string_table_intern(modules, stem);
	return number < n ? string_table_at(modules, number) : NULL;
}

/*
 * Returns the colour of FUNCTION by MODULE, or NULL, and sets *NAME_RET to what the
 * colour means. BY_DSO is the colour of its DSO.
 */
static uint8_t function_colour(const struct flame_function *function,
	uint8_t by_dso, const char *module, const char **name_ret)
{
	*name_ret = function->dso ?: "";
	if (by_dso == FLAME_COLOUR_COMMAND)
		return by_dso;
	if (by_dso == FLAME_COLOUR_KERNEL) {
		*name_ret = "kernel";
		return by_dso;
	}
	if (function->is_system ||
		(function->is_in_system_library && !module &&
			by_dso != FLAME_COLOUR_PROGRAM)) {
		*name_ret = FLAME_SYSTEM_NAME;
		return system_colour(function->module ?: function->dso);
	}
	if (!module)
		return by_dso;
	*name_ret = module;
	return module_colour(module);
}

void flame_colours(const struct flame *flame, struct flame_colouring *ret)
{
	/* programs: the names of threads and processes */
	struct string_table programs = { 0 }, modules = { 0 };
	size_t n = flame->functions.n, n_modules, i;

	*ret = (struct flame_colouring){ .by_module = xcalloc(n + 1, 1),
		.by_dso = xcalloc(n + 1, 1),
		.module = xcalloc(n + 1, sizeof(*ret->module)) };
	array_each(&flame->tasks, task) {
		string_table_intern(&programs, task->comm);
		string_table_intern(&programs, task->process);
	}
	array_each(&flame->functions, function)
		if (function->module && !function->is_system)
			string_table_intern(&modules, function->module);
	n_modules = modules.at.n;
	for (i = 0; i < n; i++) {
		const struct flame_function *function = &flame->functions.at[i];
		const char *name, *module = function->module;

		if (!module && function->dso &&
			!module_is_base_library(function->dso))
			module = find_dso_module(
				&modules, n_modules, function->dso);
		ret->by_dso[i] = dso_colour(&programs, function);
		ret->by_module[i] = function_colour(
			function, ret->by_dso[i], module, &name);
		ret->module[i] = string_table_intern(&ret->names, name);
	}
	string_table_deinit(&programs);
	string_table_deinit(&modules);
}

void flame_colouring_deinit(struct flame_colouring *colouring)
{
	free(colouring->by_module);
	free(colouring->by_dso);
	free(colouring->module);
	string_table_deinit(&colouring->names);
}
