/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "make_cfi.h"

#include "testing.h"

const uint8_t made_x86_start[] = { 0x0c, 7, 8, 0x90, 1 };

void made_cfi_put(struct made_cfi *made, const void *data, size_t size)
{
	assert_true(made->n + size <= sizeof(made->bytes));
	memcpy(made->bytes + made->n, data, size);
	made->n += size;
}

size_t made_cfi_begin(struct made_cfi *made)
{
	made_cfi_put(made, (uint32_t[]){ 0 }, 4);
	return made->n - 4;
}

void made_cfi_end(struct made_cfi *made, size_t start)
{
	uint32_t size;

	while (made->n & 7)
		made_cfi_put(made, "", 1);
	size = (uint32_t)(made->n - start - 4);
	memcpy(made->bytes + start, &size, sizeof(size));
}

void made_cie(struct made_cfi *made, const char *letters, uint8_t ra,
	const void *program, size_t size)
{
	size_t start = made_cfi_begin(made);
	uint8_t data[] = { 1, 0 }; /* DW_EH_PE_absptr */

	made_cfi_put(made, (uint32_t[]){ 0 }, 4);
	made_cfi_put(made, "\1", 1);
	made_cfi_put(made, letters, strlen(letters) + 1);
	made_cfi_put(made, (uint8_t[]){ 1, 0x78, ra }, 3);
	made_cfi_put(made, data, sizeof(data));
	made_cfi_put(made, program, size);
	made_cfi_end(made, start);
}

void made_fde(struct made_cfi *made, uint64_t from, uint64_t size,
	const void *program, size_t n)
{
	size_t start = made_cfi_begin(made);
	uint32_t cie = (uint32_t)made->n;

	made_cfi_put(made, &cie, sizeof(cie));
	made_cfi_put(made, &from, sizeof(from));
	made_cfi_put(made, &size, sizeof(size));
	made_cfi_put(made, "", 1);
	made_cfi_put(made, program, n);
	made_cfi_end(made, start);
}

struct cfi *made_cfi(const struct made_cfi *made, enum unwind_arch arch)
{
	uint8_t *copy = exact_copy(made->bytes, made->n);
	const struct cfi_bytes bytes = { .arch = arch,
		.eh_frame = copy,
		.eh_frame_size = made->n,
		.eh_frame_address = 0x900000,
		.start = 0,
		.end = MADE_CODE_END };
	struct cfi *cfi = cfi_create_from_bytes(&bytes);

	free(copy);
	return cfi;
}
