/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handlers of signals that have a stack of their own (sigaltstack(2)): what the
 * kernel has put there of what they interrupted. Nothing here unwinds.
 */
#ifndef DWELL_RECORD_UNWIND_SIGNAL_FRAMES_H
#define DWELL_RECORD_UNWIND_SIGNAL_FRAMES_H

#include <sys/types.h>

#include "common/util/base.h"

struct handled {
	uint64_t from; /* sp of what was interrupted */
	uint64_t mask; /* the signals that are blocked there */
	size_t end;    /* bytes of the copy up to the end of its pc */
};
/*
 * Of a copy of SIZE BYTES that begins at START, with sp of what was interrupted
 * at AT. False: it isn't there, or none of another stack.
 */
bool handlers_read(const uint8_t *bytes, size_t size, uint64_t start,
	uint64_t at, struct handled *ret);
/*
 * Whether a handler runs in TID now, by the signals that are blocked; false also
 * where MASK, those of what it interrupted, are the same, or nobody tells.
 */
bool handlers_run(pid_t pid, pid_t tid, uint64_t mask);

#endif
