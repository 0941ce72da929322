/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signal handlers that run on their own stack (sigaltstack(2)): reads the saved
 * state of the interrupted code from the signal frame. Does not unwind.
 */
#ifndef DWELL_RECORD_UNWIND_SIGNAL_FRAMES_H
#define DWELL_RECORD_UNWIND_SIGNAL_FRAMES_H

#include <sys/types.h>

#include "common/util/base.h"

struct signal_frame {
	uint64_t from; /* stack pointer of the interrupted code */
	uint64_t mask; /* signals that are blocked in the interrupted code */
	size_t end;    /* bytes of the copy up to the end of the saved PC */
};
/*
 * Reads the signal frame in BYTES, a copy of SIZE bytes from address START,
 * where AT is the address of the saved stack pointer. Returns false if the
 * frame is not in the copy, or the interrupted stack is the same one.
 */
bool signal_frames_read(const uint8_t *bytes, size_t size, uint64_t start,
	uint64_t at, struct signal_frame *ret);
/*
 * Returns true if a handler runs in TID now, according to its blocked signals.
 * Returns false if these are the same as MASK, those of the interrupted code,
 * or cannot be read.
 */
bool signal_frames_handler_runs(pid_t pid, pid_t tid, uint64_t mask);

#endif
