/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scripts of V8: finds the file name of a script, and the line of a position in its
 * source. The newlines of a source are read once. They are kept for the scripts that
 * were used last.
 */
#ifndef DWELL_RECORD_RUNTIMES_V8_V8_SCRIPTS_H
#define DWELL_RECORD_RUNTIMES_V8_V8_SCRIPTS_H

#include "record/runtimes/v8/v8_heap.h"

struct v8_scripts;

struct v8_scripts *v8_scripts_create(void);
void v8_scripts_destroy(struct v8_scripts *scripts);
/* Scripts are compared with the heap before their next use. */
void v8_scripts_settle(struct v8_scripts *scripts);

/*
 * Returns the file name of the script at ADDRESS, borrowed until the next call, or ""
 * if the name is unknown.
 */
const char *v8_scripts_name(
	struct v8_scripts *scripts, struct v8_heap *heap, uint64_t address);
/*
 * Returns the line, from 1, of OFFSET in the source of the script at ADDRESS, or 0 if
 * the line is unknown. OFFSET is in characters, from 0.
 */
uint32_t v8_scripts_line(struct v8_scripts *scripts, struct v8_heap *heap,
	uint64_t address, uint32_t offset);
/* Appends NAME to OUT. A URL "file:///..." is converted to a path. */
void v8_put_script_name(struct strbuf *out, const char *name);

#endif
