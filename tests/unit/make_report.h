/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a small recording in memory and runs the pipeline of a report on it, up
 * to the point where rows are built. The recording has a program of three
 * functions and its symbols, so that no file of this machine is read.
 */
#ifndef DWELL_MAKE_REPORT_H
#define DWELL_MAKE_REPORT_H

#include "report/resolve/resolve_scan.h"
#include "report/rows/hist.h"
#include "tests/unit/make_recording.h"

/* Addresses in the program. Each of its functions has 0x100 bytes. */
#define MADE_MAIN MADE_START
#define MADE_WORK (MADE_START + 0x100)
#define MADE_LEAF (MADE_START + 0x200)
#define MADE_NO_SYMBOL (MADE_START + 0x800)
#define MADE_NO_MAPPING UINT64_C(0x7000)

/* One sample: its call chain from the sampled address up, ended by 0. */
struct made_stack {
	uint64_t period;
	uint64_t chain[6];
	uint32_t tid, event; /* tid 0 is MADE_PID */
};

struct made_report {
	struct inputs inputs; /* one */
	struct scan scan;
	struct data_addresses addresses;
	struct string_table texts;
	struct field_names names;
	struct filter filter;
};

/*
 * Makes and scans a recording of N STACKS. RET's empty filter replaces
 * REQUEST's.
 */
void make_report(const struct made_stack *stacks, size_t n,
	struct scan_request request, struct made_report *ret);
void made_report_deinit(struct made_report *report);

/*
 * Appends a line per row: "children self samples text|text", hidden rows in ().
 */
void list_rows(const struct made_report *report, const struct hist *hist,
	const struct hist_request *request, struct strbuf *out);

#endif
