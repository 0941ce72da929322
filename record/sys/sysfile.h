/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small reads from /proc and /sys: a line, a number, a whole file. What can't
 * be read is answered with false; whoever asks knows what that means.
 */
#ifndef DWELL_RECORD_SYS_SYSFILE_H
#define DWELL_RECORD_SYS_SYSFILE_H

#include <fcntl.h>

#include "common/util/base.h"
#include "common/util/cpus.h"
#include "common/util/strbuf.h"

/* The kernel's limit for samples per second now (perf_event_open(2)). */
#define PROC_MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

/* Files that grow without end are cut here. */
#define SYSFILE_MAX MIB(64)

/* Appends the file at PATH below DIR (AT_FDCWD) to OUT. */
bool sysfile_slurp(int dir, const char *path, struct strbuf *out);
/* The first line without its newline, cut to SIZE bytes with its NUL. */
bool sysfile_line(const char *path, char *text, size_t size);
/* A decimal number at the start of the file. */
bool sysfile_number(const char *path, int64_t *ret);

/* The CPUs that are online now; CPU 0 if sysfs doesn't tell. */
void sysfile_cpus_online(struct cpus *ret);
/* How many the machine can have, at least those online. */
uint32_t sysfile_cpus_possible(void);

#endif
