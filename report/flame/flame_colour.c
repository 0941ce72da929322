/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/flame/flame_colour.h"

#include <string.h>

#include "common/maps/runtime_dso.h"
#include "common/util/base.h"
#include "report/util/string_table.h"

/* The beginning of the displayed names of DSOs of JIT code (dso_name.h). */
#define JIT_NAME "[JIT]"
/* Maximum length of a thread name, COMM (linux, TASK_COMM_LEN - 1). */
#define COMM_LENGTH 15u

const struct flame_shade flame_shades[FLAME_COLOURS] = {
	[FLAME_COLOUR_KERNEL] = { "#f3b877", "#935d20" },
	[FLAME_COLOUR_PROGRAM] = { "#8db9e8", "#33659b" },
	[FLAME_COLOUR_LIBRARY] = { "#e6a8b7", "#913b51" },
	{ "#d18fbb", "#653455" },
	{ "#e1a8e6", "#8a3b91" },
	{ "#b89ad6", "#4c3465" },
	{ "#b0a8e6", "#473b91" },
	{ "#8fc6d1", "#345d65" },
	{ "#a8e6de", "#2e7067" },
	{ "#8fd1b0", "#34654d" },
	{ "#a8e6ad", "#2f7435" },
	{ "#a7d18f", "#466534" },
	{ "#d9e6a8", "#606d2c" },
	{ "#d1cc8f", "#656134" },
	{ "#e6ada8", "#91423b" },
	{ "#d18fc6", "#65345d" },
	{ "#a8e6d1", "#2e705a" },
	{ "#b5d18f", "#516534" },
	[FLAME_COLOUR_JIT] = { "#6fd3f5", "#12617d" },
	[FLAME_COLOUR_UNKNOWN] = { "#c9ced6", "#4c535e" },
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

/* Returns whether DSO is the program of one of PROGRAMS, names of tasks. */
static bool is_recorded_program(
	const struct string_table *programs, const char *dso)
{
	const char *slash = strrchr(dso, '/'), *name = slash ? slash + 1 : dso;

	array_each(&programs->at, program)
		if (is_program_of(name, *program))
			return true;
	return false;
}

/*
 * Returns a number below FLAME_LIBRARY_COLOURS, the same in each run, unlike
 * hash_string(): FNV-1a with 32 bits, multiplied by a prime that gives LLVM,
 * clang, libc, libstdc++, libm and ld.so different numbers.
 */
static uint32_t hash_dso_name(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return hash * 3266489917u >> 28;
}

static uint8_t function_colour(const struct string_table *programs,
	const struct flame_function *function)
{
	const char *dso = function->dso;

	if (function->level == 'c' || function->level == FLAME_STATE)
		return FLAME_COLOUR_COMMAND;
	if (function->level == 'k')
		return FLAME_COLOUR_KERNEL;
	if (!dso || strcmp(dso, "[unknown]") == 0)
		return FLAME_COLOUR_UNKNOWN;
	if (strncmp(dso, JIT_NAME, strlen(JIT_NAME)) == 0 ||
		runtime_dso_is(dso))
		return FLAME_COLOUR_JIT;
	if (is_recorded_program(programs, dso))
		return FLAME_COLOUR_PROGRAM;
	return (uint8_t)(FLAME_COLOUR_LIBRARY + hash_dso_name(dso));
}

void flame_colours(const struct flame *flame, uint8_t *ret)
{
	struct string_table programs = { 0 };
	uint32_t i;

	array_each(&flame->tasks, task) {
		string_table_intern(&programs, task->comm);
		string_table_intern(&programs, task->process);
	}
	for (i = 0; i < flame->functions.n; i++)
		ret[i] = function_colour(&programs, &flame->functions.at[i]);
	string_table_deinit(&programs);
}
