/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Language runtimes that dwell reads, their files, and their DSOs. The recorder names the
 * functions of these runtimes, and puts them into the DSOs. The mapping of such a DSO is at
 * reserved addresses, which no process can use. An address in the mapping stands for a
 * function and a source line, not for machine code (doc/format.md).
 */
#ifndef DWELL_COMMON_MAPS_RUNTIME_DSO_H
#define DWELL_COMMON_MAPS_RUNTIME_DSO_H

#include "common/util/base.h"

/* Do not change the numbers: the addresses in recordings contain them. */
enum runtime_number {
	RUNTIME_JAVA,
	RUNTIME_NODE,
	RUNTIME_PYTHON,
	RUNTIME_PHP,
	RUNTIME_RUBY,
	RUNTIME_PERL,
	RUNTIME_LUAJIT,
	RUNTIMES
};

/* Returns the path of the DSO of RUNTIME, such as "[java]". */
const char *runtime_dso_path(enum runtime_number runtime);
/* Returns the runtime of the DSO with PATH, or RUNTIMES if there is none. */
enum runtime_number runtime_dso_find(const char *path);
/*
 * Returns true if PATH, of a mapping, has the name of a program or library that contains
 * RUNTIME. The frames of other runtimes are not in such files.
 */
bool runtime_dso_has_file(enum runtime_number runtime, const char *path);
/*
 * Returns the text in PATH after the name of a file of RUNTIME: it is empty, begins with the
 * version, or is the suffix of a library, such as ".so.5.36". Returns NULL if
 * runtime_dso_has_file() is false.
 */
const char *runtime_dso_version(enum runtime_number runtime, const char *path);
/*
 * As runtime_dso_version(), for a runtime whose files have the NAMES without a version: N
 * names, or fewer if one is NULL.
 */
const char *runtime_dso_version_of(
	const char *const *names, size_t n, const char *path);
/*
 * Returns true if runtime_dso_has_file() is true for PATH and any runtime that is an
 * interpreter.
 */
bool runtime_dso_has_interpreter(const char *path);
/* Returns whether RUNTIME is an interpreter. Others compile code at run time. */
bool runtime_dso_is_interpreted(enum runtime_number runtime);
/* Returns true if PATH is that of the DSO of a runtime. */
static inline bool runtime_dso_is(const char *path)
{
	return runtime_dso_find(path) < RUNTIMES;
}

#endif
