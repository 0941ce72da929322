/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the unwind rules of a recording's code by address space and address.
 * The rules come from the recording, or from the file when first needed. Also
 * reads code bytes, to unwind code without rules. Thread-safe.
 */
#ifndef DWELL_REPORT_UNWIND_RULES_BY_ADDRESS_H
#define DWELL_REPORT_UNWIND_RULES_BY_ADDRESS_H

#include "common/unwind/unwind.h"
#include "report/symbols/files.h"

struct address_rules;

/* SURVEY and FILES are borrowed for the life of the result. */
struct address_rules *address_rules_create(
	const struct survey *survey, struct files *files);
void address_rules_destroy(struct address_rules *codes);
/* From now on used rules are marked. Call before the first lookup. */
void address_rules_watch(struct address_rules *codes);

/*
 * Finds the code at PC in SPACE, a number of survey->maps. RET is borrowed
 * until address_rules_destroy(). Returns false if nothing is mapped there.
 */
bool address_rules_find(struct address_rules *codes, uint32_t space,
	uint64_t pc, struct unwind_code *ret);

/*
 * Reads up to SIZE bytes of code at ADDRESS in SPACE (code_bytes.h), and
 * returns their number.
 */
size_t address_rules_read_code(struct address_rules *codes, uint32_t space,
	uint64_t address, uint8_t *out, size_t size);

/*
 * Appends the rules of DSO that were used since address_rules_watch(), in the
 * format of dso_rules.h; OUT is empty before. Returns false if there are none,
 * if the file may have changed, or if they are too large, which is reported. No
 * lookup may run at the same time.
 */
bool address_rules_put(
	const struct address_rules *codes, uint32_t dso, struct strbuf *out);

/*
 * Returns the number of files with looked-up code that are missing or are not
 * the recorded ones. *FIRST_RET is the path of the first one, borrowed.
 */
uint32_t address_rules_missing(
	const struct address_rules *codes, const char **first_ret);

#endif
