/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mutators of targets whose whole input is a recording. */
#include "config.h"

#include "tests/fuzz/mutate.h"

size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t max, unsigned seed)
{
	return mutate_recording(data, size, max, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
	const uint8_t *data2, size_t size2, uint8_t *out, size_t max,
	unsigned seed)
{
	return mutate_cross(data1, size1, data2, size2, out, max, seed);
}
