/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of LuaJIT: a prototype (GCproto) has the code of a function and its place. */
#ifndef DWELL_RECORD_RUNTIMES_LUAJIT_LUAJIT_PROTOTYPE_H
#define DWELL_RECORD_RUNTIMES_LUAJIT_LUAJIT_PROTOTYPE_H

#include "record/runtimes/interface/code_objects.h"

/* Offsets in GCproto (lj_obj.h, GC64) of words that never change. */
#define PROTOTYPE_SIZES 12u	/* sizebc; unused */
#define PROTOTYPE_CONSTANTS 48u /* sizekgc and sizekn */
#define PROTOTYPE_PLACE 64u	/* chunkname, and then firstline and numline */

/*
 * The code object is a GCproto, and the instruction is the return address in its bytecode, 0:
 * unknown. Functions of Lua have no names: the name is the place, as in Lua's tracebacks.
 */
struct code_language luajit_functions(void);

#endif
