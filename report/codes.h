/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwinding rules of the code of one recording: found by address space and
 * address, made from a file when it is first asked for. For all threads that
 * unwind, at the same time.
 */
#ifndef DWELL_CODES_H
#define DWELL_CODES_H

#include "common/unwind.h"
#include "report/files.h"

struct codes;

/* SURVEY and FILES are borrowed for the life of what is returned. */
struct codes *codes_create(
	const struct survey *survey, struct files *files);
void codes_destroy(struct codes *codes);

/*
 * The code at PC in SPACE, a number of survey->maps. What it gives is borrowed
 * until CODES is destroyed. False where nothing is mapped.
 */
bool codes_find(struct codes *codes, uint32_t space, uint64_t pc,
	struct unwind_code *ret);

/*
 * How many files with code that was asked for aren't there, or aren't the ones
 * that were recorded; the path of the first one, borrowed, to FIRST_RET.
 */
uint32_t codes_missing(const struct codes *codes, const char **first_ret);

#endif
