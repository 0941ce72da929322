/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes an ELF file for x86-64 that has only a build ID and unwind rules. */
#ifndef DWELL_MAKE_ELF_H
#define DWELL_MAKE_ELF_H

#include "common/util/base.h"

#define MADE_ELF_CODE UINT64_C(0x100000)
#define MADE_ELF_FUNCTION 64u /* bytes each */

/*
 * Writes the file PATH with unwind rules of N consecutive functions, which save
 * no registers and have frames of FRAME bytes.
 */
void made_elf_write(const char *path, unsigned n, unsigned frame);

#endif
