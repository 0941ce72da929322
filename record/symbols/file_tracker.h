/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files that must be opened while their processes run. A thread processes
 * the MMAP2 and EXIT records from the ring buffers, and holds the mapped files
 * (pinned_files.h) and the JIT files (jit_files.h) open. Adding records never
 * blocks. If the thread falls behind, records are dropped, and the files of the
 * dropped records are searched for at the end of the recording.
 */
#ifndef DWELL_RECORD_SYMBOLS_FILE_TRACKER_H
#define DWELL_RECORD_SYMBOLS_FILE_TRACKER_H

#include "common/util/error.h"
#include "record/symbols/jit_files.h"
#include "record/symbols/moved_code.h"
#include "record/symbols/pinned_files.h"

struct file_tracker;

/* MOVED gets the executable mappings; borrowed; NULL: no calls. */
struct file_tracker *file_tracker_create(struct moved_code *moved);
/* Ends the thread and frees TRACKER. */
void file_tracker_destroy(struct file_tracker *tracker);

/*
 * Adds RECORD, a complete kernel record. Only one thread may call this
 * function.
 */
void file_tracker_add_record(struct file_tracker *tracker, const void *record);

/*
 * Calls ON_MAPPING with each executable mapping after its file was opened, in
 * the thread. NULL ends the calls.
 */
void file_tracker_on_mapping(struct file_tracker *tracker,
	void (*on_mapping)(void *data, const struct record_mmap *map),
	void *data);

/*
 * Starts the thread, which also processes records that were added before. At
 * most N_MAX descriptors are held.
 */
struct error *file_tracker_start(
	struct file_tracker *tracker, size_t n_max) _must_check_;
/* Processes all added records and ends the thread. */
void file_tracker_stop(struct file_tracker *tracker);

/*
 * Returns a descriptor of the file of DSO, owned by the caller, or -1 if the
 * file is not held (yet). Waits while the thread opens a file.
 */
int file_tracker_open_file(struct file_tracker *tracker, const struct dso *dso);
/*
 * Returns a descriptor of the jitdump of PID, owned by the caller, or -1 if no
 * jitdump is held. Waits while the thread opens a file.
 */
int file_tracker_open_jitdump(struct file_tracker *tracker, uint32_t pid);

/*
 * Call file_tracker_pause() before the recorder closes a perf.data file.
 * file_tracker_pause() opens the JIT files that exist now. Then no file is
 * opened or closed until file_tracker_resume().
 */
void file_tracker_pause(struct file_tracker *tracker);
void file_tracker_resume(struct file_tracker *tracker);

/*
 * Return the held files, borrowed from TRACKER. Use the result only between
 * file_tracker_pause() and file_tracker_resume(), or after file_tracker_stop().
 */
const struct pinned_files *file_tracker_pins(
	const struct file_tracker *tracker);
const struct jits *file_tracker_jits(const struct file_tracker *tracker);

#endif
