/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides whether frame pointers are sufficient for the code of a file
 * (--call-graph auto). The first samples in the file are unwound both by unwind
 * rules and by frame pointers. If both methods find the same callers, only
 * frame pointers are used for further samples.
 */
#ifndef DWELL_RECORD_UNWIND_FRAME_POINTER_TRIAL_H
#define DWELL_RECORD_UNWIND_FRAME_POINTER_TRIAL_H

#include "common/util/array.h"

struct frame_pointer_trials {
	ARRAY(struct frame_pointer_trial {
		char *path; /* owned; NULL: no samples yet */
		unsigned n_seen, n_equal;
		bool is_decided, uses_frame_pointers;
	})
	files;
};

void frame_pointer_trials_deinit(struct frame_pointer_trials *trials);

/*
 * Returns true if frame pointers are sufficient in FILE, a number that the
 * caller assigns.
 */
bool frame_pointer_trials_prefer(
	const struct frame_pointer_trials *trials, uint32_t file);
/*
 * The result of one sample in FILE at PATH: whether unwind rules and frame
 * pointers found the same callers.
 */
struct frame_pointer_result {
	uint32_t file;
	const char *path; /* borrowed; NULL: no result */
	bool is_equal;
};
void frame_pointer_trials_add(struct frame_pointer_trials *trials,
	const struct frame_pointer_result *result);
/*
 * Prints with -v the files of each method (frame pointers, unwind rules) in one
 * line.
 */
void frame_pointer_trials_report(const struct frame_pointer_trials *trials);

#endif
