/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the debug information of one file, by libdw, unit by unit as they are
 * asked for. For one thread; several makers may work at once.
 */
#ifndef DWELL_REPORT_LINES_DWARF_LINES_H
#define DWELL_REPORT_LINES_DWARF_LINES_H

#include "common/elf/elf.h"
#include "report/lines/line_unit.h"
#include "report/lines/missing_files.h"

struct line_maker;

/* Each may be NULL, but not both of the first. */
struct line_files {
	struct elf_file *code;  /* what is mapped */
	struct elf_file *debug; /* its debug information; NULL: it has it */
	struct elf_file *alt;   /* what that refers to */
};

/*
 * All borrowed. To SOUGHT go .dwo files that units refer to, and that aren't there.
 * NULL if there is no debug information, or none to be trusted.
 */
struct line_maker *line_maker_create(
	const struct line_files *files, struct sought *sought);
/* NULL is fine. */
void line_maker_destroy(struct line_maker *maker);

/* The unit with the code at ADDRESS, owned by the caller; NULL: there is none. */
struct line_unit *line_maker_make(struct line_maker *maker, uint64_t address);

#endif
