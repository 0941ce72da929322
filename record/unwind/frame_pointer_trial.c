/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/frame_pointer_trial.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "common/util/strbuf.h"

/* So many samples are looked at, and so many of them may differ. */
#define LOOKED_AT 64u
#define DIFFERENT_MAX 3u
#define FILES_MAX 100000u
#define NAMED_MAX 5u

void choices_deinit(struct choices *choices)
{
	array_each(&choices->files, file)
		free(file->path);
	array_free(&choices->files);
}

bool choices_has_frames(const struct choices *choices, uint32_t file)
{
	return file < choices->files.n && choices->files.at[file].has_frames;
}

void choices_see(struct choices *choices, const struct choices_seen *seen)
{
	struct choice *choice;

	if (seen->file >= FILES_MAX)
		return;
	while (choices->files.n <= seen->file)
		*array_push(&choices->files) = (struct choice){ 0 };
	choice = &choices->files.at[seen->file];
	if (choice->is_made)
		return;
	if (!choice->path)
		choice->path = xstrdup(seen->path);
	choice->n_seen++;
	choice->n_equal += seen->is_equal;
	choice->is_made = choice->n_seen == LOOKED_AT;
	choice->has_frames = choice->is_made &&
		choice->n_equal + DIFFERENT_MAX >= LOOKED_AT;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static size_t list_files(
	const struct choices *choices, bool has_frames, struct strbuf *out)
{
	size_t n = 0;

	array_each(&choices->files, file) {
		if (!file->path || file->has_frames != has_frames)
			continue;
		if (n++ < NAMED_MAX)
			strbuf_printf(out, "%s%s", out->n ? ", " : "",
				base_of(file->path));
	}
	if (n > NAMED_MAX)
		strbuf_printf(out, " and %zu more", n - NAMED_MAX);
	return n;
}

void choices_tell(const struct choices *choices)
{
	_cleanup_strbuf_ struct strbuf frames = { 0 }, unwound = { 0 };

	if (list_files(choices, true, &frames))
		log_note("frame pointers were enough in %s", frames.at);
	if (list_files(choices, false, &unwound))
		log_note("stacks were unwound in %s", unwound.at);
}
