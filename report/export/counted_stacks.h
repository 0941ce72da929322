/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a recording with their samples and periods, for exports of
 * sums. Exports in the order of time use timeline.h.
 */
#ifndef DWELL_REPORT_EXPORT_COUNTED_STACKS_H
#define DWELL_REPORT_EXPORT_COUNTED_STACKS_H

#include "report/result/result.h"
#include "report/util/outflow.h"

#define COUNTED_NONE UINT32_MAX

struct counted {
	struct options options; /* options of .result */
	struct result result;
	uint32_t *order; /* sorted numbers of stacks, owned; NULL: not sorted */
	/*
	 * Numbers of the events with stacks; a recording can have thousands of
	 * events without stacks.
	 */
	ARRAY(uint32_t) events;
	ARRAY(uint32_t)
	columns;	    /* for each event: index in .events, or
				  * COUNTED_NONE */
	bool shows_callers; /* as in struct counted_config */
};

struct counted_config {
	/*
	 * Sort keys (-s) by which stacks are separated; NULL: the keys for
	 * counted_put_group()
	 */
	const char *keys;
	bool has_lines;	    /* separate stacks by address; show source lines */
	bool has_order;	    /* counted_each() sorts by event, period, names */
	bool shows_callers; /* the format has call chains */
};

/* Call counted_deinit() also after an error. */
struct error *counted_make(const struct options *options,
	const struct counted_config *config, struct counted *ret) _must_check_;
void counted_deinit(struct counted *counted);

struct counted_stack {
	const struct context *context;
	uint64_t samples, period;
	/*
	 * Locations, the sampled location first. Empty for "[others]": stacks
	 * beyond the limit of memory.
	 */
	struct chain chain;
};
typedef void counted_take(void *data, const struct counted_stack *stack);
/*
 * Calls TAKE for each stack that matches the filters, until writing to OUT
 * fails. Sets .done and .total of OUT.
 */
void counted_each(struct counted *counted, struct outflow *out,
	counted_take *take, void *data);

/*
 * Calls TAKE like counted_each(), in the same order, but prints nothing. For
 * formats that need all stacks before the first one is written.
 */
void counted_look(
	const struct counted *counted, counted_take *take, void *data);

/* Returns the event at index NUMBER of .events. */
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

/*
 * Returns the thread state of STACK with --off-cpu or --wall, otherwise
 * OFFCPU_STATE_ON.
 */
enum offcpu_state counted_state(
	const struct counted *counted, const struct counted_stack *stack);
/* Appends the command name of STACK's thread, unescaped, to OUT. */
void counted_put_comm(struct counted *counted,
	const struct counted_stack *stack, struct strbuf *out);
/*
 * Appends the name of the process or thread of STACK, as --group-by selects,
 * unescaped, to OUT. Returns false, and appends nothing, if --group-by selects
 * none.
 */
bool counted_put_group(struct counted *counted,
	const struct counted_stack *stack, struct strbuf *out);

#endif
