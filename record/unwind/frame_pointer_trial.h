/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether frame pointers are enough for the code of a file (--call-graph
 * auto): both ways are taken for the first samples in it, and if the callers
 * are the same ones, only frame pointers from then on.
 */
#ifndef DWELL_RECORD_UNWIND_FRAME_POINTER_TRIAL_H
#define DWELL_RECORD_UNWIND_FRAME_POINTER_TRIAL_H

#include "common/util/array.h"

struct choices {
	ARRAY(struct choice {
		char *path; /* owned; NULL: nothing was seen of it */
		unsigned n_seen, n_equal;
		bool is_made, has_frames;
	}) files;
};

void choices_deinit(struct choices *choices);

/* Whether frame pointers are enough in FILE, a number of the caller's. */
bool choices_has_frames(const struct choices *choices, uint32_t file);
/* A sample in FILE, of PATH, whose callers are the same both ways, or not. */
struct choices_seen {
	uint32_t file;
	const char *path; /* borrowed; NULL: nothing was seen */
	bool is_equal;
};
void choices_see(struct choices *choices, const struct choices_seen *seen);
/* Says what was chosen: a line for each way. */
void choices_tell(const struct choices *choices);

#endif
