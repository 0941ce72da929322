/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads lines, numbers and whole files of /proc and /sys. Returns false if a
 * file cannot be read.
 */
#ifndef DWELL_RECORD_SYS_SYSFILE_H
#define DWELL_RECORD_SYS_SYSFILE_H

#include <fcntl.h>

#include "common/util/base.h"
#include "common/util/cpus.h"
#include "common/util/strbuf.h"

/*
 * The current limit of the kernel for samples per second (perf_event_open(2)).
 */
#define PROC_MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

/*
 * Maximum number of bytes that are read of a file; further bytes are ignored.
 */
#define SYSFILE_MAX MIB(64)

/* Appends the file PATH below DIR (or AT_FDCWD) to OUT. */
bool sysfile_slurp(int dir, const char *path, struct strbuf *out);
/*
 * Reads the first line of the file PATH without its newline, shortened to SIZE
 * bytes including the NUL.
 */
bool sysfile_line(const char *path, char *text, size_t size);
/* Reads a decimal number at the start of the file PATH. */
bool sysfile_number(const char *path, int64_t *ret);

/* Reads the online CPUs; CPU 0 if sysfs does not list them. */
void sysfile_cpus_online(struct cpus *ret);
/*
 * Returns the highest possible CPU + 1, or 1 if sysfs does not list the
 * possible CPUs.
 */
uint32_t sysfile_cpus_possible(void);

#endif
