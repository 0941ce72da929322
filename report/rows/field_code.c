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

uint64_t field_comm_value(const struct field_names *names _unused_,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken _unused_)
{
	return context->comm ? context->comm : UNNAMED | context->ids.tid;
}

void field_comm_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
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

void field_text_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
{
	strbuf_puts(out, string_table_at(names->texts, (uint32_t)value));
}

uint64_t field_line_number(const struct field_names *names, uint32_t location)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	resolver_put_line(names->resolver, location, LINE_BY_SYMBOL, &text);
	return string_table_intern(names->texts, text.at);
}

void field_dso_text(
	const struct field_names *names, uint64_t dso_name, struct strbuf *out)
{
	strbuf_puts(
		out, resolver_dso_name(names->resolver, (uint32_t)dso_name));
}

void field_symbol_text(
	const struct field_names *names, uint64_t location, struct strbuf *out)
{
	uint32_t number = (uint32_t)location;

	const char mark[] = { '[',
		resolver_location(names->resolver, number)->level, ']', ' ' };

	strbuf_put(out, mark, sizeof(mark));
	strbuf_puts(out, resolver_symbol_name(names->resolver, number));
}

void field_number_text(const struct field_names *names _unused_, uint64_t value,
	struct strbuf *out)
{
	strbuf_printf(out, "%" PRIu64, value);
}

void field_address_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	strbuf_printf(out, "%#" PRIx64, value);
}

/* --- the code ---------------------------------------------------------- */

#define UNKNOWN_SIZE UINT64_MAX
#define NO_PARENT UINT64_MAX
#define NO_USER_FUNCTION UINT64_MAX

static uint64_t sampled_dso_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location,
	const uint64_t *taken _unused_)
{
	return resolver_location(names->resolver, location)->dso_name;
}

static uint64_t sampled_symbol_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location,
	const uint64_t *taken _unused_)
{
	return resolver_location(names->resolver, location)->shown_as;
}

static uint64_t parent_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location _unused_,
	const uint64_t *taken)
{
	if (!*taken)
		return NO_PARENT;
	return resolver_location(names->resolver, (uint32_t)*taken - 1)
		->shown_as;
}

static void parent_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
{
	strbuf_puts(out,
		value == NO_PARENT ? "[other]"
				   : resolver_symbol_name(
					     names->resolver, (uint32_t)value));
}

static uint64_t waits_in_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location _unused_,
	const uint64_t *taken)
{
	if (!*taken)
		return NO_USER_FUNCTION;
	return resolver_location(names->resolver, (uint32_t)*taken - 1)
		->shown_as;
}

static void waits_in_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
{
	uint32_t number = (uint32_t)value;

	if (value == NO_USER_FUNCTION) {
		strbuf_puts(out, "[none]");
		return;
	}
	strbuf_puts(out, resolver_symbol_name(names->resolver, number));
	strbuf_puts(out, " in ");
	field_dso_text(names,
		resolver_location(names->resolver, number)->dso_name, out);
}

static uint64_t symbol_size_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location,
	const uint64_t *taken _unused_)
{
	const struct location *at =
		resolver_location(names->resolver, location);

	return at->symbol && !at->is_collapsed ? at->end - at->start
					       : UNKNOWN_SIZE;
}

static void code_size_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	if (value == UNKNOWN_SIZE)
		strbuf_puts(out, "    unknown");
	else
		strbuf_printf(out, "%11" PRIu64, value);
}

/* Returns the size of the DSO's mapping, as perf does. */
static uint64_t dso_size_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location,
	const uint64_t *taken _unused_)
{
	const struct location *at =
		resolver_location(names->resolver, location);

	return at->dso ? at->map_size : UNKNOWN_SIZE;
}

/* An unknown source file has an empty text, as in perf. */
static uint64_t source_file_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location,
	const uint64_t *taken _unused_)
{
	return string_table_intern(names->texts,
		resolver_source_file(names->resolver, location) ?: "");
}

static uint64_t source_line_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location,
	const uint64_t *taken _unused_)
{
	return field_line_number(names, location);
}

static uint64_t take_sample_ip(const struct sample_key_source *source)
{
	return source->sample->ip;
}

const struct field field_code[] = {
	{ "dso", "Shared Object", .value = sampled_dso_value,
		.text = field_dso_text },
	{ "sym", "Symbol", .value = sampled_symbol_value,
		.text = field_symbol_text },
	{ "parent", "Parent symbol", .function = FUNCTION_PARENT,
		.value = parent_value, .text = parent_text },
	{ "waits_in", "Waits In", .function = FUNCTION_WAITS_IN,
		.value = waits_in_value, .text = waits_in_text },
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

static uint64_t take_branch_source(const struct sample_key_source *source)
{
	return source->branch.from;
}

static uint64_t take_branch_target(const struct sample_key_source *source)
{
	return source->branch.to;
}

static uint64_t take_prediction(const struct sample_key_source *source)
{
	return source->branch.flags & (BRANCH_MISPREDICTED | BRANCH_PREDICTED);
}

static uint64_t take_in_transaction(const struct sample_key_source *source)
{
	return source->branch.flags & BRANCH_IN_TRANSACTION;
}

static uint64_t take_abort(const struct sample_key_source *source)
{
	return source->branch.flags & BRANCH_ABORT;
}

static uint64_t take_branch_cycles(const struct sample_key_source *source)
{
	return branch_cycles(source->branch.flags);
}

static uint32_t find_branch_location(const struct field_names *names,
	const struct context *context, uint64_t address)
{
	struct frame frame = stacks_frame_in(context, address, STACKS_ANY_MODE);

	return resolver_find(names->resolver, &frame).location;
}

static const struct location *branch_location(const struct field_names *names,
	const struct context *context, uint64_t address)
{
	return resolver_location(
		names->resolver, find_branch_location(names, context, address));
}

static uint64_t branch_line_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken)
{
	return field_line_number(
		names, find_branch_location(names, context, *taken));
}

static uint64_t branch_dso_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken)
{
	return branch_location(names, context, *taken)->dso_name;
}

static uint64_t branch_symbol_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken)
{
	return branch_location(names, context, *taken)->shown_as;
}

static uint64_t branch_address_value(const struct field_names *names,
	const struct context *context, uint32_t location _unused_,
	const uint64_t *taken)
{
	struct frame frame = stacks_frame_in(context, *taken, STACKS_ANY_MODE);

	return data_addresses_find(names->addresses, names->resolver, &frame);
}

static void branch_address_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
{
	data_addresses_text(names->addresses, names->resolver, value, out);
}

static void prediction_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	strbuf_puts(out,
		value & BRANCH_PREDICTED	      ? "N"
			: value & BRANCH_MISPREDICTED ? "Y"
						      : "N/A");
}

static void in_transaction_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	strbuf_putc(out, value ? 'T' : '.');
}

static void abort_flag_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	strbuf_putc(out, value ? 'A' : '.');
}

static void branch_cycles_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	if (value)
		strbuf_printf(out, "%" PRIu64, value);
	else
		strbuf_putc(out, '-');
}

const struct field field_branch[] = {
	{ "dso_from", "Source Shared Object", .needs = NEEDS_BRANCHES,
		.take = { take_branch_source }, .value = branch_dso_value,
		.text = field_dso_text },
	{ "dso_to", "Target Shared Object", .needs = NEEDS_BRANCHES,
		.take = { take_branch_target }, .value = branch_dso_value,
		.text = field_dso_text },
	{ "symbol_from", "Source Symbol", .needs = NEEDS_BRANCHES,
		.take = { take_branch_source }, .value = branch_symbol_value,
		.text = field_symbol_text },
	{ "symbol_to", "Target Symbol", .needs = NEEDS_BRANCHES,
		.take = { take_branch_target }, .value = branch_symbol_value,
		.text = field_symbol_text },
	{ "srcline_from", "From Source:Line", .needs = NEEDS_BRANCHES,
		.grain = RESOLVE_ADDRESSES, .take = { take_branch_source },
		.value = branch_line_value, .text = field_text_text },
	{ "srcline_to", "To Source:Line", .needs = NEEDS_BRANCHES,
		.grain = RESOLVE_ADDRESSES, .take = { take_branch_target },
		.value = branch_line_value, .text = field_text_text },
	{ "addr_from", "Source Address", .needs = NEEDS_BRANCHES,
		.take = { take_branch_source }, .value = branch_address_value,
		.text = branch_address_text },
	{ "addr_to", "Target Address", .needs = NEEDS_BRANCHES,
		.take = { take_branch_target }, .value = branch_address_value,
		.text = branch_address_text },
	{ "mispredict", "Branch Mispredicted", .needs = NEEDS_BRANCHES,
		.take = { take_prediction }, .text = prediction_text },
	{ "in_tx", "Branch in transaction", .needs = NEEDS_BRANCHES,
		.take = { take_in_transaction }, .text = in_transaction_text },
	{ "abort", "Transaction abort", .needs = NEEDS_BRANCHES,
		.take = { take_abort }, .text = abort_flag_text },
	{ "cycles", "Basic Block Cycles", .needs = NEEDS_BRANCHES,
		.is_descending = true, .take = { take_branch_cycles },
		.text = branch_cycles_text },
	{ 0 },
};
