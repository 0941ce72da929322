/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Custom mutators for libFuzzer targets that read recordings. Random bytes in a
 * recording are mostly rejected by a checksum; these mutators change records,
 * sections, features, and attributes behind compression and checksums, and
 * write sizes, offsets, and checksums that fit.
 */
#ifndef DWELL_FUZZ_MUTATE_H
#define DWELL_FUZZ_MUTATE_H

#include "common/util/base.h"

/* Of libFuzzer: changes DATA and returns its new size, at most MAX. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
	const uint8_t *data2, size_t size2, uint8_t *out, size_t max,
	unsigned seed);

/*
 * Changes the recording of SIZE bytes in DATA, which has room for MAX bytes,
 * and returns its new size. The same SEED makes the same change. Bytes that are
 * no recording are changed as LLVMFuzzerMutate() does.
 */
size_t mutate_recording(uint8_t *data, size_t size, size_t max, unsigned seed);

/*
 * Writes the recording DATA1 with one part of the recording DATA2 to OUT, which
 * has room for MAX bytes. Returns its size, or 0 if one of them is no recording
 * or the result does not fit.
 */
size_t mutate_cross(const uint8_t *data1, size_t size1, const uint8_t *data2,
	size_t size2, uint8_t *out, size_t max, unsigned seed);

#endif
