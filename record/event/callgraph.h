/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses --call-graph and sets the attributes for call chains. The kernel
 * follows frame pointers, or copies registers and the stack, or records the
 * branches of the CPU (LBR).
 */
#ifndef DWELL_RECORD_EVENT_CALLGRAPH_H
#define DWELL_RECORD_EVENT_CALLGRAPH_H

#include <linux/perf_event.h>

#include "common/util/completion.h"
#include "common/util/error.h"

enum callgraph_kind {
	CALLGRAPH_DEFAULT,
	CALLGRAPH_FP,
	CALLGRAPH_DWARF,
	CALLGRAPH_LBR,
	CALLGRAPH_AUTO, /* CALLGRAPH_DWARF for code without frame pointers */
};

struct callgraph {
	enum callgraph_kind kind;
	uint32_t copy_size; /* bytes of a stack copy; 0: the default */
	/* CALLGRAPH_DWARF: BPF unwinds, and only other stacks are copied */
	bool in_kernel;
};

/*
 * Parses TEXT: "fp", "dwarf", "dwarf,8192", "bpf", "lbr" or "auto". WHAT is the name
 * of the option, for messages.
 */
struct error *callgraph_parse(
	const char *text, const char *what, struct callgraph *ret) _must_check_;
COMPLETER(callgraph_complete);
/*
 * Parses TEXT, the size of a stack copy in bytes, as strtoul(3) does, and
 * rounds the size up to a multiple of 8. WHAT is the name of the option, for
 * messages.
 */
struct error *callgraph_parse_size(
	const char *text, const char *what, uint32_t *ret) _must_check_;

/* Adds the sample fields for call chains of the kind GRAPH to ATTR. */
void callgraph_apply(
	const struct callgraph *graph, struct perf_event_attr *attr);

#endif
