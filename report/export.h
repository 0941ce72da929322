/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats of other tools. An export is one file here and one row of the table
 * in cmd_export.c.
 */
#ifndef DWELL_EXPORT_H
#define DWELL_EXPORT_H

#include "common/error.h"
#include "report/options.h"

struct export {
	const char *name;
	bool is_binary;
	/* Writes to FD, which may be a pipe. */
	struct error *(*run)(const struct options *options, int fd);
};
extern const struct export export_folded, export_perf_data;

#endif
