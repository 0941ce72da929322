/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A temporary folder with files that stand for files of the machine, such as
 * "devices" for pmus_read() and "tracing" for tracefs_open(). It is removed
 * when the program ends.
 */
#ifndef DWELL_FUZZ_MACHINE_H
#define DWELL_FUZZ_MACHINE_H

#include "common/util/base.h"

/*
 * Returns the path of NAME in the folder, valid until the next call. The first
 * call makes the folder.
 */
const char *machine_path(const char *name);
/* Writes the file NAME, and makes its folders. */
void machine_put(const char *name, const void *data, size_t size);

#endif
