/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwinding rules of the code of one recording: found by address space and
 * address, taken from the recording itself if they were packed, else made from a
 * file when it is first asked for; and its bytes, where there are no rules. For all
 * threads that unwind, at the same time.
 */
#ifndef DWELL_REPORT_UNWIND_RULES_BY_ADDRESS_H
#define DWELL_REPORT_UNWIND_RULES_BY_ADDRESS_H

#include "common/unwind/unwind.h"
#include "report/symbols/files.h"

struct codes;

/* SURVEY and FILES are borrowed for the life of what is returned. */
struct codes *codes_create(
	const struct survey *survey, struct files *files);
void codes_destroy(struct codes *codes);
/* From now on it is remembered which rules are asked for; before the first is. */
void codes_watch(struct codes *codes);

/*
 * The code at PC in SPACE, a number of survey->maps. What it gives is borrowed
 * until CODES is destroyed. False where nothing is mapped.
 */
bool codes_find(struct codes *codes, uint32_t space, uint64_t pc,
	struct unwind_code *ret);

/*
 * Up to SIZE bytes of the code at ADDRESS in SPACE, as code_bytes.h has them; how
 * many these are.
 */
size_t codes_read(struct codes *codes, uint32_t space, uint64_t address,
	uint8_t *out, size_t size);

/*
 * Appends what was asked of the DSO number DSO since codes_watch(), as
 * dso_rules.h tells; OUT is empty before. False: nothing is known of it, its
 * file may be another one by now, or it is too much, which is said. Nobody asks
 * meanwhile.
 */
bool codes_put(const struct codes *codes, uint32_t dso, struct strbuf *out);

/*
 * How many files with code that was asked for aren't there, or aren't the ones
 * that were recorded; the path of the first one, borrowed, to FIRST_RET.
 */
uint32_t codes_missing(const struct codes *codes, const char **first_ret);

#endif
