/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes call frame information in bytes, as compilers write it. */
#ifndef DWELL_MAKE_CFI_H
#define DWELL_MAKE_CFI_H

#include "common/unwind/cfi.h"

/* An .eh_frame under construction. Its addresses are absolute, of 64 bits. */
struct made_cfi {
	uint8_t bytes[4096];
	size_t n;
};

/* End of the addresses that the FDEs may cover; they start at 0. */
#define MADE_CODE_END UINT64_C(0x800000)

void made_cfi_put(struct made_cfi *made, const void *data, size_t size);
/*
 * Begins an entry and returns its offset. made_cfi_end() ends it at a multiple of
 * 8.
 */
size_t made_cfi_begin(struct made_cfi *made);
void made_cfi_end(struct made_cfi *made, size_t start);

/*
 * Adds a CIE with the augmentation LETTERS, the return address register RA and
 * PROGRAM. Its alignment factors are 1 (code) and -8 (data).
 */
void made_cie(struct made_cfi *made, const char *letters, uint8_t ra,
	const void *program, size_t size);
/* Adds an FDE for SIZE bytes at FROM. It belongs to the CIE at offset 0. */
void made_fde(struct made_cfi *made, uint64_t from, uint64_t size,
	const void *program, size_t n);

#define MADE_FDE(made, from, size, ...)                              \
	made_fde(made, from, size, (const uint8_t[]){ __VA_ARGS__ }, \
		sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* CFA = sp + 8, return address at CFA - 8: the start of an x86-64 function. */
extern const uint8_t made_x86_start[5];

/* Returns the compiled rules, owned by the caller. */
struct cfi *made_cfi(const struct made_cfi *made, enum unwind_arch arch);

#endif
