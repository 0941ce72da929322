/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipeline of a report over a small recording made in memory, up to where
 * rows are built: a program of three functions, known by the recording's own
 * symbols, so that no file of this machine is looked at.
 */
#ifndef DWELL_MAKE_REPORT_H
#define DWELL_MAKE_REPORT_H

#include "report/rows/hist.h"
#include "tests/unit/make_recording.h"

/* Addresses in the program: its functions are 0x100 bytes long each. */
#define MADE_MAIN MADE_START
#define MADE_WORK (MADE_START + 0x100)
#define MADE_LEAF (MADE_START + 0x200)
#define MADE_NO_SYMBOL (MADE_START + 0x800)
#define MADE_NO_MAPPING UINT64_C(0x7000)

/* One sample: its callchain from the sampled address up, 0 at its end. */
struct made_stack {
	uint64_t period;
	uint64_t chain[6];
	uint32_t tid, event; /* tid 0 is MADE_PID */
};

struct made_report {
	struct inputs inputs; /* one */
	struct scan scan;
	struct points points;
	struct texts texts;
	struct field_names names;
	struct filter filter;
};

/* REQUEST's filter is replaced by RET's own, which is empty. */
void make_report(const struct made_stack *stacks, size_t n,
	struct scan_request request, struct made_report *ret);
void made_report_deinit(struct made_report *report);

/* Rows as lines: "children self samples text|text"; hidden ones in (). */
void list_rows(const struct made_report *report, const struct hist *hist,
	const struct hist_request *request, struct strbuf *out);

#endif
