/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtime of V8 in Node.js 18 to 24 on x86-64. Steps out of frames of builtins, and
 * of JavaScript functions that are interpreted, compiled by the baseline compiler or
 * optimized, and names these functions and those inlined into them. Most frames have a
 * frame pointer (v8_edge.h describes the exceptions). The stack copy contains the data
 * of the frames. The heap of the process contains the names.
 */
#ifndef DWELL_RECORD_RUNTIMES_V8_V8_H
#define DWELL_RECORD_RUNTIMES_V8_V8_H

#include "record/runtimes/interface/runtime.h"

extern const struct runtime_ops v8_runtime;

#endif
