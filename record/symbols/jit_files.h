/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JIT files of processes: the perf-PID.map in /tmp below the root folder of
 * the process, with the PID of the process in its own PID namespace, and the
 * jitdump, which the process maps. Both files are opened while the process
 * exists, and read when the recording ends (jitnames.h).
 *
 * Only files that belong to the user of the process are used. The owner is
 * checked when a file is opened and again before it is read, because the owner
 * of an open file can change.
 */
#ifndef DWELL_RECORD_SYMBOLS_JIT_FILES_H
#define DWELL_RECORD_SYMBOLS_JIT_FILES_H

#include <sys/types.h>

#include "common/perf/record.h"
#include "record/sys/timed_worker.h"

struct jits;

/* WORKER is borrowed. At most N_MAX processes are tracked. */
struct jits *jits_create(struct timed_worker *worker, size_t n_max);
void jits_destroy(struct jits *jits);

/*
 * Adds MAP, an executable mapping that was just created. Returns true if the
 * mapped file is a jitdump.
 */
bool jits_add_mapping(struct jits *jits, const struct record_mmap *map);
/* Opens the perf map of PID, which has ended: the file may disappear. */
void jits_add_exit(struct jits *jits, uint32_t pid);
/* Opens the perf maps of all processes that are still running. */
void jits_refresh(struct jits *jits);

struct jit_files {
	int perfmap, dump; /* descriptors, borrowed; -1: not open */
	uid_t user;	   /* user of the process */
};
struct jit_files jits_find(const struct jits *jits, uint32_t pid);

#define JIT_FILE_FOREIGN "is owned by another user"

/* Returns true if FD is an open file that belongs to USER. Can block. */
bool jit_file_is_owned(int fd, uid_t user);
/*
 * Prints that the file WHAT ("perf map") of PID is ignored because the file
 * WHY ("is a symbolic link").
 */
void jit_file_report_ignored(uint32_t pid, const char *what, const char *why);

#endif
