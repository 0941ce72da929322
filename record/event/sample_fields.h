/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Optional fields of samples (besides event, address, thread, time and CPU):
 * parsing of their options, and the attributes that request them.
 */
#ifndef DWELL_RECORD_EVENT_SAMPLE_FIELDS_H
#define DWELL_RECORD_EVENT_SAMPLE_FIELDS_H

#include <linux/perf_event.h>

#include "common/util/completion.h"
#include "common/util/error.h"
#include "common/util/strbuf.h"

struct sample_fields {
	bool data;		   /* -d: data address and data source */
	bool physical;		   /* --phys-data */
	bool weights;		   /* -W */
	bool periods;		   /* -P: the period, even if it is constant */
	bool raw;		   /* -R */
	bool data_page, code_page; /* --data-page-size, --code-page-size */
	uint64_t registers_intr, registers_user; /* register masks; 0: none */
	uint64_t branches; /* PERF_SAMPLE_BRANCH_*; 0: none */
};

/*
 * Returns the mask of all registers of this machine; 0 if dwell does not
 * support the machine.
 */
uint64_t sample_fields_all_registers(void);
/*
 * Returns the number of registers before the stack pointer in a sample with all
 * registers.
 */
size_t sample_fields_stack_pointer(void);
/* Requests FIELDS in ATTR. */
void sample_fields_apply(
	const struct sample_fields *fields, struct perf_event_attr *attr);

enum sample_registers {
	SAMPLE_REGISTERS_INTR, /* -I: registers of the interrupted code */
	SAMPLE_REGISTERS_USER, /* --user-regs: registers of user space */
};

/*
 * Parses TEXT ("AX,IP"; NULL: all) into a mask of the registers that this
 * machine can sample.
 */
struct error *sample_fields_parse_registers(const char *text,
	enum sample_registers kind, uint64_t *ret) _must_check_;
/* Appends the names of the registers that this machine can sample ("AX BX"). */
struct error *sample_fields_list_registers(
	enum sample_registers kind, struct strbuf *out) _must_check_;
void sample_fields_offer_registers(
	struct completion *completion, enum sample_registers kind);
/*
 * Parses TEXT ("any_call,u") into PERF_SAMPLE_BRANCH_* bits. Without a kind of
 * branch, all kinds are sampled.
 */
struct error *sample_fields_parse_branches(
	const char *text, uint64_t *ret) _must_check_;
COMPLETER(sample_fields_complete_branches);

#endif
