/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a recording: a file, or a stream. */
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
