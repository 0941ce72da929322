/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verbs of dwell-report. Each function parses ARGV, runs the verb and
 * writes its output.
 */
#ifndef DWELL_REPORT_CMD_H
#define DWELL_REPORT_CMD_H

#include "common/util/error.h"

struct error *cmd_report(int argc, char **argv) _must_check_;
struct error *cmd_annotate(int argc, char **argv) _must_check_;
struct error *cmd_diff(int argc, char **argv) _must_check_;
struct error *cmd_script(int argc, char **argv) _must_check_;
struct error *cmd_export(int argc, char **argv) _must_check_;
struct error *cmd_evlist(int argc, char **argv) _must_check_;
struct error *cmd_buildid_list(int argc, char **argv) _must_check_;
struct error *cmd_pack(int argc, char **argv) _must_check_;
struct error *cmd_unpack(int argc, char **argv) _must_check_;

#endif
