/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwinding rules of the code that runs: found by address space and
 * address, made from a file when it is first asked for, and kept as long as
 * others need no room. Files are those that the keeper holds, or that are to be
 * found where they were mapped.
 *
 * May be asked by several threads, as long as nobody changes the maps.
 */
#ifndef DWELL_RECORD_UNWIND_RULES_H
#define DWELL_RECORD_UNWIND_RULES_H

#include "common/maps/maps.h"
#include "common/unwind/unwind.h"
#include "record/symbols/file_tracker.h"

struct rules;

/* KEEPER is borrowed; NULL: files are searched where they were mapped. */
struct rules *rules_create(struct keeper *keeper);
void rules_destroy(struct rules *rules);
/* DSOs have other numbers from now on: there are other maps. */
void rules_restart(struct rules *rules);

/* Where code is: in SPACE of MAPS, of process PID, at TIME (clocks_now()). */
struct rules_place {
	const struct maps *maps;
	uint32_t space, pid;
	uint64_t time;
};
/* No thread unwinds by what was found before. */
void rules_settle(struct rules *rules);
/*
 * A number for how code was at PLACE, made at run time or in files, of which
 * only so many are open: as long as it is the same, so is what rules_find()
 * says, for all that is mapped.
 */
uint64_t rules_state(struct rules *rules, const struct rules_place *place);
/*
 * The code at PC; its rules are borrowed until rules_settle(). False where
 * nothing is mapped.
 */
bool rules_find(struct rules *rules, const struct rules_place *place,
	uint64_t pc, struct unwind_code *ret);
/*
 * The number of the file at PC, and its path, borrowed; false: there is none, as
 * where code was made at run time.
 */
bool rules_file(struct rules *rules, const struct rules_place *place,
	uint64_t pc, uint32_t *number_ret, const char **path_ret);
/* Up to SIZE bytes of the code at ADDRESS; how many could be had. */
size_t rules_code(struct rules *rules, const struct rules_place *place,
	uint64_t address, uint8_t *bytes, size_t size);
/* Whether ADDRESS stands behind a call; false also where that isn't known. */
bool rules_is_called(struct rules *rules, const struct rules_place *place,
	uint64_t address);
/*
 * Whether ADDRESS was put on a stack by hand: it is the beginning of a function,
 * or one byte behind it, where no call can end. So runtimes begin stacks.
 */
bool rules_is_put(struct rules *rules, const struct rules_place *place,
	uint64_t address);

#endif
