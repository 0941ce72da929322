/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/frame_pointer_trial.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "common/util/strbuf.h"

/* Number of samples compared per file, and how many of these may differ. */
#define COMPARED_SAMPLES 64u
#define DIFFERENT_MAX 3u
#define FILES_MAX 100000u
#define PRINTED_FILES_MAX 5u

void frame_pointer_trials_deinit(struct frame_pointer_trials *trials)
{
	array_each(&trials->files, file)
		free(file->path);
	array_free(&trials->files);
}

bool frame_pointer_trials_prefer(
	const struct frame_pointer_trials *trials, uint32_t file)
{
	return file < trials->files.n &&
		trials->files.at[file].uses_frame_pointers;
}

void frame_pointer_trials_add(struct frame_pointer_trials *trials,
	const struct frame_pointer_result *result)
{
	struct frame_pointer_trial *trial;

	if (result->file >= FILES_MAX)
		return;
	while (trials->files.n <= result->file)
		*array_push(&trials->files) = (struct frame_pointer_trial){ 0 };
	trial = &trials->files.at[result->file];
	if (trial->is_decided)
		return;
	if (!trial->path)
		trial->path = xstrdup(result->path);
	trial->n_seen++;
	trial->n_equal += result->is_equal;
	trial->is_decided = trial->n_seen == COMPARED_SAMPLES;
	trial->uses_frame_pointers = trial->is_decided &&
		trial->n_equal + DIFFERENT_MAX >= COMPARED_SAMPLES;
}

static size_t list_trial_files(const struct frame_pointer_trials *trials,
	bool uses_frame_pointers, struct strbuf *out)
{
	size_t n = 0;

	array_each(&trials->files, file) {
		if (!file->path ||
			file->uses_frame_pointers != uses_frame_pointers)
			continue;
		if (n++ < PRINTED_FILES_MAX)
			strbuf_printf(out, "%s%s", out->n ? ", " : "",
				path_base(file->path));
	}
	if (n > PRINTED_FILES_MAX)
		strbuf_printf(out, " and %zu more", n - PRINTED_FILES_MAX);
	return n;
}

void frame_pointer_trials_report(const struct frame_pointer_trials *trials)
{
	_cleanup_strbuf_ struct strbuf frames = { 0 }, unwound = { 0 };

	if (list_trial_files(trials, true, &frames))
		log_verbose("used frame pointers in %s, where they lead to the "
			    "same callers as the unwind rules",
			frames.at);
	if (list_trial_files(trials, false, &unwound))
		log_verbose("used unwind rules in %s, which has code without "
			    "frame pointers",
			unwound.at);
}
