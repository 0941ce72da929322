/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files the words of a command line stand for. */
#ifndef DWELL_REPORT_SURVEY_PATHS_H
#define DWELL_REPORT_SURVEY_PATHS_H

#include "common/file/reader.h"
#include "common/util/error.h"
#include "report/util/filter.h"

/*
 * WORDS with the recordings in a directory instead of it, sorted by name;
 * what `perf record --threads` wrote is one recording. Appends to RET.
 */
struct error *paths_expand(
	const struct name_list *words, struct name_list *ret) _must_check_;

/*
 * The recordings that are compared: WORDS, and before them, where these are fewer
 * than two, the older one that a recorder has left (dwell.data.old, else
 * perf.data.old), with the newer one behind it if there is no word. Appends to RET.
 */
void paths_compare(const struct name_list *words, struct name_list *ret);

/* Opens PATH; NULL: dwell.data, or perf.data. */
struct error *paths_open(const char *path, struct reader **ret) _must_check_;

#endif
