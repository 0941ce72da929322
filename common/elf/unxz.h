/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decompresses xz data, for the ELF file in .gnu_debugdata (Fedora, Android).
 * The data are not trusted: the size of the output and the memory used are
 * limited.
 */
#ifndef DWELL_COMMON_ELF_UNXZ_H
#define DWELL_COMMON_ELF_UNXZ_H

#include "common/util/base.h"

/* Limit of the output; the largest programs have a few megabytes. */
#define UNXZ_SIZE_MAX MIB(64)
/* Limit of the memory used; xz -9 needs 65 MiB (xz(1), DecMem). */
#define UNXZ_MEMORY_MAX MIB(80)

/*
 * Decompresses SIZE BYTES of xz data to a file in memory. Returns the
 * descriptor of the file, owned by the caller. Returns -1 if the data are
 * damaged or too large, or if dwell was built without liblzma.
 */
int unxz_to_memory(const uint8_t *bytes, size_t size);

#endif
