/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges the frames of an interpreter into the native call chain of the same
 * sample. A call of the function that interprets is the caller of the frames of
 * the language that it interpreted: a group. All native frames stay, such as
 * those of C extensions and their callers.
 */
#ifndef DWELL_RECORD_UNWIND_MERGE_FRAMES_H
#define DWELL_RECORD_UNWIND_MERGE_FRAMES_H

#include "record/runtimes/interface/interpreter.h"

struct merge_input {
	const uint64_t *native; /* return addresses, the sampled pc first */
	size_t n_native;
	bool is_whole; /* the native chain reaches the beginning of the thread
			*/
	const struct interpreter *interpreter;
	const struct interpreter_frame *frames; /* innermost first */
	size_t n_frames;
	/*
	 * Returns whether PC is in code that was written at run time. Such a
	 * caller of the function that interprets stands for the same function
	 * of the language (python -X perf), and is left out.
	 */
	bool (*is_trampoline)(void *data, uint64_t pc);
	void *data;
};

enum merge_result {
	MERGE_EXACT, /* each call has its group */
	/*
	 * A frame has no counterpart: the sample is at the beginning or end of
	 * a call, the native chain lacks callers, or outer calls have another
	 * list of frames.
	 */
	MERGE_SHIFTED,
	/* There are more groups than calls: all groups are in the outermost
	   call. */
	MERGE_ALONE,
};

/* Limit of the entries of a merged chain. */
#define MERGE_MAX(input) ((input)->n_native + (input)->n_frames)

/*
 * Writes the merged chain to OUT, which has room for MERGE_MAX(). Sets *N_RET.
 */
enum merge_result merge_frames(
	const struct merge_input *input, uint64_t *out, size_t *n_ret);

#endif
