/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The standard streams of a program: input, output and error. The program can
 * be started with any of them closed.
 */
#ifndef DWELL_COMMON_UTIL_STANDARD_STREAMS_H
#define DWELL_COMMON_UTIL_STANDARD_STREAMS_H

#include "common/util/error.h"

/*
 * Occupies each of the file descriptors 0 to 2 that is closed, so that no file
 * opened later gets one of these numbers. Reading and writing an occupied
 * descriptor fails with EBADF, and commands that the program starts find the
 * descriptor closed. Call this function first in main().
 */
void standard_streams_occupy(void);

/*
 * Ends the program with status 0 after its text on standard output was written,
 * or by SIGPIPE if the reader of a pipe has ended. Returns only if writing
 * failed, with the error.
 */
struct error *standard_streams_exit(void) _must_check_;

#endif
