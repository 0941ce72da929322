/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the recordings that the words of a command line name. */
#ifndef DWELL_REPORT_SURVEY_PATHS_H
#define DWELL_REPORT_SURVEY_PATHS_H

#include "common/file/reader.h"
#include "common/util/error.h"
#include "report/util/filter.h"

/*
 * Appends WORDS to RET. A directory is replaced by the recordings in it, sorted
 * by name; the directory of `perf record --threads` is one recording.
 */
struct error *paths_expand(
	const struct name_list *words, struct name_list *ret) _must_check_;

/*
 * Appends the recordings to compare to RET: WORDS. Before a single word stands
 * the previous recording (dwell.data.old, else perf.data.old); without words,
 * the previous recording is compared with the latest one.
 */
void paths_compare(const struct name_list *words, struct name_list *ret);

/* Opens PATH; NULL: dwell.data, or perf.data if only that exists. */
struct error *paths_open(const char *path, struct reader **ret) _must_check_;

#endif
