/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Language runtimes, and their DSOs. The recorder names the functions of these runtimes,
 * and puts them into the DSOs. The mapping of such a DSO is at reserved addresses, which no process
 * can use. An address in the mapping stands for a function and a source line, not for
 * machine code (doc/format.md).
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
 * the interpreter of RUNTIME. The frames of other runtimes are not in such files.
 */
bool runtime_dso_has_file(enum runtime_number runtime, const char *path);
/* Returns true if runtime_dso_has_file() is true for PATH and any runtime. */
bool runtime_dso_has_interpreter(const char *path);
/* Returns whether RUNTIME is an interpreter. Others compile code at run time. */
bool runtime_dso_is_interpreted(enum runtime_number runtime);
/* Returns true if PATH is that of the DSO of a runtime. */
static inline bool runtime_dso_is(const char *path)
{
	return runtime_dso_find(path) < RUNTIMES;
}

#endif
