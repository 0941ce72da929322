/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The limit of a verb's output. A recording of a few kilobytes can expand to any
 * number of bytes, so a verb that prints samples stops at the limit. The limit is
 * one for the process: it counts what is written to standard output and to
 * the files of --output. Not thread-safe.
 */
#ifndef DWELL_REPORT_UTIL_OUTPUT_LIMIT_H
#define DWELL_REPORT_UTIL_OUTPUT_LIMIT_H

#include "common/util/error.h"
#include "common/util/sink.h"

/* 1,000 times the size of the recordings, and 1 GB at least. */
#define OUTPUT_LIMIT_BY_INPUT UINT64_MAX

/* Sets the limit to SIZE bytes, 0 for none, and starts to count at 0. */
void output_limit_begin(uint64_t size);
/* Adds a recording of SIZE bytes to those that OUTPUT_LIMIT_BY_INPUT means. */
void output_limit_add_input(uint64_t size);
/*
 * Returns whether SIZE bytes more are within the limit. If they are not,
 * output_limit_error() returns an error from then on.
 */
bool output_limit_has_room(uint64_t size);
/* The same, and counts them. */
bool output_limit_take(uint64_t size);
/*
 * Returns NULL if the output has not exceeded the limit. PATH is the file that
 * will be removed, or NULL for standard output.
 */
struct error *output_limit_error(const char *path) _must_check_;
/* Like sink_of_file(), but fails with EFBIG if the limit is exceeded. */
struct sink output_limit_sink(int *fd);

#endif
