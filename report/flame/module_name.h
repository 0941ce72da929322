/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module of a function: the outermost namespace or class of C++, the crate of Rust,
 * the package of Go and Java, the package or the folder of a source file. The input is
 * the displayed name of a function, its DSO, and the path of its source file. Nothing is
 * read from disk.
 */
#ifndef DWELL_REPORT_FLAME_MODULE_NAME_H
#define DWELL_REPORT_FLAME_MODULE_NAME_H

#include "common/util/base.h"

/* The beginning of the displayed names of DSOs of JIT code (dso_name.h). */
#define MODULE_JIT_NAME "[JIT]"

struct module {
	char *name;	/* owned by the caller; NULL: none */
	bool is_system; /* part of the standard library of a language */
};

/*
 * Returns the module that NAME contains. DSO is the path of the DSO, or its displayed
 * name if that is "[JIT] tid 7" or of a runtime, "[java]".
 */
struct module module_of_name(const char *dso, const char *name);
/* Returns the module of the source file PATH. */
struct module module_of_file(const char *path);

/*
 * Returns true if DSO, a path, contains a language runtime. Its code is one module,
 * because the user's program is the code that it runs.
 */
bool module_is_runtime(const char *dso);
/*
 * Returns true if NAME, of a file without its folder, is a library that every
 * program uses, or the vDSO: libc, the dynamic loader, the runtime libraries of C++.
 */
bool module_is_base_library(const char *name);
/* Returns true if PATH is in /lib, /usr/lib, /lib64 or similar, or a base library. */
bool module_is_system_library(const char *path);

#endif
