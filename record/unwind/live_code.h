/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads JIT code from the memory of a running process. The code is read in
 * pieces, which are kept for a short time. A separate thread reads, because
 * reading the memory of another process can block for ever (userfaultfd(2)).
 */
#ifndef DWELL_RECORD_UNWIND_LIVE_CODE_H
#define DWELL_RECORD_UNWIND_LIVE_CODE_H

#include "common/util/base.h"

struct live_code;

struct live_code *live_code_create(void);
void live_code_destroy(struct live_code *live_code);

/*
 * Copies up to SIZE bytes (at most LIVE_CODE_MAX) at ADDRESS of PID to BYTES.
 * Returns their number; 0 if the process has ended or is not readable.
 */
#define LIVE_CODE_MAX 4096u
size_t live_code_read(struct live_code *live_code, uint32_t pid,
	uint64_t address, uint8_t *bytes, size_t size);

#endif
