/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How call chains come about: the kernel follows frame pointers, or samples
 * have registers and a copy of the stack, or the branches that the CPU noted.
 * The words that say so, and the attr that asks for it.
 */
#ifndef DWELL_RECORD_EVENT_CALLGRAPH_H
#define DWELL_RECORD_EVENT_CALLGRAPH_H

#include <linux/perf_event.h>

#include "common/util/error.h"

enum callgraph_kind {
	CALLGRAPH_UNSAID,
	CALLGRAPH_FP,
	CALLGRAPH_DWARF,
	CALLGRAPH_LBR,
	CALLGRAPH_AUTO, /* as CALLGRAPH_DWARF, where frame pointers end early */
};

struct callgraph {
	enum callgraph_kind kind;
	uint32_t dump_size; /* bytes of a copied stack; 0: not said */
};

/* TEXT is "fp", "dwarf", "dwarf,8192", "lbr" or "auto", WHAT names it. */
struct error *callgraph_parse(const char *text, const char *what,
	struct callgraph *ret) _must_check_;
/* TEXT is a number as strtoul(3) takes it, rounded up to what may be copied. */
struct error *callgraph_parse_size(
	const char *text, const char *what, uint32_t *ret) _must_check_;

/* Asks for them, beside what else ATTR has already. */
void callgraph_apply(
	const struct callgraph *graph, struct perf_event_attr *attr);

#endif
