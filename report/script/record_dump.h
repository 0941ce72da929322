/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell script -D: prints all records of a file, one per line, in file order.
 */
#ifndef DWELL_REPORT_SCRIPT_RECORD_DUMP_H
#define DWELL_REPORT_SCRIPT_RECORD_DUMP_H

#include "common/file/reader.h"

/*
 * Prints all records of READER to standard output while reading. Returns an
 * error if writing fails.
 */
struct error *record_dump(struct reader *reader) _must_check_;

#endif
