/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that a command line names by an address in them: as dwell annotate
 * shows it, which is as the program was linked, or as it was when it ran, which
 * dwell script shows.
 */
#ifndef DWELL_REPORT_CODE_FUNCTION_ADDRESS_ARGS_H
#define DWELL_REPORT_CODE_FUNCTION_ADDRESS_ARGS_H

#include "report/code/functions.h"

/* Whether TEXT is one: "0x", and digits. */
bool asked_address_read(const char *text, uint64_t *ret);
/*
 * Marks the functions in BY_EVENT, of N events, that hold ADDRESS. False: none
 * does.
 */
bool asked_address_mark(struct result *result, uint64_t address,
	struct functions *by_event, size_t n);

#endif
