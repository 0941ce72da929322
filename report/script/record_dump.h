/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script -D: every record of a file, one line each, in the file's order. */
#ifndef DWELL_REPORT_SCRIPT_RECORD_DUMP_H
#define DWELL_REPORT_SCRIPT_RECORD_DUMP_H

#include "common/file/reader.h"

/* Prints to stdout while it reads. */
struct error *dump_records(struct reader *reader) _must_check_;

#endif
