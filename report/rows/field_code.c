/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns of the sampled code, and of the entries of branch stacks
 * (perf_branch_entry of linux/perf_event.h).
 */
#include "config.h"

#include "report/rows/field.h"

#include <inttypes.h>

#include "report/util/branch_flags.h"

/* --- used by several fields -------------------------------------------- */

/* The key of an unnamed thread is the thread ID with this bit set. */
#define UNNAMED (UINT64_C(1) << 32)

FIELD_VALUE_HEAD(field_comm_value)
{
	return context->comm ? context->comm : UNNAMED | context->ids.tid;
}

FIELD_TEXT_HEAD(field_comm_text)
{
	char unnamed[SURVEY_COMM_SIZE];

	strbuf_puts(out,
		value & UNNAMED
			? survey_unnamed((uint32_t)value, unnamed)
			: string_table_at(names->texts, (uint32_t)value - 1));
}

void field_process_text(const struct field_names *names,
	const struct context *context, struct strbuf *out)
{
	const struct input *input = &names->inputs->at.at[context->input];
	const char *name = survey_process_comm(
		&input->survey, context->ids.pid, context->ids.pid_use);

	if (name)
		strbuf_puts(out, name);
	else
		field_comm_text(
			names, field_comm_value(names, context, 0, NULL), out);
}

FIELD_SHARED_TEXT(field_text_text,
	strbuf_puts(out, string_table_at(names->texts, (uint32_t)value)))

uint64_t field_line_number(const struct field_names *names, uint32_t location)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	resolver_put_line(
		names->resolver, location, RESOLVE_LINE_BY_SYMBOL, &text);
	return string_table_intern(names->texts, text.at);
}

FIELD_SHARED_TEXT(field_dso_text,
	strbuf_puts(out, resolver_dso_name(names->resolver, (uint32_t)value)))

FIELD_TEXT_HEAD(field_symbol_text)
{
	uint32_t number = (uint32_t)value;
	const char mark[] = { '[',
		resolver_location(names->resolver, number)->level, ']', ' ' };

	strbuf_put(out, mark, sizeof(mark));
	strbuf_puts(out, resolver_symbol_name(names->resolver, number));
}

FIELD_SHARED_TEXT(field_number_text, strbuf_printf(out, "%" PRIu64, value))
FIELD_SHARED_TEXT(field_address_text, strbuf_printf(out, "%#" PRIx64, value))
FIELD_SHARED_TEXT(field_data_address_text,
	data_addresses_text(names->addresses, names->resolver, value, out))

/* --- the code ---------------------------------------------------------- */

#define UNKNOWN_SIZE UINT64_MAX
#define NO_FUNCTION UINT64_MAX

FIELD_VALUE(sampled_dso_value,
	resolver_location(names->resolver, location)->dso_name)
FIELD_VALUE(sampled_symbol_value,
	resolver_location(names->resolver, location)->shown_as)

/* Of a field with .function. */
static FIELD_VALUE_HEAD(function_value)
{
	if (!*taken)
		return NO_FUNCTION;
	return resolver_location(names->resolver, (uint32_t)*taken - 1)
		->shown_as;
}

FIELD_TEXT(parent_text,
	strbuf_puts(out,
		value == NO_FUNCTION ? "[other]"
				     : resolver_symbol_name(names->resolver,
					       (uint32_t)value)))

static FIELD_TEXT_HEAD(waits_in_text)
{
	uint32_t number = (uint32_t)value;

	if (value == NO_FUNCTION) {
		strbuf_puts(out, "[none]");
		return;
	}
	strbuf_puts(out, resolver_symbol_name(names->resolver, number));
	strbuf_puts(out, " in ");
	field_dso_text(names,
		resolver_location(names->resolver, number)->dso_name, out);
}

static FIELD_VALUE_HEAD(symbol_size_value)
{
	const struct location *at =
		resolver_location(names->resolver, location);

	return at->symbol && !at->is_collapsed ? at->end - at->start
					       : UNKNOWN_SIZE;
}

static FIELD_TEXT_HEAD(code_size_text)
{
	if (value == UNKNOWN_SIZE)
		strbuf_puts(out, "    unknown");
	else
		strbuf_printf(out, "%11" PRIu64, value);
}

/* Returns the size of the DSO's mapping, as perf does. */
static FIELD_VALUE_HEAD(dso_size_value)
{
	const struct location *at =
		resolver_location(names->resolver, location);

	return at->dso ? at->map_size : UNKNOWN_SIZE;
}

/* An unknown source file has an empty text, as in perf. */
FIELD_VALUE(source_file_value,
	string_table_intern(names->texts,
		resolver_source_file(names->resolver, location) ?: ""))
FIELD_VALUE(source_line_value, field_line_number(names, location))
FIELD_TAKE(take_sample_ip, source->sample->ip)

const struct field field_code[] = {
	{ "dso", "Shared Object", .value = sampled_dso_value,
		.text = field_dso_text },
	{ "sym", "Symbol", .value = sampled_symbol_value,
		.text = field_symbol_text },
	{ "parent", "Parent symbol", .function = FIELD_FUNCTION_PARENT,
		.value = function_value, .text = parent_text },
	{ "waits_in", "Waits In", .function = FIELD_FUNCTION_WAITS_IN,
		.value = function_value, .text = waits_in_text },
	{ "symbol_size", "Symbol size", .is_number = true,
		.value = symbol_size_value, .text = code_size_text },
	{ "dso_size", "   DSO size", .grain = RESOLVE_MAPPINGS,
		.is_number = true, .value = dso_size_value,
		.text = code_size_text },
	{ "srcfile", "Source File", .grain = RESOLVE_ADDRESSES,
		.value = source_file_value, .text = field_text_text },
	{ "srcline", "Source:Line", .grain = RESOLVE_ADDRESSES,
		.value = source_line_value, .text = field_text_text },
	{ "addr", "Address", .is_of_sampled = true, .take = { take_sample_ip },
		.text = field_address_text },
	{ 0 },
};

/* --- branch stacks -------------------------------------------------------- */

FIELD_TAKE(take_branch_source, source->branch.from)
FIELD_TAKE(take_branch_target, source->branch.to)
FIELD_TAKE(take_prediction,
	(source->branch.flags & (BRANCH_MISPREDICTED | BRANCH_PREDICTED)))
FIELD_TAKE(take_in_transaction, (source->branch.flags & BRANCH_IN_TRANSACTION))
FIELD_TAKE(take_abort, (source->branch.flags & BRANCH_ABORT))
FIELD_TAKE(take_branch_cycles, branch_cycles(source->branch.flags))

static uint32_t find_branch_location(const struct field_names *names,
	const struct context *context, uint64_t address)
{
	struct frame frame = stacks_frame_in(context, address, STACKS_ANY_MODE);

	return resolver_find(names->resolver, &frame).location;
}

FIELD_VALUE(branch_line_value,
	field_line_number(names, find_branch_location(names, context, *taken)))
FIELD_VALUE(branch_dso_value,
	resolver_location(
		names->resolver, find_branch_location(names, context, *taken))
		->dso_name)
FIELD_VALUE(branch_symbol_value,
	resolver_location(
		names->resolver, find_branch_location(names, context, *taken))
		->shown_as)

static FIELD_VALUE_HEAD(branch_address_value)
{
	struct frame frame = stacks_frame_in(context, *taken, STACKS_ANY_MODE);

	return data_addresses_find(
		names->addresses, names->resolver, &frame, false, 0);
}

static FIELD_TEXT_HEAD(prediction_text)
{
	strbuf_puts(out,
		value & BRANCH_PREDICTED	      ? "N"
			: value & BRANCH_MISPREDICTED ? "Y"
						      : "N/A");
}

FIELD_TEXT(in_transaction_text, strbuf_putc(out, value ? 'T' : '.'))
FIELD_TEXT(abort_flag_text, strbuf_putc(out, value ? 'A' : '.'))

static FIELD_TEXT_HEAD(branch_cycles_text)
{
	if (value)
		strbuf_printf(out, "%" PRIu64, value);
	else
		strbuf_putc(out, '-');
}

const struct field field_branch[] = {
	{ "dso_from", "Source Shared Object", .needs = FIELD_NEEDS_BRANCHES,
		.take = { take_branch_source }, .value = branch_dso_value,
		.text = field_dso_text },
	{ "dso_to", "Target Shared Object", .needs = FIELD_NEEDS_BRANCHES,
		.take = { take_branch_target }, .value = branch_dso_value,
		.text = field_dso_text },
	{ "symbol_from", "Source Symbol", .needs = FIELD_NEEDS_BRANCHES,
		.take = { take_branch_source }, .value = branch_symbol_value,
		.text = field_symbol_text },
	{ "symbol_to", "Target Symbol", .needs = FIELD_NEEDS_BRANCHES,
		.take = { take_branch_target }, .value = branch_symbol_value,
		.text = field_symbol_text },
	{ "srcline_from", "From Source:Line", .needs = FIELD_NEEDS_BRANCHES,
		.grain = RESOLVE_ADDRESSES, .take = { take_branch_source },
		.value = branch_line_value, .text = field_text_text },
	{ "srcline_to", "To Source:Line", .needs = FIELD_NEEDS_BRANCHES,
		.grain = RESOLVE_ADDRESSES, .take = { take_branch_target },
		.value = branch_line_value, .text = field_text_text },
	{ "addr_from", "Source Address", .needs = FIELD_NEEDS_BRANCHES,
		.take = { take_branch_source }, .value = branch_address_value,
		.text = field_data_address_text },
	{ "addr_to", "Target Address", .needs = FIELD_NEEDS_BRANCHES,
		.take = { take_branch_target }, .value = branch_address_value,
		.text = field_data_address_text },
	{ "mispredict", "Branch Mispredicted", .needs = FIELD_NEEDS_BRANCHES,
		.take = { take_prediction }, .text = prediction_text },
	{ "in_tx", "Branch in transaction", .needs = FIELD_NEEDS_BRANCHES,
		.take = { take_in_transaction }, .text = in_transaction_text },
	{ "abort", "Transaction abort", .needs = FIELD_NEEDS_BRANCHES,
		.take = { take_abort }, .text = abort_flag_text },
	{ "cycles", "Basic Block Cycles", .needs = FIELD_NEEDS_BRANCHES,
		.is_descending = true, .take = { take_branch_cycles },
		.text = branch_cycles_text },
	{ 0 },
};
