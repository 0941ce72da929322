/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads source lines and inlined functions of a Go program from its own table
 * of functions, some consecutive functions on request. Each struct go_units is
 * for one thread; several may be used at the same time.
 */
#ifndef DWELL_REPORT_LINES_GO_UNITS_H
#define DWELL_REPORT_LINES_GO_UNITS_H

#include "common/elf/elf.h"
#include "common/file/line_unit.h"

struct go_units;

/*
 * FILE is borrowed until go_units_destroy(). Returns NULL if FILE has no table
 * of functions.
 */
struct go_units *go_units_create(struct elf_file *file);
/* UNITS may be NULL. */
void go_units_destroy(struct go_units *units);

/*
 * Returns the lines of the functions at and near ADDRESS, owned by the caller,
 * or NULL if there is no function.
 */
struct line_unit *go_units_read(struct go_units *units, uint64_t address);

#endif
