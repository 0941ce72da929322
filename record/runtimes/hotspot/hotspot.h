/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtime of Java: steps out of frames of interpreted and compiled code of HotSpot,
 * the Java virtual machine of OpenJDK, and names their methods. libjvm.so exports
 * tables that describe the structures of HotSpot (vmStructs.cpp). The module finds
 * code, methods and names by these tables.
 *
 * The module was tested with OpenJDK 8, 11, 17, 21, 25, 26 and 27 on x86-64.
 * hotspot_version.c refuses tables of an unknown form.
 */
#ifndef DWELL_RECORD_RUNTIMES_HOTSPOT_HOTSPOT_H
#define DWELL_RECORD_RUNTIMES_HOTSPOT_HOTSPOT_H

#include "record/runtimes/interface/runtime.h"

extern const struct runtime_ops hotspot_runtime;

#endif
