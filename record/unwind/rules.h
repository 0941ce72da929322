/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind rules of mapped code: found by address space and address, read
 * from a file when they are first needed, and kept while there is space. The
 * files are those that the file tracker holds open, or those at the mapped
 * paths.
 *
 * Thread-safe, as long as no thread changes the maps.
 */
#ifndef DWELL_RECORD_UNWIND_RULES_H
#define DWELL_RECORD_UNWIND_RULES_H

#include "common/maps/maps.h"
#include "common/unwind/unwind.h"
#include "record/symbols/file_tracker.h"

struct rules;

/* TRACKER is borrowed. NULL: files are opened at the mapped paths. */
struct rules *rules_create(struct file_tracker *tracker);
void rules_destroy(struct rules *rules);
/* Call it when the DSOs are renumbered because the maps were replaced. */
void rules_restart(struct rules *rules);

/*
 * A place of code: address space SPACE of MAPS, process PID, at TIME
 * (clocks_now()).
 */
struct rules_place {
	const struct maps *maps;
	uint32_t space, pid;
	uint64_t time;
};
/* No thread uses rules that were returned before; they may be freed. */
void rules_settle(struct rules *rules);
/*
 * Returns a number that identifies the state of the rules at PLACE. While it is
 * the same, so are all results of rules_find() for mapped code. It changes with
 * new JIT code and when files are closed.
 */
uint64_t rules_version(struct rules *rules, const struct rules_place *place);
/*
 * Finds the code at PC. Its rules are borrowed until rules_settle(). Returns
 * false if nothing is mapped at PC.
 */
bool rules_find(struct rules *rules, const struct rules_place *place,
	uint64_t pc, struct unwind_code *ret);
/*
 * Finds the number of the file at PC, and its path, which is borrowed. Returns
 * false for code without a file, such as JIT code.
 */
bool rules_file(struct rules *rules, const struct rules_place *place,
	uint64_t pc, uint32_t *number_ret, const char **path_ret);
/* Returns true if a file is mapped at PC that could not be opened. */
bool rules_file_is_missing(
	struct rules *rules, const struct rules_place *place, uint64_t pc);
/*
 * Copies up to SIZE bytes of the code at ADDRESS to BYTES. Returns their
 * number.
 */
size_t rules_code(struct rules *rules, const struct rules_place *place,
	uint64_t address, uint8_t *bytes, size_t size);
/*
 * Returns true if a call instruction ends at ADDRESS; false also if the code
 * cannot be read.
 */
bool rules_follows_call(
	struct rules *rules, const struct rules_place *place, uint64_t address);
/*
 * Returns true if ADDRESS can be the start of a stack that a runtime created:
 * the start of a function, or one byte after it, where no call can end.
 */
bool rules_is_stack_start(
	struct rules *rules, const struct rules_place *place, uint64_t address);

#endif
