/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the tables of folders and files of DWARF 5 in .debug_line before libdw
 * reads them: libdw does not check that texts are terminated (elfutils 0.188).
 */
#ifndef DWELL_REPORT_LINES_LINE_CHECK_H
#define DWELL_REPORT_LINES_LINE_CHECK_H

#include "common/util/bytes.h"

/* Returns whether all tables of SECTION, uncompressed, are valid. */
bool line_check(struct bytes section);

#endif
