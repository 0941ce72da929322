/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The namespaces of a thread, as the kernel's record tells them. */
#ifndef DWELL_RECORD_SYNTH_NAMESPACES_H
#define DWELL_RECORD_SYNTH_NAMESPACES_H

#include <sys/types.h>

#include "common/util/strbuf.h"

/*
 * Appends a NAMESPACES record for thread TID of process PID, from /proc, with
 * TRAILER behind it. Nothing if it is gone or another user's.
 */
void namespaces_add(pid_t pid, pid_t tid, const void *trailer,
	size_t trailer_size, struct strbuf *out);

#endif
