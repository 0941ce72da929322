/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file for x86-64 that holds nothing but a build ID and unwinding rules. */
#ifndef DWELL_MAKE_ELF_H
#define DWELL_MAKE_ELF_H

#include "common/util/base.h"

#define MADE_ELF_CODE UINT64_C(0x100000)
#define MADE_ELF_FUNCTION 64u /* bytes each */

/* N functions one behind the other, that push nothing and take FRAME bytes. */
void made_elf_write(const char *path, unsigned n, unsigned frame);

#endif
