/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What xz has compressed, for the ELF file that Fedora, Android and others put
 * into .gnu_debugdata. Hostile: neither what comes out nor the memory that it
 * takes grows beyond a bound.
 */
#ifndef DWELL_COMMON_ELF_UNXZ_H
#define DWELL_COMMON_ELF_UNXZ_H

#include "common/util/base.h"

/* Of the largest programs it is a few megabytes. */
#define UNXZ_SIZE_MAX MIB(64)
/* xz -9 asks for 65 MiB (xz(1), DecMem). */
#define UNXZ_MEMORY_MAX MIB(80)

/*
 * A file in memory, which the caller closes; -1: damaged, too large, or dwell
 * was built without liblzma.
 */
int unxz_to_memory(const uint8_t *bytes, size_t size);

#endif
