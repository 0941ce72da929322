/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognizes the functions of standard libraries and of the code that starts
 * programs and threads, for --hide-glue and cut stacks. The input is a displayed function
 * name. The name alone decides: a C++ namespace "core" cannot be distinguished
 * from Rust's crate.
 */
#ifndef DWELL_REPORT_UTIL_GLUE_H
#define DWELL_REPORT_UTIL_GLUE_H

#include "common/util/base.h"

/*
 * Returns whether NAME, a displayed function name with or without marks such as
 * " (inlined)" and suffixes such as ".cold", is in the table of glue. The
 * return type and the template arguments in NAME do not count.
 */
bool glue_is_name(const char *name);

/*
 * Returns whether NAME, as for glue_is_name(), is a function in which programs
 * and threads of C and Go start, or main().
 */
bool glue_is_start_name(const char *name);

#endif
