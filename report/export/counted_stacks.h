/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a recording, counted, for exports that add up: each with what
 * fell on it, as the report has it. For what needs the order of time there is
 * timeline.h.
 */
#ifndef DWELL_REPORT_EXPORT_COUNTED_STACKS_H
#define DWELL_REPORT_EXPORT_COUNTED_STACKS_H

#include "report/result/result.h"
#include "report/util/export_stream.h"

#define COUNTED_NONE UINT32_MAX

struct counted {
	struct options options; /* of RESULT, changed for this */
	struct result result;
	uint32_t *order; /* of stacks, owned; or NULL */
	/* Events that have stacks; a recording may claim thousands more. */
	ARRAY(uint32_t) events;
	ARRAY(uint32_t) columns; /* by event: its number there, or none */
	bool shows_callers;      /* as wished */
};

struct counted_wish {
	const char *keys; /* by which stacks are told apart, as for -s */
	bool has_lines;   /* and by their addresses: they get lines */
	bool has_order;   /* counted_each() gives the largest first, the same in
			   * each run; else in any order */
	bool shows_callers; /* it is for a flame graph, or one of calls */
};

/* RET is to be given to counted_deinit() also after an error. */
struct error *counted_make(const struct options *options,
	const struct counted_wish *wish, struct counted *ret) _must_check_;
void counted_deinit(struct counted *counted);

struct counted_stack {
	const struct context *context;
	uint64_t samples, period;
	/* Numbers of locations, the sampled one first; empty: [others]. */
	struct chain chain;
};
typedef void counted_take(void *data, const struct counted_stack *stack);
/*
 * All that pass the filters; OUT hears how far it is, and if nobody takes what
 * comes out, it ends.
 */
void counted_each(struct counted *counted, struct outflow *out,
	counted_take *take, void *data);

/* Event NUMBER of .events. */
static inline const struct input_event *counted_event(
	const struct counted *counted, size_t number)
{
	return &counted->result.inputs.events.at[counted->events.at[number]];
}
static inline uint32_t counted_column(
	const struct counted *counted, const struct counted_stack *stack)
{
	return counted->columns.at[stack->context->event];
}

/* What its thread did there, where time is counted; else STATE_ON. */
enum thread_state counted_state(
	const struct counted *counted, const struct counted_stack *stack);
/* The command that STACK is of, with what is no text in it. */
void counted_put_comm(struct counted *counted,
	const struct counted_stack *stack, struct strbuf *out);

#endif
