/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the recordings that the words of a command line name. */
#ifndef DWELL_REPORT_SURVEY_PATHS_H
#define DWELL_REPORT_SURVEY_PATHS_H

#include "common/file/reader.h"
#include "common/util/completion.h"
#include "common/util/error.h"
#include "report/util/filter.h"

/*
 * Appends the paths WORDS to RET. A folder is replaced by the recordings in
 * the folder, sorted by name; a folder of `perf record --threads` is one
 * recording.
 */
struct error *paths_expand(const struct filter_names *words,
	struct filter_names *ret) _must_check_;

/* Offers recordings, and files whose name ends in ".data". */
COMPLETER(paths_complete);

/*
 * Appends the paths WORDS to RET, as recordings to compare. If WORDS is one
 * path, the previous recording (dwell.data.old, else perf.data.old) is appended
 * before it. If WORDS is empty, the previous and the latest recording are
 * appended.
 */
void paths_compare(const struct filter_names *words, struct filter_names *ret);

/*
 * Opens the recording PATH; NULL: dwell.data, or perf.data if only perf.data
 * exists.
 */
struct error *paths_open(const char *path, struct reader **ret) _must_check_;

#endif
