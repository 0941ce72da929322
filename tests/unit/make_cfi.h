/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame information in bytes, as compilers would write it. */
#ifndef DWELL_MAKE_CFI_H
#define DWELL_MAKE_CFI_H

#include "common/unwind/cfi.h"

/* An .eh_frame that grows; addresses in it are absolute, of 64 bits. */
struct made {
	uint8_t bytes[4096];
	size_t n;
};

/* The code that it may be of. */
#define MADE_CODE_END UINT64_C(0x800000)

void made_put(struct made *made, const void *data, size_t size);
/* Gives where an entry begins; it ends at the next 8. */
size_t made_begin(struct made *made);
void made_end(struct made *made, size_t start);

/* LETTERS with their data; then its program. Factors are 1 and -8. */
void made_cie(struct made *made, const char *letters, uint8_t ra,
	const void *program, size_t size);
/* Of the only CIE, which is first. */
void made_fde(struct made *made, uint64_t from, uint64_t size,
	const void *program, size_t n);

#define MADE_FDE(made, from, size, ...)                                         \
	made_fde(made, from, size, (const uint8_t[]){ __VA_ARGS__ },            \
		sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* CFA = sp + 8, the return address there: x86-64's beginning of a function. */
extern const uint8_t made_x86_start[5];

/* Owned by the caller. */
struct cfi *made_cfi(const struct made *made, enum unwind_arch arch);

#endif
