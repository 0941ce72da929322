/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of folders and files in .debug_line, of DWARF 5, before libdw reads
 * them: it takes on trust that texts in there have an end (elfutils 0.188).
 */
#ifndef DWELL_REPORT_LINES_LINE_CHECK_H
#define DWELL_REPORT_LINES_LINE_CHECK_H

#include "common/util/bytes.h"

/* Whether all tables of the SECTION, uncompressed, are sound. */
bool line_check(struct bytes section);

#endif
