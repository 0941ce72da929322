/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that has no frame yet and goes elsewhere: stubs of a PLT. */
#include "config.h"

#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"

/* Takes TEXT from the code's beginning, if it begins so. */
static bool skip(
	const uint8_t **code, size_t *n, const char *text, size_t length)
{
	if (*n < length || memcmp(*code, text, length) != 0)
		return false;
	*code += length;
	*n -= length;
	return true;
}
#define SKIP(code, n, text) skip(code, n, text, sizeof(text) - 1)

bool unwind_is_stub(const uint8_t *code, size_t n)
{
	/* endbr64: also where any function begins that may be called so. */
	if (SKIP(&code, &n, "\xf3\x0f\x1e\xfa"))
		return true;
	/* bnd; jmp *x(%rip) */
	SKIP(&code, &n, "\xf2");
	return SKIP(&code, &n, "\xff\x25");
}
