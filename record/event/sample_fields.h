/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What samples carry beside what all of them have (event, address, thread,
 * time, CPU): the options that say so, and the attr that asks for it.
 */
#ifndef DWELL_RECORD_EVENT_SAMPLE_FIELDS_H
#define DWELL_RECORD_EVENT_SAMPLE_FIELDS_H

#include <linux/perf_event.h>

#include "common/util/error.h"

struct carried {
	bool data;                 /* -d: the address, and how it went */
	bool physical;             /* --phys-data */
	bool weights;              /* -W */
	bool periods;              /* -P, also where all are the same */
	bool raw;                  /* -R */
	bool data_page, code_page; /* sizes of the pages */
	uint64_t registers_intr, registers_user; /* by bit; 0: none */
	uint64_t branches;         /* PERF_SAMPLE_BRANCH_*; 0: none */
};

/* All registers of this machine; 0 if dwell doesn't know them. */
uint64_t carried_all_registers(void);
/* How many registers stand before the stack pointer, if all are there. */
size_t carried_stack_pointer(void);
/* Asks for it, beside what ATTR has already. */
void carried_apply(const struct carried *carried, struct perf_event_attr *attr);

enum carried_registers {
	CARRIED_INTR, /* -I: of the code that was interrupted */
	CARRIED_USER, /* --user-regs: of the process */
};

/*
 * The mask of registers that TEXT ("AX,IP") names, of those that can be sampled
 * on this machine; NULL: all of them. "?" prints them to stdout and exits 0.
 */
struct error *carried_parse_registers(const char *text,
	enum carried_registers kind, uint64_t *ret) _must_check_;
/*
 * The PERF_SAMPLE_BRANCH_* that TEXT ("any_call,u") names. Where it names no
 * kind of branch, any is meant.
 */
struct error *carried_parse_branches(
	const char *text, uint64_t *ret) _must_check_;

#endif
