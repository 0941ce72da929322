/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes recordings in formats of other tools. An export is one file in this
 * folder (folded and csv share one) and one row of the table in cmd_export.c.
 */
#ifndef DWELL_REPORT_EXPORT_EXPORT_H
#define DWELL_REPORT_EXPORT_EXPORT_H

#include "common/util/error.h"
#include "report/options/options.h"

struct export
{
	const char *name;
	bool is_binary;
	/* Writes the export to FD, which can be a pipe. */
	struct error *(*run)(const struct options *options, int fd);
};
/*
 * Writes EXPORT to the file or standard output that OPTIONS name. The file gets
 * its name only after success; an existing file is replaced only with --force.
 */
struct error *export_write(const struct export *export,
	const struct options *options) _must_check_;

extern const struct export export_callgrind, export_chrome, export_csv,
	export_difference, export_firefox, export_folded, export_html,
	export_json, export_perf_data, export_perf_script, export_pprof,
	export_speedscope, export_svg;

#endif
