/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Language runtimes with functions that have no symbols: interpreters, and
 * compilers that write code to memory without a file. The module recognizes a
 * runtime by the name of its program or library. It does not read the process
 * or the file.
 */
#ifndef DWELL_RECORD_SYMBOLS_KNOWN_RUNTIMES_H
#define DWELL_RECORD_SYMBOLS_KNOWN_RUNTIMES_H

#include "common/util/strbuf.h"

/* How a runtime executes the functions of a program, as bits. */
enum known_runtime_kind {
	KNOWN_RUNTIME_INTERPRETS = 1, /* by functions of the runtime */
	KNOWN_RUNTIME_COMPILES = 2,   /* compiled at run time */
};

struct known_runtime;

/*
 * Returns the runtime whose program or library has PATH, the path of a mapping,
 * if the runtime has one of KINDS. Otherwise returns NULL.
 */
const struct known_runtime *known_runtime_find(
	const char *path, unsigned kinds);
/*
 * Appends the name of RUNTIME to OUT, such as "Python 3.11". The version is
 * missing if PATH, the path of its mapping, does not contain the version.
 */
void known_runtime_put_name(const struct known_runtime *runtime,
	const char *path, struct strbuf *out);
/*
 * Appends a sentence to OUT, without a full stop, that describes how the user
 * gets names for the functions. PATH is the path of the mapping of RUNTIME.
 * READS_RUNTIMES: dwell reads the structures of runtimes (record/runtimes), but
 * got no names for this process.
 */
void known_runtime_put_remedy(const struct known_runtime *runtime,
	const char *path, bool reads_runtimes, struct strbuf *out);

#endif
