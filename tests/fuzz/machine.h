/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A temporary folder with files that stand for files of the machine, such as
 * "devices" for pmus_read() and "tracing" for tracefs_open(). It is removed when
 * the program ends.
 */
#ifndef DWELL_FUZZ_MACHINE_H
#define DWELL_FUZZ_MACHINE_H

#include "common/util/base.h"

/* Made at the first call; path below it, good until the next call. */
const char *machine_path(const char *name);
/* Writes a file, making its folders. */
void machine_put(const char *name, const void *data, size_t size);

#endif
