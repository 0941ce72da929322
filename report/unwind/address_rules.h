/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the unwind rules of a recording's code by address space and address.
 * The rules come from the recording or else from the DSO's file, and are read
 * when first needed. Also reads machine code, to unwind code without rules.
 * Thread-safe.
 */
#ifndef DWELL_REPORT_UNWIND_ADDRESS_RULES_H
#define DWELL_REPORT_UNWIND_ADDRESS_RULES_H

#include "common/unwind/unwind.h"
#include "common/util/address_ranges.h"
#include "report/symbols/files.h"

struct address_rules;

/* SURVEY and FILES are borrowed for the life of the result. */
struct address_rules *address_rules_create(
	const struct survey *survey, struct files *files);
void address_rules_destroy(struct address_rules *codes);
/*
 * Marks all rules and all code that are used after this call, for
 * address_rules_put() and address_rules_used_code(). Call this before the first
 * address_rules_find().
 */
void address_rules_record_lookups(struct address_rules *codes);

/*
 * Finds the code at PC, and its unwind rules, in SPACE, an address space number
 * of survey->maps. RET is borrowed until address_rules_destroy(). Returns false
 * if nothing is mapped there.
 */
bool address_rules_find(struct address_rules *codes, uint32_t space,
	uint64_t pc, struct unwind_code *ret);

/*
 * Reads up to SIZE bytes of machine code at ADDRESS in SPACE (code_bytes.h).
 * Returns the number of bytes read.
 */
size_t address_rules_read_code(struct address_rules *codes, uint32_t space,
	uint64_t address, uint8_t *out, size_t size);

/* An address space for unwind(): rules and code of SPACE. */
struct address_rules_space {
	struct address_rules *rules; /* borrowed */
	uint32_t space;
};
/* Returns the address space of SPACE, which is borrowed while it is used. */
struct unwind_space address_rules_space(struct address_rules_space *space);

/*
 * Appends the rules of DSO that were used since address_rules_record_lookups(),
 * in the format of dso_rules.h; OUT is empty before. Returns false if no rules
 * were used, if the file may not be the recorded one, or if the rules are too
 * large, which a message reports. address_rules_find() must not run at the same
 * time.
 */
bool address_rules_put(
	const struct address_rules *codes, uint32_t dso, struct strbuf *out);

/*
 * Returns the machine code of DSO that address_rules_read_code() read since
 * address_rules_record_lookups(): disjoint ranges of places (code_bytes.h) in
 * ascending order, borrowed until the next call of a function here. No other
 * function here may run at the same time.
 */
const struct address_ranges *address_rules_used_code(
	struct address_rules *codes, uint32_t dso);

/*
 * Returns the number of files whose code was looked up, but which are missing
 * or are not the recorded ones. *FIRST_RET is the path of the first missing
 * file, borrowed.
 */
uint32_t address_rules_missing(
	const struct address_rules *codes, const char **first_ret);

#endif
