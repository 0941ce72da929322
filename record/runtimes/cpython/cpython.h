/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtime of CPython 2.7 and 3.6 to 3.15 on x86-64. Each thread has a list
 * of frames, which are on the heap. A frame points to its code object, which
 * has the name and the lines.
 */
#ifndef DWELL_RECORD_RUNTIMES_CPYTHON_CPYTHON_H
#define DWELL_RECORD_RUNTIMES_CPYTHON_CPYTHON_H

#include "record/runtimes/interface/runtime.h"

extern const struct runtime_ops cpython_runtime;

#endif
