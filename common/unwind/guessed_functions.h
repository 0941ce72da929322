/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guessed functions: the functions of code without symbols, by its unwind rules. A
 * compiler writes one FDE for each function, and for each part of a split function, and
 * `strip` keeps the FDEs.
 */
#ifndef DWELL_COMMON_UNWIND_GUESSED_FUNCTIONS_H
#define DWELL_COMMON_UNWIND_GUESSED_FUNCTIONS_H

#include "common/elf/elf.h"

/*
 * Adds the code range of each FDE of FILE (.eh_frame, .debug_frame) to RET, by file
 * offset, and calls symtab_finish(). The name of a range is "[a.out+0x1130]": up to 64
 * bytes of the last part of PATH, the path of FILE, and the linked address of the start.
 * RET stays empty if FILE has no FDEs, or if dwell does not know FILE's machine. FILE is
 * borrowed.
 */
void guessed_functions_read(
	struct elf_file *file, const char *path, struct symtab *ret);

#endif
