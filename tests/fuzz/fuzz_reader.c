/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target of recordings: any bytes as a file or a stream. */
#include "config.h"

#include "tests/fuzz/everything.h"

#define INPUT_MAX MIB(4)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size <= INPUT_MAX)
		everything_of(data, size);
	return 0;
}
