/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of a program or library that contains CPython. A file is read
 * once, because the file is probed again and again while the interpreter
 * starts, and other processes have the same file.
 *
 * Thread-safe.
 */
#ifndef DWELL_RECORD_RUNTIMES_CPYTHON_CPYTHON_SYMBOLS_H
#define DWELL_RECORD_RUNTIMES_CPYTHON_CPYTHON_SYMBOLS_H

#include "common/elf/elf.h"
#include "record/runtimes/interface/function_parts.h"

/* Linked addresses; 0: there is no such symbol. */
struct cpython_symbols {
	uint64_t runtime;	 /* _PyRuntime */
	uint64_t current_thread; /* _PyThreadState_Current, until 3.6 */
	uint64_t code_type;	 /* PyCode_Type */
	uint64_t version;	 /* Py_Version, since 3.11 */
	/* _PyEval_EvalFrameDefault or, in 2.7, PyEval_EvalFrameEx */
	struct function_parts function;
};

/* Reads the symbols of FILE. Returns false if FILE has no symbol table. */
bool cpython_symbols_read(struct elf_file *file, struct cpython_symbols *ret);

#endif
