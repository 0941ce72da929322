/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads attributes of one DIE with libdw, and the links from a DIE to the DIEs
 * that complete it.
 */
#ifndef DWELL_REPORT_LINES_DIE_VALUES_H
#define DWELL_REPORT_LINES_DIE_VALUES_H

#include <elfutils/libdw.h>

#include "common/util/base.h"

/*
 * Limit of the links from a DIE to its origin or declaration that are followed;
 * two are usual. In a damaged file, the links can form a cycle.
 */
#define ORIGINS_MAX 8u

/* Returns the text of the attribute NAME of DIE, borrowed, or NULL. */
const char *die_text(Dwarf_Die *die, unsigned name);
/*
 * Stores the value of the attribute NAME of DIE in RET, limited to INT32_MAX.
 * Returns false if DIE has no such number.
 */
bool die_number(Dwarf_Die *die, unsigned name, uint32_t *ret);
/*
 * Stores the offset of UNIT's line table in .debug_line in RET. Returns false if
 * UNIT has none.
 */
bool die_line_table(Dwarf_Die *unit, uint64_t *ret);
/*
 * Stores the origin (DW_AT_abstract_origin) or the declaration
 * (DW_AT_specification) of DIE in RET. Returns false if there is none. RET may
 * be DIE.
 */
bool die_origin(Dwarf_Die *die, Dwarf_Die *ret);
/*
 * Stores DIE, its origin or declaration, the origin of that DIE, and so on, in
 * RET. Returns the number of DIEs, at least 1.
 */
size_t die_origins(const Dwarf_Die *die, Dwarf_Die ret[ORIGINS_MAX]);

#endif
