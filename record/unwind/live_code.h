/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that was made at run time, as it lies in the living process: no file has
 * it. Read by pieces and kept for a moment, as most are asked for again; by a
 * thread of its own, because reading another one's memory may take for ever
 * (userfaultfd(2)).
 */
#ifndef DWELL_RECORD_UNWIND_LIVE_CODE_H
#define DWELL_RECORD_UNWIND_LIVE_CODE_H

#include "common/util/base.h"

struct livecode;

struct livecode *livecode_create(void);
void livecode_destroy(struct livecode *livecode);

/*
 * Copies up to SIZE bytes, LIVECODE_MAX at most, of what PID has at ADDRESS;
 * how many there are. 0: it is gone, or not ours to read.
 */
#define LIVECODE_MAX 4096u
size_t livecode_read(struct livecode *livecode, uint32_t pid,
	uint64_t address, uint8_t *bytes, size_t size);

#endif
