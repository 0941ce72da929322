/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The size of a function whose symbol has none, by its instructions. Assembly code often
 * lacks sizes. In a stripped file, code of other functions, whose symbols were removed,
 * can follow.
 */
#ifndef DWELL_COMMON_ELF_FUNCTION_SIZE_H
#define DWELL_COMMON_ELF_FUNCTION_SIZE_H

#include <stddef.h>
#include <stdint.h>

/* A function that is longer has an unknown size. */
#define FUNCTION_SIZE_MAX 1024u

/*
 * Returns the size in bytes of the function that starts at CODE, of which N bytes are
 * given: up to the first instruction that the processor does not continue behind (a return,
 * a jump), unless an earlier jump of the function leads behind it. MACHINE is e_machine.
 * Returns 0 if the size is unknown: the function contains an unknown instruction or an
 * indirect jump, whose targets may follow, or is longer than N, or dwell does not know the
 * machine.
 */
size_t function_size(unsigned machine, const uint8_t *code, size_t n);

#endif
