/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the bytecode of an address in code of V8's baseline compiler, which translates
 * the bytecodes in their order. The input is a table of the code with the sizes of the
 * instructions of the prologue and of each bytecode, as numbers of 7 bits per byte
 * (src/baseline/bytecode-offset-iterator.h). The module does not read memory of the
 * process.
 */
#ifndef DWELL_RECORD_RUNTIMES_V8_V8_BASELINE_H
#define DWELL_RECORD_RUNTIMES_V8_V8_BASELINE_H

#include "common/util/bytes.h"

/* Limit of the number of kinds of bytecodes. */
#define V8_BYTECODE_KINDS_MAX 256u
/* Limit of the size of bytecode, and of a table, in bytes. */
#define V8_BASELINE_MAX MIB(1)

/* Sizes of bytecodes with their operands, without a prefix, in bytes. */
struct v8_bytecode_sizes {
	size_t n; /* 0: unknown */
	/* with operands of 1, 2 and 4 bytes */
	uint8_t size[3][V8_BYTECODE_KINDS_MAX];
};

/*
 * Returns the offset of the bytecode whose instructions contain OFFSET, an offset in
 * the code. Returns UINT32_MAX if OFFSET is in the prologue, or if the data are
 * damaged. Advances TABLE and BYTECODE.
 */
uint32_t v8_baseline_find(const struct v8_bytecode_sizes *sizes,
	struct bytes *table, struct bytes *bytecode, uint64_t offset);

#endif
