/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LuaJIT 2.1. The frames of a thread are in the stack of its Lua state, both of interpreted
 * and of compiled functions.
 */
#ifndef DWELL_RECORD_RUNTIMES_LUAJIT_LUAJIT_H
#define DWELL_RECORD_RUNTIMES_LUAJIT_LUAJIT_H

#include "record/runtimes/interface/runtime.h"

extern const struct runtime_ops luajit_runtime;

#endif
