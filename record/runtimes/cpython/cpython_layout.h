/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of CPython's structures by version, for x86-64 and builds with a
 * global interpreter lock. All offsets are in bytes.
 */
#ifndef DWELL_RECORD_RUNTIMES_CPYTHON_CPYTHON_LAYOUT_H
#define DWELL_RECORD_RUNTIMES_CPYTHON_CPYTHON_LAYOUT_H

#include "common/util/base.h"

/* How a frame shows that the interpreter function was called for it. */
enum cpython_groups {
	CPYTHON_EACH, /* every frame */
	/* the byte .mark is 1 in the outermost frame of the call */
	CPYTHON_ENTRY,
	/* behind the outermost frame is another, with the byte .mark 3 */
	CPYTHON_SHIM,
};

struct cpython_layout {
	unsigned major, minor;
	/* _PyRuntime begins with struct _Py_DebugOffsets */
	bool exports_offsets;
	/*
	 * _PyRuntime: the list of interpreters; 0: _PyThreadState_Current is
	 * used
	 */
	uint16_t interpreters;
	/* in an interpreter: the next interpreter, and the list of threads */
	uint16_t next_interpreter, threads;
	/* in a thread: */
	uint16_t next, thread_id;
	uint16_t interpreter; /* used without .interpreters */
	/* offsets that lead from a thread to its first frame */
	uint16_t hops[2];
	uint16_t n_hops;
	/* in a frame: */
	uint16_t size, link, code, where, where_size, mark;
	enum cpython_groups groups;
	/* in a code object: */
	uint16_t first_line, file, name;
	uint16_t lines;	       /* the line table, a bytes object */
	uint16_t instructions; /* of 3.11 and later: the first instruction */
	/* in a text object: the characters of ASCII texts, and of others */
	uint16_t ascii, text;
	uint16_t bytes; /* in a bytes object: the bytes */
};

/* Returns the layout of a version, or NULL if it is not known. */
const struct cpython_layout *cpython_layout_find(
	unsigned major, unsigned minor);

#endif
