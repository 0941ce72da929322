/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An entry of a branch stack: perf_branch_entry of linux/perf_event.h. */
#include "config.h"

#include "report/rows/field.h"

#include <inttypes.h>

#include "report/util/branch_flags.h"

static uint64_t take_from(const struct take_source *source)
{
	return source->branch.from;
}

static uint64_t take_to(const struct take_source *source)
{
	return source->branch.to;
}

static uint64_t take_prediction(const struct take_source *source)
{
	return source->branch.flags &
		(BRANCH_MISPREDICTED | BRANCH_PREDICTED);
}

static uint64_t take_in_transaction(const struct take_source *source)
{
	return source->branch.flags & BRANCH_IN_TRANSACTION;
}

static uint64_t take_abort(const struct take_source *source)
{
	return source->branch.flags & BRANCH_ABORT;
}

static uint64_t take_cycles(const struct take_source *source)
{
	return branch_cycles(source->branch.flags);
}

static uint32_t number_of(const struct field_names *names,
	const struct context *context, uint64_t address)
{
	struct frame frame =
		stacks_frame_in(context, address, STACKS_ANY_MODE);

	return resolver_find(names->resolver, &frame).location;
}

static const struct location *location_of(const struct field_names *names,
	const struct context *context, uint64_t address)
{
	return resolver_location(
		names->resolver, number_of(names, context, address));
}

static uint64_t line_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken)
{
	return field_line_number(names, number_of(names, context, *taken));
}

static uint64_t dso_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken)
{
	return location_of(names, context, *taken)->dso_name;
}

static uint64_t symbol_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken)
{
	return location_of(names, context, *taken)->shown_as;
}

static uint64_t address_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken)
{
	struct frame frame =
		stacks_frame_in(context, *taken, STACKS_ANY_MODE);

	return points_find(names->points, names->resolver, &frame);
}

static void address_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
{
	points_text(names->points, names->resolver, value, out);
}

static void prediction_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	strbuf_puts(out,
		value & BRANCH_PREDICTED		    ? "N"
			: value & BRANCH_MISPREDICTED ? "Y"
						    : "N/A");
}

static void in_transaction_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	strbuf_putc(out, value ? 'T' : '.');
}

static void abort_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	strbuf_putc(out, value ? 'A' : '.');
}

static void cycles_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	if (value)
		strbuf_printf(out, "%" PRIu64, value);
	else
		strbuf_putc(out, '-');
}

const struct field field_branch[] = {
	{ "dso_from", "Source Shared Object", .needs = NEEDS_BRANCHES,
		.take = { take_from }, .value = dso_value,
		.text = field_dso_text },
	{ "dso_to", "Target Shared Object", .needs = NEEDS_BRANCHES,
		.take = { take_to }, .value = dso_value,
		.text = field_dso_text },
	{ "symbol_from", "Source Symbol", .needs = NEEDS_BRANCHES,
		.take = { take_from }, .value = symbol_value,
		.text = field_symbol_text },
	{ "symbol_to", "Target Symbol", .needs = NEEDS_BRANCHES,
		.take = { take_to }, .value = symbol_value,
		.text = field_symbol_text },
	{ "srcline_from", "From Source:Line", .needs = NEEDS_BRANCHES,
		.grain = RESOLVE_ADDRESSES, .take = { take_from },
		.value = line_value, .text = field_text_text },
	{ "srcline_to", "To Source:Line", .needs = NEEDS_BRANCHES,
		.grain = RESOLVE_ADDRESSES, .take = { take_to },
		.value = line_value, .text = field_text_text },
	{ "addr_from", "Source Address", .needs = NEEDS_BRANCHES,
		.take = { take_from }, .value = address_value,
		.text = address_text },
	{ "addr_to", "Target Address", .needs = NEEDS_BRANCHES,
		.take = { take_to }, .value = address_value,
		.text = address_text },
	{ "mispredict", "Branch Mispredicted", .needs = NEEDS_BRANCHES,
		.take = { take_prediction }, .text = prediction_text },
	{ "in_tx", "Branch in transaction", .needs = NEEDS_BRANCHES,
		.take = { take_in_transaction },
		.text = in_transaction_text },
	{ "abort", "Transaction abort", .needs = NEEDS_BRANCHES,
		.take = { take_abort }, .text = abort_text },
	{ "cycles", "Basic Block Cycles", .needs = NEEDS_BRANCHES,
		.is_descending = true, .take = { take_cycles },
		.text = cycles_text },
	{ 0 },
};
